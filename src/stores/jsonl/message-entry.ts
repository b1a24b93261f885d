/** A message of ours as entries of a pi session, and back as the very same JSON. The exact body stands beside what pi shows where it must. */

import { formatRules } from "../../core/format-rules.ts";
import {
  isArray,
  isObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  numberOf,
  parseJson,
  stringOf,
  WRAPPING_DEPTH_MAX,
} from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import { piContent } from "../../core/pi-entries.ts";
import { bodyText } from "../../core/search/body-text.ts";
import { stringsIn, withoutStrings, withStrings } from "../../core/store/attachments.ts";
import type { UsageCounts } from "../../core/store/counters.ts";
import type { LogMessage } from "../log/records.ts";

interface MessageContext {
  readonly format: FormatName;
  readonly model: string;
  readonly at: string;
  /** What the provider reported with this answer. */
  readonly usage?: UsageCounts;
  toolName(callId: string): string | undefined;
  /** What the batch says that ends with this message. */
  readonly batch?: { readonly turns: number; readonly usage?: UsageCounts };
}

/** The first bears the message's id, the others say whose part they are; who is whose parent is the file's business. */
export function messageEntries(message: LogMessage, context: MessageContext): readonly JsonObject[] {
  const { id, body, role, isPinned } = message;
  const [first = {}, ...others] = piMessages(body, role, metaOf(context)).map(plainWhere(body));
  const entry = (entryId: string, shown: JsonObject) => {
    return { type: "message", id: entryId, parentId: null, timestamp: context.at, message: shown };
  };
  const { batch } = context;
  const counted = batch && { turns: batch.turns, ...(batch.usage !== undefined && { usage: { ...batch.usage } }) };
  const mark = { role, ...(isPinned && { isPinned }), ...(counted !== undefined && { batch: counted }) };
  const own = others.length === 0 && isSame(bodyShown(first), body) ? {} : { ...bodyBeside(body, first) };
  return [
    { ...entry(id, first), palimpsest: { ...mark, ...own } },
    ...others.map((shown, index) => ({ ...entry(`${id}.${index + 1}`, shown), palimpsest: { part: id } })),
  ];
}

/** Undefined for an entry that is not ours. */
export function messageIn(entry: JsonObject): { role: Role; body: JsonValue; isPinned: boolean } | undefined {
  const mark = entry.palimpsest;
  if (entry.type !== "message" || !isObject(mark) || !isObject(entry.message)) return undefined;
  const role = ROLES.find((each) => each === mark.role);
  const body = mark.body === undefined ? bodyShown(entry.message) : withImages(mark, entry.message);
  return role === undefined || body === undefined ? undefined : { role, body, isPinned: mark.isPinned === true };
}

/** Of a batch that ends with the entry. */
export function batchIn(entry: JsonObject): { turns: number; usage?: UsageCounts } {
  const mark = isObject(entry.palimpsest) ? entry.palimpsest : {};
  const batch = isObject(mark.batch) ? mark.batch : {};
  const turns = numberOf(batch.turns) ?? 0;
  if (!isObject(batch.usage)) return { turns };
  const { inputTokens, outputTokens, contextTokens } = batch.usage;
  const usage = { inputTokens: numberOf(inputTokens) ?? 0, outputTokens: numberOf(outputTokens) ?? 0 };
  const window = numberOf(contextTokens);
  return { turns, usage: { ...usage, ...(window !== undefined && { contextTokens: window }) } };
}

const ROLES: readonly Role[] = ["user", "assistant", "tool", "system"];

function metaOf({ format, model, at, usage: reported, toolName }: MessageContext) {
  const { api, provider } = formatRules(format).piApi;
  const { inputTokens = 0, outputTokens = 0 } = reported ?? {};
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const totalTokens = inputTokens + outputTokens;
  const usage = { input: inputTokens, output: outputTokens, cacheRead: 0, cacheWrite: 0, totalTokens, cost };
  return { api, provider, model, timestampMs: Date.parse(at), usage, toolName };
}

/** Keeps user content that is one string as a string: pi accepts it, and no exact body need stand beside it. */
function plainWhere(body: JsonValue) {
  const content = isObject(body) && body.role === "user" ? body.content : undefined;
  return (shown: JsonObject): JsonObject =>
    typeof content === "string" && shown.role === "user" ? { ...shown, content } : shown;
}

