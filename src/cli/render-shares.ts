/** The bar, its legend, and the tools behind the largest part of it. */

import { barLine, swatch } from "./bar.ts";
import { KINDS } from "./breakdown.ts";
import type { Inspection } from "./inspection.ts";
import { KIND_LOOKS } from "./kind-looks.ts";
import { count, percent, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";

const TOOLS_SHOWN = 8;

export function shareLines({ tokens, window }: Inspection, terminal: Terminal): readonly string[] {
  const slices = KINDS.map((kind) => ({ ...KIND_LOOKS[kind], amount: tokens.byKind[kind] }));
  const bar = barLine(slices, { terminal, columns: terminal.columns - 4 });
  const hidden = tokens.byTool.slice(TOOLS_SHOWN);
  const kinds = KINDS.filter((kind) => tokens.byKind[kind] > 0);
  const rows = [
    ...kinds.map((kind) => [KIND_LOOKS[kind].title, ...amountCells(tokens.byKind[kind], tokens.total), ""]),
    ...tokens.byTool
      .slice(0, TOOLS_SHOWN)
      .map((tool) => [
        `  ${oneLine(tool.name)}`,
        ...amountCells(tool.tokens, tokens.total),
        plural(tool.results, "result"),
      ]),
    ...(hidden.length === 0 ? [] : [moreTools(hidden, tokens.total)]),
  ];
  const columns: readonly Column[] = [{ align: "left", columnsMax: 34 }, RIGHT, RIGHT, { align: "left" }];
  const lines = tableLines(rows, {
    columns,
    widthMax: terminal.columns - 4,
    indent: 0,
    ellipsis: ellipsisOf(terminal),
  });
  return [
    `  ${bar}`,
    ...(window === undefined ? [] : [gaugeLine(window.usedRatio, terminal)]),
    "",
    ...lines.map((line, index) => {
      const kind = kinds[index];
      return kind === undefined ? paintDetail(line, terminal) : `  ${swatch(KIND_LOOKS[kind], terminal)} ${line}`;
    }),
  ];
}

/** How much of the window is used. Full at most, also when there is more than fits. */
function gaugeLine(usedRatio: number, terminal: Terminal): string {
  const label = usedRatio > 1 ? "window, exceeded " : "window ";
  const used = { amount: Math.min(1, usedRatio), style: usedRatio > 1 ? "red" : "white", letter: "=" } as const;
  return `  ${label}${barLine([used], { terminal, columns: terminal.columns - 4 - label.length, whole: 1 })}`;
}

function amountCells(tokens: number, total: number): readonly [string, string] {
  return [count(tokens), percent(total === 0 ? 0 : tokens / total, 1)];
}

function moreTools(tools: Inspection["tokens"]["byTool"], total: number): readonly string[] {
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const results = tools.reduce((sum, tool) => sum + tool.results, 0);
  return [`  ${plural(tools.length, "more tool")}`, ...amountCells(tokens, total), plural(results, "result")];
}

function paintDetail(line: string, terminal: Terminal): string {
  return `    ${paint(terminal, "gray", line)}`;
}
