/** A session's view before and after one of its compactions, from what the store keeps; also of one that was undone. Pure. */

import { isArray, isObject, type JsonObject } from "../core/json.ts";
import type { Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { CompactionEvent, StoredMessage } from "../core/store/store.ts";
import type { EventEdits } from "../core/store/store-upkeep.ts";
import { entriesOf } from "./session-view.ts";
import { encodeMessages } from "./wire-input.ts";

export type DiffEntry =
  | { readonly mark: "=" | "~"; readonly before: number; readonly after: number }
  | { readonly mark: "-"; readonly before: number }
  | { readonly mark: "+"; readonly after: number };

export type ViewsAround = ReturnType<typeof viewsAround>;

interface AroundInput {
  readonly format: Format;
  readonly event: CompactionEvent;
  readonly events: readonly CompactionEvent[];
  readonly log: readonly StoredMessage[];
  readonly edits: readonly EventEdits[];
}

/** The views, how they differ, and how many messages of that time are in no log any more. */
export function viewsAround(input: AroundInput) {
  const { format, event, log } = input;
  const preserved = new Set(event.preservedMessageIds);
  const isRemoved = removalTest(event, preserved);
  const byOrder = log.toSorted((a, b) => a.order - b.order || a.sequence - b.sequence);
  const removed = byOrder.filter(isRemoved);
  const rows = byOrder.filter((row) => preserved.has(row.id) || row.madeBy === event.id || isRemoved(row));
  const chain = chainOf(input);
  const [textBefore, textAfter] = [textOf(input, chain), textOf(input, [...chain, event])];
  const wireText = (message: Message | undefined): string =>
    JSON.stringify(encodeMessages(format, message === undefined ? [] : [message]));
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

/** Messages that an event took out of the view are marked in the log; for an event that was undone, only its plan names them. */
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

/** A message as these compactions left it: the last of them that wrote over it. */
function textOf({ format, edits }: AroundInput, chain: readonly CompactionEvent[]): (row: StoredMessage) => Message {
  const wrote = new Map(edits.map(({ eventId, messages }) => [eventId, messages]));
  const bodies = new Map(
    chain.flatMap(({ id }) => wrote.get(id) ?? []).map(({ messageId, body }) => [messageId, body]),
  );
  return (row) => {
    const [entry] = entriesOf(format, [{ ...row, body: bodies.get(row.id) ?? row.body }]);
    if (entry === undefined) throw new Error(`no message ${row.id}`);
    return entry.message;
  };
}

export function plannedRemovals(event: CompactionEvent): ReadonlySet<string> {
  const ids = stepsOf(event).flatMap((step) => [...idsIn(step, "messageIds"), ...idsIn(step, "replacesIds")]);
  return new Set(ids);
}

export function isTextPlanned(event: CompactionEvent, messageId: string): boolean {
  return stepsOf(event).some((step) => step.messageId === messageId && typeof step.text === "string");
}

/** The steps of a stored plan. */
export function stepsOf({ plan }: Pick<CompactionEvent, "plan">): readonly JsonObject[] {
  return isObject(plan) && isArray(plan.steps) ? plan.steps.filter(isObject) : [];
}

export function idsIn(step: JsonObject, key: string): readonly string[] {
  const ids = step[key];
  return isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}
