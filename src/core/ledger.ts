/**
 * Sums up the beginning of one conversation: how many messages were found in order, their size, and the few facts about them that
 * later messages depend on. With it, a conversation that grew is counted, checked and repaired from the ledger's end on, never from
 * its first message. A ledger holds no message. The newest messages stay outside, because clients still write into them.
 */

import { formatRules } from "./format-rules.ts";
import { historyHolder, isItemReference, isNativeItem, itemId } from "./items.ts";
import { CACHE_MARKS_MAX, marksIn, marksOutside } from "./marks.ts";
import { type Conversation, type Message, type Part, type Role, text } from "./message.ts";
import type { Format } from "./ports.ts";
import { repair } from "./repair/repair.ts";
import { structureOf } from "./structure/structure.ts";
import { thinksManually } from "./thinking.ts";

/** This many of the newest messages are read anew with every request. */
export const NEWEST_MESSAGES = 4;

export interface Ledger {
  length: number;
  /** The sum of their sizes, in the unit of the counter. */
  size: number;
  /** The role of the last one. */
  lastRole: Role | undefined;
  cacheMarks: number;
  media: number;
  /** Whether one of them is signed: where the model is not named, this shows that it signs. */
  isSigned: boolean;
  /** Ids of calls and items, where the provider requires unique ones. */
  readonly ids: Set<string>;
}

export function createLedger(): Ledger {
  return { length: 0, size: 0, lastRole: undefined, cacheMarks: 0, media: 0, isSigned: false, ids: new Set() };
}

/** The request around the messages, and the model whose rules apply. */
export interface LedgerScope {
  readonly format: Format;
  readonly frame: Conversation;
  readonly model: string | undefined;
}

/** Adds the next messages. They must be in order after those already counted. */
export function enter(ledger: Ledger, messages: readonly Message[], sizeOf: (message: Message) => number): void {
  for (const message of messages) {
    ledger.length++;
    ledger.size += sizeOf(message);
    ledger.lastRole = message.role;
    ledger.cacheMarks += marksIn(message.parts);
    ledger.media += mediaIn(message.parts);
    ledger.isSigned ||= message.parts.some((part) => "signature" in part && Boolean(part.signature));
    for (const id of idsIn(message)) ledger.ids.add(id);
  }
}

/** How many of the messages can be added: up to the last cut before the newest, or before the turn that the provider reads as a whole. */
export function enterable(messages: readonly Message[], { frame }: LedgerScope): number {
  const end = messages.length - NEWEST_MESSAGES;
  if (end <= 0) return 0;
  const isTurnRead = formatRules(frame.format).reasoning === "current-turn-signatures" || thinksManually(frame);
  return structureOf(messages).cutAtOrBefore(end, isTurnRead ? "turn-start" : "pair-safe");
}

/** Whether the end of such a request is enough to judge it: the provider holds no history of it. */
export function isAccountable({ frame }: LedgerScope): boolean {
  return historyHolder(frame) === "list";
}

/** Whether the messages are in order after the ledger's. False also where only a whole pass over the list can decide. */
export function continuesInOrder(ledger: Ledger, messages: readonly Message[], scope: LedgerScope): boolean {
  const { format, frame, model } = scope;
  if (messages.some((message) => isNativeItem(message) || isItemReference(message))) return false;
  if (passesLimit(ledger, messages, frame) || repeatsId(ledger, messages, frame)) return false;
  const lead = leadOf(ledger, frame);
  const conversation: Conversation = { ...frame, messages: lead.length === 0 ? messages : [...lead, ...messages] };
  const options = model === undefined ? {} : { model };
  if (repair(conversation, options).conversation !== conversation) return false;
  return format.validate(format.encode(conversation), { ...options, sending: true }).length === 0;
}

/** Limits of providers on whole lists. A list above one is read in full once, and its report says so from then on. */
const MESSAGES_LIMIT = 100_000;
const MEDIA_LIMITS = [100, 600];

function passesLimit(ledger: Ledger, messages: readonly Message[], frame: Conversation): boolean {
  const passes = (limit: number, before: number, added: number): boolean => before <= limit && before + added > limit;
  if (passes(MESSAGES_LIMIT, ledger.length, messages.length)) return true;
  const media = sum(messages, mediaIn);
  if (media > 0 && MEDIA_LIMITS.some((limit) => passes(limit, ledger.media, media))) return true;
  if (!formatRules(frame.format).limitsCacheMarks) return false;
  return ledger.cacheMarks + sum(messages, marksIn) + marksOutside(frame) > CACHE_MARKS_MAX;
}

function repeatsId({ ids }: Ledger, messages: readonly Message[], { format }: Conversation): boolean {
  const { callIdScope, uniqueItemIds } = formatRules(format);
  if (callIdScope !== "conversation" && !uniqueItemIds) return false;
  return messages.some((message) => idsIn(message).some((id) => ids.has(id)));
}

/** Calls and items share one set of ids: an id that both use only costs a full reading. */
function idsIn(message: Message): readonly string[] {
  const ids: string[] = [];
  for (const part of message.parts) if (part.type === "tool-call" && part.callId !== undefined) ids.push(part.callId);
  const own = itemId(message);
  if (own !== undefined && !ids.includes(own)) ids.push(own);
  return ids;
}

function mediaIn(parts: readonly Part[]): number {
  let media = 0;
  for (const part of parts) {
    if (part.type === "media") media++;
    else if (part.type === "tool-result") media += mediaIn(part.content);
  }
  return media;
}

function sum(messages: readonly Message[], count: (parts: readonly Part[]) => number): number {
  let total = 0;
  for (const { parts } of messages) total += count(parts);
  return total;
}

/** Placeholders for the counted messages, so that the next ones are not taken for the beginning of the list. */
function leadOf({ length, lastRole, isSigned }: Ledger, frame: Conversation): readonly Message[] {
  if (length === 0) return [];
  const signs = isSigned && formatRules(frame.format).reasoning === "current-turn-signatures";
  const asked: Message = signs ? { ...ASKED, parts: [{ ...text("…"), signature: "…" }] } : ASKED;
  return lastRole === "assistant" ? [asked, ANSWERED] : [asked];
}

const ASKED: Message = { id: "lead/asked", role: "user", parts: [text("…")] };
const ANSWERED: Message = { id: "lead/answered", role: "assistant", parts: [text("…")] };
