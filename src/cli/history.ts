/** `palimpsest history`: every compaction of a session, the undone ones too. Changes nothing. */

import type { CompactionEvent } from "../core/store/store.ts";
import { EXIT } from "./command.ts";
import { count, minuteOf, oneLine, plural } from "./one-line.ts";
import { eventsOf, sessionState, storeCommand } from "./store-command.ts";
import { type Blocks, ELASTIC, LEFT, RIGHT, type Terminal } from "./terminal.ts";

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
  begin: () => async (request) => {
    const { id } = request;
    await sessionState(request);
    const events = await eventsOf(request);
    request.print({ session: id, events }, (terminal) =>
      events.length === 0
        ? [[terminal.fit(`session ${oneLine(id)} was never compacted`)]]
        : historyBlocks(events, terminal),
    );
    return EXIT.ok;
  },
});

export function historyBlocks(events: readonly CompactionEvent[], terminal: Terminal): Blocks {
  return [tableOf(events, terminal), reportLines(events, terminal)];
}

/** In the words of the log. */
export function reportLine({ strategy, originalTokens, compactedTokens, messagesRemoved }: CompactionEvent): string {
  const tokens = `${count(originalTokens)} → ${count(compactedTokens)} tokens`;
  return `Compaction: ${strategy}, ${tokens}, ${plural(messagesRemoved, "message")} removed`;
}

/** `undone`, `purged`, both or nothing. */
export function standingOf({ undoneAt, purgedAt }: CompactionEvent): string {
  return [...(undoneAt === null ? [] : ["undone"]), ...(purgedAt === null ? [] : ["purged"])].join(", ");
}

function tableOf(events: readonly CompactionEvent[], terminal: Terminal): readonly string[] {
  const rows = events.map((event) => [
    String(event.number),
    minuteOf(event.createdAt),
    oneLine(event.trigger),
    oneLine(event.strategy),
    count(event.originalTokens),
    terminal.signs(`→ ${count(event.compactedTokens)}`),
    count(event.messagesRemoved),
    standingOf(event),
  ]);
  return terminal.table(rows, {
    titles: ["#", "when (UTC)", "trigger", "strategy", "tokens", "", "removed", ""],
    columns: [RIGHT, LEFT, LEFT, ELASTIC, RIGHT, LEFT, RIGHT, LEFT],
    indent: 0,
    styleOf: (index) => (events[index]?.undoneAt === null ? undefined : "gray"),
  });
}

function reportLines(events: readonly CompactionEvent[], terminal: Terminal): readonly string[] {
  const width = String(events.at(-1)?.number ?? 0).length;
  return [
    terminal.heading("Report"),
    ...events.flatMap((event) => {
      const number = String(event.number).padStart(width);
      return [
        terminal.fit(terminal.signs(`  ${number}  ${oneLine(reportLine(event))}`)),
        ...madeBy(event).map((line) => terminal.note(`  ${" ".repeat(width)}  ${line}`)),
      ];
    }),
  ];
}

function madeBy({ id, profile, modelUsed, calls, costUsd }: CompactionEvent): readonly string[] {
  const cost = costUsd === null ? "" : `, $${costUsd.toFixed(4)}`;
  const asked = calls === 0 ? [] : [`${plural(calls, "call")} to ${oneLine(modelUsed ?? "a model")}${cost}`];
  return [`id ${id}, profile ${oneLine(profile)}`, ...asked];
}