/** The body that what pi shows stands for, in the form that most clients send. */
function bodyShown(shown: JsonObject): JsonValue | undefined {
  if (typeof shown.content === "string") return { role: shown.role, content: shown.content };
  const content = piContent({ type: "message", message: shown });
  return content && { role: content.role, content: content.blocks };
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The body without the data of pictures that pi is shown; `image` says which block of what pi shows holds the data. */
function bodyBeside(body: JsonValue, shown: JsonObject): JsonObject {
  const data = imagesIn(shown);
  if (data.size === 0) return { body };
  const images = stringsIn(body).flatMap(({ path, prefix, data: found }) => {
    const image = data.get(found);
    return image === undefined ? [] : [{ path, prefix, image }];
  });
  return images.length === 0 ? { body } : { body: withoutStrings(body, images), images };
}

function imagesIn(shown: JsonObject): ReadonlyMap<string, number> {
  const blocks = isArray(shown.content) ? shown.content : [];
  const found = blocks.flatMap((block, index): readonly (readonly [string, number])[] =>
    isObject(block) && block.type === "image" && typeof block.data === "string" ? [[block.data, index]] : [],
  );
  return new Map(found);
}

function withImages(mark: JsonObject, shown: JsonObject): JsonValue | undefined {
  const { body, images } = mark;
  if (body === undefined || !isArray(images)) return body;
  const blocks = isArray(shown.content) ? shown.content : [];
  const places = images.filter(isObject).flatMap(({ path, prefix, image }) => {
    const block = blocks[numberOf(image) ?? -1];
    const data = isObject(block) ? stringOf(block.data) : undefined;
    const keys = isArray(path) ? path.filter((key) => typeof key === "string" || typeof key === "number") : [];
    return data === undefined ? [] : [{ path: keys, value: `${stringOf(prefix) ?? ""}${data}` }];
  });
  return withStrings(body, places);
}

interface PiMeta {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly timestampMs: number;
  readonly usage: JsonObject;
  /** What a call was to; most formats do not repeat it in the result. */
  toolName(callId: string): string | undefined;
}

/** At least one; results come first, as the providers want them. */
function piMessages(body: JsonValue, role: Role, meta: PiMeta): readonly JsonObject[] {
  const shown = blocksIn(body);
  const results = shown.flatMap((each) => (each.type === "result" ? [each] : []));
  const blocks = shown.flatMap((each) => (each.type === "block" ? [each.block] : []));
  const timestamp = meta.timestampMs;
  const messages = results.map(({ callId, name, content, isError }) => {
    const toolName = name ?? meta.toolName(callId) ?? "unknown";
    return { role: "toolResult", toolCallId: callId, toolName, content, isError, timestamp };
  });
  if (blocks.length === 0 && messages.length > 0) return messages;
  return [...messages, ownMessage(blocks, speaker(role, body, blocks), meta)];
}

export function calledTool(body: JsonValue, callId: string): string | undefined {
  for (const each of blocksIn(body)) {
    if (each.type === "block" && each.block.type === "toolCall" && each.block.id === callId)
      return stringOf(each.block.name);
  }
  return undefined;
}

interface Result {
  readonly type: "result";
  readonly callId: string;
  readonly name: string | undefined;
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
}

type Shown = { readonly type: "block"; readonly block: JsonObject } | Result;

function ownMessage(blocks: readonly JsonObject[], role: Role, meta: PiMeta): JsonObject {
  const { api, provider, model, usage, timestampMs: timestamp } = meta;
  if (role !== "assistant") return { role, content: blocks, timestamp };
  const stopReason = blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return { role, content: blocks, api, provider, model, usage, stopReason, timestamp };
}

/** A call is the assistant's whatever the item's role says; pi has no role for a tool that said no result. */
function speaker(role: Role, body: JsonValue, blocks: readonly JsonObject[]): Role {
  if (blocks.some(({ type }) => type === "toolCall" || type === "thinking")) return "assistant";
  if (isObject(body) && body.role === "developer") return "system";
  return role === "tool" ? "user" : role;
}

function blocksIn(body: JsonValue): readonly Shown[] {
  if (!isObject(body)) return [shownText(bodyText(body))];
  if (isArray(body.parts)) return body.parts.filter(isObject).flatMap(geminiPart);
  if (body.role === "tool") return [result(body.tool_call_id, body.name, body.content)];
  if (typeof body.type === "string" && body.type !== "message") return item(body);
  const reasoning = stringOf(body.reasoning_content) ?? "";
  const calls = isArray(body.tool_calls) ? body.tool_calls.filter(isObject) : [];
  return [
    ...(reasoning === "" ? [] : [thinking(reasoning)]),
    ...contentBlocks(body.content),
    ...calls.map((call) => {
      const named = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
      return toolCall(call.id, named.name, named.arguments ?? named.input);
    }),
  ];
}

/** One item of the Responses format. */
function item(body: JsonObject): readonly Shown[] {
  const type = stringOf(body.type) ?? "";
  if (type.endsWith("_output")) return [result(body.call_id, body.name, body.output)];
  if (type === "function_call" || type === "custom_tool_call") {
    return [toolCall(body.call_id, body.name, body.arguments ?? body.input)];
  }
  return type === "reasoning" ? [thinking(bodyText(body))] : [block(body)].flat();
}

function contentBlocks(content: JsonValue | undefined): readonly Shown[] {
  if (typeof content === "string") return content === "" ? [] : [shownText(content)];
  return isArray(content) ? content.filter(isObject).flatMap(block) : [];
}

function block(value: JsonObject): readonly Shown[] {
  switch (value.type) {
    case "thinking":
      return [thinking(stringOf(value.thinking) ?? "", stringOf(value.signature))];
    case "redacted_thinking":
      return [shown({ type: "thinking", thinking: "", thinkingSignature: value.data, redacted: true })];
    case "tool_use":
      return [toolCall(value.id, value.name, value.input)];
    case "tool_result":
      return [result(value.tool_use_id, value.name, value.content, value.is_error === true)];
    default: {
      const image = imageIn(value);
      if (image !== undefined) return [shown(image)];
      const readable = bodyText(value);
      return [shownText(readable === "" ? `[${stringOf(value.type) ?? "unknown"}]` : readable)];
    }
  }
}

function geminiPart(part: JsonObject): readonly Shown[] {
  const { functionCall, functionResponse } = part;
  if (isObject(functionCall))
    return [toolCall(functionCall.id ?? functionCall.name, functionCall.name, functionCall.args)];
  if (isObject(functionResponse)) {
    const { id, name, response } = functionResponse;
    return [result(id ?? name, name, JSON.stringify(response ?? null))];
  }
  if (part.thought === true) return [thinking(stringOf(part.text) ?? "")];
  const image = imageIn(part);
  return [image === undefined ? shownText(stringOf(part.text) ?? bodyText(part)) : shown(image)];
}

const DATA_URL = /^data:(image\/[\w.+-]+);base64,/;

/** pi's form of a picture whose bytes stand in the message. */
function imageIn(value: JsonObject): JsonObject | undefined {
  const source = isObject(value.source) ? value.source : isObject(value.inlineData) ? value.inlineData : {};
  const mimeType = stringOf(source.media_type) ?? stringOf(source.mimeType) ?? "";
  if (mimeType.startsWith("image/") && typeof source.data === "string") {
    return { type: "image", data: source.data, mimeType };
  }
  const url = stringOf(isObject(value.image_url) ? value.image_url.url : value.image_url) ?? "";
  const head = DATA_URL.exec(url);
  return head?.[1] === undefined ? undefined : { type: "image", data: url.slice(head[0].length), mimeType: head[1] };
}

function result(
  callId: JsonValue | undefined,
  name: JsonValue | undefined,
  content: JsonValue | undefined,
  isError = false,
): Result {
  const said = contentBlocks(content).flatMap((each) => (each.type === "block" ? [each.block] : []));
  return { type: "result", callId: stringOf(callId) ?? "", name: stringOf(name), content: said, isError };
}

function toolCall(id: JsonValue | undefined, name: JsonValue | undefined, input: JsonValue | undefined): Shown {
  const given = argumentsOf(input);
  return shown({ type: "toolCall", id: stringOf(id) ?? "", name: stringOf(name) ?? "unknown", arguments: given });
}

const WRAPPING = "[".repeat(WRAPPING_DEPTH_MAX);

function argumentsOf(input: JsonValue | undefined): JsonObject {
  if (isObject(input)) return input;
  if (typeof input !== "string") return {};
  // No reader accepts a line that nests too deep.
  if (isTooDeep(WRAPPING + input)) return { input };
  const parsed = parseJson(input);
  return isObject(parsed) ? parsed : { input };
}

function thinking(text: string, signature?: string): Shown {
  return shown({
    type: "thinking",
    thinking: text,
    ...(signature === undefined ? {} : { thinkingSignature: signature }),
  });
}

function shownText(text: string): Shown {
  return shown({ type: "text", text });
}

function shown(each: JsonObject): Shown {
  return { type: "block", block: each };
}
