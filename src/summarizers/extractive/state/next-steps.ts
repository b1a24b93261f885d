/**
 * What comes next where nobody wrote it down: the check that just failed, the parts of a request or of the assistant's own plan
 * that are still to come, what another tool's summary left pending, the call from which the work goes on, a request that nobody has
 * answered, or else that the user is waited for. Never rewords, and never says the goal again.
 */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { isHeldBack, isWorthTelling } from "../calls/call-outcome.ts";
import { handsOver } from "../calls/handing-over.ts";
import { CUES } from "../cues/cues.ts";
import { askingQuote } from "../goal/asking.ts";
import type { Goal } from "../goal/goal.ts";
import { isAssent, isFarewell, isTask } from "../goal/tasks.ts";
import { failedCheckAt } from "../outdated/failed-checks.ts";
import { foreignPending } from "../reading/foreign-goal.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Prose } from "../reading/prose.ts";
import type { Reading } from "../reading/reading.ts";
import { isAnnouncement } from "../statements/announcements.ts";
import {
  answeredLine,
  awaitingLabel,
  backToLabel,
  changedLabel,
  farewellLine,
  fixLabel,
  goOnLabel,
  overcomeLabel,
  takeUpLabel,
  unansweredLine,
} from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { oneLine, splitSentences } from "../text/sentences.ts";
import { matcher } from "../text/shared-words.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { isLeaning, leanedOn, openingOf } from "./leaning-replies.ts";
import type { NewestCall } from "./newest-call.ts";
import { keptFailureIn } from "./open-failure.ts";
import { orderedParts, partsBehind, plannedParts } from "./ordered-parts.ts";
import { afterAnswer } from "./turn-end.ts";

export interface NextInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly asked: Goal;
  /** The assistant's, which may differ from the user's. */
  readonly language: Language;
  /** The newest summary that another tool left; empty when there is none. */
  readonly foreign: string;
  /** What tells that a pending item is done. */
  readonly closed: readonly string[];
  /** Pending items that were taken up. */
  readonly taken: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  readonly blocked: readonly string[];
  /** What was left open before, and is told anyway. */
  readonly left: readonly string[];
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
  /** No tool was called. */
  readonly isTalk: boolean;
  /** The failure that nobody has tried to overcome. */
  readonly open: ToolFailure | undefined;
  /** Of the turn that is going on. */
  readonly newestCall: NewestCall | undefined;
}

const NEXT_CHARS_MAX = 200;

export function nextOf(input: NextInput): readonly string[] {
  const steps = newestSteps(input);
  const { interrupted } = input.asked;
  if (steps.length === 0 || interrupted === undefined) return steps;
  const { language } = input.reading;
  return [
    ...steps,
    backToLabel(language) + oneLine(askingQuote(interrupted.text, CALL_CHARS_MAX, language), CALL_CHARS_MAX),
  ];
}

function newestSteps(input: NextInput): readonly string[] {
  const { reading, kept, foreign, asked } = input;
  const { goal, current } = asked;
  if (!reading.hasAssistant) return [];
  // In mere talk a list of steps is advice.
  const planned = input.isTalk ? [] : planToCome(input);
  if (planned.length > 0) return planned;
  const last = inOrder(reading.prose, kept.prose).at(-1);
  const writesCommands = reading.observations + kept.ends.observations > 0;
  // Whoever writes commands never only answers.
  if (kept.isAnswered && (!writesCommands || input.newestCall === undefined)) return atRest(input, last);
  const pending = current === undefined && foreign !== "" ? foreignPending(foreign, input.closed) : [];
  if (pending.length > 0) return input.taken.length === 0 ? pending : behindTaken(pending, input);
  if (last?.isUser === true && isFarewell(last.text, reading.language))
    return [farewellLine(reading.language, { isAllDone: openIn(input).length + input.left.length === 0 })];
  const newest = last?.isUser === true && !isAssent(last.text, reading.language) ? last.text : current?.text;
  const next = newest ?? goal.at(-1) ?? "";
  const parts = orderedParts(next, CUES[reading.language]);
  const derived = [...failedBefore(input), ...partsBehind(parts, [...input.inProgress, ...input.done])];
  if (derived.length > 0) return derived;
  if (input.newestCall !== undefined) return goOn(input, input.newestCall);
  // A client's note may stand behind an answer.
  return last?.isFinal === true && !writesCommands ? atRest(input, last) : toTakeUp(last, input);
}

