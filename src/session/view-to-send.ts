/**
 * The view as this process sends it: stored bodies, what is shortened for requests only, and no thinking that a binding model
 * signed over another prefix. Stored bodies never change for it. Only what is new since the last time is looked at.
 */

import type { Conversation, Message } from "../core/message.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/thinking.ts";
import type { SessionParts } from "./compact-view.ts";
import type { Snapshot } from "./live-view.ts";
import { type Entry, modelOf } from "./session-view.ts";
import { type EventFacts, isSignedElsewhere } from "./signing.ts";

/** The messages of a view as they are sent. While the view only grows, this is one list that grows with it. */
export interface SendableView {
  readonly messages: Message[];
  /** What it was made from. */
  readonly list: Snapshot["list"];
  readonly frame: Conversation;
  readonly revision: number;
  /** Whether thinking was left out of it. */
  isStripped: boolean;
  /** The first number that the newest event in force gave to what it inserted. */
  firstMade(eventId: string): number | undefined;
}

export interface ViewToSend {
  /** Its list may be the growing one: whoever keeps it across a wait copies it. */
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export async function viewToSend(parts: SessionParts, snapshot: Snapshot): Promise<ViewToSend> {
  const mustStrip = bindsHere(parts, snapshot);
  const sendable = sendableFor(parts, snapshot, mustStrip);
  const { messages } = sendable;
  const mayBeForeign = mustStrip && isThinkingBehind(parts, snapshot, messages.length);
  const facts = mayBeForeign ? await parts.live.signing.eventsAt(snapshot.record.version) : undefined;
  // Another call may have put more of the list together meanwhile. What follows happens at once.
  for (let index = messages.length; index < snapshot.length; index++) {
    const entry = snapshot.list[index];
    if (entry === undefined) break;
    const message = sentAs(parts, entry);
    const isLeftOut = facts !== undefined && thinks(message) && isForeign(parts, sendable, { entry, facts });
    const sent = isLeftOut ? withoutThinking(parts, snapshot, message) : message;
    if (sent !== message) sendable.isStripped = true;
    messages.push(sent);
  }
  const isWhole = messages.length === snapshot.length;
  const conversation = { ...snapshot.frame, messages: isWhole ? messages : messages.slice(0, snapshot.length) };
  return { conversation, notes: sendable.isStripped ? [LEFT_OUT] : [] };
}

/** The list as far as it was put together, for as long as nothing but appends has happened. */
function sendableFor(parts: SessionParts, snapshot: Snapshot, mustStrip: boolean): SendableView {
  const { list, frame, record } = snapshot;
  const { revision } = record.version;
  const known = parts.sendable;
  if (known?.list === list && known.frame === frame && known.revision === revision) return known;
  if (parts.overlay.size > 0) refreshOverlay(parts, snapshot, mustStrip);
  let firstMade: { readonly eventId: string; readonly first: number | undefined } | undefined;
  const made: SendableView = {
    messages: [],
    list,
    frame,
    revision,
    isStripped: false,
    firstMade: (eventId) => {
      if (firstMade?.eventId !== eventId) firstMade = { eventId, first: firstMadeBy(eventId, snapshot) };
      return firstMade.first;
    },
  };
  parts.sendable = made;
  return made;
}

function sentAs({ overlay }: SessionParts, entry: Entry): Message {
  const overlaid = overlay.get(entry.message.id);
  return overlaid?.over === entry ? overlaid.message : entry.message;
}

function isThinkingBehind(parts: SessionParts, { list, length }: Snapshot, from: number): boolean {
  for (let index = from; index < length; index++) {
    const entry = list[index];
    if (entry !== undefined && thinks(sentAs(parts, entry))) return true;
  }
  return false;
}

const LEFT_OUT = "Left out thinking that was signed, or may have been, over another prefix than the one that is sent.";

export function thinks({ parts }: Message): boolean {
  return parts.some(({ type }) => type === "reasoning");
}

/** With `drop-block` the request itself says what becomes of such thinking, where it has a place for that. */
function bindsHere({ compactor }: SessionParts, { frame, record }: Snapshot): boolean {
  if (!bindsThinking(frame, compactor.model ?? modelOf(record.base))) return false;
  return compactor.settings.compact.boundThinking === "strip" || withDroppableThinking(frame) === undefined;
}

/** Whether thinking in a message was signed over another prefix, as far as anybody can know. */
function isForeign(
  { live, compactor }: SessionParts,
  { firstMade }: SendableView,
  { entry: { stored }, facts }: { readonly entry: Entry; readonly facts: EventFacts },
): boolean {
  // Each process shortens results for its own requests: only of answers to these does it know what they were signed over.
  const isForRequestsOnly = compactor.settings.prune.scope === "request";
  if (isForRequestsOnly && !live.signing.isOwnAnswer(stored.id)) return true;
  return isSignedElsewhere(stored, facts, facts.newest && firstMade(facts.newest.id));
}

function firstMadeBy(eventId: string, { entries }: Snapshot): number | undefined {
  const made = entries.filter(({ stored }) => stored.madeBy === eventId).map(({ stored }) => stored.sequence);
  return made.length === 0 ? undefined : Math.min(...made);
}

/**
 * What was shortened comes back whole once its message is pinned or edited, and everything behind it was signed over the short
 * form: that thinking is gone from now on.
 */
function refreshOverlay({ overlay, live }: SessionParts, snapshot: Snapshot, mustStrip: boolean): void {
  const inView = new Set(snapshot.entries);
  const stale = [...overlay].filter(([, { over }]) => !inView.has(over));
  if (stale.length === 0) return;
  for (const [id] of stale) overlay.delete(id);
  if (!mustStrip) return;
  const firstOrder = Math.min(...stale.map(([, { over }]) => over.stored.order));
  for (const entry of snapshot.entries) {
    const message = overlay.get(entry.message.id)?.message ?? entry.message;
    if (entry.stored.order < firstOrder || !thinks(message)) continue;
    overlay.set(entry.message.id, { over: entry, message: withoutThinking({ live }, snapshot, message) });
  }
}

/** The same object for the same message, so that nothing is counted twice. */
function withoutThinking({ live }: Pick<SessionParts, "live">, { frame }: Snapshot, message: Message): Message {
  const known = live.unthought.get(message);
  if (known !== undefined) return known;
  // Before everything stands nothing, so all of it is behind the first difference.
  const alone = stripBoundThinking({ ...frame, messages: [] }, { ...frame, messages: [message] });
  const [stripped = message] = alone.messages;
  live.unthought.set(message, stripped);
  return stripped;
}
