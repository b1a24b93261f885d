/** `palimpsest history`: every compaction of a session, the undone ones too. Changes nothing. */

import type { CompactionEvent } from "../core/store/compaction-event.ts";
import { EXIT } from "./command.ts";
import { count, minuteOf, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { storeCommand } from "./store-command.ts";
import { eventsOf, sessionState } from "./stored-session.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { ELASTIC, fitted, heading, joinBlocks, LEFT, plainSigns, RIGHT, tableLines } from "./text-blocks.ts";

export const command = storeCommand({
  use: "reading",
  usage: "ID [options]",
  operands: ["ID"],
  notes: `Oldest first, with the ones that were undone. Other commands take a compaction
by its number, its id or the beginning of its id.

Examples:
  palimpsest history my-session
  palimpsest history my-session --json | jq '.events[-1].summary'
`,
  settle: () => undefined,
  work: async (request) => {
    const [id = ""] = request.operands;
    await sessionState(request, id);
    const events = await eventsOf(request, id);
    request.print({ session: id, events }, (terminal) => render(id, events, terminal));
    return EXIT.ok;
  },
});

/** In the words of the log. */
export function reportLine({ strategy, originalTokens, compactedTokens, messagesRemoved }: CompactionEvent): string {
  const tokens = `${count(originalTokens)} → ${count(compactedTokens)} tokens`;
  return `Compaction: ${strategy}, ${tokens}, ${plural(messagesRemoved, "message")} removed`;
}

/** `undone`, `purged`, both or nothing. */
export function standingOf({ undoneAt, purgedAt }: CompactionEvent): string {
  return [...(undoneAt === null ? [] : ["undone"]), ...(purgedAt === null ? [] : ["purged"])].join(", ");
}

function render(id: string, events: readonly CompactionEvent[], terminal: Terminal): string {
  if (events.length === 0) return `${fitted(`session ${oneLine(id)} was never compacted`, terminal)}\n`;
  return joinBlocks([tableOf(events, terminal), reportLines(events, terminal)]);
}

function tableOf(events: readonly CompactionEvent[], terminal: Terminal): readonly string[] {
  const rows = [
    ["#", "when (UTC)", "trigger", "strategy", "tokens", "", "removed", ""],
    ...events.map((event) => [
      String(event.number),
      minuteOf(event.createdAt),
      oneLine(event.trigger),
      oneLine(event.strategy),
      count(event.originalTokens),
      plainSigns(`→ ${count(event.compactedTokens)}`, terminal),
      count(event.messagesRemoved),
      standingOf(event),
    ]),
  ];
  const columns = [RIGHT, LEFT, LEFT, ELASTIC, RIGHT, LEFT, RIGHT, LEFT];
  const layout = { columns, widthMax: terminal.columns, indent: 0, ellipsis: ellipsisOf(terminal) };
  const [titles = "", ...lines] = tableLines(rows, layout);
  return [
    paint(terminal, "gray", titles),
    ...lines.map((line, index) => (events[index]?.undoneAt === null ? line : paint(terminal, "gray", line))),
  ];
}

function reportLines(events: readonly CompactionEvent[], terminal: Terminal): readonly string[] {
  const width = String(events.at(-1)?.number ?? 0).length;
  return [
    heading("Report", terminal),
    ...events.flatMap((event) => {
      const number = String(event.number).padStart(width);
      const line = plainSigns(`  ${number}  ${oneLine(reportLine(event))}`, terminal);
      return [
        fitted(line, terminal),
        paint(terminal, "gray", fitted(`  ${" ".repeat(width)}  ${madeBy(event)}`, terminal)),
      ];
    }),
  ];
}

function madeBy({ id, profile, modelUsed, calls, costUsd }: CompactionEvent): string {
  const model = calls === 0 ? [] : [`${plural(calls, "call")}${modelUsed === null ? "" : ` to ${oneLine(modelUsed)}`}`];
  const cost = costUsd === null ? [] : [`$${costUsd.toFixed(4)}`];
  return [`id ${id}`, `profile ${oneLine(profile)}`, ...model, ...cost].join(", ");
}
