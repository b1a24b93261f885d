/**
 * Makes a sentence fit to stand alone in a list, or says that it cannot: marks of the source's layout go, halves of sentences,
 * table rows, code and headings are refused. Never adds a word, never reorders.
 */

import { oneLine } from "./sentences.ts";

const ITEM_CHARS_MIN = 16;
const DENSE_CHARS_MIN = 6;
const ITEM_CHARS_MAX = 420;
const WORDS_MIN = 3;

export interface WholeOptions {
  /** People write without capitals; a program's sentence that begins small is the rest of one. */
  readonly isUser: boolean;
}

/** Undefined for what does not stand alone. */
export function wholeStatement(sentence: string, { isUser }: WholeOptions): string | undefined {
  const text = oneLine(withoutLayout(sentence), ITEM_CHARS_MAX);
  if (!isLongEnough(text) || BAD_END.test(text) || BAD_START.test(text)) return undefined;
  if (!isUser && /^\p{Ll}/u.test(text)) return undefined;
  return isBalanced(text) && !isCode(text) ? text : undefined;
}

/** Emphasis, links, icons, "Step 5:" and numbers before the words. */
export function withoutLayout(sentence: string): string {
  if (PLAIN.test(sentence)) return sentence;
  return sentence
    .replaceAll(/\*\*|__(?=\S)|(?<=\S)__/g, "")
    .replace(/\[([^\][]{1,120})\]\((?:https?:|\/|#)[^)\s]{0,300}\)/g, "$1")
    .replace(LAYOUT_START, "")
    .trim();
}

/** Nothing of the kind is in it: most sentences, told at a glance. The letters left out begin words such as "step". */
const PLAIN = /^[a-oqrt-z][^*_[]*\S$/i;

const LAYOUT_START =
  /^(?:(?:\p{Extended_Pictographic}|\uFE0F|\u200D|[✓✗✘☐☑•●▪►→⇒*_~>|-])\s*|(?:step|phase|schritt|étape|paso|passo|шаг) \d{1,2}(?:\.\d{1,2})?\s*[:.)–—-]\s*|\d{1,2}[.)]\s+|\[[ xX]\]\s+)+/iu;

/** A colon announces something that is not there; a comma or a bracket goes on. */
const BAD_END = /[:：,，;；、(（[{/\\|=+–—-]$|…$|\.\.\.$|(?:^|\s)(?:and|or|but|the|a|und|oder|et|ou|y|o|e|и|или)$/iu;
const BAD_START = /^"[^"]{1,60}":|^[)\]},;:.…|=+\\/&%]|^(?:and|or|but|which|because)\s+(?=\p{Ll})/u;

function isLongEnough(text: string): boolean {
  const dense = text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/g)?.length ?? 0;
  if (dense >= DENSE_CHARS_MIN) return true;
  return text.length >= ITEM_CHARS_MIN && text.split(" ").length >= WORDS_MIN;
}

/** Backticks, brackets and double quotes that were opened are closed. */
function isBalanced(text: string): boolean {
  let depth = 0;
  let ticks = 0;
  let quotes = 0;
  for (const character of text) {
    if (character === "`") ticks++;
    else if (ticks % 2 === 1) continue;
    else if (character === "(" || character === "（" || character === "「") depth++;
    else if (character === ")" || character === "）" || character === "」") depth--;
    else if (character === '"') quotes++;
    if (depth < 0) return false;
  }
  return depth === 0 && ticks % 2 === 0 && quotes % 2 === 0;
}

const CODE_SHARE_MAX = 0.06;

/** Outside of backticks, code has marks that prose has not. */
function isCode(text: string): boolean {
  const prose = text.replace(/`[^`]*`/g, "");
  if (/=>|::|\(\)\s*[{;]|;\s*$|^\s*[\w.]+\s*=\s|\s\|\s.*\s\|/.test(prose)) return true;
  if (!/\p{L}{2}/u.test(prose)) return true;
  const marks = prose.match(/[{}<>=;|\\$#~^]/g)?.length ?? 0;
  return marks / prose.length > CODE_SHARE_MAX;
}
