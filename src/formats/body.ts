/**
 * From a whole request body, or a bare list, to a conversation and back: what all formats share. Everything in the body that is
 * not the system prompt or the message list stays where it was. A body that cannot be decoded is a violation for `validate`, never an exception.
 */

import { answerFieldPaths } from "../core/answer-fields.ts";
import { CompactionError } from "../core/errors.ts";
import { type FormatRules, formatRules, modelIn } from "../core/format-rules.ts";
import { historyHolder } from "../core/items.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, present } from "../core/json.ts";
import { type Conversation, type FormatName, isUntouched, type Message, type Part } from "../core/message.ts";
import type { Format, ReadTools, ToolDefinition, ValidateOptions, Violation } from "../core/ports.ts";
import { readUsage } from "../core/usage.ts";
import { readOverflow, refusesReasoning } from "./overflow.ts";

/** The parts of a format that differ per provider; `createFormat` adds what all formats share. */
export interface BodyShape {
  readonly format: FormatName;
  /** Whether the list may be absent, because the server has the history or a stored prompt (Responses). */
  mayLackList?(body: JsonObject): boolean;
  decodeMessage(json: JsonValue, index: number): Message;
  /** Gives several wire messages where the format keeps apart what one message holds. */
  encodeMessage(message: Message): readonly JsonValue[];
  decodeSystem(body: JsonObject): readonly Part[];
  /** Only called when the system prompt was changed or there was no body. */
  encodeSystem(body: JsonObject, system: readonly Part[]): JsonObject;
  /** Where the system prompt is part of the list (Chat): the wire messages to put first. */
  systemMessages?(system: readonly Part[]): readonly JsonValue[];
  /** Where tool definitions may stand elsewhere than under `toolsKey` of the rules (Gemini). */
  tools?(body: JsonObject): JsonValue | undefined;
  /** What the provider would refuse of a body that can be decoded. */
  check(conversation: Conversation, options: ListOptions): readonly Violation[];
  /** How the provider refuses a field that no request may hold. Default: OpenAI's words, with indexes in brackets. */
  unknownField?(path: string): string;
}

type OwnMethods = Pick<Format, "readReply" | "readTools" | "writeTools"> &
  Partial<Pick<Format, "decode" | "encode" | "validate" | "nativeWire">>;

/** A format from its shape and its way to read responses and tools; `own` may replace what all formats share. */
export function createFormat<Request extends object>(shape: BodyShape, own: OwnMethods): Format<Request> {
  return {
    name: shape.format,
    listKey: listKeyOf(shape),
    decode: (body) => decodeBody(shape, body),
    encode: (conversation) => encodeBody(shape, conversation),
    validate: (body, options) => validateBody(shape, body, options),
    rules: (model) => formatRules(shape.format, model),
    nativeWire: () => undefined,
    readUsage,
    readOverflow,
    refusesReasoning,
    ...own,
  };
}

function listKeyOf({ format }: BodyShape): FormatRules["listKey"] {
  return formatRules(format).listKey;
}

export function decodeBody(shape: BodyShape, json: unknown): Conversation {
  if (isArray(json)) return conversation(shape, { json, list: json, body: undefined });
  if (!isObject(json)) throw invalid(`The body must be an object or an array, not ${kindOf(json)}.`);
  const listKey = listKeyOf(shape);
  const content = json[listKey];
  if (content === undefined && !shape.mayLackList?.(json)) throw invalid(`The body has no \`${listKey}\`.`);
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
  const tools = body === undefined ? undefined : toolsIn(shape, body);
  return { format: shape.format, system, tools, messages, wire: { json, system, messages } };
}

