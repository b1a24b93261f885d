/** What stays whatever happens: one line per reason, and whether the target left room for all of the tail; and message by message. */

import type { Obstacle } from "./compaction.ts";
import { count, plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { PROTECTION_NAMES, type ProtectedGroup } from "./protections.ts";
import { type Column, RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, type Terminal } from "./terminal.ts";
import { fitted, heading } from "./text-blocks.ts";
import type { ShrunkTail } from "./used-partition.ts";

export function protectedLines(
  groups: readonly ProtectedGroup[],
  tailShrunk: ShrunkTail | undefined,
  terminal: Terminal,
): readonly string[] {
  if (groups.length === 0) return [];
  const rows = groups.map(({ why, messages, tokens }) => [
    PROTECTION_NAMES[why],
    plural(messages, "message"),
    plural(tokens, "token"),
  ]);
  return [
    heading("Protected", terminal),
    ...tableLines(rows, { columns: [{ align: "left" }, RIGHT, RIGHT], widthMax: terminal.columns }),
    ...(tailShrunk === undefined ? [] : [fitted(`  ${shrunkText(tailShrunk)}`, terminal)]),
  ];
}

/** Messages one by one: number, what it is, tokens, why it stays, how it begins. */
export function messageLines(messages: readonly Obstacle[], terminal: Terminal): readonly string[] {
  const rows = messages.map(({ index, what, tokens, why, begins }) => [
    index === null ? "" : String(index),
    oneLine(what),
    count(tokens),
    why === "outside-messages" || why === "summary"
      ? ""
      : why === "not-taken"
        ? "not protected"
        : PROTECTION_NAMES[why],
    oneLine(begins),
  ]);
  const columns: readonly Column[] = [
    RIGHT,
    { align: "left", columnsMax: Math.floor(terminal.columns / 3) },
    RIGHT,
    { align: "left" },
    { align: "left", isElastic: true },
  ];
  return tableLines(rows, { columns, widthMax: terminal.columns, ellipsis: ellipsisOf(terminal) });
}

function shrunkText({ asked, kept }: ShrunkTail): string {
  const room = kept.messages === 0 ? "none" : count(kept.messages);
  return `The target leaves room for ${room} of the ${plural(asked.messages, "newest message")} that would be kept.`;
}
