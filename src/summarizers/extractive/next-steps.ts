/**
 * What comes next where nobody wrote it down: the check that just failed, the parts of the request that are still to come, what
 * another tool's summary left pending, or else the request itself. Never rewords; what an answer settled is not asked again.
 */

import type { ToolFailure } from "../../core/checkpoint/checkpoint.ts";
import { askingQuote } from "./asking.ts";
import { foreignPending } from "./foreign-goal.ts";
import type { Goal } from "./goal.ts";
import { inOrder, type KeptView } from "./kept-view.ts";
import { OUTCOME_MARK, type Reading } from "./reading.ts";
import { oneLine } from "./sentences.ts";
import { matcher } from "./shared-words.ts";
import { isAssent, isFarewell } from "./tasks.ts";

export interface NextInput {
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly asked: Goal;
  /** The newest summary that another tool left; empty when there is none. */
  readonly foreign: string;
  /** What tells that a pending item is done. */
  readonly closed: readonly string[];
  readonly done: readonly string[];
  readonly inProgress: readonly string[];
  /** The newest call, where it failed. */
  readonly open: ToolFailure | undefined;
}

export interface NextSteps {
  readonly nextSteps: readonly string[];
  /** Steps that say what the goal says: for room that nothing else wants. */
  readonly spareSteps: readonly string[];
}

const NEXT_CHARS_MAX = 200;

export function nextOf(input: NextInput): NextSteps {
  const { reading, kept, foreign, asked } = input;
  const { goal, current } = asked;
  if (!reading.hasAssistant || kept.isAnswered) return NOTHING;
  if (current === undefined && foreign !== "") return { ...NOTHING, nextSteps: foreignPending(foreign, input.closed) };
  const last = inOrder(reading.prose, kept.prose).at(-1);
  if (last?.isUser === true && isFarewell(last.text, reading.language)) return NOTHING;
  const newest = last?.isUser === true && !isAssent(last.text, reading.language) ? last.text : current?.text;
  const next = newest ?? goal.at(-1) ?? "";
  const derived = [...failedCheck(input.open), ...partsToCome(next, input)];
  if (derived.length > 0) return { ...NOTHING, nextSteps: derived };
  const step = oneLine(askingQuote(next, NEXT_CHARS_MAX, reading.language), NEXT_CHARS_MAX);
  if (step === "") return NOTHING;
  return goal.some((text) => isWithin(step, text))
    ? { ...NOTHING, spareSteps: [step] }
    : { ...NOTHING, nextSteps: [step] };
}

const NOTHING: NextSteps = { nextSteps: [], spareSteps: [] };

/** Whether a quote, cut or not, stands in another. */
function isWithin(quote: string, text: string): boolean {
  return oneLine(text, Infinity).includes(quote.replace(/…$/, ""));
}

const CHECK =
  /\b(?:tests?|specs?|check|lint|tsc|mypy|ruff|clippy|credo|dialyzer|pytest|jest|vitest|build|compile|make)\b/i;

/** What was wrong stands where the failure is told. */
function failedCheck(open: ToolFailure | undefined): readonly string[] {
  const [command = ""] = open?.summary.split(OUTCOME_MARK) ?? [];
  return CHECK.test(command) ? [`fix: ${command.trim()}`] : [];
}

const PARTS_MAX = 12;
const PART_CHARS_MIN = 8;
const REQUEST_CHARS_READ = 6_000;

/** The ordered parts of a request behind the last that was done or begun; none where nothing tells how far the work is. */
function partsToCome(request: string, { done, inProgress }: NextInput): readonly string[] {
  const parts = orderedParts(request.slice(0, REQUEST_CHARS_READ));
  if (parts.length === 0) return [];
  const reached = parts.findLastIndex(matcher([...inProgress, ...done]));
  return reached < 0 ? [] : parts.slice(reached + 1).map((part) => oneLine(part, NEXT_CHARS_MAX));
}

const NUMBERED = /^\s*(\d{1,2})[.)]\s+(\S.*)$/;
const THEN = /(?:[,;.]\s+|\s+)(?:and\s+)?(?:then|after that|afterwards|finally|lastly),?\s+/i;

/** A list that counts from one, or clauses joined by "then"; empty where it has no order. */
function orderedParts(request: string): readonly string[] {
  const listed: string[] = [];
  for (const line of request.split("\n")) {
    const [, number, part = ""] = NUMBERED.exec(line) ?? [];
    if (Number(number) === listed.length + 1) listed.push(part);
  }
  const parts = listed.length > 1 ? listed : request.split(THEN);
  const isOrdered =
    parts.length > 1 && parts.length <= PARTS_MAX && parts.every(({ length }) => length >= PART_CHARS_MIN);
  return isOrdered ? parts : [];
}