/** Blocks may hold blocks. A message that nests deeper than the stack allows is refused like any other unreadable body. */
function decodeNested(shape: BodyShape, element: JsonValue, index: number): Message {
  try {
    return shape.decodeMessage(element, index);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid(`${listKeyOf(shape)}.${index} nests too deeply to be read.`);
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
  const listKey = listKeyOf(shape);
  const before = wire.json[listKey];
  const [only] = list;
  const isStillShort = !isArray(before) && list.length === 1 && only === before;
  const written = isArray(before) ? list : list.map((element) => longForm(shape, element));
  const isStillAbsent = before === undefined && list.length === 0;
  const body = isStillAbsent ? { ...wire.json } : { ...wire.json, [listKey]: isStillShort ? before : written };
  return withPrompt(shape, conversation, { body, before: wire.json, system: wire.system });
}

interface BodyBefore {
  readonly body: JsonObject;
  readonly before: JsonObject;
  readonly system: readonly Part[];
}

/** Writes the system prompt and the tools only where they changed; otherwise the body keeps its own form of them. */
function withPrompt(shape: BodyShape, conversation: Conversation, { body, before, system }: BodyBefore): JsonObject {
  const prompted = conversation.system === system ? body : shape.encodeSystem(body, conversation.system);
  const { tools } = conversation;
  return tools === undefined || tools === toolsIn(shape, before)
    ? prompted
    : { ...prompted, [toolsKeyOf(shape)]: tools };
}

function toolsIn(shape: BodyShape, body: JsonObject): JsonValue | undefined {
  return shape.tools === undefined ? body[toolsKeyOf(shape)] : shape.tools(body);
}

function toolsKeyOf({ format }: BodyShape): string {
  return formatRules(format).toolsKey;
}

function bareList(shape: BodyShape, { system, wire }: Conversation, list: JsonArray): JsonArray {
  const isHeld = shape.systemMessages !== undefined || system.length === 0 || system === wire?.system;
  if (!isHeld) throw invalid("A bare list cannot hold a system prompt: decode a whole body to change it.");
  return list;
}

/** Writes a short form out in full, because other messages stand beside it now. */
function longForm(shape: BodyShape, element: JsonValue): JsonValue {
  if (typeof element !== "string") return element;
  const { wire: _, ...message } = shape.decodeMessage(element, 0);
  return shape.encodeMessage(message)[0] ?? element;
}

function newBody(shape: BodyShape, { system, tools }: Conversation, list: JsonArray): JsonObject {
  const empty: JsonObject = {};
  const start = system.length > 0 ? shape.encodeSystem(empty, system) : empty;
  return { ...start, ...(tools !== undefined && { [toolsKeyOf(shape)]: tools }), [listKeyOf(shape)]: list };
}

/** Sorts tools by what `read` makes of each: a definition, or the name of a tool that only this provider has. */
export function readToolList(
  tools: JsonValue | undefined,
  read: (tool: JsonObject) => ToolDefinition | string,
): ReadTools {
  const found = isArray(tools) ? tools.filter(isObject).map(read) : [];
  return {
    definitions: found.filter((tool) => typeof tool !== "string"),
    foreign: found.filter((tool) => typeof tool === "string"),
  };
}

/** A definition without the fields that the provider's tool lacks. */
export function toolDefinition({ name, description, parameters }: JsonObject): ToolDefinition | undefined {
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(typeof description === "string" && { description }),
    ...(parameters !== undefined && { parameters }),
  };
}

export function invalid(message: string): CompactionError {
  return new CompactionError("invalid-request", message);
}

export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Options of `validate`, with what the body says where the caller does not. */
export interface ListOptions extends ValidateOptions {
  /** True where the provider puts a stored history before the list, so that the list need not begin like a whole conversation. */
  readonly isContinued: boolean;
}

function listOptions(conversation: Conversation, options: ValidateOptions): ListOptions {
  const body = conversation.wire?.json;
  const model = options.model ?? modelIn(body);
  const isContinued = historyHolder(conversation) !== "list";
  return { ...options, ...(model !== undefined && { model }), isContinued };
}

export function validateBody(shape: BodyShape, body: unknown, options: ValidateOptions = {}): readonly Violation[] {
  let conversation: Conversation;
  try {
    conversation = decodeBody(shape, body);
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    const listKey = listKeyOf(shape);
    const index = new RegExp(`^${listKey}[.[](\\d+)`).exec(error.message)?.[1];
    const messageIndex = index === undefined ? -1 : Number(index);
    const path = messageIndex < 0 ? listKey : `${listKey}.${index}`;
    return [{ rule: "invalid-request", path, messageIndex, message: error.message }];
  }
  const violations = [
    ...shape.check(conversation, listOptions(conversation, options)),
    ...checkAnswerFields(shape, conversation),
  ];
  return violations.sort((a, b) => a.messageIndex - b.messageIndex);
}

/** Fields that only an answer has, and that were sent back with it. */
function checkAnswerFields(shape: BodyShape, { messages }: Conversation): readonly Violation[] {
  const rules = formatRules(shape.format);
  return messages.flatMap((message, messageIndex) =>
    answerFieldPaths(message, rules).map((field) => {
      const dotted = `${rules.listKey}.${messageIndex}.${field}`;
      const path = shape.unknownField === undefined ? dotted.replace(/\.(\d+)/g, "[$1]") : dotted;
      const said = shape.unknownField?.(path) ?? `Unknown parameter: '${path}'.`;
      return { rule: "unknown-field", path, messageIndex, message: said };
    }),
  );
}

/** Fields that are `undefined` are removed. The object itself comes back when nothing differs. */
export function overlay(wire: JsonObject | undefined, fields: JsonObject): JsonObject {
  if (wire === undefined) return present(fields);
  const differs = Object.keys(fields).some((key) => wire[key] !== fields[key]);
  return differs ? present({ ...wire, ...fields }) : wire;
}

/** The same list when every element is the same, so that an unchanged list is recognised by identity. */
export function sameOr<T extends JsonValue>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] {
  if (before === undefined || before.length !== after.length) return after;
  return before.every((element, index) => element === after[index]) ? before : after;
}

/** Content as blocks, or as a string where it is one text and was no list of blocks before. */
export function encodeContent(
  parts: readonly Part[],
  before: JsonValue | undefined,
  encodeBlock: (part: Part) => readonly JsonObject[],
): JsonValue {
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.type === "text" && first.wire === undefined;
  if (isPlain && !isArray(before)) return first.text;
  const blocks = parts.flatMap(encodeBlock);
  return isArray(before) ? sameOr(before, blocks) : blocks;
}
