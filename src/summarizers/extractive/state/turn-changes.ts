/**
 * Which lines of what was done tell what calls have changed since the newest request: whoever goes on without them does it twice. Looks at
 * calls that succeeded and still stand. Never makes a line.
 */

import { standingChanges } from "../outdated/superseded.ts";
import { receiptsIn } from "../reading/evidence.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { PlacedCall, Reading } from "../reading/reading.ts";

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
  const changes = newestTurn(standingChanges(reading, kept), { reading, kept });
  const lines = new Set<string>();
  const named = new Set<string>();
  for (const { name, brief, result } of changes.toReversed()) {
    const call = brief === "" ? name : `${name}: ${brief}`;
    const told = done.filter((item) => item.startsWith(call));
    const names = [brief, ...(told.length > 0 ? [] : receiptsIn(result))].filter(
      ({ length }) => length >= NAME_CHARS_MIN,
    );
    const sentence = done.find((item) => names.some((known) => item.includes(known)));
    const isNamed = nextSteps.some((step) => step.includes(call));
    for (const line of told.length > 0 || sentence === undefined ? told : [sentence])
      (isNamed ? named : lines).add(line);
  }
  return [...new Set([...lines, ...named])];
}

/** Those since the newest request. Where nothing has come of that yet, as of a word of thanks, those since the one before. */
function newestTurn(changes: readonly PlacedCall[], { reading, kept }: Course): readonly PlacedCall[] {
  const prose = inOrder(reading.prose, kept.prose);
  const requests = prose.filter(({ isRequest }) => isRequest).map(({ message }) => message);
  const askedAt = requests.at(-1) ?? -1;
  const isLast =
    prose.at(-1)?.message === askedAt &&
    kept.messages.length < 2 &&
    [...reading.log.values()].every(({ message }) => message < askedAt);
  const since = isLast ? (requests.at(-2) ?? -1) : askedAt;
  return changes.filter(({ message }) => message > since);
}
