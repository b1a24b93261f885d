/**
 * Finds what looks like a credential in a text and writes a mark in its place: passwords and keys that stand beside their name, in
 * addresses, headers and commands, those that their first letters give away, private keys, and text that only chance can have made.
 * Linear: a look at every third character, and a bounded one at each place that may be one. Changes nothing but those values; what
 * was redacted once stays as it is. Never throws.
 */

import { visitGrams } from "./known-keys.ts";
import { findForeignNames } from "./named-values.ts";
import { findRandom, isMixed, KEY_CHARS_MIN, MARK, matchAt, PLACEHOLDER, type SecretSpan } from "./random-text.ts";

export { isNamedSecret } from "./named-values.ts";

/** What is written in its place; it says where the credential was found, if that is known. */
export function secretMark(where?: string): string {
  return where === undefined ? `${MARK}]` : `${MARK}, in ${where}]`;
}

export interface Redaction {
  /** What to write; asked only when something was found. */
  mark?(): string;
  /** Told each value. */
  found?(value: string): void;
}

/** The same text where there is nothing to hide. */
export function redactSecrets(text: string, redaction: Redaction = {}): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  const mark = redaction.mark?.() ?? secretMark();
  const pieces: string[] = [];
  let done = 0;
  for (const { start, end } of spans) {
    redaction.found?.(text.slice(start, end));
    pieces.push(text.slice(done, start), mark);
    done = end;
  }
  return pieces.join("") + text.slice(done);
}

/** In order, none over another. */
export function findSecrets(text: string): readonly SecretSpan[] {
  if (text.length < TEXT_CHARS_MIN) return NONE;
  const found: SecretSpan[] = [];
  visitGrams(text, found);
  findInAddresses(text, found);
  findKeyBlocks(text, found);
  findForeignNames(text, found);
  findRandom(text, found);
  return found.length < 2 ? found : merged(found);
}

const NONE: readonly SecretSpan[] = [];
/** A name with a value beside it is no shorter. */
const TEXT_CHARS_MIN = 8;

function merged(found: readonly SecretSpan[]): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const span of found.toSorted((one, other) => one.start - other.start)) {
    const last = spans.at(-1);
    if (last === undefined || span.start >= last.end) spans.push(span);
    else if (span.end > last.end) spans[spans.length - 1] = { start: last.start, end: span.end };
  }
  return spans;
}

const USER = /([^\s/:@"'<>`\\?#]{0,128})(?::([^\s"'<>`\\]{1,256}))?@/y;

/** `scheme://user:password@host`, and a token in the place of the user. */
function findInAddresses(text: string, found: SecretSpan[]): void {
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const match = matchAt(USER, text, at + 3);
    if (match === undefined) continue;
    const [, user = "", password] = match;
    const start = at + 3 + user.length + 1;
    // A port, and an `@` further on in the path.
    if (password !== undefined && !/^\d{1,5}(?:[/?]|$)/.test(password) && !PLACEHOLDER.test(password))
      found.push({ start, end: start + password.length });
    if (user.length >= KEY_CHARS_MIN && isMixed(user)) found.push({ start: at + 3, end: at + 3 + user.length });
  }
}

const BLOCK_BEGIN = "-----BEGIN ";
const BLOCK_CHARS_MAX = 16_384;

/** From the first line behind `-----BEGIN … PRIVATE KEY-----` to the last before its end, or as far as such a block may go. */
function findKeyBlocks(text: string, found: SecretSpan[]): void {
  for (let at = text.indexOf(BLOCK_BEGIN); at >= 0; at = text.indexOf(BLOCK_BEGIN, at + BLOCK_BEGIN.length)) {
    const title = text.slice(at, at + 64);
    const head = /^-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/.exec(title);
    if (head === null) continue;
    const start = at + head[0].length;
    const end = text.slice(start, start + BLOCK_CHARS_MAX).indexOf("-----END ");
    const stop = end >= 0 ? start + end : Math.min(text.length, start + BLOCK_CHARS_MAX);
    if (!text.startsWith(MARK, start)) found.push({ start, end: stop });
    at = Math.max(at, stop - BLOCK_BEGIN.length);
  }
}
