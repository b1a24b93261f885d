/**
 * What only a provider can read: items that its own compaction left, items that stand in a list under their ids alone, and histories that it
 * stores and puts before the list. All of it is stored and sent back as it is. Finds and reads; never changes any.
 */

import { formatRules } from "./format-rules.ts";
import { isObject, type JsonObject, type JsonValue, stringOf } from "./json.ts";
import { type Conversation, type Message, type OpaquePart, type Part, text } from "./message.ts";
import { pairCalls } from "./structure/pairing.ts";

const NATIVE_ITEM = "compaction";

export function isNativeItem({ parts }: Message): boolean {
  for (const part of parts) if (isCompactionPart(part) && !isFailedAttempt(part.wire)) return true;
  return false;
}

/** Anthropic's item for a failed compaction: it replaces nothing, and the messages before it are still read. */
function isFailedAttempt(item: JsonValue): boolean {
  return isObject(item) && item.content === null && (item.encrypted_content ?? item.signature ?? null) === null;
}

/** The same message with the readable text of its items, for a summary that must replace them too. */
export function withReadableItems(message: Message): Message {
  if (!isNativeItem(message)) return message;
  const parts = message.parts.map((part) => (isCompactionPart(part) ? (readablePart(part.wire) ?? part) : part));
  return { ...message, parts };
}

/** The summary in a signed item; undefined in an encrypted one. */
export function readableText(item: JsonValue | undefined): string | undefined {
  if (!isObject(item)) return undefined;
  const { content } = item;
  return typeof content === "string" && content.trim() !== "" ? content : undefined;
}

function readablePart(item: JsonValue): Part | undefined {
  const readable = readableText(item);
  return readable === undefined ? undefined : text(readable);
}

export function isCompactionPart(part: Part | undefined): part is OpaquePart {
  return part?.type === "opaque" && part.kind === NATIVE_ITEM;
}

/** Anthropic's compaction: only valid at the start of a list. */
export function isSignedCompaction(part: Part | undefined): part is OpaquePart {
  return isCompactionPart(part) && part.wire.signature !== undefined;
}

/** A reference does not show whether its item is a call, nor of which tool. */
export function isItemReference({ parts }: Message): boolean {
  const part = parts[0];
  return part?.type === "opaque" && part.kind === "item_reference";
}

/** The id that must be unique in the list; undefined where there is none, or where it is the id of the answered call. */
export function itemId(message: Message): string | undefined {
  const json = message.wire?.json;
  if (!isObject(json) || json.type === "local_shell_call_output") return undefined;
  return json.id === "" ? undefined : stringOf(json.id);
}

/** Messages and references may omit their type. */
export function itemType({ wire }: Message): string {
  const json = isObject(wire?.json) ? wire.json : {};
  return stringOf(json.type) ?? (json.role === undefined ? "item_reference" : "message");
}

const REASONING_ID = /^rs_/;

/** The id of an item whose content only the provider stores: a reference, or reasoning without its cipher. */
export function storedId(message: Message): string | undefined {
  const [part] = message.parts;
  const id = stringOf(part?.wire?.id);
  if (id === undefined || isItemReference(message)) return id;
  const isBareReasoning = part?.type === "reasoning" && part.encrypted === undefined;
  return isBareReasoning && REASONING_ID.test(id) ? id : undefined;
}

/**
 * `list`: the request is the whole history. `both`: it refers to a stored history and also holds one. `server`: the
 * list only adds to the stored history, so removing messages from it would not make the context smaller.
 */
export type HistoryHolder = "list" | "both" | "server";

export function historyHolder(conversation: Conversation): HistoryHolder {
  if (hasStoredPrefix(conversation)) return "server";
  if (namedKeys(conversation).length === 0) return "list";
  return tellsWholeHistory(conversation) ? "both" : "server";
}

/** The request without its reference to a stored history; the same object where it has none. */
export function withoutServerHistory(conversation: Conversation): Conversation {
  const { wire } = conversation;
  const keys = namedKeys(conversation);
  if (wire === undefined || keys.length === 0) return conversation;
  const kept = Object.entries(bodyOf(conversation)).filter(([key]) => !keys.includes(key));
  return { ...conversation, wire: { ...wire, json: Object.fromEntries(kept) } };
}

/** Whether an item is in the list by id alone (Responses): a result may then answer a call that is only referred to. */
export function refersToItems({ messages }: Conversation): boolean {
  return messages.some(isItemReference);
}

/** False where the request says that the provider stores nothing. */
export function findsItems(conversation: Conversation): boolean {
  const { storeKey } = formatRules(conversation.format);
  return storeKey === undefined || bodyOf(conversation)[storeKey] !== false;
}

function namedKeys(conversation: Conversation): readonly string[] {
  const body = bodyOf(conversation);
  return formatRules(conversation.format).historyKeys.filter((key) => Boolean(body[key]));
}

/** A thread that continues, or a cache before the contents; the Gemini SDK names the latter in its `config`. */
function hasStoredPrefix(conversation: Conversation): boolean {
  const body = bodyOf(conversation);
  const holders = isObject(body.config) ? [body, body.config] : [body];
  return formatRules(conversation.format).prefixKeys.some((key) => holders.some((holder) => refers(holder[key])));
}

/** A history that this request only begins to store is in the list. */
function refers(value: JsonValue | undefined): boolean {
  return Boolean(value) && !(isObject(value) && value.type === "create");
}

function bodyOf({ wire }: Conversation): JsonObject {
  return wire !== undefined && isObject(wire.json) ? wire.json : {};
}

/** True for a list that begins with a request or its replacement, holds the model's words, and has the call for every result. */
function tellsWholeHistory({ messages }: Conversation): boolean {
  const first = messages.find(({ role }) => role !== "system");
  const isBegun = first !== undefined && (first.role === "user" || isNativeItem(first));
  const isAnswered = messages.some(({ role }) => role === "assistant");
  return isBegun && isAnswered && pairCalls(messages).orphans.length === 0;
}
