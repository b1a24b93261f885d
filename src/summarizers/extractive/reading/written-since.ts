/** Whether an agent that writes its commands has gone on to another one. Reads what was said behind one message; never what came of it. */

import { writtenCommand } from "../calls/call-outcome.ts";
import type { Prose } from "./prose.ts";

/** What came of the command may stay in the view, out of sight here. */
export function hasWrittenSince(prose: readonly Prose[], message: number): boolean {
  const first = prose.findLastIndex((item) => item.message <= message) + 1;
  return prose.slice(first).some(({ isUser, text }) => !isUser && writtenCommand(text) !== undefined);
}
