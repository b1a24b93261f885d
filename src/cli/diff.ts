/** `palimpsest diff`: a session's view before and after one of its compactions, message by message. Changes nothing. */

import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState } from "../core/store/store.ts";
import { EXIT } from "./command.ts";
import type { DiffLine } from "./compaction.ts";
import { reportLine, standingOf } from "./history.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { readAll } from "./over-store.ts";
import { diffLines } from "./render-diff.ts";
import { storeCommand } from "./store-command.ts";
import { showerOf } from "./stored-messages.ts";
import { eventsOf, findEvent, sessionState } from "./stored-session.ts";
import { paint, type Terminal } from "./terminal.ts";
import { fitted, joinBlocks, plainSigns } from "./text-blocks.ts";
import { type ViewsAround, viewsAround } from "./views-around.ts";

export const diffCommand = storeCommand({
  name: "diff",
  use: "reading",
  usage: "ID E [options]",
  operands: ["ID", "E"],
  notes: `= kept, ~ changed, - replaced, + added. E is a compaction's number in
\`palimpsest history ID\`, its id or the beginning of its id.

Examples:
  palimpsest diff my-session 1
`,
  settle: () => undefined,
  work: async (request) => {
    const [id = "", name = ""] = request.operands;
    const state = await sessionState(request, id);
    const events = await eventsOf(request, id);
    const event = findEvent(events, name);
    const log = await readAll(request.store.log(id), request.signal);
    const edits = await readAll(request.store.edits(id), request.signal);
    const views = viewsAround({ state, event, events, log, edits });
    const diff = linesOf(state, views);
    request.print({ session: id, event, purged: views.purged, diff }, (terminal) =>
      joinBlocks([headLines(event, views, terminal), diffLines(diff, terminal)]),
    );
    return EXIT.ok;
  },
});

function linesOf(state: SessionState, { before, after, diff }: ViewsAround): readonly DiffLine[] {
  const [showBefore, showAfter] = [showerOf(state, before), showerOf(state, after)];
  return diff.map((entry) => {
    const message = "after" in entry ? after[entry.after] : before[entry.before];
    const { index: _, ...shown } = "after" in entry ? showAfter(entry.after) : showBefore(entry.before);
    return { ...entry, ...shown, ...(message !== undefined && { id: message.id }) };
  });
}

function headLines(event: CompactionEvent, { purged }: ViewsAround, terminal: Terminal): readonly string[] {
  const standing = standingOf(event);
  return [
    paint(terminal, "bold", fitted(plainSigns(oneLine(reportLine(event)), terminal), terminal)),
    ...(standing === "" ? [] : [`compaction ${event.number} is ${standing}`]),
    ...(purged === 0 ? [] : [`${plural(purged, "message")} of that time cannot be shown: purged`]),
  ];
}
