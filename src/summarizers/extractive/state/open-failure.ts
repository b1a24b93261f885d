/**
 * The failure that nobody has tried to overcome: that of the newest call, or a check that failed and behind which was only looked at
 * things. Reads the messages behind that check, no further than the first that does something. Never opens what a new task left behind.
 */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, textsOf } from "../../../core/message.ts";
import { isTurnStart } from "../../../core/structure/structure.ts";
import { isLooking, isWorthTelling, writtenCommand } from "../calls/call-outcome.ts";
import { isTelling } from "../goal/tasks.ts";
import { isCheckFailure, isGitFailure } from "../outdated/failed-checks.ts";
import type { KeptView } from "../reading/kept-view.ts";
import { type Failure, isObservation, type Reading } from "../reading/reading.ts";
import { onlyLooks } from "../statements/course.ts";

export interface FailureSource {
  readonly leaving: readonly Message[];
  readonly reading: Reading;
  readonly kept: KeptView;
}

export function openFailureIn({ leaving, reading, kept }: FailureSource): Failure | undefined {
  const newest = kept.ends.hasCalls ? undefined : reading.openFailure;
  // A search that found nothing is told nowhere, and hides nothing.
  if (newest !== undefined && isWorthTelling(newest)) return newest;
  const check = reading.failures.findLast((failure) => isCheckFailure(failure) || isGitFailure(failure));
  if (check === undefined) return newest;
  const since = [leaving.slice(check.message + 1), kept.messages];
  return since.every((messages) => messages.every((message) => onlyLooksOn(message, reading.language)))
    ? check
    : newest;
}

/** The check that failed in the messages that stay: there it is told, but not that it is still to be overcome. */
export function keptFailureIn({ reading, kept }: Omit<FailureSource, "leaving">): ToolFailure | undefined {
  const { failedCheck } = kept.ends;
  if (failedCheck === undefined) return undefined;
  const since = kept.messages.slice(failedCheck.at + 1);
  return since.every((message) => onlyLooksOn(message, reading.language)) ? failedCheck : undefined;
}

/** What is asked for or done with a message leaves everything as it was. */
function onlyLooksOn(message: Message, language: Language): boolean {
  if (isTurnStart(message))
    return textsOf(message.parts).every((text) => isObservation(text, true) || !isTelling(text, language));
  return message.parts.every((part) => {
    if (part.type === "tool-call") return onlyLooks(part);
    if (part.type !== "text" || message.role !== "assistant") return true;
    const command = writtenCommand(part.text);
    return command === undefined || isLooking(`${command.name} ${command.brief}`);
  });
}
