/** `palimpsest sessions`: what is in a store, newest first. Changes nothing. */

import { sessionIdIn } from "../core/store/store-rules.ts";
import type { SessionSummary } from "../core/store/store-upkeep.ts";
import { EXIT } from "./command.ts";
import { readAll } from "./interrupt.ts";
import { count, dayOf, displayWidth, minuteOf, oneLine } from "./one-line.ts";
import { storeCommand } from "./store-command.ts";
import { type Column, ELASTIC, LEFT, RIGHT, type Terminal } from "./terminal.ts";

export const command = storeCommand({
  use: "reading",
  usage: "[options]",
  operands: [],
  notes: `Newest first. "in view" is how many messages the model would be sent, of how
many were ever appended. How many tokens that is, palimpsest show ID says.

Examples:
  palimpsest sessions
  palimpsest sessions --store sqlite:agent.db --json | jq -r '.sessions[].id'
`,
  begin:
    () =>
    async ({ store, signal, print }) => {
      const sessions = (await readAll(store.sessions(), signal)).map((session) => ({
        ...session,
        id: sessionIdIn(session.id, session.agentId),
      }));
      const none = `no sessions in ${oneLine(store.url)} yet`;
      print({ store: store.url, sessions }, (terminal) => [
        sessions.length === 0
          ? [terminal.fit(none), "palimpsest import FILE brings one in"]
          : sessionLines(sessions, terminal),
      ]);
      return EXIT.ok;
    },
});

function sessionLines(sessions: readonly SessionSummary[], terminal: Terminal): readonly string[] {
  // An id that is cut is of no use, so the other columns give way first.
  const isShared = sessions.some(({ agentId }) => agentId !== "");
  const layouts = isShared ? LAYOUTS.map(([id = ID, ...fields]) => [id, AGENT, ...fields]) : LAYOUTS;
  const fits = (fields: readonly Field[]): boolean => {
    const [columns, rows] = [fields.map(({ column }) => column), rowsOf(sessions, fields)];
    const lines = terminal.table(rows, { columns, indent: 0, widthMax: Number.MAX_SAFE_INTEGER });
    return lines.every((line) => displayWidth(line) <= terminal.columns);
  };
  const fitting = layouts.find(fits) ?? CUT_LAYOUT;
  const [titles = [], ...rows] = rowsOf(sessions, fitting);
  return terminal.table(rows, { titles, columns: fitting.map(({ column }) => column), indent: 0 });
}

interface Field {
  readonly title: string;
  readonly column: Column;
  cell(session: SessionSummary): string;
}

const ID: Field = { title: "session", column: ELASTIC, cell: ({ id }) => oneLine(id) };
const AGENT: Field = { title: "agent", column: LEFT, cell: ({ agentId }) => oneLine(agentId) };
const FORMAT: Field = { title: "format", column: LEFT, cell: ({ format }) => format };
const MESSAGES: Field = {
  title: "in view",
  column: RIGHT,
  cell: ({ viewCount, messageCount }) => `${count(viewCount)} of ${count(messageCount)}`,
};
const COMPACTIONS: Field = {
  title: "compacted",
  column: RIGHT,
  cell: ({ compactionCount }) => (compactionCount === 0 ? "" : `${count(compactionCount)}x`),
};
const MINUTE: Field = { title: "changed (UTC)", column: LEFT, cell: ({ updatedAt }) => minuteOf(updatedAt) };
const DAY: Field = { title: "changed", column: LEFT, cell: ({ updatedAt }) => dayOf(updatedAt) };

/** For ids that are wider than the terminal by themselves. */
const CUT_LAYOUT: readonly Field[] = [ID, MESSAGES, COMPACTIONS, DAY];

/** Widest first. */
const LAYOUTS: readonly (readonly Field[])[] = [
  [ID, FORMAT, MESSAGES, COMPACTIONS, MINUTE],
  [ID, MESSAGES, COMPACTIONS, MINUTE],
  CUT_LAYOUT,
  [ID, MESSAGES, DAY],
  [ID, MESSAGES],
  [ID],
];

function rowsOf(sessions: readonly SessionSummary[], fields: readonly Field[]): readonly (readonly string[])[] {
  return [fields.map(({ title }) => title), ...sessions.map((session) => fields.map(({ cell }) => cell(session)))];
}
