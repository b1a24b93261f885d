/** Failed calls in a checkpoint: in their own section, and under Blocked while no work has been done since. Pure. */

import type { Checkpoint, ToolFailure } from "./checkpoint.ts";

/** Between a call and its outcome. */
export const OUTCOME_MARK = " → ";

/** Failures of their own section first, then the calls under Blocked. */
export function failuresIn({ toolFailures, blocked }: Checkpoint): readonly ToolFailure[] {
  const passed = blocked.flatMap((item) => {
    const at = item.indexOf(": ");
    return at > 0 && item.includes(OUTCOME_MARK) ? [{ toolName: item.slice(0, at), summary: item.slice(at + 2) }] : [];
  });
  return [...toolFailures, ...passed];
}
