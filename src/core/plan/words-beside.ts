/**
 * What a user said in a message that brings results, or in refusing a call: whoever breaks in while tools run is sent so by every client that joins messages of one
 * role. Told from what clients add there themselves by the marks that they put on it, and by its coming again with other results.
 */

import type { Message } from "../message.ts";
import { isTurnStart } from "../structure/structure.ts";
import { hasQueuedWords } from "./own-words.ts";
import { isLabelledOutput } from "./partition-request.ts";
import { refusalWords, userTexts } from "./refusal-words.ts";

/** Whether a text stands beside results that is not marked as a client's own. */
export function hasWordsBeside({ role, parts }: Message): boolean {
  if (role === "assistant") return false;
  let hasResult = false;
  let hasWords = false;
  for (const part of parts) {
    if (part.type === "tool-result") {
      hasResult = true;
      hasWords ||= refusalWords(part) !== "";
    } else if (part.type === "text" && role === "user" && !hasWords) hasWords = isSaid(part.text);
  }
  return hasResult && hasWords;
}

/** Tells of a list's messages whether a user speaks in them: where turns begin, and beside results. */
export function speaksIn(messages: readonly Message[]): (message: Message) => boolean {
  const spoken = spokenBeside(messages);
  return spoken.size === 0 ? isTurnStart : (message) => isTurnStart(message) || spoken.has(message);
}

/** Those of the messages in which a user spoke beside results, in their order. */
export function spokenBeside(messages: readonly Message[]): ReadonlySet<Message> {
  const saying = messages.filter(hasWordsBeside);
  if (saying.length < 2) return new Set(saying);
  const times = new Map<string, number>();
  for (const message of saying) {
    for (const key of new Set(wordsOf(message).map(keyOf))) times.set(key, (times.get(key) ?? 0) + 1);
  }
  return new Set(saying.filter((message) => wordsOf(message).some((text) => times.get(keyOf(text)) === 1)));
}

function wordsOf({ parts }: Message): readonly string[] {
  return userTexts(parts).filter(isSaid);
}

/** Clients put reminders into a tag, and that the user broke in into brackets. */
function isSaid(text: string): boolean {
  return text.trim() !== "" && !isLabelledOutput(text) && (!ADDED.test(text) || hasQueuedWords(text));
}

const ADDED = /^\s*(?:<[a-z][\w-]*>|\[Request (?:interrupted|aborted|cancell?ed)\b[^\]\n]*\]\s*$)/i;

const KEY_CHARS = 200;

/** "You have 7 calls left." comes with every result, with another number. */
function keyOf(text: string): string {
  return text.trim().slice(0, KEY_CHARS).replace(/\d+/g, "#");
}
