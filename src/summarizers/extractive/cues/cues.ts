/** Words that tell what a sentence is about, per language. The tables stand beside this file, one language each. */

import type { Language } from "../../../core/checkpoint/language.ts";
import { ARABIC } from "./arabic.ts";
import { CHINESE } from "./chinese.ts";
import type { CueTable } from "./cue-table.ts";
import { ENGLISH } from "./english.ts";
import { FRENCH } from "./french.ts";
import { GERMAN } from "./german.ts";
import { ITALIAN } from "./italian.ts";
import { JAPANESE } from "./japanese.ts";
import { KOREAN } from "./korean.ts";
import { PORTUGUESE } from "./portuguese.ts";
import { RUSSIAN } from "./russian.ts";
import { SPANISH } from "./spanish.ts";

export const CUES: Readonly<Record<Language, CueTable>> = {
  en: ENGLISH,
  de: GERMAN,
  fr: FRENCH,
  es: SPANISH,
  pt: PORTUGUESE,
  it: ITALIAN,
  ru: RUSSIAN,
  zh: CHINESE,
  ja: JAPANESE,
  ko: KOREAN,
  ar: ARABIC,
};
