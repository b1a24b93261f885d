/** Texts that a regular expression or a loop in a loop would stumble over: one short piece repeated for a long time, in each of several forms. */

/** Runs of one class of characters, and the marks that structure begins or ends with. */
const MARKS: readonly string[] = [..." \n\t\r`()[]{}<>\"'/_-@:,;!?.=\\|#*&%$~^+…。中яا😀éaAz7\0"];

/** Halves of pairs, openings without an end, separators of names and paths. */
const PAIRS: readonly string[] = [
  "```\n",
  "](",
  "[a](",
  "<a>",
  "</",
  "<!--",
  "<summary>",
  "a/",
  "../",
  "a.b",
  "a_",
  "a-",
  "a@b.",
  "https://a/",
  "://",
  "::",
  "...",
  "0x",
  "\\n",
  "\\u00",
  '\\"',
  "| a |\n",
  "\u001b[31m",
  "/*",
  "//",
  "${",
  "{{",
];

const LISTS: readonly string[] = [
  "- ",
  "1. ",
  "# ",
  "## Goal\n",
  "## a\n",
  "- [ ] a\n",
  "- [x] ",
  "Option 1: ",
  "1) a\n",
  '"text": "',
  '{"error":"',
  '{"a":',
  "[1,",
  "$ ",
  "\r\n",
  "> ",
  "a\u0301",
  "\n\n",
  "\n a",
];

/** Data: what counts as base64, as hex, as an id. */
const DATA: readonly string[] = [
  "deadbeef0123456789abcdef",
  "ABCDEF0123456789",
  "0123456789",
  "aGVsbG8gd29ybGQ",
  "QUJD+/=",
  "data:image/png;base64,",
  ";base64,",
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301 ",
  "sk-a",
  "AKIA",
  "eyJhbGciOi.",
  "-----BEGIN ",
];

const WORDS: readonly string[] =
  "a |I'll |we need to |so we should |let me |instead of |because |not |please |thanks |Error: |FAILED |1 failed |Traceback |exit code |git commit -m |done |option 2 is |yes, |now |the fix is to |cannot be |change of plan |should be |User: |null |3 bolts, not 5 |not 3 but |I will take |this option |... no, |now send() |if so, |tokens 1 > 2 |maximum context length is |prompt is too long: ".split(
    "|",
  );

export const HOSTILE_PIECES: readonly string[] = [...MARKS, ...PAIRS, ...LISTS, ...DATA, ...WORDS];

/** The piece alone, with an end that it does not fit; and with a letter between two of them. */
export const HOSTILE_FORMS: Readonly<Record<string, (piece: string, chars: number) => string>> = {
  run: (piece, chars) => `${repeated(piece, chars)}!x`,
  broken: (piece, chars) => repeated(`${piece}x`, chars),
};

function repeated(piece: string, chars: number): string {
  return piece.repeat(Math.ceil(chars / piece.length));
}
