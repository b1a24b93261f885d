/**
 * Makes a sentence fit to stand alone in a list, or says that it cannot: marks of the source's layout go, halves of sentences,
 * table rows, code and headings are refused. Never adds a word, never reorders.
 */

import { quick } from "./quick-expressions.ts";
import { oneLine } from "./sentences.ts";

const ITEM_CHARS_MIN = 16;
const DENSE_CHARS_MIN = 6;
const ITEM_CHARS_MAX = 420;

export interface WholeOptions {
  /** People write without capitals; a program's sentence that begins small is the rest of one. */
  readonly isUser: boolean;
}

/** Undefined for what does not stand alone. */
export function wholeStatement(sentence: string, options: WholeOptions): string | undefined {
  return wholeWords(withoutLayout(sentence), options);
}

/** The same for words that have no layout any more. */
export function wholeWords(words: string, { isUser }: WholeOptions): string | undefined {
  const text = oneLine(words, ITEM_CHARS_MAX);
  if (!isLongEnough(text) || endsBadly(text) || startsBadly(text, isUser)) return undefined;
  return isBalancedProse(text) ? text : undefined;
}

/**
 * What stands before a final colon, closed by a full stop: "Added the table:" says what was done, whatever follows. Empty where
 * the words only point at what follows. Words without such a colon come back as they are.
 */
export function beforeColon(words: string): string {
  if (!words.endsWith(":") && !words.endsWith("：")) return words;
  const said = words.slice(0, -1).trimEnd().replace(POINTING_CLAUSE, "");
  return POINTING.test(said) ? "" : closed(said);
}

const POINTING_CLAUSE =
  /,? (?:that|which|and it|and) (?:now )?(?:covers?|includes?|contains?|supports?|shows?|does|do|has|have|says?|reads?)$/i;
/** The rest of the sentence is what the colon announces. */
const POINTING = quick(
  String.raw`(?<![\p{L}])(?:following|as follows|here(?:'s|’s| is| are)|below|changes|like (?:this|so)|is|are|was|were|be|to|with|of|by|for|in|on|as|from|and|or|but|because|und|oder|aber|sondern|weil|et|ou|(?<=, )mais|parce que|y|pero|porque|e|mas|ma|perché|и|или|но|such as|says?|reads?|shows?|covers?|includes?|contains?|supports?|has|have|namely|folgend\p{L}*|suivante?s?|siguientes?|seguintes?|seguenti|следующ\p{L}+)$|(?<![\p{L}])(?:the following|these|folgende[nrs]?) \p{L}+|(?:如下|以下|下記|次の|다음)`,
  "i",
);

/** With a full stop, in the way of its script. */
export function closed(text: string): string {
  if (text === "" || /[.!?。！？؟]$/.test(text)) return text;
  return `${text}${/[\u3040-\u9fff]$/.test(text) ? "。" : "."}`;
}

