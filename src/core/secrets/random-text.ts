/**
 * Tells random text from names, words and paths, by how often letters, capitals and digits take turns; and holds what all searches for
 * credentials share. Linear.
 */

export const KEY_CHARS_MIN = 16;
export const MIXED_CHARS_MIN = 12;

/** Letters and digits, or small letters and capitals, that take turns more often than in names. */
export function isMixed(value: string): boolean {
  if (value.length < MIXED_CHARS_MIN || /\s/.test(value)) return false;
  const changes = changesIn(value, 0, value.length);
  return /\d/.test(value) && /[A-Za-z]/.test(value) && changes >= Math.max(3, value.length / 8);
}

/** Letters of either case and digits, by unit; 0 for anything else. */
export function shapeOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 4 : 0;
}

/** How often the shape changes from one letter or digit to the next. */
function changesIn(text: string, start: number, end: number): number {
  let changes = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
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
/** With marks in it, a run must be longer: paths have marks too. */
const MARKED_CHARS_MIN = 32;
/** Random text changes its shape with six of ten characters, words once per hump. */
const WILD = 0.4;

/** Keys of the largest cloud have this length, most of them with marks. */
const CLOUD_KEY_CHARS = 40;
const CLOUD_KEY_WILD = 0.3;

/** By unit: 1 for letters and digits, 2 for marks that stand inside such runs. */
const RUN_UNITS = new Uint8Array(128);
for (let code = 0; code < 128; code++) RUN_UNITS[code] = shapeOf(code) === 0 ? 0 : 1;
for (const mark of "+/_-") RUN_UNITS[mark.charCodeAt(0)] = 2;

function runUnit(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (RUN_UNITS[code] ?? 0) : 0;
}

export function findRandom(text: string, found: SecretSpan[]): void {
  const { length } = text;
  let done = 0;
  // A run of the least length covers one of these places.
  for (let probe = RANDOM_CHARS_MIN - 1; probe < length; probe += RANDOM_CHARS_MIN) {
    if (probe < done || runUnit(text, probe) === 0) continue;
    let start = probe;
    while (start > done && runUnit(text, start - 1) !== 0) start--;
    let end = probe + 1;
    while (end < length && runUnit(text, end) !== 0) end++;
    done = end;
    if (end - start >= RANDOM_CHARS_MIN && end - start <= RANDOM_CHARS_MAX) addRandom(text, { start, end }, found);
  }
}

function addRandom(text: string, { start, end }: SecretSpan, found: SecretSpan[]): void {
  const isCloudKey = end - start === CLOUD_KEY_CHARS && /[+/]/.test(text.slice(start, end));
  const isWhole = end - start >= MARKED_CHARS_MIN && isWild(text, start, end, isCloudKey ? CLOUD_KEY_WILD : WILD);
  const pieces = isWhole ? [{ start, end }] : wildPieces(text, start, end);
  if (pieces.length > 0 && !IS_KNOWN.test(text.slice(start, end)) && !isInAddress(text, start)) found.push(...pieces);
}

/** Those between two marks. */
function wildPieces(text: string, start: number, end: number): readonly SecretSpan[] {
  const pieces: SecretSpan[] = [];
  let from = start;
  for (let at = start; at <= end; at++) {
    if (at < end && runUnit(text, at) === 1) continue;
    if (at - from >= RANDOM_CHARS_MIN && isWild(text, from, at)) pieces.push({ start: from, end: at });
    from = at + 1;
  }
  return pieces;
}

/** Capitals, small letters and digits that take turns as only chance has them. */
function isWild(text: string, start: number, end: number, share: number = WILD): boolean {
  return changesIn(text, start, end) > (end - start) * share && hasAllShapes(text.slice(start, end));
}

export function hasAllShapes(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
}

/** Checksums, public keys, and ids of messages, calls and the like. */
const IS_KNOWN =
  /^(?:sha\d{1,3}-|AAAA[A-Z]|(?:toolu|srvtoolu|msg|call|req|resp|fc|rs|ws|chatcmpl|run|step|thread|asst|file|batch|evt|pi|cus|sub|in|price|prod|msgbatch|cmpl|gen)[_-])/;
const ADDRESS_BACK_MAX = 300;

/** In the path of an address, where ids stand; what stands in its query has a name. */
function isInAddress(text: string, start: number): boolean {
  for (let at = start; at > Math.max(0, start - ADDRESS_BACK_MAX); at--) {
    const code = text.charCodeAt(at);
    if (code <= 32 || text[at] === "?" || text[at] === "#") return false;
    if (text.startsWith("://", at - 1)) return true;
  }
  return false;
}

/** Where a credential begins and ends. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
}

/** One look at a place of a text that may be a credential. */
export type Look = (text: string, at: number) => LookResult | undefined;

export interface LookResult {
  /** Nothing when only a name was read. */
  readonly span?: SecretSpan;
  /** Where to go on. */
  readonly next: number;
}

/** What stands in the place of a credential begins so. */
export const MARK = "[secret";

/** What is no credential but stands for one: variables, stars, our own mark. */
export const PLACEHOLDER = /^(?:\[secret|\$[\w{(]|%\w+%|\{\{|<|[*x•.#-]+$)/i;

export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

export function spanned(start: number, end: number): LookResult {
  return { span: { start, end }, next: end };
}
