/**
 * Remembers the edits of lists that are sent again and again, and makes each again in the same way, so that the
 * provider's prefix stays byte-identical until the next compaction. Holds a few conversations; forgets the oldest.
 */

import { isSameJson, isSameMessage, isSameParts } from "../core/identity.ts";
import { type Conversation, isUntouched, type Message, type Part, textsOf } from "../core/message.ts";
import { holdsPrompt } from "../core/plan/render.ts";
import { isRequest } from "../core/plan/user-voice.ts";
import { bindsThinking, stripBoundThinking } from "../core/thinking.ts";
import { NO_PASSES, type Passes, withRefusals } from "./passes.ts";

export interface ViewMemory {
  /**
   * The conversation with every remembered edit of its prefix; the same object when nothing is remembered. Where an
   * edit removed a message that is pinned now: the given conversation, without thinking that was signed over the edits.
   */
  recall(source: Conversation, model: string | undefined): RecalledView;
  remember(source: Conversation, view: Conversation, passes: Passes): void;
  /** Knows the same so far, and then goes its own way. */
  copy(conversationsMax: number): ViewMemory;
}

export interface RecalledView {
  readonly view: Conversation;
  /** How many of the source's messages the remembered edits replace. */
  readonly covered: number;
  readonly passes: Passes;
}

/** A remembered edit. `source` ends at the last message that the edit changed or removed; the messages after it may change. */
interface Entry {
  readonly source: readonly Message[];
  /** The same object as `source` where only passes are remembered. */
  readonly view: readonly Message[];
  /** Length of the whole list: a list that is sent again may lack its end, but is not shorter than that. */
  readonly length: number;
  readonly sentLength: number;
  /** The beginning of the view: a list that begins with it includes the edit already. Empty where it cannot be told from the source's. */
  readonly sent: readonly Message[];
  /** Whether the view held the newest request; it does unless a limit on messages dropped it. */
  readonly holdsRequest: boolean;
  /** The view's system prompt, with what passes added. */
  readonly system: Conversation["system"];
  readonly sourceSystem: Conversation["system"];
  readonly passes: Passes;
}

export function createViewMemory(conversationsMax: number, known: readonly Entry[] = []): ViewMemory {
  let entries = known.slice(0, conversationsMax);
  return {
    recall: (source, model) => {
      const entry = entryFor(entries.filter(canBeLaidOver(source)), source.messages);
      if (entry === undefined) return { view: source, covered: 0, passes: NO_PASSES };
      const isOver = isTakenOver(entry, source.messages);
      // A refused list that grew since then was answered.
      const isAnswered = source.messages.length > (isOver ? entry.sentLength : entry.length);
      const passes = isAnswered ? withRefusals(entry.passes, undefined) : entry.passes;
      // A host that took the result for its list needs no new edit, but the count of passes goes on.
      if (isOver) return { view: source, covered: 0, passes };
      // Only the passes were remembered.
      if (entry.view === entry.source) return { view: source, covered: 0, passes };
      const covered = entry.source.length;
      const prefix = withPins(entry, source.messages.slice(0, covered));
      const messages = [...(prefix ?? []), ...source.messages.slice(covered)];
      // A newly pinned message, or the newest request after a rewind, may be gone from the view: then this pass no longer counts.
      const isLacking = prefix === undefined || (entry.holdsRequest && !holdsRequest(messages, source.messages));
      if (isLacking) return { view: withoutForeignThinking(entry, source, model), covered: 0, passes: NO_PASSES };
      return { view: { ...source, system: systemNow(entry, source.system), messages }, covered, passes };
    },
    remember: (source, view, passes) => {
      const { system } = view;
      const part = editedPart(source.messages, view.messages);
      const sent = telling(view.messages, source.messages);
      const holds = holdsRequest(view.messages, source.messages);
      const lengths = { length: source.messages.length, sentLength: view.messages.length };
      const entry = { ...part, ...lengths, sent, holdsRequest: holds, system, sourceSystem: source.system, passes };
      const isOurs = canBeLaidOver(source);
      const others = entries.filter((candidate) => !isOurs(candidate) || !isPrefix(candidate.source, source.messages));
      entries = [entry, ...others].slice(0, conversationsMax);
    },
    copy: (max) => createViewMemory(max, entries),
  };
}

