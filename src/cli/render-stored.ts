/** Lists of stored messages as text: one line each, no line wider than the terminal. */

import { count } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import type { ShownStored } from "./stored-messages.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, paint, type Style, type Terminal } from "./terminal.ts";

export function storedLines(messages: readonly ShownStored[], terminal: Terminal): readonly string[] {
  const rows = [
    ["id", "", "message", "tokens", "begins"],
    ...messages.map((message) => [
      message.id,
      marksOf(message),
      oneLine(message.what),
      count(message.tokens),
      oneLine(message.begins),
    ]),
  ];
  const columns: readonly Column[] = [
    RIGHT,
    { align: "left" },
    { align: "left", columnsMax: Math.floor(terminal.columns / 3) },
    RIGHT,
    { align: "left", isElastic: true },
  ];
  const layout = { columns, widthMax: terminal.columns, indent: 0, ellipsis: ellipsisOf(terminal) };
  const [titles = "", ...lines] = tableLines(rows, layout);
  return [
    paint(terminal, "gray", titles),
    ...lines.map((line, index) => {
      const style = styleOf(messages[index]);
      return style === undefined ? line : paint(terminal, style, line);
    }),
  ];
}

/** What the letters mean, for those that are there. */
export function marksNote(messages: readonly ShownStored[]): string {
  return MARKS.filter(({ has }) => messages.some(has))
    .map(({ letter, meaning }) => `${letter} ${meaning}`)
    .join(", ");
}

const MARKS: readonly {
  readonly letter: string;
  readonly meaning: string;
  has(message: ShownStored): boolean;
}[] = [
  { letter: "P", meaning: "pinned", has: ({ isPinned }) => isPinned },
  { letter: "S", meaning: "summary", has: ({ isSummary }) => isSummary },
  { letter: "~", meaning: "shortened or changed by a compaction", has: ({ isEdited }) => isEdited },
];

function marksOf(message: ShownStored): string {
  return MARKS.filter(({ has }) => has(message))
    .map(({ letter }) => letter)
    .join("");
}

function styleOf(message: ShownStored | undefined): Style | undefined {
  if (message?.isSummary) return "green";
  if (message?.isPinned) return "cyan";
  return message?.isEdited ? "yellow" : undefined;
}
