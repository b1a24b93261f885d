/** Profiles as text: topics down, profiles across, as many beside each other as the terminal has room for. */

import { settingsReference } from "../settings/reference.ts";
import { padEnd } from "./one-line.ts";
import type { ProfileEntry } from "./profiles.ts";
import { tableLines } from "./table.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { fitted, heading, joinBlocks, plainSigns } from "./text-blocks.ts";
import { wrap } from "./wrap.ts";

/** What tells profiles apart; the rest is shown of one profile at a time. */
const TOPICS = [
  "compacts by itself",
  "trigger",
  "counted",
  "strategy",
  "target",
  "kept always",
  "tail",
  "cut",
  "prune",
  "summary",
  "summary size",
  "renderer",
  "on failure",
  "on overflow",
  "message limit",
] as const;

const GAP = 2;
const CELL_COLUMNS_MIN = 18;

export function renderProfiles(entries: readonly ProfileEntry[], terminal: Terminal): string {
  const presets = entries.filter(({ name }) => name.startsWith("agentpg-"));
  const main = entries.filter((entry) => !presets.includes(entry));
  const topicColumns = Math.max(...TOPICS.map((topic) => topic.length));
  const room = terminal.columns - topicColumns;
  const perBlock = Math.min(main.length, Math.max(1, Math.floor(room / (CELL_COLUMNS_MIN + GAP))));
  const cellColumns = Math.floor(room / perBlock) - GAP;
  const blocks = chunks(main, perBlock).map((shown) => blockLines(shown, { terminal, topicColumns, cellColumns }));
  const rows = presets.map(({ name, does }) => [name, does.for ?? ""]);
  const presetLines = tableLines(rows, {
    columns: [{ align: "left" }, { align: "left", isElastic: true }],
    widthMax: terminal.columns,
    ellipsis: ellipsisOf(terminal),
  });
  return joinBlocks([
    ...blocks,
    [heading("Presets of agentpg", terminal), ...presetLines],
    [paint(terminal, "gray", fitted("one in full: palimpsest profiles NAME", terminal))],
  ]);
}

/** What it does, then every key with its value, all of it. */
export function renderProfile({ name, does, settings }: ProfileEntry, terminal: Terminal): string {
  const topics = Object.entries(does).map(([topic, value]): Row => [topic, plainSigns(value, terminal)]);
  const keys = settingsReference(settings).flatMap(({ key, value }): readonly Row[] =>
    value === "" ? [] : [[key, breakable(value)]],
  );
  return joinBlocks([
    [heading(name, terminal), ...rowLines(topics, terminal)],
    [heading("Settings", terminal), ...rowLines(keys, terminal)],
  ]);
}

/** Lists and objects may be broken behind their commas. */
function breakable(value: string): string {
  return /^[[{]/.test(value) ? value.replaceAll(/,(?=["{[])/g, ", ") : value;
}

type Row = readonly [name: string, value: string];

const INDENT = 2;
/** Values that would be squeezed into less stand below their names. */
const VALUE_COLUMNS_MIN = 18;

function rowLines(rows: readonly Row[], terminal: Terminal): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  const beside = terminal.columns - width - INDENT - GAP;
  const isBelow = beside < VALUE_COLUMNS_MIN;
  const [columns, margin] = isBelow ? [terminal.columns - 2 * INDENT, 2 * INDENT] : [beside, INDENT + width + GAP];
  return rows.flatMap(([name, value]) => {
    const [first = "", ...rest] = wrap(value, columns).map((line) => `${" ".repeat(margin)}${line}`);
    const label = paint(terminal, "gray", isBelow ? name : padEnd(name, width));
    const head = `${" ".repeat(INDENT)}${label}`;
    return isBelow ? [head, first, ...rest] : [`${head}${first.slice(INDENT + width)}`, ...rest];
  });
}

interface BlockLayout {
  readonly terminal: Terminal;
  readonly topicColumns: number;
  readonly cellColumns: number;
}

function blockLines(
  entries: readonly ProfileEntry[],
  { terminal, topicColumns, cellColumns }: BlockLayout,
): readonly string[] {
  const gap = " ".repeat(GAP);
  const line = (topic: string, cells: readonly string[]): string =>
    `${topic}${gap}${cells.map((cell) => padEnd(cell, cellColumns)).join(gap)}`.trimEnd();
  const titles = entries.map(({ name }) => paint(terminal, "bold", padEnd(name, cellColumns)));
  return [
    `${" ".repeat(topicColumns)}${gap}${titles.join(gap)}`.trimEnd(),
    ...TOPICS.flatMap((topic) => {
      const cells = entries.map(({ does }) => wrap(plainSigns(does[topic] ?? "", terminal), cellColumns));
      const height = Math.max(...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, row) =>
        line(
          paint(terminal, "gray", padEnd(row === 0 ? topic : "", topicColumns)),
          cells.map((lines) => lines[row] ?? ""),
        ),
      );
    }),
  ];
}

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
