/** Words that tell what a sentence is about, per language. The tables stand beside each other in `cues/`, one language a file. */

import type { Language } from "../../core/checkpoint/language.ts";
import { ARABIC } from "./cues/arabic.ts";
import { CHINESE } from "./cues/chinese.ts";
import type { CueTable } from "./cues/cue-table.ts";
import { ENGLISH } from "./cues/english.ts";
import { FRENCH } from "./cues/french.ts";
import { GERMAN } from "./cues/german.ts";
import { ITALIAN } from "./cues/italian.ts";
import { JAPANESE } from "./cues/japanese.ts";
import { KOREAN } from "./cues/korean.ts";
import { PORTUGUESE } from "./cues/portuguese.ts";
import { RUSSIAN } from "./cues/russian.ts";
import { SPANISH } from "./cues/spanish.ts";

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
