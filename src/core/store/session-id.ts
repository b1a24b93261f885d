/** What a session and its owner may be called. Ids are data everywhere: never part of a statement, never a file name as they are. */

import { CompactionError } from "../errors.ts";
import type { NewSession } from "./store.ts";

const ID_LENGTH_MAX = 1_024;

export function checkSessionId(id: string): void {
  const problem = problemOf(id);
  if (problem === undefined) return;
  throw new CompactionError("invalid-settings", `This cannot be a session id: ${problem}. Nothing was changed.`);
}

/** Ids that come with a new session, besides its own: kept to the letter by every store, or refused. */
export function checkNewSession({ id, agentId = "", parentId = "" }: NewSession): void {
  checkSessionId(id);
  for (const [name, value] of Object.entries({ agentId, parentId })) {
    const problem = typeof value === "string" ? textProblem(value) : "it must be a string";
    if (problem === undefined) continue;
    throw new CompactionError(
      "invalid-settings",
      `This cannot be the ${name} of a session: ${problem}. Nothing was changed.`,
    );
  }
}

function problemOf(id: unknown): string | undefined {
  if (typeof id !== "string") return "it must be a string";
  if (id === "") return "it is empty";
  if (id.length > ID_LENGTH_MAX) return `it has ${id.length} characters, at most ${ID_LENGTH_MAX} are allowed`;
  return textProblem(id);
}

/** What not every database can hold. */
function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "it contains a NUL character";
  return text.isWellFormed() ? undefined : "it contains half of a surrogate pair";
}
