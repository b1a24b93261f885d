/**
 * Cuts prose into whole sentences in any script: at sentence marks, line breaks and list marks; code, tables and headings are
 * left out. One pass, bounded output. Never splits a surrogate pair, never changes what it cuts but for white space.
 */

import { isCloser } from "./endings.ts";

export interface SentenceOptions {
  /** At most so many, the first half and the last half of what there is. */
  readonly sentencesMax: number;
}

/** Longer ones are cut at a word and marked. */
export const SENTENCE_CHARS_MAX = 420;
const SENTENCE_CHARS_MIN = 2;
/** Of a longer text only the beginning and the end are read. */
const TEXT_CHARS_MAX = 200_000;

export function splitSentences(text: string, { sentencesMax }: SentenceOptions): readonly string[] {
  return endsOf(readOf(text).flatMap(sentencesIn), sentencesMax);
}

/** Every sentence, in order. */
function sentencesIn(text: string): readonly string[] {
  const sentences: string[] = [];
  let isCode = false;
  for (let start = 0, end = 0; end < text.length; start = end + 1) {
    end = lineEnd(text, start);
    const line = text.slice(start, end).trim();
    if (line.startsWith("```") || line.startsWith("~~~")) isCode = !isCode;
    else if (!isCode) splitLine(line, sentences);
  }
  return sentences;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

/** The first half and the last half of what there is, where there is more. */
export function endsOf(sentences: readonly string[], sentencesMax: number): readonly string[] {
  if (sentences.length <= sentencesMax) return sentences;
  const half = sentencesMax >> 1;
  return [...sentences.slice(0, sentencesMax - half), ...sentences.slice(sentences.length - half)];
}

/** A text as it would stand in a sentence: one line, bounded, whole words. */
export function oneLine(text: string, charsMax: number): string {
  // Most texts are so already, and to replace every blank by itself costs more than to look.
  return cutAtWord(UNEVEN.test(text) ? text.replace(BLANKS, " ").trim() : text.trim(), charsMax);
}

/** What is white space, and the one line break that is not. */
const BLANKS = /[\s\u0085]+/g;
/** The blanks one by one: for `[^\S ]`, which has the same, the engine looks nearly twice as long. */
const UNEVEN = / {2}|[\t-\r\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;

/** The text when it is short enough; otherwise its beginning up to a word's end, marked. Whole characters always. */
export function cutAtWord(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  let end = Math.max(0, charsMax - 1);
  const blank = text.lastIndexOf(" ", end);
  if (blank > end * 0.6) end = blank;
  else if (isLowSurrogate(text.charCodeAt(end))) end--;
  return `${text.slice(0, end).trimEnd()}…`;
}

/** The text, or what is read of it: whole lines. */
function readOf(text: string): readonly string[] {
  if (text.length <= TEXT_CHARS_MAX) return [text];
  const half = TEXT_CHARS_MAX >> 1;
  const firstEnd = text.lastIndexOf("\n", half - 1);
  const lastStart = text.indexOf("\n", text.length - half);
  return [text.slice(0, Math.max(0, firstEnd)), lastStart < 0 ? "" : text.slice(lastStart + 1)];
}

/** A line without the marks of lists before its words; empty for lines of tables, rules, headings and markup, which are no sentences. */
function proseOf(line: string): string {
  const first = line.charCodeAt(0);
  // Most lines begin with a letter, and with a capital none of these.
  if (isCapital(first)) return line;
  if (isSmall(first)) return CODE_START.test(line) ? "" : line;
  const words = wordsAt(line, first);
  if (words >= 0) return line.slice(words);
  return MARKUP_START.test(line) || !LETTER.test(line) ? "" : line.replace(LIST_MARK, "");
}

const CODE_START = /^(?:import|export|const|def|class|function) /;
const MARKUP_START = /^(?:#{1,6} |[|<{}[\]]|[-=_*]{3,}$|\$ )/;
const LETTER = /\p{L}/u;
const LIST_MARK = /^(?:[-*+•>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+|[✓✔✅❌☐☑]\uFE0F?\s*)+/u;

/** Where the words begin behind the commonest marks: "- ", "* ", "12. ", or in bold letters. -1 where the expressions have to tell. */
function wordsAt(line: string, first: number): number {
  let mark = 0;
  if (isDigit(first)) {
    mark = isDigit(line.charCodeAt(1)) ? 2 : 1;
    if (line.charCodeAt(mark) !== FULL_STOP) return -1;
  } else if (first !== ASTERISK && first !== DASH) return -1;
  if (!isLetter(line.charCodeAt(mark + 2))) return -1;
  const behind = line.charCodeAt(mark + 1);
  if (behind === BLANK) return mark + 2;
  return first === ASTERISK && behind === ASTERISK ? 0 : -1;
}

const BLANK = 32;
const ASTERISK = 42;
const DASH = 45;
const FULL_STOP = 46;

function isCapital(code: number): boolean {
  return code >= 65 && code <= 90;
}

function isSmall(code: number): boolean {
  return code >= 97 && code <= 122;
}

function isLetter(code: number): boolean {
  return isCapital(code) || isSmall(code);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function splitLine(trimmed: string, sentences: string[]): void {
  if (trimmed.length < SENTENCE_CHARS_MIN) return;
  const line = proseOf(trimmed);
  let start = 0;
  let closedAt = -1;
  for (let at = nextMark(line, 0); at >= 0; at = nextMark(line, at + 1)) {
    // What stands between backticks is a name, whatever marks it has.
    if (line.charCodeAt(at) === BACKTICK && at > closedAt) {
      closedAt = line.indexOf("`", at + 1);
      if (closedAt < 0) closedAt = line.length;
      else at = closedAt;
      continue;
    }
    if (!endsSentence(line, at)) continue;
    let end = at + 1;
    while (end < line.length && isCloser(line.charCodeAt(end))) end++;
    push(line.slice(start, end), sentences);
    start = end;
    at = end - 1;
  }
  if (start < line.length) push(line.slice(start), sentences);
}

const BACKTICK = 96;
/** What may end a sentence, and the backtick. The expression jumps over the rest, which is most of any line. */
const MARK = /[.!?`。！？؟]/g;

/** Where the next of them stands; -1 where there is none. */
function nextMark(line: string, from: number): number {
  // Most lines end with the last.
  if (from >= line.length) return -1;
  MARK.lastIndex = from;
  return MARK.test(line) ? MARK.lastIndex - 1 : -1;
}

function push(piece: string, sentences: string[]): void {
  const sentence = piece.trim();
  if (sentence.length >= SENTENCE_CHARS_MIN) sentences.push(cutAtWord(sentence, SENTENCE_CHARS_MAX));
}

/** Full stop, exclamation or question mark before a blank or the end; their wide forms anywhere. */
function endsSentence(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  if (code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x061f) return true;
  if (code !== 46 && code !== 33 && code !== 63) return false;
  const next = line.charCodeAt(at + 1);
  if (Number.isNaN(next)) return true;
  if (!isCloser(next) && next !== 32 && next !== 9) return code === 46 && isGlued(line, at);
  // Dots that only pause: "it works ... mostly".
  if (code === 46 && line.charCodeAt(at - 1) === 46 && /^\s+[\p{Ll}\d]/u.test(line.slice(at + 1, at + 4))) return false;
  // "e.g. this", "No. 5", "J. Smith" go on; so does a number's point.
  return code !== 46 || !isAbbreviation(line, at);
}

const GLUED_CHARS = 16;

/** "It runs on the server.The key is small": the blank was left out. Names such as `tide.Gate` have no word that begins sentences. */
function isGlued(line: string, at: number): boolean {
  const next = line.charCodeAt(at + 1);
  if (!isCapital(next) && !(next >= 0x410 && next <= 0x42f)) return false;
  return (
    OPENER.test(line.slice(at + 1, at + GLUED_CHARS)) &&
    /(?:^|\s)(?:\p{Ll}{2,}|\d{2,})$|`$/u.test(line.slice(Math.max(0, at - GLUED_CHARS), at))
  );
}

const OPENER =
  /^(?:The|This|These|That|There|We|It|I|You|They|All|Now|Let(?:['’]s)?|Next|However|Since|After|To|In|If|So|But|Also|As|When|While|For|By|Then|Here|Using|Based|Considering|Given|Finally|First|Der|Die|Das|Wir|Ich|Es|Jetzt|Le|La|Les|Nous|Je|Il|Elle|Cela|El|Los|Las|Se|Esto|Hemos|O|Os|As|Isto|Isso|Lo|Gli|Abbiamo|Questo|Мы|Я|Это|Теперь)[\s,]/u;

const ABBREVIATION_CHARS_MAX = 8;
/** None of those below is longer. */
const SHORT_WORD_CHARS_MAX = 4;

function isAbbreviation(line: string, at: number): boolean {
  // Most sentences end in a longer word, and a day that is longer ends in a number.
  if (
    at > SHORT_WORD_CHARS_MAX &&
    line.lastIndexOf(" ", at) < at - 1 - SHORT_WORD_CHARS_MAX &&
    !isDigit(line.charCodeAt(at - 1))
  )
    return false;
  const before = line.slice(Math.max(0, at - ABBREVIATION_CHARS_MAX), at);
  const word = before.slice(before.lastIndexOf(" ") + 1);
  if (/^\p{Lu}$/u.test(word)) return true;
  // "am 3. Februar", "bis 16. vormittags", "am 11.02. um acht": an ordinal goes on.
  if (/^\d{1,2}(?:\.(?:0[1-9]|1[0-2]))?$/.test(word))
    return ORDINAL_GOES_ON.test(line.slice(at + 1, at + ORDINAL_CHARS));
  return (
    /^(?:e\.g|i\.e|z\.B|d\.h|u\.a|etc|vs|cf|bzw|ca|Dr|Mr|Mrs|Ms|No|Nr|St|p\.ej|Sr|Sra|т\.е|т\.д)$/.test(word) &&
    at + 2 < line.length
  );
}

const ORDINAL_CHARS = 12;
const ORDINAL_GOES_ON = /^ (?:\p{Ll}|Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez|Jahrhundert|Quartal|\d{1,2}\.)/u;

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
