/** Failed calls as a checkpoint names them: in their own section, and among what blocks while nothing has been done since. Pure. */

import type { Checkpoint, ToolFailure } from "./checkpoint.ts";

/** Between what was called and what came of it. */
export const OUTCOME_MARK = " → ";

/** Those of the section first, then the calls that stand there as what blocks. */
export function failuresIn({ toolFailures, blocked }: Checkpoint): readonly ToolFailure[] {
  const passed = blocked.flatMap((item) => {
    const at = item.indexOf(": ");
    return at > 0 && item.includes(OUTCOME_MARK) ? [{ toolName: item.slice(0, at), summary: item.slice(at + 2) }] : [];
  });
  return [...toolFailures, ...passed];
}
