/** Shortens text from the middle, to a number of characters or of tokens. Never cuts a character in two, never returns more than asked. */

import { headOf, tailOf } from "../core/well-formed-text.ts";

/** At most `maxChars` units, marker included; the beginning and the end stay. */
export function cutMiddle(text: string, maxChars: number, marker: string): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - marker.length;
  if (room <= 0) return headOf(text, Math.max(0, maxChars));
  const headChars = Math.ceil(room / 2);
  return headOf(text, headChars) + marker + tailOf(text, room - headChars);
}

export interface TokenLimit {
  readonly limitTokens: number;
  readonly count: (text: string) => number;
}

/** Each step shrinks by a twentieth at least, so that this many get any text down to nothing. */
const STEPS_MAX = 600;
const SHRINK_MIN = 0.95;
/** Aims a little below the limit: the count is not quite proportional to the length. */
const AIM = 0.99;

/** The longest cut that was found to count at most the limit; empty when not even the marker does. */
export function cutMiddleToTokens(text: string, { limitTokens, count }: TokenLimit, marker: string): string {
  let chars = text.length;
  let candidate = text;
  for (let step = 0; step < STEPS_MAX && chars > 0; step++) {
    const tokens = count(candidate);
    if (tokens <= limitTokens) return candidate;
    chars = Math.floor(chars * Math.min(SHRINK_MIN, (limitTokens / tokens) * AIM));
    candidate = cutMiddle(text, chars, marker);
  }
  return "";
}
