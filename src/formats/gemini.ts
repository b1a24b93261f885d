/** The Gemini format: REST bodies of `generateContent`, the JS SDK's `{ model, contents, config }`, or bare contents. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Conversation, Part } from "../core/message.ts";
import type { Format, ReadTools, ToolDefinition, Violation } from "../core/ports.ts";
import { type BodyShape, createFormat, decodeBody, encodeBody, overlay, toolDefinition, validateBody } from "./body.ts";
import {
  decodeInstruction,
  decodeMessage,
  encodeInstruction,
  encodeMessage,
  isContent,
  isKnownPart,
  isPartList,
  toContent,
} from "./gemini/contents.ts";
import { type Field, fieldOf, keyOf, objectOf } from "./gemini/result.ts";
import { validateMessages } from "./gemini/validate.ts";
import { onlyOne, refuseBlocked, refuseError, refusePiece, refuseSilent, refuseUnknown } from "./response.ts";

const SHAPE: BodyShape = {
  format: "gemini",
  decodeMessage,
  encodeMessage,
  decodeSystem: (body) => {
    const instruction = fieldOf(body, "systemInstruction") ?? fieldOf(configOf(body), "systemInstruction");
    return instruction === undefined ? [] : decodeInstruction(instruction, "systemInstruction");
  },
  encodeSystem,
  tools: (body) => body.tools ?? configOf(body).tools,
  check: (conversation, options) => [...checkForms(conversation), ...validateMessages(conversation.messages, options)],
};

/** Gemini's generateContent, as REST and as the SDK spell it. */
export const gemini: Format<GeminiRequest> = createFormat(SHAPE, {
  decode,
  encode,
  validate: (body, options) => validateBody(SHAPE, gatherParts(body), options),
  readReply,
  readTools,
  writeTools,
});

function decode(body: unknown): Conversation {
  const conversation = decodeBody(SHAPE, gatherParts(body));
  // `gatherParts` may have changed the body. The wire form is the body as it was given, which decoding has found to be JSON.
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

/** A short form is allowed only as the whole list. Beside other messages the provider refuses it, and `encode` writes it out. */
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

/** Undoes `gatherParts` while that content is alone. The SDK refuses contents and parts in one list; `repair` mends those. */
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

function readReply(given: unknown): readonly JsonValue[] | undefined {
  if (!isObject(given)) return undefined;
  const response = unwrapped(given);
  if (!isArray(response.candidates)) return refuseNoResponse(response);
  const candidate = onlyOne(response.candidates, "candidates");
  if (!isObject(candidate)) return refuseNoCandidate(response);
  const { content } = candidate;
  const finishReason = fieldOf(candidate, "finishReason");
  const isSaid = isObject(content) && isArray(content.parts) && content.parts.length > 0;
  // Only the last chunk of a stream says how the answer ended.
  if (isSaid && !finishReason) refusePiece("a response without a finishReason");
  if (isSaid) return [{ role: "model", ...content }];
  return FINISHED.has(finishReason) ? [] : refuseSilent(finishReason);
}

/** An earlier SDK hands the response out as a field of its result. */
function unwrapped(response: JsonObject): JsonObject {
  const inner = response.response;
  return !isContent(response) && isObject(inner) && isArray(inner.candidates) ? inner : response;
}

/** The model came to an end by itself, or to its limit while it thought. */
const FINISHED: ReadonlySet<JsonValue | undefined> = new Set(["STOP", "MAX_TOKENS"]);

function refuseNoCandidate(response: JsonObject): never {
  refuseError(response);
  return refuseBlocked(fieldOf(objectOf(response, "promptFeedback") ?? {}, "blockReason"));
}

/** A single part is a short form of the user's content. Only parts with known fields are accepted as one. */
function refuseNoResponse(response: JsonObject): undefined {
  if (isContent(response)) return;
  const isResponse = RESPONSE_FIELDS.some((field) => fieldOf(response, field) !== undefined);
  if (isResponse) refuseNoCandidate(response);
  refuseError(response);
  if (!isKnownPart(response)) refuseUnknown("neither a content nor a part nor a response", "{ role, parts }");
}

/** Of a response that has no candidates; no part has them. */
const RESPONSE_FIELDS: readonly Field[] = ["promptFeedback", "usageMetadata", "modelVersion", "responseId"];

function readTools(tools: JsonValue | undefined): ReadTools {
  const groups = listOf(tools).filter(isObject);
  return {
    definitions: groups.flatMap((group) => listOf(fieldOf(group, "functionDeclarations")).flatMap(readDeclaration)),
    // Every other key is a tool that the provider runs: `googleSearch`, `codeExecution`, `urlContext`, …
    foreign: groups.flatMap((group) =>
      Object.keys(group).filter((key) => key !== keyOf(group, "functionDeclarations")),
    ),
  };
}

function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  if (definitions.length === 0) return [];
  const functionDeclarations = definitions.map(({ parameters, ...definition }) => ({
    ...definition,
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  }));
  return [{ functionDeclarations }];
}

function readDeclaration(declaration: JsonValue): readonly ToolDefinition[] | ToolDefinition {
  if (!isObject(declaration)) return [];
  const own = isObject(declaration.parameters) ? toJsonSchema(declaration.parameters) : undefined;
  const parameters = fieldOf(declaration, "parametersJsonSchema") ?? own;
  return toolDefinition({ ...declaration, parameters }) ?? [];
}

/** Gemini's schema is OpenAPI's: types may be upper case, null is a flag, and the order of properties is stated. */
function toJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _, property_ordering: __, ...rest } = schema;
  const fields = Object.entries(rest).map(([key, value]): [string, JsonValue | undefined] => {
    if (key === "type" && typeof value === "string") return [key, toType(value, nullable === true)];
    if (key === "anyOf" || key === "any_of") return ["anyOf", isArray(value) ? value.map(schemaOr) : value];
    if (key === "items") return [key, schemaOr(value ?? null)];
    if (key === "properties" && isObject(value)) return [key, mapValues(value)];
    return COUNTS.test(key) && typeof value === "string" ? [key, Number(value)] : [key, value];
  });
  return Object.fromEntries(fields);
}

/** 64-bit integers, which protobuf JSON writes as strings. */
const COUNTS = /^(?:min|max)(?:Items|Length|Properties)$/;

function toType(type: string, isNullable: boolean): JsonValue {
  return isNullable ? [type.toLowerCase(), "null"] : type.toLowerCase();
}

function schemaOr(value: JsonValue): JsonValue {
  return isObject(value) ? toJsonSchema(value) : value;
}

function mapValues(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, schemaOr(value ?? null)]));
}

function listOf(value: JsonValue | undefined): JsonArray {
  if (isArray(value)) return value;
  return value === undefined ? [] : [value];
}
