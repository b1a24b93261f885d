/**
 * Guesses the language of a text from its script and its most frequent small words, to choose headings and cue words. In doubt the
 * answer is English. Never reads more than the sample.
 */

import { LANGUAGE_TABLE } from "./language-table.ts";

export type Language = keyof typeof LANGUAGE_TABLE;

/** `Object.keys` forgets the type of its keys; the table has no others. */
export const LANGUAGES = Object.keys(LANGUAGE_TABLE) as readonly Language[];

/** A longer sample does not change the answer. */
export const SAMPLE_CHARS_MAX = 6_000;
/** Share of letters that must be of another script. It is low because texts about code are half Latin in any language. */
const SCRIPT_SHARE_MIN = 0.15;

/** A third of prose is small words; names and markup hold them only by chance. */
const VOTES_MIN = 1.5;
const VOTES_SHARE_MIN = 0.06;

const WORDS_OF = smallWordIndex(LANGUAGE_TABLE);
const SMALL_CHARS_MAX = Math.max(...Array.from(WORDS_OF.keys(), ({ length }) => length));

export function detectLanguage(text: string): Language {
  const sample = text.length > SAMPLE_CHARS_MAX ? text.slice(0, SAMPLE_CHARS_MAX) : text;
  return languageOfScript(sample) ?? languageOfWords(sample);
}

function languageOfScript(sample: string): Language | undefined {
  if (!BEYOND_LATIN.test(sample)) return undefined;
  let latin = 0;
  let han = 0;
  let kana = 0;
  let hangul = 0;
  let cyrillic = 0;
  let arabic = 0;
  for (let at = 0; at < sample.length; at++) {
    const code = sample.charCodeAt(at);
    if (code < 0x250) latin += (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code >= 0xc0 ? 1 : 0;
    else if (code >= 0x400 && code <= 0x52f) cyrillic++;
    else if (code >= 0x600 && code <= 0x6ff) arabic++;
    else if (code >= 0x3040 && code <= 0x30ff) kana++;
    else if (code >= 0x4e00 && code <= 0x9fff) han++;
    else if (code >= 0xac00 && code <= 0xd7a3) hangul++;
  }
  // One ideograph or syllable says as much as several letters.
  const letters = latin + cyrillic + arabic + 3 * (han + kana + hangul);
  if (letters === 0) return undefined;
  const isMuch = (count: number): boolean => count / letters >= SCRIPT_SHARE_MIN;
  if (isMuch(3 * hangul)) return "ko";
  if (isMuch(3 * (han + kana))) return kana * 10 > han ? "ja" : "zh";
  if (isMuch(cyrillic)) return "ru";
  return isMuch(arabic) ? "ar" : undefined;
}

const BEYOND_LATIN = /[^\0-\u024f]/;

function languageOfWords(sample: string): Language {
  const { votes, words } = votesIn(sample.toLowerCase());
  let best: Language = "en";
  for (const [language, count] of votes) if (count > 1.2 * (votes.get(best) ?? 0)) best = language;
  const evidence = votes.get(best) ?? 0;
  return evidence >= VOTES_MIN && evidence >= VOTES_SHARE_MIN * words ? best : "en";
}

/** Looks up only words that are short enough to be small words: a list of all words takes twice as long. */
function votesIn(text: string): { votes: ReadonlyMap<Language, number>; words: number } {
  const votes = new Map<Language, number>();
  let words = 0;
  for (let start = 0; start < text.length; start++) {
    const end = wordEnd(text, start);
    if (end === start) continue;
    words++;
    const languages = (end - start > SMALL_CHARS_MAX ? undefined : WORDS_OF.get(text.slice(start, end))) ?? [];
    // A word of several languages says little about each.
    for (const language of languages) votes.set(language, (votes.get(language) ?? 0) + 1 / languages.length);
    start = end;
  }
  return { votes, words };
}

/** End of the letters that begin at `start`; `start` itself when there are none. */
function wordEnd(text: string, start: number): number {
  let end = start;
  while (end < text.length) {
    const code = text.charCodeAt(end);
    if (code >= 97 && code <= 122) end++;
    else if (code < 128) return end;
    else {
      const character = String.fromCodePoint(text.codePointAt(end) ?? code);
      if (!LETTER.test(character)) return end;
      end += character.length;
    }
  }
  return end;
}

const LETTER = /\p{L}/u;

/** The languages of each small word. */
export function smallWordIndex<Code extends string>(
  rows: Readonly<Record<Code, { readonly smallWords?: string }>>,
): ReadonlyMap<string, readonly Code[]> {
  const index = new Map<string, Code[]>();
  // `Object.keys` forgets the type of the keys.
  for (const code of Object.keys(rows) as Code[]) {
    for (const word of new Set(rows[code].smallWords?.split(" "))) index.set(word, [...(index.get(word) ?? []), code]);
  }
  return index;
}
