/**
 * By which mark a text ends, told by its last characters: an expression with `$` would go through all of it first, and some of these are
 * asked of every sentence. Never changes a text.
 */

/** A question, by its mark. */
export function endsAsking(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last === QUESTION || last === WIDE_QUESTION || last === ARABIC_QUESTION;
}

/** What it announces follows. */
export function endsWithColon(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last === COLON || last === WIDE_COLON;
}

/** A whole sentence, by its mark; quotes and brackets may close behind it. */
export function isClosed(text: string): boolean {
  return closes(lastMark(text));
}

/** Whether it closes by a mark, so that another sentence may follow it on the same line. */
export function endsWithMark(text: string): boolean {
  const mark = lastMark(text);
  return closes(mark) || mark === COLON || mark === SEMICOLON || mark === ELLIPSIS;
}

const FULL_STOP = 46;
const EXCLAMATION = 33;
const QUESTION = 63;
const COLON = 58;
const SEMICOLON = 59;
const ELLIPSIS = 0x2026;
const WIDE_STOP = 0x3002;
const WIDE_EXCLAMATION = 0xff01;
const WIDE_QUESTION = 0xff1f;
const WIDE_COLON = 0xff1a;
const ARABIC_QUESTION = 0x061f;

function closes(mark: number): boolean {
  if (mark === FULL_STOP || mark === EXCLAMATION || mark === QUESTION) return true;
  return mark === WIDE_STOP || mark === WIDE_EXCLAMATION || mark === WIDE_QUESTION || mark === ARABIC_QUESTION;
}

/** The last character that closes no quote or bracket; NaN where there is none. */
function lastMark(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && isCloser(text.charCodeAt(at))) at--;
  return text.charCodeAt(at);
}

/** Quotes and brackets that close what a mark ended. */
export function isCloser(code: number): boolean {
  return (
    code === 34 ||
    code === 39 ||
    code === 41 ||
    code === 93 ||
    code === 0x201d ||
    code === 0x2019 ||
    code === 0x300d ||
    code === 0x300f ||
    code === 0xff09 ||
    code === 42 ||
    code === 96
  );
}
