/**
 * Where a summary stands among the messages that stay: in the place of the first that it replaces, unless older requests stay behind that one.
 * Behind the summary of what came of them they would read like new ones, so it stands behind all of them but the newest. Decides only.
 */

import type { Message } from "../message.ts";
import { isRequest } from "./partition-request.ts";
import { hasWordsBeside } from "./words-beside.ts";

/** The index of a message that goes; -1 where none does. `stays` tells of each whether it stays. */
export function summaryPlace(messages: readonly Message[], stays: (index: number) => boolean): number {
  const goes = (_: Message, index: number): boolean => !stays(index);
  const first = messages.findIndex(goes);
  const end = messages.findLastIndex(goes) + 1;
  const isOld = (message: Message, index: number): boolean => index > first && stays(index) && asks(message);
  const newest = messages.slice(end).some(asks) ? end : messages.slice(0, end).findLastIndex(isOld);
  let place = first;
  let isBehindOld = false;
  for (let index = first + 1; index < newest; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (isOld(message, index)) isBehindOld = true;
    else if (isBehindOld && !stays(index)) {
      place = index;
      isBehindOld = false;
    }
  }
  return place;
}

function asks(message: Message): boolean {
  return isRequest(message) || hasWordsBeside(message);
}
