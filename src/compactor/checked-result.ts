/** Checks a summarizer's answer: shape, credentials, budget. Shortens a text slightly over budget; fails for the ladder otherwise. */

import type { SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { Redactor } from "./redactor.ts";

/** A provider's count and our estimate differ by up to this factor; a text further over budget ignored it. */
const SHORTENED_FACTOR = 1.25;

/** Shortens a text to at most so many tokens. */
export type Shorten = (
  text: string,
  limit: { readonly limitTokens: number; readonly count: (text: string) => number },
) => string;

export interface ResultCheck {
  readonly name: string;
  readonly input: SummaryInput;
  readonly shorten: Shorten;
  /** Removes credentials. A mark may be longer than its credential, so this comes before the count. */
  readonly redactor: Redactor;
}

export function checkedResult(returned: unknown, check: ResultCheck): SummaryResult {
  const because = shapeProblem(returned);
  if (because !== undefined) throw failed("malformed", `The summarizer ${check.name} returned ${because}.`);
  // `shapeProblem` checked every field that is read.
  const result = returned as SummaryResult;
  return withinBudget(check.redactor.result({ ...result, text: result.text.toWellFormed() }), check);
}

/** The rest of a sentence about the problem; undefined where the shape is right. */
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
  // The checkpoint describes the whole text, and the text is shorter now.
  const { checkpoint: _, ...rest } = result;
  return { ...rest, text, notes: [...result.notes, note] };
}

function failed(reason: string, message: string): CompactionError {
  return new CompactionError("summary-failed", message, { reason });
}
