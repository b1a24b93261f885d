/** Which language an assistant speaks, told by what it said last. Looks at a bounded sample; never at the user's words. */

import { detectLanguage, type Language, SAMPLE_CHARS_MAX } from "../../../core/checkpoint/language.ts";
import type { Reading } from "../reading/reading.ts";
import { spokenWords } from "../text/spoken-words.ts";

const SAMPLE_MESSAGES = 40;
const SAMPLE_CHARS = 400;
const SAMPLE_CHARS_MIN = 200;
/** Another script shows in a few words, other small words only in many. */
const SCRIPT_CHARS_MIN = 40;
const OTHER_SCRIPTS: ReadonlySet<Language> = new Set(["ru", "zh", "ja", "ko", "ar"]);

/** An assistant may speak another language than its user. */
export function assistantLanguage({ prose, language }: Reading): Language {
  let sample = "";
  for (const { text } of prose.filter(({ isUser }) => !isUser).slice(-SAMPLE_MESSAGES)) {
    // Nobody reads more than that.
    if (sample.length < SAMPLE_CHARS_MAX) sample += `${spokenWords(text, SAMPLE_CHARS)}\n`;
  }
  const charsMin = OTHER_SCRIPTS.has(language) ? SCRIPT_CHARS_MIN : SAMPLE_CHARS_MIN;
  return sample.length <= charsMin ? language : detectLanguage(sample);
}
