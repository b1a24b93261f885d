/**
 * Tells which of the requests is the newest that wants something of its own: not an answer, not what was only asked on the way. Looks
 * from the end, and no further than it must.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { asksOutright } from "./asking.ts";
import type { Request } from "./goal.ts";
import { asksToBeTold, servedBy } from "./serving-replies.ts";
import { isQuestion, isTask, isTelling } from "./tasks.ts";
import { announcesPlan } from "./topic-shift.ts";

export interface Tasks {
  readonly first: Request | undefined;
  readonly newestTask: Request | undefined;
  readonly isTaken: (request: Request) => boolean;
}

/** Looks from both ends: what stands between is asked about only when it must be. */
export function tasksIn(requests: readonly Request[], language: Language, isTalk: boolean): Tasks {
  // "Change of plan: the tower before the gate.": whoever announces another plan wants it, by whatever words.
  const isPlan = ({ text }: Request): boolean => announcesPlan(text) && isTelling(text, language);
  // Who only talks asks questions; who has work done asks them in passing.
  const asks = (request: Request): boolean =>
    isTask(request.text, language) || (isTalk && isQuestion(request.text, language)) || isPlan(request);
  // An answer serves the task that was asked about, unless it asks for something else outright or announces another plan.
  const asksAnew = (request: Request): boolean =>
    asks(request) &&
    servedBy(request, language) === undefined &&
    (!request.isReply || asksOutright(request.text, language) || isPlan(request));
  const newestOwn = newestAsking(requests, asksAnew, language);
  const isTaken = newestOwn === undefined ? asks : asksAnew;
  return { first: requests.find(isTaken), newestTask: newestOwn ?? requests.findLast(asks), isTaken };
}

/** Once something is to go on, what was only asked on the way there has been answered. */
function newestAsking(
  requests: readonly Request[],
  asksAnew: (request: Request) => boolean,
  language: Language,
): Request | undefined {
  let served: string | undefined;
  let answered: Request | undefined;
  for (let at = requests.length - 1; at >= 0; at--) {
    const request = requests[at];
    if (request === undefined) continue;
    served ??= servedBy(request, language);
    if (!asksAnew(request)) continue;
    if (served === undefined || !/[?？؟]\s*$/.test(request.text)) return request;
    // The assistant was waiting for something else when it was asked.
    const isAside = request.isReply || requests[at - 1]?.isClosed === false;
    if (!isAside || !asksToBeTold(request.text, language)) return request;
    answered ??= request;
  }
  return answered;
}

/** Who has work done asks questions in passing; the newest, where nobody answered it and the task before it was closed, is what is wanted now. */
export function openQuestion(
  requests: readonly Request[],
  task: Request | undefined,
  language: Language,
): Request | undefined {
  const question = requests.at(-1);
  if (question === undefined || task === undefined || task === question || question.isReply) return undefined;
  if (question.isClosed === true || (question.said ?? []).length > 0) return undefined;
  const isOver = requests.at(-2)?.isClosed === true;
  return isOver && isQuestion(question.text, language) ? question : undefined;
}
