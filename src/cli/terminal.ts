/** What the terminal can show (width, colours, Unicode), and headings, tables, bars and the progress line for it. No line is wider. */

import { styleText } from "node:util";
import type { FormatName } from "../core/message.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { count, cut, cutStart, displayWidth, oneLine, padEnd, padStart, wrap } from "./one-line.ts";

export type Terminal = ReturnType<typeof terminalWith>;

export type Style = Parameters<typeof styleText>[0];

/** Blocks of lines; an empty line stands between them. */
export type Blocks = readonly (readonly string[])[];

interface FileTitle {
  readonly file: string;
  readonly format: FormatName;
  readonly source: TranscriptSource | "session";
}

/** The part of an output stream that is looked at. */
export interface OutputShape {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The width of a pipe, a file, or a terminal that does not know its own. */
const COLUMNS_DEFAULT = 80;
/** Narrower than this nothing can be laid out; lines then wrap. */
const COLUMNS_MIN = 40;

export function terminalOf(output: OutputShape, environment: Environment): Terminal {
  const isTerminal = output.isTTY === true;
  return terminalWith({
    columns: Math.max(COLUMNS_MIN, (isTerminal && output.columns) || COLUMNS_DEFAULT),
    isColoured: wantsColour(isTerminal, environment),
    isUnicode: showsUnicode(environment),
  });
}

interface Abilities {
  readonly columns: number;
  readonly isColoured: boolean;
  readonly isUnicode: boolean;
}

/** A terminal that can show just this. */
export function terminalWith(abilities: Abilities) {
  const { columns, isColoured, isUnicode } = abilities;
  const ellipsis = isUnicode ? "…" : "...";
  // Whether to colour was decided for the stream that will really be written to.
  const paint = (style: Style, text: string): string =>
    isColoured && text !== "" ? styleText(style, text, { validateStream: false }) : text;
  const fitted = (line: string, width = columns): string => cut(line, width, ellipsis);
  const swatch = ({ style, letter }: Looks, cells = 1): string => {
    if (!isColoured) return letter.repeat(cells);
    return isUnicode ? paint(style, "█".repeat(cells)) : paint(BACKGROUNDS[style], " ".repeat(cells));
  };
  return {
    ...abilities,
    paint,
    /** The line cut to the width of the terminal, or to fewer columns. */
    fit: fitted,
    /** The text without the signs that the terminal cannot show. */
    signs: (text: string) =>
      isUnicode ? text : text.replaceAll("→", "->").replaceAll("≥", ">=").replaceAll("−", "-").replaceAll("…", "..."),
    heading: (title: string, style: Style = "bold") => paint(style, fitted(title)),
    note: (line: string) => paint("gray", fitted(line)),
    /** What matters most, and what follows it: in one line where there is room, otherwise in as many as it takes. */
    headline: (strong: string, rest: string, style: Style = "bold"): readonly string[] => {
      if (displayWidth(strong + rest) <= columns) return [`${paint(style, strong)}${rest}`];
      const below = rest === "" ? [] : wrap(rest.trimStart(), columns);
      return [...wrap(strong, columns).map((line) => paint(style, line)), ...below];
    },
    /** The file's name, cut where it is long, and what is in it; below each other where there is no room for both. */
    fileTitle: ({ file, format, source }: FileTitle) => {
      const about = `${format}, ${source === "request-body" || source === "message-list" ? source.replace("-", " ") : source}`;
      const besideColumns = columns - displayWidth(about) - GAP.length;
      const isBeside = besideColumns >= NAME_COLUMNS_MIN;
      const name = cutStart(oneLine(file), isBeside ? besideColumns : columns, ellipsis);
      return `${paint("bold", name)}${isBeside ? GAP : "\n"}${paint("gray", fitted(about))}`;
    },
    /** A line that says how many entries a list leaves out; none where it leaves out nothing. */
    more: (hidden: number, hint = "") => (hidden > 0 ? [`  ${ellipsis} and ${count(hidden)} more${hint}`] : []),
    table: (rows: Rows, { titles = [], styleOf, ...layout }: TableLayout): readonly string[] => {
      const [head = "", ...lines] = alignedLines([titles, ...rows], { widthMax: columns, ellipsis, ...layout });
      const painted = lines.map((line, index) => paint(styleOf?.(index) ?? [], line));
      return titles.length === 0 ? painted : [paint("gray", head), ...painted];
    },
    /** Shares of a whole as cells. A whole above the sum of the slices leaves the rest of the bar free. */
    bar: (slices: readonly Slice[], width: number, wholeMin = 0) => {
      const sum = slices.reduce((total, slice) => total + slice.amount, 0);
      const whole = Math.max(sum, wholeMin);
      const cells = shareCells([...slices.map((slice) => slice.amount), whole - sum], width);
      const filled = slices.map((slice, index) => swatch(slice, cells[index] ?? 0));
      return filled.join("") + paint("gray", (isUnicode ? "·" : ".").repeat(cells.at(-1) ?? 0));
    },
    /** Some cells of a slice; one of them is its mark in a legend. */
    swatch,
  };
}

export function joinBlocks(blocks: Blocks): string {
  const filled = blocks.filter((lines) => lines.length > 0);
  return `${filled.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Less of a file's name says nothing. */
const NAME_COLUMNS_MIN = 10;

/** FORCE_COLOR over NO_COLOR over what the stream is, as in Node itself. */
function wantsColour(isTerminal: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Environment): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

/** A locale that names another character set is believed; no locale at all is a container, whose terminal shows UTF-8. */
function showsUnicode({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale === undefined || locale === "" || /utf-?8/i.test(locale);
}

export interface Column {
  readonly align: "left" | "right";
  readonly columnsMax?: number;
  /** Cells longer than a third of the table's width are cut. */
  readonly isThird?: boolean;
  /** Takes the room that is left; its cells are cut to it. */
  readonly isElastic?: boolean;
  /** Cells are cut at their start: of a path, the end tells more. */
  readonly isPath?: boolean;
}

export const LEFT: Column = { align: "left" };
export const RIGHT: Column = { align: "right" };
export const ELASTIC: Column = { align: "left", isElastic: true };
export const THIRD: Column = { align: "left", isThird: true };
export const PATH: Column = { ...ELASTIC, isPath: true };

type Rows = readonly (readonly string[])[];

interface TableLayout {
  readonly columns: readonly Column[];
  /** Above the columns, in gray. */
  readonly titles?: readonly string[];
  /** How the row of this index is painted. */
  readonly styleOf?: (index: number) => Style | undefined;
  readonly indent?: number;
  /** Default: the terminal's width. */
  readonly widthMax?: number;
}

const GAP = "  ";

function alignedLines(
  rows: Rows,
  layout: Pick<TableLayout, "columns" | "indent"> & { readonly widthMax: number; readonly ellipsis: string },
): readonly string[] {
  const { columns, widthMax, indent = 2, ellipsis } = layout;
  const natural = columns.map((column, index) => {
    const widest = rows.reduce((widest, row) => Math.max(widest, displayWidth(row[index] ?? "")), 0);
    return Math.min(widest, column.columnsMax ?? (column.isThird ? Math.floor(widthMax / 3) : widest));
  });
  const fixed = natural.reduce((sum, width, index) => (columns[index]?.isElastic ? sum : sum + width), 0);
  const room = Math.max(0, widthMax - indent - fixed - GAP.length * (columns.length - 1));
  const widths = natural.map((width, index) => (columns[index]?.isElastic ? Math.min(width, room) : width));
  return rows.map((row) => {
    const cells = columns.map(({ align, isPath }, index) => {
      const width = widths[index] ?? 0;
      const cell = (isPath ? cutStart : cut)(row[index] ?? "", width, ellipsis);
      return align === "right" ? padStart(cell, width) : padEnd(cell, width);
    });
    return cut((" ".repeat(indent) + cells.join(GAP)).trimEnd(), widthMax, ellipsis);
  });
}

/** How a share is drawn: coloured cells, or the letter where there are no colours, so that a bar can be read in a pipe or a log. */
export interface Looks {
  readonly style: Colour;
  readonly letter: string;
}

export interface Slice extends Looks {
  readonly amount: number;
}

type Colour = keyof typeof BACKGROUNDS;

const BACKGROUNDS = {
  magenta: "bgMagenta",
  blue: "bgBlue",
  green: "bgGreen",
  cyan: "bgCyan",
  gray: "bgGray",
  white: "bgWhite",
  yellow: "bgYellow",
  red: "bgRed",
} as const satisfies Readonly<Record<string, Style>>;

/** Whole cells that add up exactly: every amount above 0 gets one, the rest goes by largest remainder. */
export function shareCells(amounts: readonly number[], cells: number): readonly number[] {
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  const present = amounts.filter((amount) => amount > 0).length;
  if (sum <= 0 || cells < present) return amounts.map(() => 0);
  const exact = amounts.map((amount) => (amount / sum) * cells);
  const shares = exact.map((share, index) => ((amounts[index] ?? 0) > 0 ? Math.max(1, Math.floor(share)) : 0));
  const overshoot = (index: number): number => (shares[index] ?? 0) - (exact[index] ?? 0);
  const mayMove = (index: number, step: number): boolean =>
    (amounts[index] ?? 0) > 0 && (step > 0 || (shares[index] ?? 0) > 1);
  let missing = cells - shares.reduce((total, share) => total + share, 0);
  while (missing !== 0) {
    const step = Math.sign(missing);
    const candidates = [...shares.keys()].filter((index) => mayMove(index, step));
    const best = candidates.sort((a, b) => step * (overshoot(a) - overshoot(b)))[0];
    if (best === undefined) break;
    shares[best] = (shares[best] ?? 0) + step;
    missing -= step;
  }
  return shares;
}

/** A line that is written over until it is cleared; nothing where the output is no terminal. */
export interface ProgressLine {
  /** Whether the output can show it. */
  readonly isShown: boolean;
  say(words: string): void;
  show(event: { readonly stage: string; readonly done: number; readonly total: number }): void;
  clear(): void;
}

const BAR_COLUMNS = 24;
/** Back to the start of the line, and erase it. */
const ERASE = "\r\u001b[2K";

export function progressLine(output: OutputShape & { write(text: string): unknown }, terminal: Terminal): ProgressLine {
  let isDirty = false;
  const isShown = output.isTTY === true && terminal.isColoured;
  const draw = (line: string): void => {
    if (!isShown) return;
    output.write(`${ERASE}${line}`);
    isDirty = true;
  };
  return {
    isShown,
    say: (words) => draw(terminal.fit(terminal.signs(words), terminal.columns - 1)),
    show: ({ stage, done, total }) => {
      const slice = { amount: Math.min(done, total), style: "green", letter: "#" } as const;
      const bar = terminal.bar([slice], BAR_COLUMNS, Math.max(1, total));
      draw(`${bar} ${stage} ${count(done)} of ${count(total)}`);
    },
    clear: () => {
      if (isDirty) output.write(ERASE);
      isDirty = false;
    },
  };
}
