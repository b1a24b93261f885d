/** Prose as lines and sentences: what a summary may quote whole. Linear, bounded, never splits a character. */

import { headOf } from "../../core/text.ts";

/** Of a longer text only the beginning and the end are read. */
const TEXT_CHARS_MAX = 60_000;
/** A longer sentence is cut at a word and marked. */
export const SENTENCE_CHARS_MAX = 400;
const LIST_ITEMS_MAX = 12;
const LIST_CHARS_MAX = 900;

/** A sentence, or a list with the line above it. */
export interface Passage {
  readonly text: string;
  readonly isList: boolean;
}

const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)]|\[[ xX]\]|[✓✔✅❌☐☑])\s+\S/u;
const FENCE = /^\s*(?:```|~~~)/;
/** Headings, tables, rules and markup are no sentences. */
const NO_PROSE = /^\s*(?:#{1,6}\s|\||[-=_*]{3,}\s*$|<\/?[a-z!]|\*\*[^*/]*[^*/.!?]\*\*:?\s*$)/i;
/** Bold words: the marks would stand alone where sentences are parted. */
const BOLD = /(?<![\w/*])\*\*(?=[^\s*])([^*]{1,300})\*\*(?![\w/*])/g;
/** A numbered line of a file, an assignment, a call, an import or the head of a definition. */
const CODE =
  /^\s*(?:\d{1,6}(?::(?!\d)|[→|]).*[()[\]{}=_;"']|[\w.[\]"']{1,80} ?[-+*/|]?= ?.*[([{"'`;]|(?:await |return |new )?[\w.]{1,80}\([^()\n]{0,200}\);?\s*$|import [\w.]+(?: as \w+)?\s*$|from [\w.]+ import |(?:async |export |public |private |static ){0,4}(?:(?:def|class|function) \w.*[:;{(]\s*$|(?:const|let|var) \w{1,80} ?[=:]))/;
const CAPITALS = /^[\sA-Z]{3,40}:\s*$/;
const LETTER = /\p{L}/u;

export function passagesOf(text: string): readonly Passage[] {
  const passages: Passage[] = [];
  let list: string[] = [];
  let isCode = false;
  const endList = (): void => {
    passages.push(...listPassages(list));
    list = [];
  };
  for (const line of unwrappedLines(boundedText(text))) {
    if (FENCE.test(line)) {
      endList();
      isCode = !isCode;
    } else if (isCode) continue;
    else if (LIST_ITEM.test(line) || (list.length > 0 && /^\s{2,}\S/.test(line))) list.push(line.replace(BOLD, "$1"));
    else if (line.trim() !== "") {
      endList();
      if (line.trimEnd().endsWith(":")) list.push(line.replace(BOLD, "$1"));
      else if (isOpenLine(line)) passages.push(...sentencesOf(line.replace(BOLD, "$1")).map(sentencePassage));
    }
  }
  endList();
  return passages;
}

/** Lines of which each begins a thought: one that goes on in small letters belongs to the line before. */
function unwrappedLines(text: string): readonly string[] {
  const lines: string[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) lines.push(open.join(" "));
    open = [];
  };
  for (const line of text.split("\n")) {
    const before = open.at(-1);
    if (before !== undefined && before.length >= WRAPPED_CHARS_MIN && GOES_ON.test(line) && !ENDED.test(before)) {
      open.push(line.trim());
      continue;
    }
    close();
    if (isOpenLine(line)) open.push(line);
    else lines.push(line);
  }
  close();
  return lines;
}

/** Prose or an item: code, tables and headings are never joined. */
function isOpenLine(line: string): boolean {
  return LETTER.test(line) && !FENCE.test(line) && !NO_PROSE.test(line) && !CODE.test(line);
}

