/**
 * The view as this process sends it: stored bodies, what is shortened for requests only, and no thinking that a binding model
 * signed over another prefix. Stored bodies never change for it. Costs nothing where there is no such thinking.
 */

import type { Conversation, Message } from "../core/message.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/plan/bound-thinking.ts";
import type { SessionParts } from "./compact-view.ts";
import { conversationOf, type Snapshot } from "./live-view.ts";
import { modelOf } from "./session-view.ts";
import { isSignedElsewhere } from "./signing.ts";

export interface ViewToSend {
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export async function viewToSend(parts: SessionParts, snapshot: Snapshot): Promise<ViewToSend> {
  const mustStrip = bindsHere(parts, snapshot);
  if (parts.overlay.size > 0) refreshOverlay(parts, snapshot, mustStrip);
  const conversation = conversationOf(snapshot, parts.overlay);
  if (!mustStrip || !conversation.messages.some(thinks)) return { conversation, notes: [] };
  const isForeign = await foreignIn(parts, snapshot);
  const messages = conversation.messages.map((message, index) =>
    thinks(message) && isForeign(index) ? withoutThinking(parts, snapshot, message) : message,
  );
  const isSame = messages.every((message, index) => message === conversation.messages[index]);
  return isSame ? { conversation, notes: [] } : { conversation: { ...conversation, messages }, notes: [LEFT_OUT] };
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

/** By place in the view, whether thinking there was signed over something else, as far as anybody can know. */
async function foreignIn({ live, compactor }: SessionParts, snapshot: Snapshot): Promise<(index: number) => boolean> {
  const { entries, record } = snapshot;
  const { signing } = live;
  const facts = await signing.eventsAt(record.version);
  const firstMade = facts.newest === undefined ? undefined : firstMadeBy(facts.newest.id, snapshot);
  // Each process shortens results for its own requests: only of answers to these does it know what they were signed over.
  const isForRequestsOnly = compactor.settings.prune.scope === "request";
  return (index) => {
    const stored = entries[index]?.stored;
    if (stored === undefined) return false;
    const isUnknown = isForRequestsOnly && !signing.isOwnAnswer(stored.id);
    return isUnknown || isSignedElsewhere(stored, facts, firstMade);
  };
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
