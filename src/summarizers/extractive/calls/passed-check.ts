/** Whether a call was a check, and how it ended: tests, a build, a linter. Reads a bounded part of its result. */

import type { ToolResultPart } from "../../../core/message.ts";
import { errorLine, excerpt, isLooking, outcomeOf } from "./call-outcome.ts";

const PASSED =
  /\b(?!0 )\d+ (?:passed|passing|tests?|specs?|examples?|doctests?)(?![\w.])|\ball (?:checks|tests) (?:have )?passed\b|\bbuild (?:succeeded|successful)\b|compiled successfully/i;
/**
 * Whatever says that a check passed has one of these, wherever its lines are cut; most results have none, and one look tells. What stands
 * before the word is asked for last: texts are full of digits, and of what begins like "all".
 */
const PASSING_WORDS = /\s(?:pass|test|spec|example|doctest|checks|succe)(?<=(?:\d|all|build|compiled)\s+[a-z]+)/i;
const NOT_PASSED = /\b(?!0 )\d+ (?:failed|failing|failures?|errors?)\b|\bFAIL(?:ED)?\b/;

/** The line that says so; undefined for any other call. `known` is the excerpt of the result, where somebody has read it before. */
export function passedCheck(brief: string, result: ToolResultPart, known?: string): string | undefined {
  if (brief === "" || isLooking(brief) || !PASSING_WORDS.test(known ?? excerpt(result))) return undefined;
  const outcome = outcomeOf(result);
  return PASSED.test(outcome) && !NOT_PASSED.test(outcome) ? outcome : undefined;
}

/** Whether a command checks something, told by the program it runs: a file of tests that is read or moved is no check. */
export function isCheck(brief: string): boolean {
  return CHECKS.test(brief) && !isLooking(brief);
}

const CHECKS =
  /(?:^|[\s;&|/(])(?:(?:npm|pnpm|yarn|bun|deno|mix|cargo|go|dotnet|swift|rake|rails|gradle|gradlew|mvn|make|just|bazel|composer|poe|nox|hatch|uv|turbo|nx) (?:[^\s;&|]+ ){0,3}?(?:[\w-]+:)?(?:tests?|check|lint|build|spec|verify|clippy|vet|typecheck|compile|precommit)(?![\w./])|(?:pytest|jest|vitest|mocha|tsc|mypy|ruff|eslint|biome|rspec|phpunit|tox|ctest|pyright|xcodebuild|unittest)(?=[\s;&|]|$)|(?:manage\.py|playwright) test(?!\w)|node (?:[^\s;&|]+ ){0,3}?--test(?![\w-]))/;

/** What a check says to have failed in what it prints alone, as many a runner does; undefined for any other call. */
export function printedFailure(brief: string, result: ToolResultPart): string | undefined {
  if (!isCheck(brief)) return undefined;
  const outcome = outcomeOf(result);
  if (NOT_PASSED.test(outcome)) return outcome;
  // What passed may have printed much on its way.
  if (PASSED.test(outcome)) return undefined;
  const text = excerpt(result);
  return FAILURE_MARK.test(text) ? errorLine(text) : undefined;
}

/** What runners and compilers put at the beginning of a line when they fail, and nobody writes otherwise. */
const FAILURE_MARK =
  /^\s*(?:FAIL(?:ED)?\b|--- FAIL:|Traceback \(most recent call last\)|BUILD FAILED\b|error\[E\d+\]|error: could not compile|npm (?:ERR!|error) |make(?:\[\d+\])?: \*\*\* )|\berror TS\d+:|\bBUILD FAILED\b|\bELIFECYCLE\b/m;

export function hasFailedCheck(brief: string, result: ToolResultPart): boolean {
  return printedFailure(brief, result) !== undefined;
}
