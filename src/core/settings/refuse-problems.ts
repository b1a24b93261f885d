/** Turns a list of problems into the one error a caller gets: the first in full, the others by key, all in one line. */

import { CompactionError } from "../errors.ts";
import type { Problem } from "./check-schema.ts";

/** So that everything can be mended in one go, and garbage stays short. */
const SHOWN_PROBLEMS_MAX = 10;

export function refuseProblems(problems: readonly Problem[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const paths = [...new Set(others.map(({ path }) => path))].filter((path) => path !== first.path);
  const more = paths.slice(0, SHOWN_PROBLEMS_MAX).join(", ");
  const rest = paths.length > SHOWN_PROBLEMS_MAX ? ", …" : "";
  const also = more === "" ? "" : `; also wrong: ${more}${rest}`;
  throw new CompactionError("invalid-settings", `${first.message}${also}`);
}
