/**
 * From a whole request body, or a bare list, to a conversation and back: what the four formats share. Everything in the
 * body that is not the system prompt or the message list stays where it was.
 */

import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Conversation, type FormatName, isUntouched, type Message, type Part } from "../core/message.ts";

/** What a format has to say for `decodeBody` and `encodeBody` to do the rest. */
export interface BodyShape {
  readonly format: FormatName;
  /** The key of the message list: `messages`, `input` or `contents`. */
  readonly listKey: string;
  /** Whether a body may do without the list, because the server holds it or a stored prompt stands for it (Responses). */
  mayLackList?(body: JsonObject): boolean;
  decodeMessage(json: JsonValue, index: number): Message;
  /** More than one wire message where a message of ours holds what the format keeps apart. */
  encodeMessage(message: Message): readonly JsonValue[];
  decodeSystem(body: JsonObject): readonly Part[];
  /** Only called when the system prompt was changed or there was no body. */
  encodeSystem(body: JsonObject, system: readonly Part[]): JsonObject;
  /** Where the system prompt is part of the list (Chat): the wire messages to put first. */
  systemMessages?(system: readonly Part[]): readonly JsonValue[];
  tools(body: JsonObject): JsonValue | undefined;
  /** Lays changed or new tool definitions into a body that has none. */
  encodeTools(body: JsonObject, tools: JsonValue): JsonObject;
}

export function decodeBody(shape: BodyShape, json: unknown): Conversation {
  if (isArray(json)) return conversation(shape, { json, list: json, body: undefined });
  if (!isObject(json)) throw invalid(`The body must be an object or an array, not ${kindOf(json)}.`);
  const content = json[shape.listKey];
  if (content === undefined && !shape.mayLackList?.(json)) throw invalid(`The body has no \`${shape.listKey}\`.`);
  // A string is the short form of one user message (Responses, Gemini SDK), an object that of one message (Gemini SDK).
  const list = content === undefined ? [] : isArray(content) ? content : [content];
  return conversation(shape, { json, list, body: json });
}

interface Source {
  readonly json: JsonValue;
  readonly list: JsonArray;
  readonly body: JsonObject | undefined;
}

function conversation(shape: BodyShape, { json, list, body }: Source): Conversation {
  const messages = list.map((element, index) => decodeNested(shape, element, index));
  const system = body === undefined ? [] : shape.decodeSystem(body);
  const tools = body === undefined ? undefined : shape.tools(body);
  return { format: shape.format, system, tools, messages, wire: { json, system, messages } };
}

/** Blocks may hold blocks: what nests deeper than the stack is refused as any other body that cannot be read. */
function decodeNested(shape: BodyShape, element: JsonValue, index: number): Message {
  try {
    return shape.decodeMessage(element, index);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid(`${shape.listKey}.${index} nests too deeply to be read.`);
    throw cause;
  }
}

export function encodeBody(shape: BodyShape, conversation: Conversation): JsonValue {
  const { wire, messages } = conversation;
  const encoded = messages.flatMap((message) =>
    isUntouched(message) ? [message.wire.json] : shape.encodeMessage(message),
  );
  const list = [...(shape.systemMessages?.(conversation.system) ?? []), ...encoded];
  if (wire === undefined) return newBody(shape, conversation, list);
  if (!isObject(wire.json)) return bareList(shape, conversation, list);
  const before = wire.json[shape.listKey];
  const [only] = list;
  const isStillShort = !isArray(before) && list.length === 1 && only === before;
  const written = isArray(before) ? list : list.map((element) => longForm(shape, element));
  const isStillAbsent = before === undefined && list.length === 0;
  const body = isStillAbsent ? { ...wire.json } : { ...wire.json, [shape.listKey]: isStillShort ? before : written };
  return withPrompt(shape, conversation, { body, before: wire.json, system: wire.system });
}

interface BodyBefore {
  readonly body: JsonObject;
  readonly before: JsonObject;
  readonly system: readonly Part[];
}

/** Only what was changed is written: a body that still says the same keeps its own form of saying it. */
function withPrompt(shape: BodyShape, conversation: Conversation, { body, before, system }: BodyBefore): JsonObject {
  const prompted = conversation.system === system ? body : shape.encodeSystem(body, conversation.system);
  const { tools } = conversation;
  return tools === undefined || tools === shape.tools(before) ? prompted : shape.encodeTools(prompted, tools);
}

function bareList(shape: BodyShape, { system, wire }: Conversation, list: JsonArray): JsonArray {
  const isHeld = shape.systemMessages !== undefined || system.length === 0 || system === wire?.system;
  if (!isHeld) throw invalid("A bare list cannot hold a system prompt: decode a whole body to change it.");
  return list;
}

/** A short form that has company now must be written out. */
function longForm(shape: BodyShape, element: JsonValue): JsonValue {
  if (typeof element !== "string") return element;
  const { wire: _, ...message } = shape.decodeMessage(element, 0);
  return shape.encodeMessage(message)[0] ?? element;
}

function newBody(shape: BodyShape, { system, tools }: Conversation, list: JsonArray): JsonObject {
  const empty: JsonObject = {};
  const start = system.length > 0 ? shape.encodeSystem(empty, system) : empty;
  const withTools = tools === undefined ? start : shape.encodeTools(start, tools);
  return { ...withTools, [shape.listKey]: list };
}

export function invalid(message: string): CompactionError {
  return new CompactionError("invalid-request", message);
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
