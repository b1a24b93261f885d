/** Tells names from keys: what looks like a credential or a blob is never listed as an identifier. Looks at one name only. */

import type { FactName } from "./mention-table.ts";

const KEY_PREFIX =
  /^(?:sk-|pk_|rk_|sk_|AKIA|ASIA|AIza|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abposr]-|hf_|npm_|eyJ|ya29\.|dop_v1_|SG\.|shpat_|AGE-SECRET)/;
const KEY_CHARS_MIN = 16;
/** A run this long without a separator that mixes capitals, small letters and digits is random, not named. */
const OPAQUE_CHARS_MIN = 24;

/** The text of the name is given by who has it already. */
export function looksSecret({ units, start, end }: FactName, text: string): boolean {
  if (end - start < KEY_CHARS_MIN) return false;
  if (KEY_PREFIX.test(text)) return true;
  let pieceStart = start;
  for (let at = start; at <= end; at++) {
    if (at < end && IS_SEPARATOR[units[at] ?? 0] !== 1) continue;
    if (at - pieceStart >= OPAQUE_CHARS_MIN && isOpaque(units, pieceStart, at)) return true;
    pieceStart = at + 1;
  }
  return false;
}

/** By unit, none of them beyond ASCII. */
const IS_SEPARATOR = new Uint8Array(128);
for (const separator of "/._:?&=#@-") IS_SEPARATOR[separator.charCodeAt(0)] = 1;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const OTHER = 8;

function isOpaque(units: Uint16Array, start: number, end: number): boolean {
  let changes = 0;
  let shapes = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const shape = shapeOf(units[at] ?? 0);
    shapes |= shape;
    // Digits and marks are one shape.
    const kind = Math.min(shape, DIGIT);
    if (kind !== previous) changes++;
    previous = kind;
  }
  // Words change their shape once per hump; random text about every other character.
  return changes > (end - start) / 4 && (shapes & ~OTHER) === (LOWER | UPPER | DIGIT);
}

function shapeOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}
