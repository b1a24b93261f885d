/** Tells random text from words and paths by how often letters, capitals and digits alternate; and what all searches for credentials share. */

export const KEY_CHARS_MIN = 16;
export const MIXED_CHARS_MIN = 12;

/** Whether letters and digits, or small letters and capitals, alternate more often than in names. */
export function isMixed(value: string): boolean {
  if (value.length < MIXED_CHARS_MIN || /\s/.test(value)) return false;
  const changes = changesIn(value);
  return /\d/.test(value) && /[A-Za-z]/.test(value) && changes >= Math.max(3, value.length / 8);
}

/** A name in a program: words with capitals, and hardly anything else. */
export function isName(value: string): boolean {
  const humps = value.match(/(?:^|_)[a-z]{3,}|[A-Z][a-z]{2,}/g) ?? [];
  return humps.length > 1 && /[a-z][A-Z\d]/.test(value) && humps.join("").length >= value.length * NAME_WORDS;
}

const NAME_WORDS = 0.7;

/** Letters of either case and digits, by unit; 0 for anything else. */
export function shapeOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 4 : 0;
}

/** How often the shape changes from one letter or digit to the next. */
function changesIn(text: string): number {
  let changes = 0;
  let previous = 0;
  for (let at = 0; at < text.length; at++) {
    const shape = shapeOf(text.charCodeAt(at));
    if (shape === 0) continue;
    if (previous !== 0 && shape !== previous) changes++;
    previous = shape;
  }
  return changes;
}

/** Shorter runs may be names, longer ones are files. */
const RANDOM_CHARS_MIN = 24;
const RANDOM_CHARS_MAX = 512;
/** A run with marks must be longer, since paths have marks too. */
const MARKED_CHARS_MIN = 32;
/** Random text changes its shape with six of ten characters, words once per hump. */
const WILD = 0.4;

/** Keys of the largest cloud have this length, most of them with marks. */
const CLOUD_KEY_CHARS = 40;
const CLOUD_KEY_WILD = 0.3;

/** By unit: 1 for letters, digits and the marks that stand inside random text. */
const RUN_UNITS = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+/-]/.test(String.fromCharCode(code)) ? 1 : 0));

function isRunUnit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code < 128 && RUN_UNITS[code] === 1;
}

export function findRandom(text: string, found: SecretSpan[]): void {
  const { length } = text;
  let done = 0;
  // A run of the least length covers one of these places.
  for (let probe = RANDOM_CHARS_MIN - 1; probe < length; probe += RANDOM_CHARS_MIN) {
    if (probe < done || !isRunUnit(text, probe)) continue;
    let start = probe;
    while (start > done && isRunUnit(text, start - 1)) start--;
    let end = probe + 1;
    while (end < length && isRunUnit(text, end)) end++;
    done = end;
    if (end - start >= RANDOM_CHARS_MIN && end - start <= RANDOM_CHARS_MAX) addRandom(text, { start, end }, found);
  }
}

function addRandom(text: string, { start, end }: SecretSpan, found: SecretSpan[]): void {
  const run = text.slice(start, end);
  const isCloudKey = run.length === CLOUD_KEY_CHARS && /[+/]/.test(run);
  const isWhole = run.length >= MARKED_CHARS_MIN && isWild(run, isCloudKey ? CLOUD_KEY_WILD : WILD);
  const pieces = [...run.matchAll(isWhole ? WHOLE : UNMARKED)].filter(([piece]) => isWhole || isWild(piece, WILD));
  if (pieces.length === 0 || isInAddress(text, start)) return;
  if (IS_TOLD_ID.test(text.slice(Math.max(0, start - TOLD_BACK_MAX), start))) return;
  for (const { 0: piece, index } of pieces) {
    const named = run.slice(run.lastIndexOf("/", index) + 1, index + piece.length);
    if (!isName(piece) && !isKnownId(named)) found.push({ start: start + index, end: start + index + piece.length });
  }
}

export function isKnownId(value: string): boolean {
  return IS_KNOWN.test(value);
}

const WHOLE = /^.+/g;
const UNMARKED = /[A-Za-z0-9]{24,}/g;

/** Whether capitals, small letters and digits alternate as often as in random text. */
function isWild(piece: string, share: number): boolean {
  return changesIn(piece) > piece.length * share && hasAllShapes(piece);
}

export function hasAllShapes(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
}

/** Checksums, public keys, ids of messages and calls, and other ids with a word for their type: `sesn_01…`. Keys have no such short rest. */
const IS_KNOWN =
  /^(?:sha\d{1,3}-|AAAA[A-Z]|(?:srvtoolu|toolu|msg|call|resp|chatcmpl)[_-]|(?:[a-z]{2,12}[_-]){1,2}[A-Za-z0-9]{16,30}$)/;
/** What says that an id or a checksum follows: `"fileId": "`, `id `, `SHA256:`. */
const IS_TOLD_ID =
  /(?:(?:^|[^A-Za-z])(?:id|Id|ID)|[a-z]I[dD])[\\"'`]{0,6}[ \t]?[:=]?[ \t]?[\\"'`]{0,6}$|\b(?:(?:sha|SHA)\d{1,3}|h1)[\\"'`]{0,6}[:=][ \t]?[\\"'`]{0,6}$/;
const TOLD_BACK_MAX = 60;
const ADDRESS_BACK_MAX = 300;

/** Whether the place is in the path of an address, where ids stand; values in its query have a name. */
function isInAddress(text: string, start: number): boolean {
  for (let at = start; at > Math.max(0, start - ADDRESS_BACK_MAX); at--) {
    const code = text.charCodeAt(at);
    if (code <= 32 || text[at] === "?" || text[at] === "#") return false;
    if (text.startsWith("://", at - 1) || text.startsWith(";base64,", at - 8)) return true;
  }
  return false;
}

export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** Checks one place of a text for a credential. */
export type Look = (text: string, at: number) => LookResult | undefined;

export interface LookResult {
  /** Undefined when only a name was read. */
  readonly span?: SecretSpan;
  /** Where the search goes on. */
  readonly next: number;
}

/** How every mark in the place of a credential begins. */
export const MARK = "[secret";

/** Stands for a credential without being one: variables, stars, what is left out, words that say what to write, our own mark. */
export const PLACEHOLDER =
  /^(?:\[secret|\$[\w{(]|%\w+%|\{|\(|<|[~^]?\d+(?:\.\d+){1,3}$|[\w-]{0,12}(?:\.{3}|…)|(?:your|replace|insert|enter)[-_ ]|(?:password|passwd|secret|token|api[-_]?key)$|[*x•.#-]+$)/i;

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

export function spanned(start: number, end: number): LookResult {
  return { span: { start, end }, next: end };
}
