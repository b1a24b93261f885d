/**
 * Where a summary stands among the messages that stay: in the place of the first that it replaces, unless older requests stay behind that one.
 * Behind the summary of what came of them they would read like new ones, so it stands behind all of them but the newest. Decides only.
 */

import { waitingTurn } from "../manual-thinking.ts";
import type { Message } from "../message.ts";
import { isRequest } from "./partition-request.ts";
import { userVoice } from "./user-voice.ts";

export interface PlaceOptions {
  /** Tools whose results are the user's voice. */
  readonly userTools?: readonly string[];
  /** The request has a budget for thinking. */
  readonly thinksManually?: boolean;
}

/**
 * The index that it stands before; -1 where no message goes. `kept` are the indices of those that stay, ascending. Where thinking has
 * a budget, it stands before the turn that waits for the model: inside of it, it would begin another, without thinking.
 */
export function summaryPlace(
  messages: readonly Message[],
  kept: readonly number[],
  options: PlaceOptions = {},
): number {
  const place = placeAmong(messages, kept, options.userTools ?? []);
  const turn = options.thinksManually ? waitingTurn(messages) : undefined;
  const isInside = turn !== undefined && kept.some((index) => index > turn && index < place);
  return isInside ? turn : place;
}

function placeAmong(messages: readonly Message[], kept: readonly number[], userTools: readonly string[]): number {
  const { hasWordsBeside } = userVoice(messages, userTools);
  const asks = (message: Message): boolean => isRequest(message) || hasWordsBeside(message);
  let first = 0;
  while (kept[first] === first) first++;
  if (first >= messages.length) return -1;
  let end = messages.length;
  let scattered = kept.length;
  while (scattered > 0 && kept[scattered - 1] === end - 1) {
    end--;
    scattered--;
  }
  // Whether or not it stays: what was asked before it is old.
  const newest = messages.findLastIndex(asks);
  const oldEnd = kept.includes(newest) ? Math.min(newest, end) : end;
  let place = first;
  for (let at = first; at < scattered; at++) {
    const index = kept[at] ?? 0;
    const message = messages[index];
    if (index >= oldEnd || message === undefined || !asks(message)) continue;
    let gone = index + 1;
    for (let next = at + 1; kept[next] === gone; next++) gone++;
    if (gone < oldEnd) place = gone;
  }
  return place;
}
