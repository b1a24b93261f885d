/** What became of each message, one line each: `=` kept, `~` edited, `-` replaced, `+` added. */

import type { DiffLine } from "./compaction.ts";
import { count, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, paint, type Style, type Terminal } from "./terminal.ts";
import { heading } from "./text-blocks.ts";

const STYLES: Readonly<Record<DiffLine["mark"], Style>> = { "=": "gray", "~": "yellow", "-": "red", "+": "green" };

export function diffLines(diff: readonly DiffLine[], terminal: Terminal): readonly string[] {
  const rows = diff.map(({ mark, id, before, after, what, tokens, begins }) => [
    mark,
    id ?? String(before ?? after ?? ""),
    oneLine(what),
    count(tokens),
    oneLine(begins),
  ]);
  const columns: readonly Column[] = [
    { align: "left" },
    RIGHT,
    { align: "left", columnsMax: Math.floor(terminal.columns / 3) },
    RIGHT,
    { align: "left", isElastic: true },
  ];
  const lines = tableLines(rows, { columns, widthMax: terminal.columns, indent: 0, ellipsis: ellipsisOf(terminal) });
  return [
    heading(titleOf(diff), terminal),
    ...lines.map((line, index) => paint(terminal, STYLES[diff[index]?.mark ?? "="], line)),
  ];
}

function titleOf(diff: readonly DiffLine[]): string {
  const times = (mark: DiffLine["mark"]): number => diff.filter((line) => line.mark === mark).length;
  const [kept, edited] = [times("="), times("~")];
  const shown = edited === 0 ? "" : `, ${count(edited)} changed (~)`;
  return `${plural(kept, "message")} kept (=)${shown}, ${count(times("-"))} replaced (-), ${count(times("+"))} added (+)`;
}
