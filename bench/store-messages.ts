/**
 * Messages of about 2 KB for the store's bench, as text that compresses like text: words of a vocabulary with common and rare ones,
 * and one word that no other message has. The same on every machine.
 */

import { randomUUID } from "node:crypto";
import type { NewMessage } from "../src/core/store/store.ts";
import { seeded } from "./random.ts";

const BODY_BYTES = 2_048;
const BODY_BYTES_MIN = 200;
const BODY_BYTES_SPREAD = BODY_BYTES - BODY_BYTES_MIN;
/** What a body has around its text. */
const AROUND_BYTES = 80;
const TEXTS = 2_000;
const VOCABULARY = 6_000;

/** Texts that messages are made from: message `n` has the one at `n % length`. No character in them needs escaping. */
export const texts: readonly string[] = makeTexts(() => BODY_BYTES);

/** The same, of many lengths as in a real session, 2 KB on average: few that are long hold most of the bytes. */
export const mixedTexts: readonly string[] = makeTexts(
  (chance) => BODY_BYTES_MIN - Math.log(1 - chance) * BODY_BYTES_SPREAD,
);

/** Where a body's text begins and ends. */
export const BODY_HEAD = '"content":[{"type":"text","text":"ref';
export const BODY_TAIL = '"}]}';

export function newMessage(number: number): NewMessage {
  const role = number % 2 === 1 ? "user" : "assistant";
  const text = `ref${number} ${texts[number % texts.length]}`;
  return { role, body: { role, content: [{ type: "text", text }] }, attachments: [] };
}

/** A common word, and one that stands in a single message. */
export function queriesFor(number: number): { readonly common: string; readonly rare: string } {
  const counts = new Map<string, number>();
  for (const text of texts) for (const word of new Set(text.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const [common = ""] = [...counts].toSorted(([, left], [, right]) => right - left)[0] ?? [];
  return { common, rare: `ref${number}` };
}

/** As long as the ids that people give to sessions. */
export function newSessionId(): string {
  return randomUUID();
}

function makeTexts(bytesOf: (chance: number) => number): readonly string[] {
  const random = seeded(11);
  const letters = "etaoinshrdlucmfwypvbgk";
  const words = Array.from({ length: VOCABULARY }, () => random.string(letters, 2 + random.below(9)));
  // The product of three choices prefers the words at the front, as language does.
  const pick = (): string => {
    const place = (random.below(1_000) * random.below(1_000) * random.below(1_000)) / 1e9;
    return words[Math.floor(place * words.length)] ?? "";
  };
  return Array.from({ length: TEXTS }, () => {
    const length = bytesOf(random.below(10_000) / 10_000) - AROUND_BYTES;
    let text = "";
    while (text.length < length) text += random.below(12) === 0 ? `${random.below(100_000)} ` : `${pick()} `;
    return text.trimEnd();
  });
}
