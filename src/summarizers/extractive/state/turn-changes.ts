/**
 * Which lines of what was done tell what calls have changed since the newest request: whoever goes on without them does it twice. Looks at
 * calls that succeeded and still stand. Never makes a line.
 */

import { standingChanges } from "../outdated/superseded.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Reading } from "../reading/reading.ts";

/** Fewer characters stand in a sentence by chance. */
const NAME_CHARS_MIN = 4;

interface Course {
  readonly reading: Reading;
  readonly kept: KeptView;
}

/** Newest first, but those last that stand in what comes next: there they are named anyway. */
export function turnChanges(
  done: readonly string[],
  { reading, kept }: Course,
  nextSteps: readonly string[],
): readonly string[] {
  const askedAt = inOrder(reading.prose, kept.prose).findLast(({ isRequest }) => isRequest)?.message ?? -1;
  const changes = standingChanges(reading, kept).filter(({ message }) => message > askedAt);
  const lines = new Set<string>();
  const named = new Set<string>();
  for (const { name, brief } of changes.toReversed()) {
    const call = brief === "" ? name : `${name}: ${brief}`;
    const told = done.filter((item) => item.startsWith(call));
    const sentence = brief.length < NAME_CHARS_MIN ? undefined : done.find((item) => item.includes(brief));
    const isNamed = nextSteps.some((step) => step.includes(call));
    for (const line of told.length > 0 || sentence === undefined ? told : [sentence])
      (isNamed ? named : lines).add(line);
  }
  return [...new Set([...lines, ...named])];
}
