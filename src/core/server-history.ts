/**
 * Who holds the history that the model will see: the list alone, or a provider that puts what it stored before the list. Decided
 * from the request alone; what the provider stored is never asked for. Pure.
 */

import { formatRules } from "./format-rules.ts";
import { isItemReference, isNativeItem } from "./items.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Conversation } from "./message.ts";
import { pairCalls } from "./structure/pairing.ts";

/**
 * `list`: what is sent is all there is. `both`: the request refers to a stored history and holds one itself. `server`: the list
 * only adds to what is stored, so that nothing that could be taken out of it would make the context smaller.
 */
export type HistoryHolder = "list" | "both" | "server";

export function historyHolder(conversation: Conversation): HistoryHolder {
  if (hasStoredPrefix(conversation)) return "server";
  if (namedKeys(conversation).length === 0) return "list";
  return tellsWholeHistory(conversation) ? "both" : "server";
}

/** The request without its reference to a stored history; the same one where there is none. */
export function withoutServerHistory(conversation: Conversation): Conversation {
  const { wire } = conversation;
  const keys = namedKeys(conversation);
  if (wire === undefined || keys.length === 0) return conversation;
  const kept = Object.entries(bodyOf(conversation)).filter(([key]) => !keys.includes(key));
  return { ...conversation, wire: { ...wire, json: Object.fromEntries(kept) } };
}

/** Some of it may stand there under its id alone (Responses), so that a result may answer what is only referred to. */
export function refersToItems({ messages }: Conversation): boolean {
  return messages.some(isItemReference);
}

/** False where the request says that nothing is stored. */
export function findsItems(conversation: Conversation): boolean {
  const { storeKey } = formatRules(conversation.format);
  return storeKey === undefined || bodyOf(conversation)[storeKey] !== false;
}

function namedKeys(conversation: Conversation): readonly string[] {
  const body = bodyOf(conversation);
  return formatRules(conversation.format).historyKeys.filter((key) => Boolean(body[key]));
}

/** A thread that goes on, a cache that stands before the contents; the Gemini SDK names the latter in its `config`. */
function hasStoredPrefix(conversation: Conversation): boolean {
  const body = bodyOf(conversation);
  const holders = isObject(body.config) ? [body, body.config] : [body];
  return formatRules(conversation.format).prefixKeys.some((key) => holders.some((holder) => refers(holder[key])));
}

/** What is only to be stored from now on is in the list. */
function refers(value: JsonValue | undefined): boolean {
  return Boolean(value) && !(isObject(value) && value.type === "create");
}

function bodyOf({ wire }: Conversation): JsonObject {
  return wire !== undefined && isObject(wire.json) ? wire.json : {};
}

/** It begins with somebody asking or with what stands for that, holds what the model said, and answers no call that it lacks. */
function tellsWholeHistory({ messages }: Conversation): boolean {
  const first = messages.find(({ role }) => role !== "system");
  const isBegun = first !== undefined && (first.role === "user" || isNativeItem(first));
  const isAnswered = messages.some(({ role }) => role === "assistant");
  return isBegun && isAnswered && pairCalls(messages).orphans.length === 0;
}
