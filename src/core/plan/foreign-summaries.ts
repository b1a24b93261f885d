/**
 * Summaries that other tools, or we under another profile, left in a conversation as user messages: nobody asked for anything in
 * them. Those of the profile in force are found by its marks, and never get here.
 */

import type { Message } from "../message.ts";

/** How they begin: Claude Code, pi and OpenClaw, Codex. */
const OPENINGS: readonly string[] = [
  "This session is being continued from a previous conversation",
  "The conversation history before this point was compacted",
  "Another language model started to solve this problem",
];

/** As the profiles that are shipped write them, on a line of their own. */
const OWN_OPENINGS: readonly string[] = [
  "[Conversation summary]\n",
  "[Previous conversation summary]\n",
  "[Summary of the conversation before this point]\n",
  "[Summary of the earlier conversation, which was archived]\n",
];

const ALL_OPENINGS: readonly string[] = [...OPENINGS, ...OWN_OPENINGS];
/** The first characters of them all: nearly every message begins with another, and one look tells. */
const FIRST_CHARACTERS = [...new Set(ALL_OPENINGS.map((opening) => opening.charAt(0)))].join("");

export function isForeignSummary({ parts }: Message): boolean {
  const first = parts[0];
  if (first?.type !== "text") return false;
  const start = first.text.trimStart();
  if (!FIRST_CHARACTERS.includes(start.charAt(0))) return false;
  return ALL_OPENINGS.some((opening) => start.startsWith(opening));
}
