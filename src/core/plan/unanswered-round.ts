/**
 * The newest round while the model has not answered it: calls that still wait for results, or results that it has never read.
 * Whoever takes it out of the view has the model call again, or go on without what it asked for. Reads only.
 */

import type { Message } from "../message.ts";
import type { Round, Structure } from "../structure/structure.ts";
import { isPassedOn } from "./partition-request.ts";
import { userVoice } from "./user-voice.ts";

/** Of a round whose results are still to come, all that follows belongs to it. An output in a user's message is a round too. */
export function unansweredRound(
  messages: readonly Message[],
  structure: Structure,
): Pick<Round, "start" | "end"> | undefined {
  const open = structure.openRound();
  if (open !== undefined) return { start: open.start, end: messages.length };
  const newestSaid = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = structure.newestRound();
  if (newest !== undefined && newest.end - 1 > newestSaid) return newest;
  const unread = messages.slice(newestSaid + 1).findLastIndex(isPassedOn);
  return unread < 0 ? undefined : { start: newestSaid + 1 + unread, end: newestSaid + 2 + unread };
}

/** Whether a user said something in the very messages that bring the results: that is the newest request, and it goes nowhere. */
export function hasRequestBeside(
  messages: readonly Message[],
  { start, end }: Pick<Round, "start" | "end">,
  userTools: readonly string[] = [],
): boolean {
  const round = messages.slice(start, end);
  return round.some(userVoice(round, userTools).hasWordsBeside);
}
