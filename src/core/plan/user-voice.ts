/**
 * Who speaks for the user, and what they say: the texts of user messages, and the results of tools that the host declares to be the user's
 * voice (`userTools`). Any other result is a tool's word, whatever it says about the user. In a user message, what a client adds beside
 * results is told from the user's words by the marks that clients put on it, and by its coming again with other results.
 */

import { type Message, type Part, textsOf } from "../message.ts";
import { pairCalls } from "../structure/pairing.ts";
import { resultNames } from "../structure/result-names.ts";
import { isTurnStart } from "../structure/structure.ts";
import { isForeignSummary } from "./foreign-summaries.ts";
import { hasQueuedWords, requestOf } from "./own-words.ts";
import { isLabelledOutput } from "./partition-request.ts";
import { isPrunedText } from "./pruned-texts.ts";
import { matchesAnyTool } from "./tool-patterns.ts";

export interface UserVoice {
  /** Whether the user speaks in a message: where a turn begins, beside results, or through a declared tool. */
  speaksIn(message: Message): boolean;
  /** The messages in which the user speaks beside results or through a declared tool, in their order. */
  beside(): ReadonlySet<Message>;
  /** Whether a message that brings results holds words that no client marks as its own. Asks nothing about other messages. */
  hasWordsBeside(message: Message): boolean;
  /** The user's words in a message, in order: each text as `ownWords` reads it, each answer through a declared tool as it is. */
  wordsIn(message: Message, ownWords?: (text: string) => string): readonly string[];
  /** What the user answered through a declared tool, whole; empty for every other part. */
  answerIn(part: Part): string;
}

/** `userTools` are patterns of tool names; the messages must hold the calls of the results that they hold. */
export function userVoice(messages: readonly Message[], userTools: readonly string[] = []): UserVoice {
  const answerIn = userTools.length === 0 ? () => "" : answersOf(messages, userTools);
  const hasWordsBeside = ({ role, parts }: Message): boolean => {
    if (role === "assistant") return false;
    let hasResult = false;
    let hasWords = false;
    for (const part of parts) {
      if (part.type === "tool-result") {
        hasResult = true;
        hasWords ||= answerIn(part) !== "";
      } else if (part.type === "text" && role === "user" && !hasWords) hasWords = isSaid(part.text);
    }
    return hasResult && hasWords;
  };
  let spoken: ReadonlySet<Message> | undefined;
  const beside = (): ReadonlySet<Message> => {
    spoken ??= spokenBeside(messages.filter(hasWordsBeside), answerIn);
    return spoken;
  };
  return {
    speaksIn: (message) => isTurnStart(message) || beside().has(message),
    beside,
    hasWordsBeside,
    wordsIn: (message, ownWords = requestOf) => {
      if (message.role === "assistant" || isForeignSummary(message)) return [];
      const words = message.parts.map((part) => {
        if (part.type !== "text") return answerIn(part);
        return message.role !== "user" || isLabelledOutput(part.text) ? "" : ownWords(part.text);
      });
      return words.filter((said) => said.trim() !== "");
    },
    answerIn,
  };
}

/** An error is the tool's own word, and of a result that was cleared nothing is left that the user said. */
function answersOf(messages: readonly Message[], userTools: readonly string[]): UserVoice["answerIn"] {
  const names = resultNames(pairCalls(messages));
  return (part) => {
    if (part.type !== "tool-result" || part.isError || part.server) return "";
    const name = names.get(part);
    if (name === undefined || !matchesAnyTool(userTools, name)) return "";
    const answer = textsOf(part.content).join("\n").trim();
    return isPrunedText(answer) ? "" : answer;
  };
}

/** Of messages with words beside results, those whose words do not come again with other results. An answer counts however often it is given. */
function spokenBeside(saying: readonly Message[], answerIn: UserVoice["answerIn"]): ReadonlySet<Message> {
  if (saying.length < 2) return new Set(saying);
  const times = new Map<string, number>();
  for (const message of saying) {
    for (const key of new Set(keysOf(message))) times.set(key, (times.get(key) ?? 0) + 1);
  }
  const isSpoken = (message: Message): boolean =>
    message.parts.some((part) => answerIn(part) !== "") || keysOf(message).some((key) => times.get(key) === 1);
  return new Set(saying.filter(isSpoken));
}

/** Clients put reminders into a tag, and that the user broke in into brackets. */
function isSaid(text: string): boolean {
  return text.trim() !== "" && !isLabelledOutput(text) && (!ADDED.test(text) || hasQueuedWords(text));
}

const ADDED = /^\s*(?:<[a-z][\w-]*>|\[Request (?:interrupted|aborted|cancell?ed)\b[^\]\n]*\]\s*$)/i;

const KEY_CHARS = 200;

/** "You have 7 calls left." comes with every result, with another number. */
function keysOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type !== "text" || !isSaid(part.text)) return [];
    return [part.text.trim().slice(0, KEY_CHARS).replace(/\d+/g, "#")];
  });
}