/** What was taken up is going on: its next step is where the work stands. */
function behindTaken(pending: readonly string[], input: NextInput): readonly string[] {
  const failed = failedBefore(input);
  const step = failed.length > 0 || input.newestCall === undefined ? failed : goOn(input, input.newestCall);
  return [...step, ...pending.filter((item) => !input.taken.includes(item))];
}

/** Where nobody asked for anything, nothing was answered. */
function atRest(input: NextInput, last: Prose | undefined): readonly string[] {
  const { reading, kept, language, asked, left } = input;
  if (asked.goal.length === 0) return [];
  const request = inOrder(reading.prose, kept.prose).findLast(({ isUser }) => isUser)?.text ?? "";
  return afterAnswer({
    said: last?.isUser === false ? last.text : "",
    language,
    userLanguage: reading.language,
    open: openIn(input),
    hasSteps: left.length > 0,
    // Who answers a question in passing may have more to do, and so has whoever reports a check that failed.
    isTask:
      (request === asked.current?.text || isAssent(request, reading.language)) && failedCheckAt(reading, kept) < 0,
  });
}

/** What the summary says to be going on or stuck. */
function openIn({ inProgress, blocked, open }: NextInput): readonly string[] {
  return [...inProgress, ...blocked, ...(open === undefined ? [] : [open.summary])];
}

/** The newest request, which nothing followed; one that leans on what was asked before the question that it answers, which may be cut. */
function toTakeUp(last: Prose | undefined, { reading, kept, asked, language: askedIn }: NextInput): readonly string[] {
  const { language } = reading;
  const request = last?.isUser === true ? last.text : "";
  if (request === "" && asked.goal.length === 0) return [];
  const step = oneLine(askingQuote(request, NEXT_CHARS_MAX, language), NEXT_CHARS_MAX);
  const isGoal = asked.goal.some((text) => asked.wholes.get(text) === request || isWithin(step, text));
  if (request !== "" && isLeaning(request, language)) {
    const before = inOrder(reading.prose, kept.prose).at(-2);
    const question = before?.isUser === false ? leanedOn(before.text, request, askedIn) : undefined;
    const { assent, asksMore } = openingOf(request, language);
    // A quote of what else is asked may begin behind the answer, and says nothing of the question then.
    if (question !== undefined && (isGoal || !asksMore || step.startsWith(assent))) {
      // Where the goal says the rest, only what was agreed to is missing.
      const isToldElsewhere = isGoal && asksMore;
      const answer = isToldElsewhere ? assent : asksMore ? step : oneLine(request, NEXT_CHARS_MAX);
      const taken = `${takeUpLabel(language)}${answer} — ${oneLine(question, NEXT_CHARS_MAX)}`;
      return isToldElsewhere ? [unansweredLine(language), taken] : [taken];
    }
    if (isAssent(request, language)) return [unansweredLine(language)];
  }
  return [step === "" || isGoal ? unansweredLine(language) : takeUpLabel(language) + step];
}

/** Nobody said what comes after the newest call: its result is still to be read, or what it changed to be looked at. */
function goOn(input: NextInput, newestCall: NewestCall): readonly string[] {
  const { language } = input.reading;
  const { name, brief, outcome, changed, isWaiting } = newestCall;
  if (handsOver(name) && outcome === "succeeded")
    return [answeredLine(language, { isAllDone: openIn(input).length + input.left.length === 0 })];
  if (isWaiting === true) return [awaitingLabel(language) + oneLine(brief, CALL_CHARS_MAX)];
  if (changed !== undefined && outcome === "succeeded") return [changedLabel(language) + changed];
  const call = brief === "" ? name : `${name}: ${brief}`;
  // What went wrong, and the call in full, stand where the failure is told or in the view.
  if (hasFailed(newestCall) && newestCall.isStopped !== true)
    return [overcomeLabel(language) + shortened(call, FAILED_CHARS_MAX)];
  return [goOnLabel(language) + shortened(call, CALL_CHARS_MAX)];
}

