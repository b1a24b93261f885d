/** The change that a pass made to a view, as a store keeps it. Applied to the stored view it gives exactly the view after the pass. Pure. */

import type { JsonValue } from "../core/json.ts";
import type { Message, Part } from "../core/message.ts";
import { isTextStep } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { Format } from "../core/ports.ts";
import { attachmentsIn } from "../core/store/attachments.ts";
import type { EditKind, InsertedMessage, NewEdit, NewMessage } from "../core/store/store.ts";
import { ordersBetween } from "../core/store/store-rules.ts";
import type { Entry } from "./session-view.ts";
import { encodeMessages } from "./wire-input.ts";

export interface ViewDelta {
  readonly archivedIds: readonly string[];
  readonly edits: readonly NewEdit[];
  readonly inserted: readonly InsertedMessage[];
  /** Rows that now hold the texts of other rows, because a repair joined them. */
  readonly joinedIds: readonly string[];
}

export interface DeltaInput {
  readonly format: Format;
  readonly before: readonly Entry[];
  readonly after: readonly Message[];
  readonly plan: Plan;
}

export function viewDelta({ format, before, after, plan }: DeltaInput): ViewDelta {
  const placed = place(format, before, withPinnedApart(before, after));
  const kept = new Set(placed.flatMap(({ entry }) => (entry === undefined ? [] : [entry.stored.id])));
  const kinds = editKinds(plan);
  return {
    // A pinned message keeps its row, even where a repair left it out: the repair does that again for every request.
    archivedIds: before.filter(({ stored }) => !kept.has(stored.id) && !stored.isPinned).map(({ stored }) => stored.id),
    edits: placed.flatMap(({ entry, message, body }) =>
      entry === undefined || isSameBody(entry.stored.body, body)
        ? []
        : [editOf(entry.stored.id, kinds.get(entry.stored.id) ?? "reshape", { message, body })],
    ),
    joinedIds: placed.flatMap(({ entry, message }) => (isJoined(entry, message) ? [entry.stored.id] : [])),
    inserted: insertedIn(placed, ordersLeftOut(before, kept)),
  };
}

/** Shortening keeps the number of parts of a message. */
function isJoined(entry: Entry | undefined, message: Message): entry is Entry {
  return entry !== undefined && message.parts.length > entry.message.parts.length;
}

/** A pinned row stays. Where a repair joined it with its neighbours, its text must not be written into another row too. */
function withPinnedApart(before: readonly Entry[], after: readonly Message[]): readonly Message[] {
  const present = new Set(after.map(({ id }) => id));
  const joined = before.filter(({ stored, message }) => stored.isPinned && !present.has(message.id));
  if (joined.length === 0) return after;
  const rowOf = new Map(joined.map(({ message }) => [message.parts[0], message]));
  return after.flatMap((message) => apart(message, rowOf));
}

function apart(message: Message, rowOf: ReadonlyMap<Part | undefined, Message>): readonly Message[] {
  if (!message.parts.some((part) => rowOf.has(part))) return [message];
  const pieces: Message[] = [];
  let rest: Message = { ...message, parts: [] };
  const flush = (): void => {
    if (rest.parts.length > 0) pieces.push(rest);
    rest = { id: `${message.id}/rest-${pieces.length}`, role: message.role, parts: [] };
  };
  for (let at = 0; at < message.parts.length; ) {
    const row = rowOf.get(message.parts[at]);
    const isWhole = row?.parts.every((part, offset) => part === message.parts[at + offset]);
    if (row !== undefined && isWhole) {
      flush();
      pieces.push(row);
      at += row.parts.length;
    } else rest = { ...rest, parts: [...rest.parts, ...message.parts.slice(at, ++at)] };
  }
  if (pieces.length === 0) return [message];
  flush();
  return pieces;
}

/** One wire message of the new view, and its stored row, if any. */
interface Placement {
  readonly entry: Entry | undefined;
  readonly message: Message;
  readonly body: JsonValue;
}

function place(format: Format, before: readonly Entry[], after: readonly Message[]): readonly Placement[] {
  const known = new Map(before.map((entry) => [entry.stored.id, entry]));
  const limits = pinnedAhead(after, known);
  let last = Number.NEGATIVE_INFINITY;
  return after.flatMap((message, index): readonly Placement[] => {
    const own = known.get(message.id);
    const order = own?.stored.order ?? last;
    // A message that a repair moved cannot keep its row, because rows never change their order: it leaves, and a copy is inserted.
    const entry = order > last && order <= (limits[index] ?? order) ? own : undefined;
    if (entry === undefined && own?.stored.isPinned) return [];
    if (entry !== undefined) last = order;
    if (entry !== undefined && message.parts === entry.message.parts && message.role === entry.message.role) {
      return [{ entry, message, body: entry.stored.body }];
    }
    const bodies = encodeMessages(format, [message]);
    return bodies.map((body, at) => ({ entry: at === 0 ? entry : undefined, message, body }));
  });
}

/** For each message, the order of the next pinned row: no message before that row may be placed after it. */
function pinnedAhead(after: readonly Message[], known: ReadonlyMap<string, Entry>): readonly number[] {
  const limits: number[] = [];
  let limit = Number.POSITIVE_INFINITY;
  for (const message of after.toReversed()) {
    const stored = known.get(message.id)?.stored;
    if (stored?.isPinned && stored.order < limit) limit = stored.order;
    limits.push(limit);
  }
  return limits.toReversed();
}

/** The places of pinned rows that stay in the view although the new view lacks them. */
function ordersLeftOut(before: readonly Entry[], kept: ReadonlySet<string>): readonly number[] {
  return before.filter(({ stored }) => stored.isPinned && !kept.has(stored.id)).map(({ stored }) => stored.order);
}

function insertedIn(placed: readonly Placement[], taken: readonly number[]): readonly InsertedMessage[] {
  const inserted: InsertedMessage[] = [];
  let run: Placement[] = [];
  let before: number | undefined;
  const flush = (after: number | undefined): void => {
    const low = before ?? Number.NEGATIVE_INFINITY;
    const obstacle = taken.find((order) => order > low && order < (after ?? Number.POSITIVE_INFINITY));
    const orders = ordersBetween(before, obstacle ?? after, run.length);
    run.forEach((each, index) => {
      inserted.push({ ...newMessage(each), order: orders[index] ?? 0 });
    });
    run = [];
  };
  for (const each of placed) {
    if (each.entry === undefined) run.push(each);
    else {
      flush(each.entry.stored.order);
      before = each.entry.stored.order;
    }
  }
  flush(undefined);
  return inserted;
}

function newMessage({ message, body }: Pick<Placement, "message" | "body">): NewMessage {
  return { role: message.role, body, attachments: attachmentsIn(body, message.parts) };
}

function editOf(messageId: string, kind: EditKind, placed: Pick<Placement, "message" | "body">): NewEdit {
  const { body, attachments } = newMessage(placed);
  return { messageId, kind, body, attachments };
}

/** The last step on a message decides its kind of edit. */
function editKinds({ steps }: Plan): ReadonlyMap<string, EditKind> {
  return new Map(steps.filter(isTextStep).map(({ messageId, type }) => [messageId, type]));
}

function isSameBody(a: JsonValue, b: JsonValue): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
