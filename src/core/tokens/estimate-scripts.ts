/**
 * The parts of the text model for scripts other than Latin: characters merged by known pairs, and words known whole or by
 * their letters. Same rules as estimate-scan.ts: every cost is one read of `weights`, linear time, nothing allocated.
 */

import {
  ARABIC,
  AT,
  blockOf,
  CYRILLIC,
  hashLetter,
  KIND,
  pairBit,
  WORD_HASH_START,
  wordBit,
} from "./estimate-layout.ts";
import { add, type Scan } from "./estimate-window.ts";

// Constants of their own: the engine folds them into the loops, which it does not with properties and imports.
const MARK = KIND.mark;
const ALPHABETS = KIND.cyrillic;

/** Chinese, Japanese, Korean: a known pair of characters is one unit, any other character is its own. */
export function scanCharacters(scan: Scan, start: number, prefix: number): void {
  const { codes, kinds, weights } = scan;
  const { rarity, pairs } = scan.characters;
  let at = start;
  let tokens = 0;
  for (let kind = kinds[at] as number; kind >= KIND.han && kind <= KIND.hangul; kind = kinds[at] as number) {
    const script = kind - KIND.han;
    const code = codes[at] as number;
    const paired = hasBit(pairs, pairBit(code, codes[at + 1] as number)) && kinds[at + 1] !== KIND.end;
    const unit = paired ? 4 : (rarity[code] as number);
    if (at === start) tokens += weights[AT.characterStart + (script * 3 + Math.min(prefix, 2)) * 5 + unit] as number;
    else tokens += weights[paired ? AT.characterPair + script : AT.character + script * 4 + unit] as number;
    at += paired ? 2 : 1;
  }
  add(scan, tokens);
  scan.at = at;
}

function isScript(kind: number): boolean {
  return kind === MARK || kind >= ALPHABETS;
}

function hasBit(bits: Uint8Array, bit: number): boolean {
  return (((bits[bit >> 3] as number) >> (bit & 7)) & 1) === 1;
}

/** A word of another alphabet, its vowel signs and accents included: known whole, or by its letters. */
export function scanScript(scan: Scan, start: number, prefix: number): void {
  const { codes, kinds, weights } = scan;
  const { words } = scan.characters;
  const script = (kinds[start] as number) - KIND.mark;
  const lead = Math.min(prefix, 2);
  let hash = WORD_HASH_START;
  let at = start;
  for (let kind = kinds[at] as number; isScript(kind); kind = kinds[at] as number) {
    hash = hashLetter(hash, codes[at] as number);
    at++;
  }
  scan.at = at;
  if (at - start > 1 && hasBit(words, wordBit(hash, 0)) && hasBit(words, wordBit(hash, 1))) {
    add(scan, weights[AT.knownWord + script * 3 + lead] as number);
  } else {
    add(scan, (weights[AT.scriptPrefix + script * 3 + lead] as number) + lettersTokens(scan, start, at));
  }
}

/** Capitals count as their small letters, ё as е; letters beyond the Russian alphabet share an index. */
function cyrillicIndex(code: number): number {
  if (code >= 0x410 && code < 0x450) return code & 31;
  return code === 0x451 || code === 0x401 ? 0x435 & 31 : CYRILLIC - 1;
}

function lettersTokens(scan: Scan, start: number, end: number): number {
  const { codes, kinds, weights } = scan;
  const { rarity } = scan.characters;
  let previous = -1;
  let tokens = 0;
  for (let at = start; at < end; at++) {
    const code = codes[at] as number;
    const kind = kinds[at] as number;
    const band = at - start < 4 ? 0 : at - start < 8 ? 1 : 2;
    if (kind === KIND.mark) tokens += weights[AT.blockMark + blockOf(code)] as number;
    else tokens += weights[AT.scriptLetter + (kind - KIND.mark) * 3 + band] as number;
    if (kind === KIND.cyrillic || kind === KIND.cyrillicUpper) {
      const letter = cyrillicIndex(code);
      if (previous >= 0)
        tokens += weights[AT.cyrillicPair + Math.min(previous, CYRILLIC - 1) * CYRILLIC + letter] as number;
      previous = letter;
    } else if (kind === KIND.arabic) {
      const letter = code >= 0x620 && code < 0x64b ? code - 0x620 : ARABIC - 1;
      if (previous >= 0) tokens += weights[AT.arabicPair + previous * ARABIC + letter] as number;
      previous = letter;
    } else if (kind !== KIND.mark) {
      tokens += weights[AT.blockLetter + blockOf(code) * 3 + Math.min(2, rarity[code] as number)] as number;
      previous = -1;
    }
  }
  return tokens;
}
