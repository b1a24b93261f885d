/**
 * Finds the language of a text where it is certain, from its script and its small words, without code. A summary is refused for its
 * language only when the languages of both summary and users are certain.
 */

import { smallWordIndex } from "../core/checkpoint/language.ts";
import { LANGUAGE_TABLE, RECOGNISED_LANGUAGES } from "../core/checkpoint/language-table.ts";
import type { Message } from "../core/message.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { headOf, tailOf } from "../core/text.ts";

export interface CertainLanguage {
  /** An ISO 639-1 code, or the name of a script that several languages use. */
  readonly code: string;
  /** For a prompt; absent where the script does not tell. */
  readonly name?: string;
}

/** The language of the users in a conversation, by their newest messages. */
export function languageOfUsers(
  messages: readonly Message[],
  userTools?: readonly string[],
): CertainLanguage | undefined {
  const voice = userVoice(messages, userTools);
  const samples: string[] = [];
  for (let index = messages.length - 1, taken = 0; index >= 0 && taken < USER_SAMPLES_MAX; index--) {
    const message = messages[index];
    if (message === undefined || !voice.speaksIn(message)) continue;
    taken++;
    samples.push(...voice.wordsIn(message).map(sampleOf));
  }
  return certainLanguage(samples.join("\n"));
}

/** True only when both are certain and differ. */
export function isOtherLanguage(text: string, expected: CertainLanguage | undefined): boolean {
  const found = expected === undefined ? undefined : certainLanguage(text);
  if (expected === undefined || found === undefined || found.code === expected.code) return false;
  // A technical text in one script often holds quotes and names in another, so a mixture is accepted.
  return shareOf(scriptUnits(proseOf(text)), scriptOf(expected.code)) < MIXTURE_SHARE || isLatin(expected, found);
}

const USER_SAMPLES_MAX = 40;
/** The author of a long message wrote its beginning and end; the middle was often pasted. */
const SAMPLE_HEAD_CHARS = 800;
const SAMPLE_TAIL_CHARS = 300;
const TEXT_CHARS_MAX = 40_000;
const UNITS_MIN = 4;
const DOMINANT_SHARE = 0.5;
const MIXTURE_SHARE = 0.1;
const VOTES_MIN = 3;
const VOTES_LEAD = 1.6;

/** Script, what counts as one unit of it, and the language it stands for. Kana makes Han Japanese. */
const SCRIPTS: readonly (readonly [script: string, unit: RegExp, name?: string])[] = [
  ["latin", /\p{Script=Latin}{2,}/gu],
  ["zh", /\p{Script=Han}/gu],
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["ko", /\p{Script=Hangul}/gu],
  ["cyrillic", /\p{Script=Cyrillic}+/gu],
  ["el", /\p{Script=Greek}{2,}/gu, "Greek"],
  ["arabic", /\p{Script=Arabic}+/gu],
  ["he", /\p{Script=Hebrew}+/gu, "Hebrew"],
  ["devanagari", /[\p{Script=Devanagari}]+/gu],
  ["th", /\p{Script=Thai}{3}/gu, "Thai"],
];

const ROWS: Readonly<Record<string, { readonly name: string; readonly smallWords?: string }>> = {
  ...LANGUAGE_TABLE,
  ...RECOGNISED_LANGUAGES,
};

const WORDS = smallWordIndex(ROWS);

export function certainLanguage(text: string): CertainLanguage | undefined {
  const prose = proseOf(text);
  const units = scriptUnits(prose);
  const total = sum(units);
  if (total < UNITS_MIN) return undefined;
  const [code = "", most = 0] = [...units].reduce((best, entry) => (entry[1] > best[1] ? entry : best), ["", 0]);
  if (most / total < DOMINANT_SHARE) return undefined;
  if (code === "latin") return certainLatin(prose);
  const name = ROWS[code]?.name ?? SCRIPTS.find(([script]) => script === code)?.[2];
  return { code, ...(name !== undefined && { name }) };
}

function certainLatin(prose: string): CertainLanguage | undefined {
  const votes = new Map<string, number>();
  const seen = new Map<string, number>();
  for (const [word] of prose.toLowerCase().matchAll(/\p{Script=Latin}+/gu)) {
    const languages = WORDS.get(word) ?? [];
    const times = (seen.get(word) ?? 0) + 1;
    seen.set(word, times);
    // A word says less each time: one that is repeated may be a name, and a language shows in many words.
    for (const code of languages) votes.set(code, (votes.get(code) ?? 0) + 1 / languages.length / times);
  }
  const [first, second] = [...votes].sort((a, b) => b[1] - a[1]);
  if (first === undefined || first[1] < VOTES_MIN || first[1] < VOTES_LEAD * (second?.[1] ?? 0)) return undefined;
  const name = ROWS[first[0]]?.name;
  return { code: first[0], ...(name !== undefined && { name }) };
}

function scriptUnits(prose: string): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const [script, unit] of SCRIPTS) units.set(script, prose.match(unit)?.length ?? 0);
  const kana = units.get("ja") ?? 0;
  const han = units.get("zh") ?? 0;
  if (kana * 10 > han) {
    units.set("ja", kana + han);
    units.set("zh", 0);
  }
  return units;
}

/** Without code, headings, quotes, links and names, which say nothing about the language. */
function proseOf(text: string): string {
  return headOf(text, TEXT_CHARS_MAX)
    .replace(/```[\s\S]*?(?:```|$)/g, " ")
    .replace(/`[^`\n]*`/g, " ")
    .replace(/^(?:#|>| {4}|\t).*$/gm, " ")
    .replace(/\S+/g, (word) => (/[/_\\=<>{}@]/.test(word) ? " " : word));
}

function scriptOf(code: string): string {
  return SCRIPTS.some(([script]) => script === code) ? code : "latin";
}

function isLatin(...languages: readonly CertainLanguage[]): boolean {
  return languages.every(({ code }) => scriptOf(code) === "latin");
}

function shareOf(units: ReadonlyMap<string, number>, script: string): number {
  return (units.get(script) ?? 0) / Math.max(1, sum(units));
}

function sum(units: ReadonlyMap<string, number>): number {
  return [...units.values()].reduce((total, count) => total + count, 0);
}

function sampleOf(text: string): string {
  if (text.length <= SAMPLE_HEAD_CHARS + SAMPLE_TAIL_CHARS) return text;
  return `${headOf(text, SAMPLE_HEAD_CHARS)}\n${tailOf(text, SAMPLE_TAIL_CHARS)}`;
}
