/** What a session may be called. Ids are data everywhere: never part of a statement, never a file name as they are. */

import { CompactionError } from "../errors.ts";

const ID_LENGTH_MAX = 1_024;

export function checkSessionId(id: string): void {
  const problem = problemOf(id);
  if (problem === undefined) return;
  throw new CompactionError("invalid-options", `This cannot be a session id: ${problem}. Nothing was changed.`);
}

function problemOf(id: unknown): string | undefined {
  if (typeof id !== "string") return "it must be a string";
  if (id === "") return "it is empty";
  if (id.length > ID_LENGTH_MAX) return `it has ${id.length} characters, at most ${ID_LENGTH_MAX} are allowed`;
  if (id.includes("\0")) return "it contains a NUL character";
  return id.isWellFormed() ? undefined : "it contains half of a surrogate pair";
}
