/** Rows as aligned lines that never exceed a width: one column may be elastic and is cut, all others keep theirs. */

import { cut, displayWidth, padEnd, padStart } from "./one-line.ts";

export interface Column {
  readonly align: "left" | "right";
  /** Longer cells are cut. */
  readonly columnsMax?: number;
  /** Takes the room that is left; its cells are cut to it. */
  readonly isElastic?: boolean;
}

export const RIGHT: Column = { align: "right" };

export interface TableLayout {
  readonly columns: readonly Column[];
  readonly widthMax: number;
  readonly indent?: number;
  readonly ellipsis?: string;
}

const GAP = "  ";

export function tableLines(rows: readonly (readonly string[])[], layout: TableLayout): readonly string[] {
  const { columns, widthMax, indent = 2, ellipsis = "…" } = layout;
  const natural = columns.map((column, index) => {
    const widest = rows.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? "")), 0);
    return Math.min(widest, column.columnsMax ?? widest);
  });
  const fixed = natural.reduce((sum, width, index) => (columns[index]?.isElastic ? sum : sum + width), 0);
  const room = Math.max(0, widthMax - indent - fixed - GAP.length * (columns.length - 1));
  const widths = natural.map((width, index) => (columns[index]?.isElastic ? Math.min(width, room) : width));
  return rows.map((row) => {
    const cells = columns.map((column, index) => {
      const width = widths[index] ?? 0;
      const cell = cut(row[index] ?? "", width, ellipsis);
      return column.align === "right" ? padStart(cell, width) : padEnd(cell, width);
    });
    return cut((" ".repeat(indent) + cells.join(GAP)).trimEnd(), widthMax, ellipsis);
  });
}
