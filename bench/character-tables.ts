/** What the text model must know of characters: kinds from Unicode's properties, rarity and pairs from the o200k vocabulary. */

import { countTokens, decode, vocabularySize } from "gpt-tokenizer/encoding/o200k_base";
import { type Characters, KIND, kindOf, PAIR_BITS, WORD_BITS } from "../src/core/tokens/estimate-model.ts";
import { hashLetter, pairBit, WORD_HASH_START, wordBit } from "../src/core/tokens/estimate-scan.ts";

export function characterTables(): Characters {
  const vocabulary = Array.from({ length: vocabularySize }, (_unused, token) => decodeOne(token));
  const kinds = Uint8Array.from({ length: 65_536 }, (_unused, code) => kindOf(storedKind(code), code));
  return {
    kinds,
    rarity: Uint8Array.from({ length: 65_536 }, (_unused, code) =>
      code < 128 || isSurrogate(code) ? 0 : rarityOf(code),
    ),
    emojiRarity: Uint8Array.from({ length: 4_096 }, (_unused, index) => rarityOf(0x1f000 + index)),
    pairs: pairSet(vocabulary),
    words: wordSet(vocabulary, kinds),
  };
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;
const rarityOf = (code: number): number => Math.min(4, countTokens(String.fromCodePoint(code))) - 1;

const SCRIPT_KINDS: readonly (readonly [number, RegExp])[] = [
  [KIND.han, /^[\p{Script=Han}]$/u],
  [KIND.hiragana, /^[\p{Script=Hiragana}]$/u],
  [KIND.katakana, /^[\p{Script=Katakana}ー]$/u],
  [KIND.hangul, /^[\p{Script=Hangul}]$/u],
  [KIND.cyrillicUpper, /^(?=\p{Lu})\p{Script=Cyrillic}$/u],
  [KIND.cyrillic, /^[\p{Script=Cyrillic}]$/u],
  [KIND.arabic, /^[\p{Script=Arabic}]$/u],
  [KIND.hebrew, /^[\p{Script=Hebrew}]$/u],
  [KIND.greek, /^[\p{Script=Greek}]$/u],
  [KIND.devanagari, /^[\p{Script=Devanagari}]$/u],
  [KIND.thai, /^[\p{Script=Thai}]$/u],
];

function storedKind(code: number): number {
  if (isSurrogate(code)) return KIND.surrogate;
  const character = String.fromCharCode(code);
  if (character === " ") return KIND.space;
  if (character === "\n" || character === "\r") return KIND.newline;
  if (/^\s$/u.test(character)) return KIND.blank;
  if (/^[0-9]$/.test(character)) return KIND.digit;
  if (/^\p{N}$/u.test(character)) return KIND.number;
  if (code === 0xfe0f) return KIND.symbol;
  if (/^\p{M}$/u.test(character)) return KIND.mark;
  if (/^\p{L}$/u.test(character)) return letterKind(character);
  return code < 128 ? KIND.punctuation : KIND.symbol;
}

function letterKind(letter: string): number {
  if (/^\p{Script=Latin}$/u.test(letter)) return /^\p{Lu}$/u.test(letter) ? KIND.upper : KIND.lower;
  return SCRIPT_KINDS.find(([, pattern]) => pattern.test(letter))?.[0] ?? KIND.otherScript;
}

/** Neighbours inside any token that is made of Chinese, Japanese or Korean characters alone. */
function pairSet(vocabulary: readonly string[]): Uint8Array {
  const bits = new Uint8Array(PAIR_BITS / 8);
  for (const token of vocabulary) {
    const text = token.replace(/^ /, "");
    if (!/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]{2,4}$/u.test(text)) continue;
    for (let at = 0; at + 1 < text.length; at++) setBit(bits, pairBit(text.charCodeAt(at), text.charCodeAt(at + 1)));
  }
  return bits;
}

/** Tokens that are a space and a whole word of an alphabet other than Latin. */
function wordSet(vocabulary: readonly string[], kinds: Uint8Array): Uint8Array {
  const bits = new Uint8Array(WORD_BITS / 8);
  for (const token of vocabulary) {
    if (!token.startsWith(" ") || token.length < 3) continue;
    const codes = Array.from({ length: token.length - 1 }, (_unused, index) => token.charCodeAt(index + 1));
    const isWord = codes.every((code) => isOtherAlphabet(kinds[code] ?? 0));
    if (!isWord) continue;
    const hash = codes.reduce((before, code) => hashLetter(before, code), WORD_HASH_START);
    setBit(bits, wordBit(hash, 0));
    setBit(bits, wordBit(hash, 1));
  }
  return bits;
}

const isOtherAlphabet = (kind: number): boolean => kind === KIND.mark || kind >= KIND.cyrillic;

function setBit(bits: Uint8Array, bit: number): void {
  bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
}

/** Some numbers of the vocabulary are not in use. */
function decodeOne(token: number): string {
  try {
    return decode([token]);
  } catch {
    return "";
  }
}
