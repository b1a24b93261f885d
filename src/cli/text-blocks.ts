/** Blocks of lines, their headings, and tables of aligned columns. No line is wider than the terminal. */

import type { FormatName } from "../core/message.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { cut, cutStart, displayWidth, oneLine, padEnd, padStart, wrap } from "./one-line.ts";
import { ellipsisOf, paint, type Style, type Terminal } from "./terminal.ts";

export function joinBlocks(blocks: readonly (readonly string[])[]): string {
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

export function heading(title: string, terminal: Terminal): string {
  return paint(terminal, "bold", fitted(title, terminal));
}

export function fitted(line: string, terminal: Terminal): string {
  return cut(line, terminal.columns, ellipsisOf(terminal));
}

/** What matters most, and what follows it: in one line where there is room, otherwise in as many as it takes. */
export function headline(strong: string, rest: string, { terminal, style = "bold" }: HeadlineLooks): readonly string[] {
  const { columns } = terminal;
  const painted = (line: string): string => paint(terminal, style, line);
  if (displayWidth(strong + rest) <= columns) return [`${painted(strong)}${rest}`];
  return [...wrap(strong, columns).map(painted), ...(rest === "" ? [] : wrap(rest.trimStart(), columns))];
}

interface HeadlineLooks {
  readonly terminal: Terminal;
  readonly style?: Style;
}

interface FileTitle {
  readonly file: string;
  readonly format: FormatName;
  readonly source: TranscriptSource | "session";
}

/** The file's name, cut where it is long, and what is in it; below each other where there is no room for both. */
export function fileTitle({ file, format, source }: FileTitle, terminal: Terminal): string {
  const kind = source === "request-body" || source === "message-list" ? source.replace("-", " ") : source;
  const about = `${format}, ${kind}`;
  const besideColumns = terminal.columns - displayWidth(about) - 2;
  const isBeside = besideColumns >= NAME_COLUMNS_MIN;
  const name = cutStart(oneLine(file), isBeside ? besideColumns : terminal.columns, ellipsisOf(terminal));
  const gray = paint(terminal, "gray", isBeside ? about : fitted(about, terminal));
  return `${paint(terminal, "bold", name)}${isBeside ? "  " : "\n"}${gray}`;
}

/** Less of a name says nothing. */
const NAME_COLUMNS_MIN = 10;

/** Signs that a terminal without Unicode cannot show. */
export function plainSigns(text: string, { isUnicode }: Terminal): string {
  if (isUnicode) return text;
  return text.replaceAll("→", "->").replaceAll("≥", ">=").replaceAll("−", "-").replaceAll("…", "...");
}

export interface Column {
  readonly align: "left" | "right";
  /** Longer cells are cut. */
  readonly columnsMax?: number;
  /** Cells longer than a third of the table's width are cut. */
  readonly isThird?: boolean;
  /** Takes the room that is left; its cells are cut to it. */
  readonly isElastic?: boolean;
}

export const LEFT: Column = { align: "left" };
export const RIGHT: Column = { align: "right" };
export const ELASTIC: Column = { align: "left", isElastic: true };
export const THIRD: Column = { align: "left", isThird: true };

interface TableLayout {
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
    return Math.min(widest, column.columnsMax ?? (column.isThird ? Math.floor(widthMax / 3) : widest));
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
