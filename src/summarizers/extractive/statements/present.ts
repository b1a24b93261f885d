/**
 * What is going on, to come or stuck at the end of a conversation, as the assistant's newest message says it. Reads that message alone.
 * Never carries anything over from an earlier one: that is `state/carried-open.ts`.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { CUES } from "../cues/cues.ts";
import { isTelling } from "../goal/tasks.ts";
import type { Prose } from "../reading/prose.ts";
import { quick } from "../text/quick-expressions.ts";
import { openIn } from "./assistant-statements.ts";
import type { Course } from "./course.ts";

export interface Now {
  readonly inProgress: readonly string[];
  readonly nextSteps: readonly string[];
  readonly blocked: readonly string[];
}

export interface NowOptions {
  readonly userLanguage: Language;
  readonly language: Language;
  /** What became of the assistant's newest words. */
  readonly course: Course;
  /** Whether calls have done since all that a step announces. */
  readonly isCarriedOut: (step: string) => boolean;
}

/**
 * What is going on at the end, as the assistant's newest message says it: whatever was announced before is done or dropped. So is
 * everything once the user has asked for something new, and what was announced with calls that have done it.
 */
export function readNow(prose: readonly Prose[], options: NowOptions): Now {
  const { userLanguage, language, course } = options;
  const inProgress: string[] = [];
  const nextSteps: string[] = [];
  const blocked: string[] = [];
  let newest: number | undefined;
  for (let at = prose.length - 1; at >= 0; at--) {
    const item = prose[at];
    if (item === undefined) continue;
    if (item.isUser) {
      if (isTelling(item.text, userLanguage)) break;
      continue;
    }
    newest ??= item.message;
    if (item.message !== newest) break;
    const isFinal = item.isFinal && course === "said";
    const said = openIn(item.text, language, { isFinal });
    const announced = said.announced.filter((step) => isOpen(step, options));
    const planned = said.nextSteps.filter((step) => course === "said" || !options.isCarriedOut(step));
    if (!isFinal) inProgress.unshift(...announced);
    nextSteps.unshift(...(said.nextSteps.length > 0 || !isFinal ? planned : announced));
    blocked.unshift(...said.blocked);
  }
  return { inProgress, nextSteps, blocked };
}

/**
 * What was to be looked at has been seen with the first call, and what was to be tried was tried, failed or not; under one announcement much
 * may be made, call by call, and a deed that failed is still to be done.
 */
function isOpen(step: string, { course, language, isCarriedOut }: NowOptions): boolean {
  if (course === "said") return true;
  if (course === "carried-out" || isCarriedOut(step)) return false;
  if (course === "running") return true;
  return !CUES[language].looking.test(step) && !(course === "failed" && USING.test(step));
}

/** "Use the other tool instead": a way, not what it leads to. */
const USING = quick(
  String.raw`^(?:use|call|execute|verwend\p{L}*|nutz\p{L}*|benutz\p{L}*|utilis\p{L}*|usar|usemos|utiliz\p{L}*|usare|использ\p{L}*)(?!\p{L})|^(?:使用|改用|用)`,
  "i",
);