/** Nobody wraps shorter lines. */
const WRAPPED_CHARS_MIN = 40;
const GOES_ON = /^\s*[\p{Ll}(](?!\s*[=:({[])[^={}]*$/u;
const ENDED = /[.!?:;…。！？{}]["')\]*`]*\s*$/;

const sentencePassage = (text: string): Passage => ({ text, isList: false });

/** A short list stays whole with the line above it; of a long one each item stands for itself. */
function listPassages(lines: readonly string[]): readonly Passage[] {
  if (lines.length === 0) return [];
  const items = lines.filter((line) => LIST_ITEM.test(line));
  if (items.length === 0)
    return lines
      .filter((line) => LETTER.test(line) && !CAPITALS.test(line))
      .map((line) => sentencePassage(oneLine(line, SENTENCE_CHARS_MAX)));
  const whole = lines.map((line) => line.trim()).join(" ");
  if (items.length > 1 && items.length <= LIST_ITEMS_MAX && whole.length <= LIST_CHARS_MAX)
    return [{ text: whole, isList: true }];
  return outerItems(lines, Math.min(...items.map(indentOf))).flatMap((item) => {
    const text = item
      .map((line) => line.trim())
      .join(" ")
      .replace(ITEM_MARK, "");
    if (item.length > 1 && text.length <= LIST_CHARS_MAX) return [{ text, isList: true }];
    return item.flatMap((line) => sentencesOf(line.replace(ITEM_MARK, ""))).map(sentencePassage);
  });
}

const ITEM_MARK = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;

const indentOf = (line: string): number => line.search(/\S/);

/** An item of the outermost list with what stands further in below it: alone, that says nothing. */
function outerItems(lines: readonly string[], indent: number): readonly (readonly string[])[] {
  const items: string[][] = [];
  for (const line of lines) {
    const open = items.at(-1);
    if (open === undefined || indentOf(line) <= indent) items.push([line]);
    else open.push(line);
  }
  return items;
}

const SEGMENTER = new Intl.Segmenter("und", { granularity: "sentence" });
/** A line without one of these before its end is one sentence. */
const INNER_END = /[.!?。！？؟]["')\]]*\s*\S/;

/** The sentences of one line; each cut to a bound. */
export function sentencesOf(line: string): readonly string[] {
  const text = line.trim();
  if (text === "") return [];
  if (!INNER_END.test(text)) return [oneLine(text, SENTENCE_CHARS_MAX)];
  const sentences: string[] = [];
  for (const { segment } of SEGMENTER.segment(text)) {
    const said = segment.trim();
    if (said === "") continue;
    // What goes on in small letters was no end: "e.g. this".
    const before = sentences.at(-1);
    if (
      before !== undefined &&
      (/^[\p{Ll}\d)]/u.test(said) || /\b(?:[A-Z]|Dr|Mr|Mrs|Ms|vs|No)\.$/.test(before)) &&
      before.length + said.length < SENTENCE_CHARS_MAX
    )
      sentences[sentences.length - 1] = `${before} ${said}`;
    else sentences.push(said);
  }
  return sentences.map((sentence) => oneLine(sentence, SENTENCE_CHARS_MAX));
}

/** Of a long text the beginning and the end, in whole lines where there are any. */
export function boundedText(text: string, charsMax: number = TEXT_CHARS_MAX): string {
  if (text.length <= charsMax) return text;
  const half = charsMax >> 1;
  const head = text.slice(0, half);
  const tail = text.slice(-half);
  const headEnd = head.lastIndexOf("\n");
  return `${(headEnd > 0 ? head.slice(0, headEnd) : head).toWellFormed()}\n${tail.slice(tail.indexOf("\n") + 1).toWellFormed()}`;
}

/** A text on one line: blanks made one, control characters gone, cut at a word and marked where it is longer. */
export function oneLine(text: string, charsMax: number): string {
  const line = headOf(text, 4 * charsMax + 200)
    .replace(CONTROL, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toWellFormed();
  if (line.length <= charsMax) return line;
  const head = headOf(line, Math.max(1, charsMax - 1));
  const blank = head.lastIndexOf(" ");
  return `${(blank > charsMax * 0.6 ? head.slice(0, blank) : head).trimEnd()}…`;
}

/** Terminals' colours, controls, and marks of no width that hide what a text says. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const CONTROL = /\u001b\[[\d;]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]/g;

/** The words of a text in lower case: numbers, and words of three letters or more; of a script without blanks, pairs of characters. */
export function contentWords(text: string): readonly string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    if (IDEOGRAPH.test(word)) return pairsOf(word);
    return [word.toLowerCase()];
  });
}

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}][\p{L}\p{N}'’]{2,}|\p{N}+/gu;
const IDEOGRAPH = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function pairsOf(run: string): readonly string[] {
  if (run.length < 2) return [run];
  const pairs: string[] = [];
  for (let at = 0; at + 1 < Math.min(run.length, 400); at++) pairs.push(run.slice(at, at + 2));
  return pairs;
}
