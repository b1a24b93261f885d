/**
 * Tells lines that say something from what is left of data, tables, listings and logs when one line is taken out of them, and frees a
 * message from the value that it stood in. Looks at one line. Never rewords.
 */

import { quick } from "./quick-expressions.ts";

/** Whether a line says nothing where it stands alone. */
export function isScrap(line: string): boolean {
  return [LISTED, LOGGED, EMPTY, QUOTE_LEFT, CONTINUED].some((kind) => kind.test(line)) || !isBalanced(line);
}

/** Of a file with its line numbers, or of a search; a row of a table. */
const LISTED = /^\d+\s?[:|→]|^\S+:\d+[:-]|^(?!.*\d (?:passed|failed)).*\|.*\|.*\|/;
/** What a program says about itself on its way. */
const LOGGED =
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:|^\[?\d\d:\d\d:\d\d|^\[?(?:info|debug|trace|notice)\b[\]:]|^\[[\w@/.-]+\] (?:info|debug|warn\w*)\b/i;
/** A heading of nothing. */
const EMPTY = /^\W*(?:null|undefined|none|nan|true|false)?\W*$/i;
/** Where a string ended. */
const QUOTE_LEFT = /''|""|^[^"']*[.!?]['"]$/;

/** The rest of a sentence that began on another line. */
const CONTINUED = quick(String.raw`^\p{Ll}.{40,}[.!?]$`, "");

/** Whether every bracket has its other half; of a line that was cut or taken out of data, one is missing. */
function isBalanced(line: string): boolean {
  let open = "";
  for (const character of line) {
    const at = OPENING.indexOf(character);
    if (at >= 0) open += CLOSING.charAt(at);
    else if (CLOSING.includes(character)) {
      if (!open.endsWith(character)) return false;
      open = open.slice(0, -1);
    }
  }
  return open === "";
}

const OPENING = "([{";
const CLOSING = ")]}";

/** Without the key before it, and without marks that close the value. Empty where nothing is left but a mark or a plain value. */
export function unwrapped(line: string): string {
  const said = line.replace(CLIENT_END, "").replace(PLAIN_FIELD, "");
  const value = said.replace(KEY, "");
  const words = (value === said ? said : value.replace(STRING_END, ""))
    .replace(/\\+(["'])/g, "$1")
    .replace(LEFT_OPEN, "");
  return EMPTY.test(words) ? "" : words.trim();
}

/** How a client for tools prints what stands behind the text. */
const CLIENT_END = /\]?\\*['"]?,? annotations=.*$|\]?\s*isError=\w+$/;
const PLAIN_FIELD = /^[\s{[(,]*\\*["'][\w $.@/-]{1,60}\\*["']\s*:\s*(?:(?:true|false|null|-?\d+)[\s,}\]]*|[[{(]*)$/;
const KEY = /^[\s{[(,]*\\*["'][\w $.@/-]{1,60}\\*["']\s*:\s*\\*["'](?=\S)/;
const STRING_END = /\\*["'][\s,}\]]*$/;
/** A line break that was written as in a string, and a bracket behind which something else begins. */
const LEFT_OPEN = /\\+n?$|\s+[[{(]$/;
