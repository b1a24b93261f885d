/** Words that people say, for telling their language: without code, markup, addresses and names of files. Never rewords. */

import { SAMPLE_CHARS_MAX } from "../../../core/checkpoint/language.ts";

const READ_CHARS = 2_000;
const SAMPLE_CHARS_MIN = 200;
const SAMPLE_CHARS_EACH = 500;

/** The users' words tell the language; the assistant's only when users said nearly nothing. */
export function sampleOf(prose: readonly { readonly isUser: boolean; readonly text: string }[]): string {
  let sample = "";
  for (const isUser of [true, false]) {
    for (const item of prose) {
      if (item.isUser === isUser && sample.length < SAMPLE_CHARS_MAX)
        sample += `${spokenWords(item.text, SAMPLE_CHARS_EACH)}\n`;
    }
    if (sample.length > SAMPLE_CHARS_MIN) return sample;
  }
  return sample;
}

/** At most so many characters of a bounded beginning. */
export function spokenWords(text: string, charsMax: number): string {
  const beginning = text.slice(0, READ_CHARS);
  const prose = /[`<{/\\=]|\n {4}/.test(beginning) ? beginning.replace(NOT_SPOKEN, " ") : beginning;
  return prose.slice(0, charsMax);
}

/**
 * Fenced and indented code, names in backticks, tags, and whatever else has marks that words have not. The last is looked for
 * where a word begins, or behind one of the others: from any other place it would only be found missing once more.
 */
const NOT_SPOKEN =
  /```[\s\S]*?(?:```|(?![\s\S]))|^(?: {4}|\t).*$|`[^`\n]*`|<\/?[a-zA-Z!][^>\n]{0,300}>|(?<![^\s`>])\S*(?:[/\\{}=<>_@#$;]|\w\.\w|\w\()\S*/gm;
