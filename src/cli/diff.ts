/** `palimpsest diff`: a session's view before and after one of its compactions, message by message. Changes nothing. */

import type { Message } from "../core/message.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState, StoredMessage } from "../core/store/store.ts";
import type { EventEdits } from "../core/store/store-upkeep.ts";
import { formatNamed } from "../formats.ts";
import { encodeMessages } from "../session/wire-input.ts";
import { EXIT } from "./command.ts";
import { reportLine, standingOf } from "./history.ts";
import { readAll } from "./interrupt.ts";
import { type DiffEntry, diffLines, shownDiff } from "./message-diff.ts";
import { oneLine, plural } from "./one-line.ts";
import {
  counterOf,
  eventsOf,
  findEvent,
  messagesOf,
  plannedRemovals,
  sessionState,
  storeCommand,
} from "./store-command.ts";
import type { Terminal } from "./terminal.ts";

export const command = storeCommand({
  use: "reading",
  usage: "ID E [options]",
  operands: ["ID", "E"],
  notes: `= kept, ~ changed, - replaced, + added. E is a compaction's number in
\`palimpsest history ID\`, its id or the beginning of its id.

Examples:
  palimpsest diff my-session 1
`,
  begin: () => async (request) => {
    const [id = "", name = ""] = request.operands;
    const state = await sessionState(request);
    const events = await eventsOf(request);
    const event = findEvent(events, name);
    const log = await readAll(request.store.log(id), request.signal);
    const edits = await readAll(request.store.edits(id), request.signal);
    const views = viewsAround({ state, event, events, log, edits });
    const { before, after } = views;
    const shown = shownDiff(views.diff, { messages: before }, { messages: after }, counterOf(state).count);
    const diff = shown.map((line) => ({
      ...line,
      id: line.after === undefined ? before[line.before ?? -1]?.id : after[line.after]?.id,
    }));
    request.print({ session: id, event, purged: views.purged, diff }, (terminal) => [
      headLines(event, views, terminal),
      diffLines(diff, terminal),
    ]);
    return EXIT.ok;
  },
});

function headLines(event: CompactionEvent, { purged }: ViewsAround, terminal: Terminal): readonly string[] {
  const standing = standingOf(event);
  return [
    terminal.heading(terminal.signs(oneLine(reportLine(event)))),
    ...(standing === "" ? [] : [`compaction ${event.number} is ${standing}`]),
    ...(purged === 0 ? [] : [`${plural(purged, "message")} of that time cannot be shown: purged`]),
  ];
}

export type ViewsAround = ReturnType<typeof viewsAround>;

interface AroundInput {
  readonly state: SessionState;
  readonly event: CompactionEvent;
  readonly events: readonly CompactionEvent[];
  readonly log: readonly StoredMessage[];
  readonly edits: readonly EventEdits[];
}

/** The views, how they differ, and how many messages of that time are in no log any more. */
export function viewsAround(input: AroundInput) {
  const { state, event, log } = input;
  const preserved = new Set(event.preservedMessageIds);
  const isRemoved = removalTest(event, preserved);
  const byOrder = log.toSorted((a, b) => a.order - b.order || a.sequence - b.sequence);
  const removed = byOrder.filter(isRemoved);
  const rows = byOrder.filter((row) => preserved.has(row.id) || row.madeBy === event.id || isRemoved(row));
  const chain = chainOf(input);
  const [textBefore, textAfter] = [textOf(input, chain), textOf(input, [...chain, event])];
  const wireText = (message: Message | undefined): string =>
    JSON.stringify(encodeMessages(formatNamed(state.format), message === undefined ? [] : [message]));
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
function textOf({ state, edits }: AroundInput, chain: readonly CompactionEvent[]): (row: StoredMessage) => Message {
  const wrote = new Map(edits.map(({ eventId, messages }) => [eventId, messages]));
  const bodies = new Map(
    chain.flatMap(({ id }) => wrote.get(id) ?? []).map(({ messageId, body }) => [messageId, body]),
  );
  return (row) => {
    const [message] = messagesOf(formatNamed(state.format), [{ ...row, body: bodies.get(row.id) ?? row.body }]);
    if (message === undefined) throw new Error(`no message ${row.id}`);
    return message;
  };
}