/** An edit that put its summary into the prompt does not apply to a bare list, which has none and gets its own edits. */
function canBeLaidOver(source: Conversation): (entry: Entry) => boolean {
  return ({ system, sourceSystem }) => system === sourceSystem || holdsPrompt(source);
}

/** Whether the view still holds the newest request of a list; a summary may stand in the same message. */
function holdsRequest(view: readonly Message[], source: readonly Message[]): boolean {
  const newest = source.findLast(isRequest);
  if (newest === undefined) return true;
  const own = view.findLast(({ id }) => id === newest.id);
  const texts = textsOf(own?.parts ?? []);
  return own !== undefined && textsOf(newest.parts).every((said) => texts.some((text) => text.includes(said)));
}

/** Only a summary in the prompt changes it. The caller may have changed the prompt since; the summary follows the new one too. */
function systemNow({ system, sourceSystem }: Entry, now: Conversation["system"]): Conversation["system"] {
  if (system === sourceSystem) return now;
  if (isSameParts(sourceSystem, now)) return partsAsNow(system, sourceSystem, now);
  return [...now, ...system.filter((part) => !sourceSystem.includes(part))];
}

/** Hosts move cache marks along the end of a list and add reminders there: those changes must not undo an edit before them. */
function editedPart(source: readonly Message[], view: readonly Message[]): Pick<Entry, "source" | "view"> {
  let same = 0;
  while (same < source.length && source.at(-1 - same) === view.at(-1 - same)) same++;
  if (same < source.length)
    return { source: source.slice(0, source.length - same), view: view.slice(0, view.length - same) };
  const known = source.length > 1 ? source.slice(0, -1) : source;
  return { source: known, view: known };
}

/** The newest edit wins, because a list may have been edited again. Among equal beginnings, the entry that covers most of the list wins. */
function entryFor(entries: readonly Entry[], messages: readonly Message[]): Entry | undefined {
  const [newest, ...others] = entries.filter((entry) => isTakenOver(entry, messages) || isResent(entry, messages));
  if (newest === undefined || isTakenOver(newest, messages)) return newest;
  const longest = (best: Entry, other: Entry): Entry => (other.source.length > best.source.length ? other : best);
  return others.filter((entry) => !isTakenOver(entry, messages)).reduce(longest, newest);
}

function isTakenOver({ sent }: Entry, messages: readonly Message[]): boolean {
  return isPrefix(sent, messages);
}

function isResent({ source, length }: Entry, messages: readonly Message[]): boolean {
  return messages.length >= length - 1 && isPrefix(source, messages);
}

/** Leaves out the last message, which may change; what is left must differ from the source's beginning. */
function telling(view: readonly Message[], source: readonly Message[]): readonly Message[] {
  return [view.slice(0, -1), view].find((sent) => sent.length > 0 && !isPrefix(sent, source)) ?? [];
}

/** The source without thinking after its first difference from the remembered view: that thinking was signed over the view. */
function withoutForeignThinking(
  { view, system, sourceSystem }: Entry,
  source: Conversation,
  model: string | undefined,
): Conversation {
  if (!bindsThinking(source, model)) return source;
  const isSame = (message: Message, index: number): boolean => {
    const sent = view[index];
    return sent !== undefined && isSameMessage(sent, message);
  };
  const differs = source.messages.findIndex((message, index) => !isSame(message, index));
  const sentBefore = system === sourceSystem && differs > 0 ? source.messages.slice(0, differs) : [];
  return stripBoundThinking({ ...source, messages: sentBefore }, source);
}

