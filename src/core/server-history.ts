/**
 * Decides who holds the history that the model will see: the list alone, or a provider that puts its stored history
 * before the list. Decided from the request alone; the stored history is never fetched. Pure.
 */

import { formatRules } from "./format-rules.ts";
import { isItemReference, isNativeItem } from "./items.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Conversation } from "./message.ts";
import { pairCalls } from "./structure/pairing.ts";

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
