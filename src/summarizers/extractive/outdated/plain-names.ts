/**
 * Whether a word in lower case is the name of a thing: it was installed, taken away or imported by that name, or is written as code and
 * nowhere as a common noun. Looks through the messages only when it is asked, and for a few words at most.
 */

import type { Message } from "../../../core/message.ts";

export type IsNamed = (word: string) => boolean;

/** Whoever gives up more than these at once names no things. */
const WORDS_MAX = 8;
const STRINGS_PER_CALL = 40;

export function namedIn(messages: readonly Message[]): IsNamed {
  const known = new Map<string, boolean>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    if (known.size >= WORDS_MAX || !PLAIN.test(word)) return false;
    const isNamed = isNameIn(messages, word);
    known.set(word, isNamed);
    return isNamed;
  };
}

const PLAIN = /^[a-z][\w@./-]{2,59}$/;

function isNameIn(messages: readonly Message[], word: string): boolean {
  const escaped = word.replace(/[.\\/]/g, "\\$&");
  const loading = new RegExp(
    `\\b(?:install|uninstall|add|remove|require) [^\\n;&|]*?(?<![\\w./-])${escaped}(?![\\w./-])|(?:\\b(?:from|import)|\\brequire\\()\\s*["']?${escaped}(?![\\w-])`,
  );
  const common = new RegExp(
    `\\b(?:the|an?|this|that|these|those|all|any|some|no|our|your|more|new|old) ${escaped}\\b`,
    "i",
  );
  let isCode = false;
  let isCommon = false;
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        if (stringsOf(part.input).some((value) => value.includes(word) && loading.test(value))) return true;
      } else if (part.type === "text" && part.text.includes(word)) {
        isCode ||= part.text.includes(`\`${word}\``);
        isCommon ||= common.test(part.text);
      }
    }
  }
  return isCode && !isCommon;
}

function stringsOf(input: unknown): readonly string[] {
  if (typeof input === "string") return [input];
  if (typeof input !== "object" || input === null) return [];
  return Object.values(input)
    .slice(0, STRINGS_PER_CALL)
    .filter((value) => typeof value === "string");
}
