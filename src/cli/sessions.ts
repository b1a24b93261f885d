/** `palimpsest sessions`: what is in a store, newest first. Changes nothing. */

import { sessionIdIn } from "../core/store/store-rules.ts";
import type { SessionSummary } from "../core/store/store-upkeep.ts";
import { EXIT } from "./command.ts";
import { count, dayOf, minuteOf } from "./numbers.ts";
import { displayWidth, oneLine } from "./one-line.ts";
import { readAll } from "./over-store.ts";
import { storeCommand } from "./store-command.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { type Column, ELASTIC, fitted, LEFT, RIGHT, tableLines } from "./text-blocks.ts";

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
  settle: () => undefined,
  work: async ({ store, signal, print }) => {
    const sessions = await readAll(store.sessions(), signal);
    const listed = sessions.map((session) => ({ ...session, id: sessionIdIn(session.id, session.agentId) }));
    print({ store: store.url, sessions: listed }, (terminal) => render(listed, store.url, terminal));
    return EXIT.ok;
  },
});

function render(sessions: readonly SessionSummary[], url: string, terminal: Terminal): string {
  if (sessions.length === 0) {
    return `${fitted(`no sessions in ${oneLine(url)} yet`, terminal)}\npalimpsest import FILE brings one in\n`;
  }
  // An id that is cut is of no use, so the rest gives way first.
  const isShared = sessions.some(({ agentId }) => agentId !== "");
  const layouts = isShared ? LAYOUTS.map(([id = ID, ...fields]) => [id, AGENT, ...fields]) : LAYOUTS;
  const fitting = layouts.find((fields) => widthOf(sessions, fields) <= terminal.columns) ?? CUT_LAYOUT;
  const columns = fitting.map(({ column }) => column);
  const layout = { columns, widthMax: terminal.columns, indent: 0, ellipsis: ellipsisOf(terminal) };
  const [titles = "", ...lines] = tableLines(rowsOf(sessions, fitting), layout);
  return `${[paint(terminal, "gray", titles), ...lines].join("\n")}\n`;
}

interface Field {
  readonly title: string;
  readonly column: Column;
  cell(session: SessionSummary): string;
}

const ID: Field = {
  title: "session",
  column: ELASTIC,
  cell: ({ id }) => oneLine(id),
};
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
const MINUTE: Field = {
  title: "changed (UTC)",
  column: LEFT,
  cell: ({ updatedAt }) => minuteOf(updatedAt),
};
const DAY: Field = { ...MINUTE, title: "changed", cell: ({ updatedAt }) => dayOf(updatedAt) };

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

function widthOf(sessions: readonly SessionSummary[], fields: readonly Field[]): number {
  const columns = fields.map(({ column }) => ({ align: column.align }));
  const lines = tableLines(rowsOf(sessions, fields), { columns, widthMax: Number.MAX_SAFE_INTEGER, indent: 0 });
  return Math.max(...lines.map(displayWidth));
}
