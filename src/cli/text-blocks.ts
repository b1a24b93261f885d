/** Blocks of lines with one blank line between them, and what stands above them. No line is wider than the terminal. */

import type { FormatName } from "../core/message.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { cut, cutStart, displayWidth, oneLine } from "./one-line.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";

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

export interface FileTitle {
  readonly file: string;
  readonly format: FormatName;
  readonly source: TranscriptSource | "session";
}

/** The file's name, cut where it is long, and what is in it. */
export function fileTitle({ file, format, source }: FileTitle, terminal: Terminal): string {
  const kind = source === "request-body" || source === "message-list" ? source.replace("-", " ") : source;
  const about = `${format}, ${kind}`;
  const name = cutStart(oneLine(file), Math.max(10, terminal.columns - displayWidth(about) - 2), ellipsisOf(terminal));
  return `${paint(terminal, "bold", name)}  ${paint(terminal, "gray", about)}`;
}

/** Signs that a terminal without Unicode cannot show. */
export function plainSigns(text: string, { isUnicode }: Terminal): string {
  if (isUnicode) return text;
  return text.replaceAll("→", "->").replaceAll("≥", ">=").replaceAll("−", "-").replaceAll("…", "...");
}
