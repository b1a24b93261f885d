/**
 * The Gemini format: REST bodies of `generateContent`, the JS SDK's `{ model, contents, config }`, or bare contents. Each
 * comes out in the form in which it came in.
 */

import { formatRules } from "../core/format-rules.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Conversation, Part } from "../core/message.ts";
import type { Format, ValidateOptions, Violation } from "../core/ports.ts";
import { type BodyShape, decodeBody, encodeBody } from "./body.ts";
import { decodeInstruction, decodeMessage, isContent, isPartList } from "./gemini/decode.ts";
import { encodeInstruction, encodeMessage, toContent } from "./gemini/encode.ts";
import { readReply } from "./gemini/reply.ts";
import { fieldOf, keyOf } from "./gemini/spelling.ts";
import { readTools, writeTools } from "./gemini/tools.ts";
import { readUsage } from "./gemini/usage.ts";
import { validateMessages } from "./gemini/validate.ts";
import { readOverflow } from "./overflow.ts";
import { overlay } from "./overlay.ts";
import { listOptions, validateDecoded } from "./validation.ts";

const SHAPE: BodyShape = {
  format: "gemini",
  listKey: "contents",
  decodeMessage,
  encodeMessage,
  decodeSystem: (body) => {
    const instruction = fieldOf(body, "systemInstruction") ?? fieldOf(configOf(body), "systemInstruction");
    return instruction === undefined ? [] : decodeInstruction(instruction, "systemInstruction");
  },
  encodeSystem,
  tools: (body) => body.tools ?? configOf(body).tools,
  encodeTools: (body, tools) => ({ ...body, tools }),
};

/** Gemini's generateContent, as REST and as the SDK spell it. */
export const gemini: Format<GeminiRequest> = {
  name: "gemini",
  listKey: "contents",
  decode,
  encode,
  validate,
  rules: () => formatRules("gemini"),
  nativeWire: () => undefined,
  readReply,
  readUsage,
  readOverflow,
  readTools,
  writeTools,
};

function decode(body: unknown): Conversation {
  const conversation = decodeBody(SHAPE, gatherParts(body));
  // The decoded body may be the gathered one; what it came from is the body as it was given, already known to be JSON.
  return conversation.wire === undefined
    ? conversation
    : { ...conversation, wire: { ...conversation.wire, json: body as JsonValue } };
}

function encode(conversation: Conversation): unknown {
  const json = encodeBody(SHAPE, conversation);
  const given = conversation.messages === conversation.wire?.messages ? conversation.wire.json : undefined;
  if (isArray(json)) return isArray(given) ? given : spreadParts(json);
  if (!isObject(json) || !isArray(json.contents)) return json;
  return { ...json, contents: isObject(given) ? given.contents : spreadParts(json.contents) };
}

function validate(body: unknown, options: ValidateOptions = {}): readonly Violation[] {
  return validateDecoded(SHAPE, gatherParts(body), (conversation, json) => [
    ...checkForms(conversation),
    ...validateMessages(conversation.messages, listOptions(conversation, json, options)),
  ]);
}

/** A short form stands for the whole list; among others it is refused, and written out by `encode`. */
function checkForms({ messages }: Conversation): readonly Violation[] {
  if (messages.length < 2) return [];
  return messages.flatMap(({ wire }, messageIndex) => {
    if (isContent(wire?.json)) return [];
    const path = `contents.${messageIndex}`;
    const message = `${path}: Mixing Content and Parts is not supported, please group the parts into a the appropriate Content objects and specify the roles for them`;
    return [{ rule: "invalid-request", path, messageIndex, message }];
  });
}

/** The SDK takes a list of strings and parts for one content of the user: one element, so that it is one message. */
function gatherParts(body: unknown): unknown {
  if (isArray(body)) return isPartList(body) ? [body] : body;
  const contents = isObject(body) ? body.contents : undefined;
  return isObject(body) && isArray(contents) && isPartList(contents) ? { ...body, contents: [contents] } : body;
}

/** The reverse, while that content is alone. The SDK refuses contents and parts in one list; what came so is left to `repair`. */
function spreadParts(contents: JsonArray): JsonArray {
  const [first] = contents;
  return contents.length === 1 && isArray(first) ? first : contents.map(toContent);
}

function configOf(body: JsonObject): JsonObject {
  return isObject(body.config) ? body.config : {};
}

function encodeSystem(body: JsonObject, system: readonly Part[]): JsonObject {
  const isInConfig = fieldOf(body, "systemInstruction") === undefined && isSdkRequest(body);
  const holder = isInConfig ? configOf(body) : body;
  const before = fieldOf(holder, "systemInstruction");
  const instruction = system.length === 0 ? undefined : encodeInstruction(system, before);
  const after = overlay(holder, { [keyOf(holder, "systemInstruction")]: instruction });
  if (after === holder) return body;
  return isInConfig ? { ...body, config: after } : after;
}

/** A REST body names its model in the address; beside a model and contents the SDK knows only `config`. */
function isSdkRequest(body: JsonObject): boolean {
  if (isObject(body.config)) return true;
  return typeof body.model === "string" && Object.keys(body).every((key) => key === "model" || key === "contents");
}

/**
 * What `generateContent` of the JS SDK takes, to the compiler: model, contents and the parts that most conversations have. Whatever
 * else a body or a part holds is carried all the same; the body of a REST call has its model in the address instead.
 */
export interface GeminiRequest {
  model: string;
  contents: GeminiContent[];
}

interface GeminiContent {
  role?: string;
  parts?: GeminiPart[];
}

interface GeminiPart {
  text?: string;
  thought?: boolean;
  thoughtSignature?: string;
  functionCall?: { id?: string; name?: string; args?: Record<string, unknown> };
  functionResponse?: { id?: string; name?: string; response?: Record<string, unknown> };
  inlineData?: { mimeType?: string; data?: string };
  fileData?: { mimeType?: string; fileUri?: string };
}
