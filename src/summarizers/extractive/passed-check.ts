/** Whether a call was a check that passed: tests, a build, a linter. Reads a bounded part of its result. */

import type { ToolResultPart } from "../../core/message.ts";
import { excerpt, isLooking, outcomeOf } from "./call-outcome.ts";

const PASSED =
  /\b(?!0 )\d+ (?:passed|passing|tests?|specs?|examples?|doctests?)(?![\w.])|\ball (?:checks|tests) (?:have )?passed\b|\bbuild (?:succeeded|successful)\b|compiled successfully/i;
/** Whatever says that a check passed has one of these, wherever its lines are cut; most results have none, and one look tells. */
const PASSING_WORDS = /\d\s+(?:pass|test|spec|example|doctest)|all\s+(?:checks|tests)|build\s+succe|compiled\s+succe/i;
const NOT_PASSED = /\b(?!0 )\d+ (?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED)?\b/;

/** The line that says so; undefined for any other call. */
export function passedCheck(brief: string, result: ToolResultPart): string | undefined {
  if (brief === "" || isLooking(brief) || !PASSING_WORDS.test(excerpt(result))) return undefined;
  const outcome = outcomeOf(result);
  return PASSED.test(outcome) && !NOT_PASSED.test(outcome) ? outcome : undefined;
}
