/**
 * Tells which tasks of a goal are quoted before the newest request, where there may be room for one alone. Never one that was closed
 * and that nothing speaks of any more.
 */

import type { Request } from "./goal.ts";
import { goesOn } from "./served-task.ts";

export interface Leading {
  readonly requests: readonly Request[];
  /** The place of the newest. */
  readonly now: number;
  /** The requests, whole, by their quotes. */
  readonly wholes: ReadonlyMap<string, string>;
  /** The requests begin with a greeting that opens one talk of several. */
  readonly isMetAgain?: boolean;
  /** Whether the newest is still about a task that was closed. */
  readonly serves: (task: string) => boolean;
}

/** Beside a request that the reader has in the view, what only the summary will tell goes first. */
export function leadingFrames(newestFirst: readonly string[], leading: Leading): readonly string[] {
  const { requests, now, wholes, isMetAgain = false, serves } = leading;
  const leaning = isMetAgain || goesOn(requests, now) ? newestFirst : [];
  // The reader of the newest has what stays before them.
  if (requests[now]?.isKept !== true) return leaning.slice(0, 1).filter((frame) => !isKept(frame, leading));
  const leaves = (frame: string): boolean => {
    const whole = wholes.get(frame) ?? frame;
    const request = requests.findLast(({ text }) => text === whole);
    if (request === undefined) return true;
    return !request.isKept && (request.isClosed !== true || serves(request.text));
  };
  return [...newestFirst.filter(leaves), ...leaning];
}

function isKept(frame: string, { requests, wholes }: Leading): boolean {
  const whole = wholes.get(frame) ?? frame;
  return requests.some(({ text, isKept }) => isKept && text === whole);
}
