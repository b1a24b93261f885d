/** What stays whatever happens: one line per reason, and whether the target left room for all of the tail. */

import { count, plural } from "./numbers.ts";
import { PROTECTION_NAMES, type ProtectedGroup } from "./protections.ts";
import { RIGHT, tableLines } from "./table.ts";
import type { Terminal } from "./terminal.ts";
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

function shrunkText({ asked, kept }: ShrunkTail): string {
  const room = kept.messages === 0 ? "none" : count(kept.messages);
  return `The target leaves room for ${room} of the ${plural(asked.messages, "newest message")} that would be kept.`;
}
