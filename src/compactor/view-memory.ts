/**
 * What earlier passes made of a list that is sent again and again: an edit, once made, is made again in the same way, so that
 * the prefix the provider sees stays byte-identical until the next compaction. Holds a few conversations; forgets the oldest.
 */

import { isSameJson } from "../core/ledger/json-identity.ts";
import { isSameMessage, isSameParts } from "../core/ledger/same-message.ts";
import { type Conversation, isUntouched, type Message, textsOf } from "../core/message.ts";
import { bindsThinking, stripBoundThinking } from "../core/plan/bound-thinking.ts";
import { holdsPrompt } from "../core/plan/render.ts";
import { isRequest } from "../core/plan/user-voice.ts";
import { NO_PASSES, type Passes, withRefusals } from "./passes.ts";
import { messagesAsNow, partsAsNow } from "./wire-now.ts";

export interface ViewMemory {
  /**
   * The conversation with every remembered edit of its prefix in place; the same one when nothing is remembered. Where what was
   * remembered took away what is pinned now, it is the one that came, without thinking that was signed over the edits.
   */
  recall(source: Conversation, model: string | undefined): Recalled;
  remember(source: Conversation, view: Conversation, passes: Passes): void;
}

export interface Recalled {
  readonly view: Conversation;
  /** How many of the source's messages the remembered edits stand for. */
  readonly covered: number;
  readonly passes: Passes;
}

/** Up to the last message that a pass changed or took; what stands behind it is none of the edit's business and may change. */
interface Entry {
  readonly source: readonly Message[];
  /** The very same list where only passes are remembered. */
  readonly view: readonly Message[];
  /** How long the whole list was: one that is sent again may lack its end, but has not shrunk. */
  readonly length: number;
  /** And how long what came of it was. */
  readonly sentLength: number;
  /** What came of it: a list that begins with this has taken the edit over, and it must not be made again. Empty where nobody could tell. */
  readonly sent: readonly Message[];
  /** The newest request was in the view, as it is unless a limit on messages took it. */
  readonly holdsRequest: boolean;
  /** What the passes added to the system prompt, if anything. */
  readonly system: Conversation["system"];
  readonly sourceSystem: Conversation["system"];
  readonly passes: Passes;
}

export function createViewMemory(conversationsMax: number): ViewMemory {
  let entries: readonly Entry[] = [];
  return {
    recall: (source, model) => {
      const entry = entryFor(entries.filter(canBeLaidOver(source)), source.messages);
      if (entry === undefined) return { view: source, covered: 0, passes: NO_PASSES };
      const isOver = isTakenOver(entry, source.messages);
      // What was refused and has grown since has been answered.
      const isAnswered = source.messages.length > (isOver ? entry.sentLength : entry.length);
      const passes = isAnswered ? withRefusals(entry.passes, undefined) : entry.passes;
      // A host that took the result for its list needs no edit to be made again, but the passes over it count on.
      if (isOver) return { view: source, covered: 0, passes };
      // Only what a pass over it came to was remembered.
      if (entry.view === entry.source) return { view: source, covered: 0, passes };
      const covered = entry.source.length;
      const prefix = withPins(entry, source.messages.slice(0, covered));
      const messages = [...(prefix ?? []), ...source.messages.slice(covered)];
      // What is pinned, or the newest request after a host went back to it, was neither then, and is gone: the pass does not count any more.
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
  };
}

/** An edit that put its summary into the prompt says nothing about a bare list, which has none: that one has edits of its own. */
function canBeLaidOver(source: Conversation): (entry: Entry) => boolean {
  return ({ system, sourceSystem }) => system === sourceSystem || holdsPrompt(source);
}

/** Whether the newest request of a list can be read in the view of it; a summary may stand in the same message. */
function holdsRequest(view: readonly Message[], source: readonly Message[]): boolean {
  const newest = source.findLast(isRequest);
  if (newest === undefined) return true;
  const own = view.findLast(({ id }) => id === newest.id);
  const texts = textsOf(own?.parts ?? []);
  return own !== undefined && textsOf(newest.parts).every((said) => texts.some((text) => text.includes(said)));
}

/**
 * Only a pass that put the summary into the prompt changes it. The caller may have changed it since, to tell the date for one: what
 * the summary stands for is gone from the messages all the same, so it stands behind the new prompt too.
 */
function systemNow({ system, sourceSystem }: Entry, now: Conversation["system"]): Conversation["system"] {
  if (system === sourceSystem) return now;
  if (isSameParts(sourceSystem, now)) return partsAsNow(system, sourceSystem, now);
  return [...now, ...system.filter((part) => !sourceSystem.includes(part))];
}

/** Hosts move cache marks along the end of the list and add reminders there: nothing of that may undo an edit before it. */
function editedPart(source: readonly Message[], view: readonly Message[]): Pick<Entry, "source" | "view"> {
  let same = 0;
  while (same < source.length && source.at(-1 - same) === view.at(-1 - same)) same++;
  if (same < source.length)
    return { source: source.slice(0, source.length - same), view: view.slice(0, view.length - same) };
  const known = source.length > 1 ? source.slice(0, -1) : source;
  return { source: known, view: known };
}

/**
 * The newest edit decides: a list that was taken over once may have been edited again since. Where conversations have the same
 * beginning, the one that knows most of this list is its own.
 */
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

/** The end may change here too, but what is left must be another beginning than the one that came. */
function telling(view: readonly Message[], source: readonly Message[]): readonly Message[] {
  return [view.slice(0, -1), view].find((sent) => sent.length > 0 && !isPrefix(sent, source)) ?? [];
}

/** What was sent last is the remembered view: thinking behind the first place where the source differs from it was signed over that. */
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

/** The remembered view with the pins of this call; undefined where what was not pinned then is no longer in it as it came. */
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

/** Ends first: lists that differ mostly differ there, so strangers are told apart at once. */
function isPrefix(prefix: readonly Message[], messages: readonly Message[]): boolean {
  if (prefix.length === 0 || prefix.length > messages.length) return false;
  const isSame = (index: number): boolean => isSameSource(prefix[index], messages[index]);
  return isSame(prefix.length - 1) && isSame(0) && prefix.every((_, index) => isSame(index));
}

/** A cache mark that moved on changes nothing; a message that a repair merged with others is more than its own wire form. */
function isSameSource(a: Message | undefined, b: Message | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const isAsSent = isUntouched(a) && isUntouched(b) && isSameJson(a.wire.json, b.wire.json);
  return isAsSent || isSameMessage(a, b);
}
