/**
 * The view of a session just before and just after one of its compactions, put together from the log and the record of the event.
 * Membership and order are exact. Texts are those that were sent, except that what an earlier compaction than the newest wrote into
 * a message that stays (a summary merged into it) is not kept apart by stores, and is then shown as it was appended.
 */

import type { Message } from "../core/message.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState, StoredMessage } from "../core/store/store.ts";
import { encodeMessages } from "../session/wire-input.ts";
import type { DiffEntry } from "./message-diff.ts";
import { plannedRemovals, withPlannedTexts } from "./recorded-plan.ts";
import { formatOf, messagesOf } from "./stored-session.ts";

export interface ViewsAround {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly diff: readonly DiffEntry[];
  /** Messages that were in the view and are in no log any more. */
  readonly purged: number;
}

export interface AroundInput {
  readonly state: SessionState;
  readonly event: CompactionEvent;
  readonly events: readonly CompactionEvent[];
  readonly log: readonly StoredMessage[];
}

export function viewsAround(input: AroundInput): ViewsAround {
  const { state, event, log } = input;
  const preserved = new Set(event.preservedMessageIds);
  const isRemoved = removalTest(event, preserved);
  const byOrder = log.toSorted((a, b) => a.order - b.order || a.sequence - b.sequence);
  const removed = byOrder.filter(isRemoved);
  const rows = byOrder.filter((row) => preserved.has(row.id) || row.madeBy === event.id || isRemoved(row));
  const written = new Map(messagesOf(formatOf(state), rows).map((message) => [message.id, message]));
  const chain = chainOf(input);
  const shown = event.id === state.version.head ? newestTexts(state) : new Map<string, Message>();
  const wireText = (message: Message | undefined): string =>
    JSON.stringify(encodeMessages(formatOf(state), message === undefined ? [] : [message]));
  const textBefore = ({ id }: StoredMessage): Message => withPlannedTexts(found(written, id), chain);
  const textAfter = ({ id }: StoredMessage): Message =>
    shown.get(id) ?? withPlannedTexts(found(written, id), [...chain, event]);
  const [before, after]: [Message[], Message[]] = [[], []];
  const diff = rows.map((row): DiffEntry => {
    const [left, right] = [before.length, after.length];
    if (row.madeBy !== event.id) before.push(textBefore(row));
    if (row.madeBy === event.id || preserved.has(row.id)) after.push(textAfter(row));
    if (row.madeBy === event.id) return { mark: "+", after: right };
    if (!preserved.has(row.id)) return { mark: "-", before: left };
    const isSame = wireText(before[left]) === wireText(after[right]);
    return { mark: isSame ? "=" : "~", before: left, after: right };
  });
  const known = preserved.size - rows.filter(({ id }) => preserved.has(id)).length;
  return { before, after, diff, purged: known + Math.max(0, event.messagesRemoved - removed.length) };
}

/** The log knows what an event hides; of one that was undone, only its plan knows what it had hidden. */
function removalTest(event: CompactionEvent, preserved: ReadonlySet<string>): (row: StoredMessage) => boolean {
  if (event.undoneAt === null) return ({ archivedBy, madeBy }) => archivedBy === event.id && madeBy !== event.id;
  const planned = plannedRemovals(event);
  return ({ id, madeBy }) => planned.has(id) && madeBy !== event.id && !preserved.has(id);
}

/** The compactions that were in force when this one was made, oldest first. */
function chainOf({ event, events }: AroundInput): readonly CompactionEvent[] {
  const byId = new Map(events.map((each) => [each.id, each]));
  const chain: CompactionEvent[] = [];
  let earlier = event.previousId === null ? undefined : byId.get(event.previousId);
  // Each is older than the one before it, so that this ends whatever a damaged store holds.
  while (earlier !== undefined && earlier.number < (chain[0]?.number ?? event.number)) {
    chain.unshift(earlier);
    earlier = earlier.previousId === null ? undefined : byId.get(earlier.previousId);
  }
  return chain;
}

/** Nothing came after the newest compaction: its texts are those of the view. */
function newestTexts(state: SessionState): ReadonlyMap<string, Message> {
  return new Map(messagesOf(formatOf(state), state.view).map((message) => [message.id, message]));
}

function found(messages: ReadonlyMap<string, Message>, id: string): Message {
  const message = messages.get(id);
  if (message === undefined) throw new Error(`no message ${id}`);
  return message;
}