/** Of a path its end tells most. */
function shortened(call: string, charsMax: number): string {
  return oneLine(call.length > charsMax ? call.replace(FOLDERS, "…/") : call, charsMax);
}

/** A search that found nothing has not, nor has what was not let run. */
function hasFailed({ name, brief, failure }: NewestCall): boolean {
  const failed = { toolName: name, summary: `${brief}${OUTCOME_MARK}${failure ?? ""}` };
  return failure !== undefined && isWorthTelling(failed) && !isHeldBack(failed);
}

/** All but the last two parts of a path that ends the text. */
const FOLDERS = /(?<= )\/?(?:[^\s/]+\/)+(?=[^\s/]+\/[^\s/]+$)/;

const CALL_CHARS_MAX = 120;
const FAILED_CHARS_MAX = 72;

/** Whether a quote, cut or not, stands in another. */
function isWithin(quote: string, text: string): boolean {
  return oneLine(text, Infinity).includes(quote.replace(/…$/, ""));
}

const CHECK =
  /\b(?:tests?|specs?|check|lint|tsc|mypy|ruff|clippy|credo|dialyzer|pytest|jest|vitest|build|compile|make)\b/i;

/** What was wrong stands where the failure is told. Of the newest call that is no check, more is known than that it failed. */
export function failedBefore(input: NextInput): readonly string[] {
  const { newestCall, reading } = input;
  const { language } = reading;
  const open = input.open ?? keptFailureIn(input);
  if (open === undefined) return [];
  const [command = ""] = open.summary.split(OUTCOME_MARK);
  if (CHECK.test(command)) return [`${fixLabel(language)}${command.trim()}`];
  if (newestCall === undefined || newestCall.isStopped === true) return [];
  if (hasFailed(newestCall) || !isWorthTelling(open)) return [];
  return [overcomeLabel(language) + shortened(`${open.toolName}: ${command.trim()}`, FAILED_CHARS_MAX)];
}

const MESSAGES_READ = 200;
const SENTENCES_PER_MESSAGE = 24;
/** Of what was said to be done since a plan, so many of the newest tell whether it still leads the work. */
const PLAN_SENTENCES_MAX = 6;
/** "All green. Commit and close it:" */
const COMMITTING = quick(String.raw`(?<!\p{L})commit(?:t(?:ed|ing))?(?!\p{L})`, "i");
const COMMIT_CHARS_MAX = 120;

/** Of the newest plan of the assistant since the user last gave a task, what nothing said since speaks of. */
function planToCome({ reading, kept, language, done, inProgress }: NextInput): readonly string[] {
  const cues = CUES[language];
  const prose = inOrder(reading.prose, kept.prose).slice(-MESSAGES_READ);
  const since: string[] = [];
  /** How much was said since the newest commit; -1 where there was none. */
  let committedAt = -1;
  let isNewest = true;
  for (const { isUser, text } of prose.toReversed()) {
    if (isUser && isTask(text, reading.language)) return [];
    const parts = isUser ? [] : plannedParts(text, cues);
    if (parts.length > 0 && isNewest) return parts;
    if (parts.length > 0) return isLeft(parts) ? [] : partsBehind(parts, [...since, ...inProgress, ...done]);
    if (isUser) continue;
    isNewest = false;
    if (committedAt < 0 && text.length <= COMMIT_CHARS_MAX && COMMITTING.test(text)) committedAt = since.length;
    since.push(...splitSentences(text, { sentencesMax: SENTENCES_PER_MESSAGE }).filter(isDoing));
  }
  return [];

  /** The work went on for long, or since it was committed, without a word of it: most was done in silence, or is not wanted any more. */
  function isLeft(parts: readonly string[]): boolean {
    const read = committedAt < 0 ? PLAN_SENTENCES_MAX : Math.min(committedAt, PLAN_SENTENCES_MAX);
    return (since.length > read || committedAt >= 0) && !parts.some(matcher(since.slice(0, read)));
  }

  function isDoing(sentence: string): boolean {
    return isAnnouncement(withoutLayout(sentence), cues) || cues.done.test(sentence);
  }
}