/** The remembered view with the pins of this call; undefined where a newly pinned message is missing from it or changed. */
function withPins({ view, source: then }: Entry, now: readonly Message[]): readonly Message[] | undefined {
  const kept = new Map(view.map((message) => [message.id, message]));
  const isWhole = (message: Message, index: number): boolean => {
    if (!message.pinned || then[index]?.pinned) return true;
    const own = kept.get(message.id);
    return own !== undefined && isSameMessage(own, message);
  };
  if (!now.every(isWhole)) return undefined;
  const pinned = new Set(now.flatMap((message) => (message.pinned ? [message.id] : [])));
  return messagesAsNow(view, { before: then, now }).map((message) => pinnedAs(message, pinned.has(message.id)));
}

function pinnedAs(message: Message, isPinned: boolean): Message {
  const { pinned = false, ...rest } = message;
  if (pinned === isPinned) return message;
  return isPinned ? { ...rest, pinned: true } : rest;
}

/** Compares the ends first: lists that differ mostly differ there. */
function isPrefix(prefix: readonly Message[], messages: readonly Message[]): boolean {
  if (prefix.length === 0 || prefix.length > messages.length) return false;
  const isSame = (index: number): boolean => isSameSource(prefix[index], messages[index]);
  return isSame(prefix.length - 1) && isSame(0) && prefix.every((_, index) => isSame(index));
}

/** A moved cache mark changes nothing; a message that a repair merged from others holds more than its wire form. */
function isSameSource(a: Message | undefined, b: Message | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const isAsSent = isUntouched(a) && isUntouched(b) && isSameJson(a.wire.json, b.wire.json);
  return isAsSent || isSameMessage(a, b);
}

/** The list that a remembered edit was made from, then and now: message by message both say the same. */
export interface Resent {
  readonly before: readonly Message[];
  readonly now: readonly Message[];
}

/** Unchanged messages stay the same objects. */
export function messagesAsNow(view: readonly Message[], { before, now }: Resent): readonly Message[] {
  const indexOf = new Map(before.map(({ id }, index) => [id, index]));
  // Most messages have left the view: compare only those that stay.
  return view.map((message) => {
    const index = indexOf.get(message.id) ?? before.length;
    const [then, same] = [before[index], now[index]];
    if (then === undefined || same === undefined || isSameJson(then.wire?.json, same.wire?.json)) return message;
    if (message.parts === then.parts && message.role === then.role) return same;
    const { wire: _, ...rest } = message;
    const parts = partsAsNow(message.parts, then.parts, same.parts);
    return same.wire === undefined ? { ...rest, parts } : { ...rest, parts, wire: same.wire };
  });
}

/** Edited parts keep their texts and take the wire block of the part that they were made from. */
export function partsAsNow(parts: readonly Part[], before: readonly Part[], now: readonly Part[]): readonly Part[] {
  const after = flat(now);
  const partOf = new Map(flat(before).map((part, index) => [part, after[index]]));
  const wireOf = new Map(flat(before).map((part, index) => [part.wire, after[index]?.wire]));
  const asNow = (part: Part): Part => {
    const same = partOf.get(part);
    if (same !== undefined) return same;
    const wire = part.wire === undefined ? undefined : wireOf.get(part.wire);
    const { wire: own, ...said } = part;
    const block = wire ?? own;
    const bare = said.type === "tool-result" ? { ...said, content: said.content.map(asNow) } : said;
    // Only the block changes: a part without one still has none, and an opaque part always has one.
    return (block === undefined ? bare : { ...bare, wire: block }) as Part;
  };
  return parts.map(asNow);
}

/** Parts, and the parts inside results. */
function flat(parts: readonly Part[]): readonly Part[] {
  return parts.flatMap((part) => (part.type === "tool-result" ? [part, ...part.content] : [part]));
}