/** Emphasis, links, icons, "Step 5:" and numbers before the words. */
export function withoutLayout(sentence: string): string {
  // Most sentences have nothing of the kind, and whether a mark is in one costs little to tell.
  let words = sentence;
  if (words.includes("__")) words = words.replaceAll(/\*\*|__(?=\S)|(?<=\S)__/g, "");
  else if (words.includes("**")) words = words.replace(/\*\*/g, "");
  if (words.includes("](")) words = words.replace(/\[([^\][]{1,120})\]\((?:https?:|\/|#)[^)\s]{0,300}\)/g, "$1");
  return (mayBeginLayout(words.charCodeAt(0)) ? words.replace(LAYOUT_START, "") : words).trim();
}

/** Letters begin none but for those of words such as "step". */
function mayBeginLayout(code: number): boolean {
  const letter = code | 32;
  return letter < 97 || letter > 122 || letter === LETTER_P || letter === LETTER_S;
}

const LETTER_P = 112;
const LETTER_S = 115;

const LAYOUT_START =
  /^(?:(?:\p{Extended_Pictographic}|\uFE0F|\u200D|[✓✗✘☐☑•●▪►→⇒*_~>|-])\s*|(?:step|phase|schritt|étape|paso|passo|шаг) \d{1,2}(?:\.\d{1,2})?\s*[:.)–—-]\s*|\d{1,2}[.)]\s+|\[[ xX]\]\s+)+/iu;

/** A colon announces something that is not there; a comma or a bracket goes on. */
const BAD_END = /[:：,，;；、(（[{/\\|=+–—-]$|…$|\.\.\.$|(?:^|\s)(?:and|or|but|the|a|und|oder|et|ou|y|o|e|и|или)$/i;
const BAD_START = /^"[^"]{1,60}":|^[)\]},;:.…|=+\\/&%]|^(?:and|or|but|which|because)\s+(?=\p{Ll})/u;

/** More than the longest word that may not end a sentence, with what stands before it. */
const END_CHARS = 12;

function endsBadly(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  // Most sentences end in a full stop.
  if (last === FULL_STOP) return text.endsWith("...");
  return BAD_END.test(text.length > END_CHARS ? text.slice(-END_CHARS) : text);
}

const FULL_STOP = 46;

/** Whether no statement can be made of such words, told by their beginning and length alone. What a colon ends is not judged. */
export function isFragment(words: string, { isUser }: WholeOptions): boolean {
  if (words.endsWith(":") || words.endsWith("：")) return false;
  return startsBadly(words, isUser) || (words.length < ITEM_CHARS_MIN && !isLongEnough(words));
}

function startsBadly(text: string, isUser: boolean): boolean {
  const first = text.charCodeAt(0);
  // Most sentences begin with a capital.
  if (first >= 65 && first <= 90) return false;
  return BAD_START.test(text) || (!isUser && /^\p{Ll}/u.test(text) && !NAME_START.test(text));
}

/** "tide-4.3 is done", "parse_row now returns a list": a name begins as it is written. */
const NAME_START = /^(?!(?:e\.g|i\.e|z\.b|d\.h)\b)[a-z][\w#/-]*(?:\d|_\w|[a-z][A-Z]|\.\w)[\w.#/-]*(?:\(\))?\s/;

function isLongEnough(text: string): boolean {
  if (text.length >= ITEM_CHARS_MIN) {
    const blank = text.indexOf(" ");
    if (blank >= 0 && text.includes(" ", blank + 1)) return true;
  }
  let dense = 0;
  for (let at = 0; at < text.length; at++) if (isDense(text.charCodeAt(at)) && ++dense >= DENSE_CHARS_MIN) return true;
  return false;
}

/** Of scripts that need few characters for a word. */
function isDense(code: number): boolean {
  if (code < 0x3040) return false;
  return code <= 0x30ff || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

const CODE_SHARE_MAX = 0.06;

/** Backticks, brackets and double quotes that were opened are closed, and outside of backticks stands no code. */
function isBalancedProse(text: string): boolean {
  // Most sentences have no such mark, and one look tells.
  if (!ANY_ROLE.test(text)) return !text.includes("::") && LETTERS.test(text);
  let depth = 0;
  let quotes = 0;
  let marks = 0;
  let chars = 0;
  let hasNames = false;
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    const role = roleOf(text.charCodeAt(at));
    if (role === TICK) {
      hasNames = true;
      isName = !isName;
    }
    if (isName || role === TICK) continue;
    chars++;
    if (role === PLAIN_CHAR) continue;
    if (role === OPENING) depth++;
    else if (role === CLOSING) depth--;
    else if (role === QUOTE) quotes++;
    else marks++;
    if (depth < 0) return false;
  }
  if (depth !== 0 || isName || quotes % 2 === 1 || marks / chars > CODE_SHARE_MAX) return false;
  const prose = hasNames ? text.replace(/`[^`]*`/g, "") : text;
  // All that the expression looks for has such a mark, or two colons.
  const mayBeCode = marks > 0 || prose.includes("::");
  return !(mayBeCode && CODE.test(prose)) && LETTERS.test(prose);
}

const LETTERS = /\p{L}{2}/u;
/** Whatever is not plain below. */
const ANY_ROLE = /[`()"{}<>=;|\\$#~^（）「」]/;

/** Code has marks that prose has not. */
const CODE = /=>|::|\(\)\s*[{;]|;\s*$|^\s*[\w.]+\s*=\s|\s\|\s.*\s\|/;

const PLAIN_CHAR = 0;
const TICK = 1;
const OPENING = 2;
const CLOSING = 3;
const QUOTE = 4;
const MARK = 5;

const ROLES: Uint8Array = roles({ "`": TICK, "(": OPENING, ")": CLOSING, '"': QUOTE }, "{}<>=;|\\$#~^");

function roles(single: Readonly<Record<string, number>>, marks: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const mark of marks) table[mark.charCodeAt(0)] = MARK;
  for (const [character, role] of Object.entries(single)) table[character.charCodeAt(0)] = role;
  return table;
}

function roleOf(code: number): number {
  if (code < 128) return ROLES[code] ?? PLAIN_CHAR;
  if (code === 0xff08 || code === 0x300c) return OPENING;
  return code === 0xff09 || code === 0x300d ? CLOSING : PLAIN_CHAR;
}
