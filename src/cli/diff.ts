/** `palimpsest diff`: a session's view before and after one of its compactions, message by message. Changes nothing. */

import type { CompactionEvent } from "../core/store/store.ts";
import { formatNamed } from "../formats.ts";
import { type ViewsAround, viewsAround } from "../session/views-around.ts";
import { EXIT } from "./command.ts";
import { reportLine, standingOf } from "./history.ts";
import { readAll } from "./interrupt.ts";
import { diffLines, shownDiff } from "./message-diff.ts";
import { oneLine, plural } from "./one-line.ts";
import { counterOf, eventsOf, findEvent, sessionState, storeCommand } from "./store-command.ts";
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
    const views = viewsAround({ format: formatNamed(state.format), event, events, log, edits });
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
