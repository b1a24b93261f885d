/** Text that any provider takes: whole characters, line feeds only, no control characters but tabs. Never changes a visible one. */

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const CONTROLS = /[\p{Cc}--[\n\t]]/gv;

export function plainText(text: string): string {
  return text.toWellFormed().replace(LINE_ENDS, "\n").replace(CONTROLS, "");
}
