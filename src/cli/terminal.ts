/**
 * What the place we print to can show: its width, colours, Unicode. Decided once from the stream and the environment;
 * everything that renders receives the answer and asks nothing itself.
 */

import { styleText } from "node:util";

export interface Terminal {
  readonly columns: number;
  readonly isColoured: boolean;
  readonly isUnicode: boolean;
}

export type Style = Parameters<typeof styleText>[0];

/** The part of an output stream that is looked at. */
export interface OutputShape {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** When nobody says: a pipe, a file, a terminal that does not know. */
const COLUMNS_DEFAULT = 80;
/** Narrower than this nothing can be laid out; lines then wrap. */
const COLUMNS_MIN = 40;

export function terminalOf(output: OutputShape, environment: Environment): Terminal {
  const isTerminal = output.isTTY === true;
  return {
    columns: Math.max(COLUMNS_MIN, (isTerminal && output.columns) || COLUMNS_DEFAULT),
    isColoured: wantsColour(isTerminal, environment),
    isUnicode: speaksUnicode(environment),
  };
}

export function paint(terminal: Terminal, style: Style, text: string): string {
  // Whether to colour was decided above, for the stream that will really be written to.
  return terminal.isColoured && text !== "" ? styleText(style, text, { validateStream: false }) : text;
}

export function ellipsisOf(terminal: Terminal): string {
  return terminal.isUnicode ? "…" : "...";
}

/** FORCE_COLOR over NO_COLOR over what the stream is, as Node itself has it. */
function wantsColour(isTerminal: boolean, { FORCE_COLOR, NO_COLOR, TERM }: Environment): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

/** A locale that names another character set is believed; no locale at all is a container, whose terminal speaks UTF-8. */
function speaksUnicode({ LC_ALL, LC_CTYPE, LANG }: Environment): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG;
  return locale === undefined || locale === "" || /utf-?8/i.test(locale);
}
