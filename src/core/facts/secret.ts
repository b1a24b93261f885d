/** Tells names from keys: what looks like a credential or a blob is never listed as an identifier. Looks at one string only. */

const KEY_PREFIX =
  /^(?:sk-|pk_|rk_|sk_|AKIA|ASIA|AIza|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abposr]-|hf_|npm_|eyJ|ya29\.|dop_v1_|SG\.|shpat_|AGE-SECRET)/;
const KEY_CHARS_MIN = 16;
/** A run this long without a separator that mixes capitals, small letters and digits is random, not named. */
const OPAQUE_CHARS_MIN = 24;

export function looksSecret(text: string): boolean {
  if (text.length < KEY_CHARS_MIN) return false;
  if (KEY_PREFIX.test(text)) return true;
  if (text.length < OPAQUE_CHARS_MIN) return false;
  return text.split(/[/._:?&=#@-]/).some(isOpaque);
}

function isOpaque(piece: string): boolean {
  if (piece.length < OPAQUE_CHARS_MIN) return false;
  let changes = 0;
  let digits = 0;
  let previous = "";
  for (const character of piece) {
    const shape = character >= "a" && character <= "z" ? "a" : character >= "A" && character <= "Z" ? "A" : "0";
    if (shape === "0" && character >= "0" && character <= "9") digits++;
    if (shape !== previous) changes++;
    previous = shape;
  }
  // Words change their shape once per hump; random text about every other character.
  return digits > 0 && changes > piece.length / 4 && /[A-Z]/.test(piece) && /[a-z]/.test(piece);
}
