/** Summaries that other tools left in a conversation as user messages: nobody asked for anything in them. */

import type { Message } from "../message.ts";

/** How they begin: Claude Code, pi and OpenClaw, Codex. */
const OPENINGS: readonly string[] = [
  "This session is being continued from a previous conversation",
  "The conversation history before this point was compacted",
  "Another language model started to solve this problem",
];

export function isForeignSummary({ parts }: Message): boolean {
  const [first] = parts;
  if (first?.type !== "text") return false;
  const start = first.text.trimStart();
  return OPENINGS.some((opening) => start.startsWith(opening));
}
