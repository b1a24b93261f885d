/**
 * What a summarizer returned, believed only as far as it can be seen: of the right shape, without credentials, and within its budget. A text that is a
 * little over is shortened and that is noted; anything else that does not hold is a failure for the ladder. Never asks anybody.
 */

import type { SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Redactor } from "./redactor.ts";

/** Counting differs by as much between a provider and an estimate; whoever is further over did not heed the budget. */
const SHORTENED_FACTOR = 1.25;

/** Makes a text count at most so many tokens. */
export type Shorten = (
  text: string,
  limit: { readonly limitTokens: number; readonly count: (text: string) => number },
) => string;

export interface ResultCheck {
  /** The summarizer's. */
  readonly name: string;
  readonly input: SummaryInput;
  readonly shorten: Shorten;
  /** Takes out credentials. A mark may be longer than what it stands for, so this comes before the count. */
  readonly redactor: Redactor;
}

export function checkedResult(returned: unknown, check: ResultCheck): SummaryResult {
  const because = shapeProblem(returned);
  if (because !== undefined) throw failed("malformed", `The summarizer ${check.name} returned ${because}.`);
  // Every field that is read has just been looked at.
  const result = returned as SummaryResult;
  return withinBudget(check.redactor.result({ ...result, text: result.text.toWellFormed() }), check);
}

/** A sentence's end; undefined where nothing is wrong. */
function shapeProblem(returned: unknown): string | undefined {
  if (!isObject(returned)) return "no result";
  if (typeof returned.text !== "string") return "a result whose `text` is no string";
  const { calls, notes } = returned;
  if (typeof calls !== "number" || !(calls >= 0)) return "a result whose `calls` is no number of model calls";
  const isList = Array.isArray(notes) && notes.every((note) => typeof note === "string");
  return isList ? undefined : "a result whose `notes` is no list of texts";
}

function withinBudget(result: SummaryResult, { name, input, shorten }: ResultCheck): SummaryResult {
  const { budgetTokens, counter } = input;
  const tokens = counter.countText(result.text);
  if (tokens <= budgetTokens) return result;
  if (tokens > budgetTokens * SHORTENED_FACTOR) {
    throw failed("too-long", `The summary by ${name} counts ${tokens} tokens, and ${budgetTokens} were allowed.`);
  }
  const text = shorten(result.text, { limitTokens: budgetTokens, count: counter.countText });
  const note = `The summary counted ${tokens} tokens, and ${budgetTokens} were allowed; it was shortened.`;
  // A checkpoint of the whole text would say more than the text does now.
  const { checkpoint: _, ...rest } = result;
  return { ...rest, text, notes: [...result.notes, note] };
}

function failed(reason: string, message: string): CompactionError {
  return new CompactionError("summary-failed", message, { reason });
}
