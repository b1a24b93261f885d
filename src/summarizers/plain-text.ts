/** Text that every provider accepts: well-formed, line feeds only, no control characters but tabs. Never changes a visible character. */

const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const CONTROLS = /[\p{Cc}--[\n\t]]/gv;

export function plainText(text: string): string {
  return text.toWellFormed().replace(LINE_ENDS, "\n").replace(CONTROLS, "");
}

/** Shorter runs may be names. */
const RUN_CHARS_MIN = 400;
const DATA_URL = /data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/_=-]*/gi;
const RUN_CHARACTER = /[A-Za-z0-9+/_=-]/;

export function withoutBinaryRuns(text: string): string {
  const short = text.includes(";base64,") ? text.replace(DATA_URL, (data) => sizeOf(data.length)) : text;
  const isRunAt = (at: number): boolean => RUN_CHARACTER.test(short[at] ?? "");
  const pieces: string[] = [];
  let done = 0;
  let walked = 0;
  // A run of the minimum length covers at least one of these places, so every run is found.
  for (let probe = RUN_CHARS_MIN - 1; probe < short.length; probe += RUN_CHARS_MIN) {
    if (probe < walked || !isRunAt(probe)) continue;
    let start = probe;
    let end = probe + 1;
    while (start > walked && isRunAt(start - 1)) start--;
    while (end < short.length && isRunAt(end)) end++;
    walked = end;
    if (end - start < RUN_CHARS_MIN || !isBinary(short.slice(start, end))) continue;
    pieces.push(short.slice(done, start), sizeOf(end - start));
    done = end;
  }
  return pieces.length === 0 ? short : pieces.join("") + short.slice(done);
}

/** Encoded data mixes capitals, small letters and digits; a ruler or a long word does not. */
function isBinary(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
}

function sizeOf(chars: number): string {
  return `[binary data, ${chars} characters]`;
}
