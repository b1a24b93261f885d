/**
 * Finds what looks like a credential in a text and writes a mark in its place: passwords and keys beside their name, in addresses,
 * headers and commands, keys with a known beginning, private keys, and random text. Linear: it looks at every third character, and
 * takes a bounded look at each place that may be a credential. Changes nothing else; redacting twice changes nothing. Never throws.
 */

import { findForeignNames, lookAtName } from "./named-values.ts";
import {
  findRandom,
  isMixed,
  KEY_CHARS_MIN,
  type Look,
  type LookResult,
  MARK,
  matchAt,
  PLACEHOLDER,
  type SecretSpan,
  shapeOf,
  spanned,
} from "./random-text.ts";

export { isNamedSecret } from "./named-values.ts";

/** The mark for a credential; it says where the credential was found, if that is known. */
export function secretMark(where?: string): string {
  return where === undefined ? `${MARK}]` : `${MARK}, in ${where}]`;
}

export interface Redaction {
  /** The mark to write; called only when something was found. */
  mark?(): string;
  found?(value: string): void;
  /** The text is an id, which may look like random text. */
  readonly isId?: boolean;
}

/** The same text where there is nothing to hide. */
export function redactSecrets(text: string, redaction: Redaction = {}): string {
  const spans = findSecrets(text, redaction.isId);
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

/** In order, without overlap. */
export function findSecrets(text: string, isId = false): readonly SecretSpan[] {
  if (text.length < TEXT_CHARS_MIN) return [];
  const found: SecretSpan[] = [];
  visitGrams(text, found);
  findInAddresses(text, found);
  findKeyBlocks(text, found);
  findInManifests(text, found);
  findForeignNames(text, found);
  if (!isId) findRandom(text, found);
  return found.length < 2 ? found : merged(found);
}

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
    // The digits may be a port, with an `@` further on in the path.
    if (password !== undefined && !/^\d{1,5}[/?]/.test(password) && !PLACEHOLDER.test(password))
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

const MANIFEST_CHARS_MAX = 8_192;
const MANIFEST_KIND = /kind[\\"]{0,16}[ \t]*:[ \t]*[\\"']{0,16}$/;
/** The fields under `data`, by their indentation or between braces. */
const MANIFEST_DATA =
  /(?:^|\n|\\n)([ \t]*)(?:stringData|data):[ \t]*((?:(?:\n|\\{1,15}n)\1[ \t]+[^\s\\][^\n\\]*)+)|\b(?:stringData|data)[\\"]{1,16}[ \t]*:[ \t]*\{([^{}]*)\}/g;
const MANIFEST_VALUE = /:[ \t]*[\\"']{0,16}([^\s\\"'{}|>:][^\\"'\n{}]*)/g;

/** The values of a Kubernetes `Secret`, whatever their names. */
function findInManifests(text: string, found: SecretSpan[]): void {
  for (let at = text.indexOf("Secret"); at >= 0; at = text.indexOf("Secret", at + 6)) {
    if (!MANIFEST_KIND.test(text.slice(Math.max(0, at - 48), at)) || /\w/.test(text[at + 6] ?? "")) continue;
    const start = Math.max(0, at - MANIFEST_CHARS_MAX / 2);
    const near = text.slice(start, start + MANIFEST_CHARS_MAX);
    for (const { 0: whole, 2: lines, 3: fields, index } of near.matchAll(MANIFEST_DATA)) {
      const inner = lines ?? fields ?? "";
      const from = start + index + whole.lastIndexOf(inner);
      for (const { 0: field, 1: value = "", index: place } of inner.matchAll(MANIFEST_VALUE)) {
        if (PLACEHOLDER.test(value)) continue;
        const end = from + place + field.length;
        found.push({ start: end - value.length, end });
      }
    }
    at = start + MANIFEST_CHARS_MAX;
  }
}

/** How keys begin, and what follows. Where ordinary names begin in the same way, the rest is checked more strictly. */
const KEY_BEGINNINGS: readonly (readonly [beginnings: string, rest: RegExp])[] = [
  [
    "sk-ant- sk-proj- sk-or- sk-svcacct- sk-admin- sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_ GOCSPX- ya29. ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- glcbt- glsoat- glrt- gldt- glptt- xoxb- xoxc- xoxd- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. xapp- dckr_pat_ dckr_oat_ lin_api_ lin_oauth_ figd_ ATATT3 ATCTT3 hvs. hvb. hvr. dop_v1_ doo_v1_ dor_v1_ shpat_ shpca_ shppa_ shpss_ AGE-SECRET-KEY- pypi- gsk_ nvapi- tvly- sntrys_ sntryu_ PMAK- NRAK- glsa_ sbp_ sb_secret_ lsv2_ pcsk_ pscale_tkn_ pscale_pw_ tskey- CFPAT- rubygems_ sq0csp- sq0atp-",
    /(?=[A-Za-z_.=+/-]{0,200}?(?:\d|[a-z][A-Z]))[A-Za-z0-9_.=+-][A-Za-z0-9_.=+/-]{11,1000}/y,
  ],
  ["AKIA ASIA ABIA ACCA", /[A-Z0-9]{12,60}(?![a-z])/y],
  ["AIza", /[A-Za-z0-9_-]{24,100}/y],
  ["hf_ npm_ ntn_ secret_ r8_", /[A-Za-z0-9]{24,200}/y],
  ["sk- xai- pplx-", /(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20,200}/y],
  ["dapi key-", /[0-9a-f]{32}(?:-\d)?/y],
  ["SG.", /[\w-]{10,100}\.[\w-]{10,200}/y],
  ["eyJ", /[\w-]{8,200}\.[\w-]{8,4000}(?:\.[\w-]{0,2000})?/y],
  ["$2a$ $2b$ $2y$ $apr1$ $argon2i$ $argon2id$ $argon2d$ $6$ $5$ $y$", /[^\s:"'`]{12,200}/y],
];

function lookAtKey(beginning: string, rest: RegExp): Look {
  return (text, at) => {
    if (!text.startsWith(beginning, at) || isWordBefore(text, at)) return undefined;
    const key = matchAt(rest, text, at + beginning.length);
    if (key === undefined || PLACEHOLDER.test(key[0])) return undefined;
    return spanned(at, trimmedEnd(text, at, rest.lastIndex));
  };
}

function isWordBefore(text: string, at: number): boolean {
  return at > 0 && shapeOf(text.charCodeAt(at - 1)) !== 0 && text[at - 2] !== "\\";
}

function trimmedEnd(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && /[.,;:/-]/.test(text[at - 1] ?? "")) at--;
  return at;
}

/** Commands in small letters, and what stands before a password in their line. */
const COMMANDS: readonly (readonly [name: string, argument: RegExp])[] = [
  ["curl", /\s(?:-[a-zA-Z]{0,8}[uU]|--user|--proxy-user)[ =]?["']?[^\s:"']{0,128}:(?=[^\s"'/])/g],
  ["mysql", /\s-p["']?(?=[^\s"'}-])/g],
  ["mariadb", /\s-p["']?(?=[^\s"'}-])/g],
  ["mongo", /\s-p[ =]?["']?(?=[^\s"'-])/g],
  ["sshpass", /\s-p ?["']?(?=[^\s"'])/g],
  ["docker login", /\s-p ?["']?(?=[^\s"'])/g],
  ["redis-cli", /\s-a ?["']?(?=[^\s"'])/g],
  ["ldapsearch", /\s-w ?["']?(?=[^\s"'])/g],
  ["openssl", /\s-(?:pass(?:in|out)?\s+pass:|k\s+["']?)(?=[^\s"'-])/g],
  ["ssh-keygen", /\s-N ?["']?(?=[^\s"'])/g],
  ["unzip", /\s-P ?["']?(?=[^\s"'])/g],
  ["htpasswd", /\s-[a-zA-Z]{0,8}b[a-zA-Z]{0,8}\s+\S+\s+\S+\s+["']?(?=[^\s"'])/g],
  [
    "echo",
    /^echo\s+(?:-n\s+)?["']?(?:[\w.-]{1,64}:)?(?=[^\s"'$|-][^|]*\|[^|]*(?:chpasswd|--password-stdin|sudo\s+-S))/gi,
  ],
  ["identified by", /^identified by\s+["'](?=[^"'])/gi],
];
const WORD = /[^\s"'`<>\\]{1,1024}/y;
const QUOTED_WORDS = /[^"'`\n\\]{1,1024}/y;
const COMMAND_CHARS_MAX = 600;
/** A line goes on behind a backslash. */
const COMMAND_END = /(?<!\\)\n/;

function lookAtCommand(name: string, argument: RegExp): Look {
  return (text, at) => {
    if (text.slice(at, at + name.length).toLowerCase() !== name) return undefined;
    const line = text.slice(at, at + COMMAND_CHARS_MAX).split(COMMAND_END, 1)[0] ?? "";
    argument.lastIndex = 0;
    if (!argument.test(line)) return undefined;
    const start = at + argument.lastIndex;
    const word = /["']/.test(text[start - 1] ?? "") ? QUOTED_WORDS : WORD;
    const value = matchAt(word, text, start);
    if (value === undefined || PLACEHOLDER.test(value[0])) return undefined;
    return spanned(start, word.lastIndex);
  };
}

/** Addresses that are credentials as a whole. */
const HOOK =
  /hooks?\.[\w.-]{3,80}\/(?:[a-z]{2,12}\d?\/){0,2}(?=[\w/@-]{0,40}\d)([\w/@-]{12,300})|hooks\/(\d{6,24}\/[\w-]{12,300})/y;

function lookAtHook(text: string, at: number): LookResult | undefined {
  const match = matchAt(HOOK, text, at);
  const value = match?.[1] ?? match?.[2];
  return value === undefined ? undefined : spanned(HOOK.lastIndex - value.length, HOOK.lastIndex);
}

/** The token of a chat bot: its number, a colon, 35 characters that begin with two capitals. */
const BOT = /:AA[\w-]{28,60}/y;

function lookAtBot(text: string, at: number): LookResult | undefined {
  if (matchAt(BOT, text, at) === undefined || !/\d{6,14}$/.test(text.slice(Math.max(0, at - 14), at))) return undefined;
  return spanned(at + 1, BOT.lastIndex);
}

/** `host:5432:database:user:password`. */
const PASSWORD_LINE = /:\d{4}:[^\s:]{1,64}:[^\s:]{1,64}:(\S{1,128})/y;

function lookAtPasswordLine(text: string, at: number): LookResult | undefined {
  const match = matchAt(PASSWORD_LINE, text, at);
  const value = match?.[1];
  if (value === undefined || PLACEHOLDER.test(value)) return undefined;
  return spanned(PASSWORD_LINE.lastIndex - value.length, PASSWORD_LINE.lastIndex);
}

/** `user:password@tcp(host)`, an address without a scheme. */
const DRIVER_ADDRESS = /@(?:tcp|unix)\(/y;
const DRIVER_PASSWORD = /[\w.-]{1,64}:([^\s:"'`]{3,128})$/;

function lookAtDriverAddress(text: string, at: number): LookResult | undefined {
  if (matchAt(DRIVER_ADDRESS, text, at) === undefined) return undefined;
  const value = DRIVER_PASSWORD.exec(text.slice(Math.max(0, at - 200), at))?.[1];
  if (value === undefined || PLACEHOLDER.test(value)) return undefined;
  return { span: { start: at - value.length, end: at }, next: at + 1 };
}

const GRAM_CHARS = 4;
const NAME_GRAMS = "pass secr toke auth bear cook sign cred sess senh kenn rase pgpa _otp _pw= pat= psk= mnem";
/** Names too short for a gram; each is searched with every sign that may follow a name. */
const SHORT_NAMES = "key pwd sig jwt otp sid";
const NAME_ENDS = "=:\"'` ]>\\_-*";

/** What to look for where four characters (a gram) open a name, a key or a command. All grams are searched at once. */
const LOOKS: ReadonlyMap<string, readonly Look[]> = makeLooks();

function makeLooks(): ReadonlyMap<string, readonly Look[]> {
  const looks = new Map<string, Look[]>();
  const add = (gram: string, look: Look): void => {
    const known = looks.get(gram) ?? [];
    if (!known.includes(look)) looks.set(gram, [...known, look]);
  };
  for (const gram of NAME_GRAMS.split(" ")) add(gram, lookAtName);
  for (const name of SHORT_NAMES.split(" ")) for (const end of NAME_ENDS) add(name + end, lookAtName);
  for (const [beginnings, rest] of KEY_BEGINNINGS) {
    for (const beginning of beginnings.split(" ")) {
      const look = lookAtKey(beginning, rest);
      const open = beginning.toLowerCase().slice(0, GRAM_CHARS);
      if (open.length === GRAM_CHARS) add(open, look);
      else for (const next of "abcdefghijklmnopqrstuvwxyz0123456789_-./") add(open + next, look);
    }
  }
  for (const [name, argument] of COMMANDS) add(name.slice(0, GRAM_CHARS), lookAtCommand(name, argument));
  add("hook", lookAtHook);
  for (const next of "abcdefghijklmnopqrstuvwxyz0123456789_-") add(`:aa${next}`, lookAtBot);
  add(":543", lookAtPasswordLine);
  for (const gram of ["@tcp", "@uni"]) add(gram, lookAtDriverAddress);
  return looks;
}

const HASHES = 1 << 14;
const GRAMS = new Uint8Array(HASHES);
for (const gram of LOOKS.keys()) {
  const [first = 0, second = 0, third = 0, fourth = 0] = Array.from(gram, (character) => character.charCodeAt(0));
  GRAMS[hashOf(first, second, third, fourth)] = 1;
}

/** By two neighbours, how far the end of the next gram is at least; and whether a gram begins with them. */
const [STEPS, OPENS] = makeSteps();

function makeSteps(): readonly [Uint8Array, Uint8Array] {
  const steps = new Uint8Array(128 * 128).fill(GRAM_CHARS - 1);
  const opens = new Uint8Array(128 * 128);
  for (const gram of LOOKS.keys()) {
    for (let at = 0; at < GRAM_CHARS - 1; at++) {
      for (const one of casesOf(gram[at] ?? "")) {
        for (const other of casesOf(gram[at + 1] ?? "")) {
          const pair = one * 128 + other;
          steps[pair] = Math.min(steps[pair] ?? 0, GRAM_CHARS - 2 - at);
          if (at === 0) opens[pair] = 1;
        }
      }
    }
  }
  return [steps, opens];
}

function casesOf(character: string): readonly number[] {
  return [...new Set([character.charCodeAt(0), character.toUpperCase().charCodeAt(0)])];
}

/** Adds the credentials at all such places. */
function visitGrams(text: string, found: SecretSpan[]): void {
  for (let at = GRAM_CHARS - 1; at < text.length; ) {
    const before = text.charCodeAt(at - 1);
    const last = text.charCodeAt(at);
    // No gram has a unit beyond ASCII in it.
    const beyond = last < 128 ? GRAM_CHARS - 1 : GRAM_CHARS;
    const step = (before | last) < 128 ? (STEPS[before * 128 + last] as number) : beyond; // inside the table
    at = step > 0 ? at + step : Math.max(at + 1, lookAt(text, at - GRAM_CHARS + 1, found) + GRAM_CHARS - 1);
  }
}

/** Looks only where the four characters may be a gram: at most places to which their last two lead they are none. */
function lookAt(text: string, start: number, found: SecretSpan[]): number {
  const first = text.charCodeAt(start);
  const second = text.charCodeAt(start + 1);
  if ((first | second) >= 128 || OPENS[first * 128 + second] === 0) return 0;
  if (GRAMS[hashOf(first, second, text.charCodeAt(start + 2), text.charCodeAt(start + 3))] === 0) return 0;
  let next = 0;
  for (const look of LOOKS.get(text.slice(start, start + GRAM_CHARS).toLowerCase()) ?? []) {
    const looked = look(text, start);
    if (looked === undefined) continue;
    next = Math.max(next, looked.next);
    if (looked.span === undefined) continue;
    found.push(looked.span);
    return looked.next;
  }
  return next;
}

/** Capitals and small letters have the same hash. */
function hashOf(first: number, second: number, third: number, fourth: number): number {
  const one = Math.imul((first | 32) * 31 + (second | 32), 0x9e37_79b1);
  return ((one + Math.imul((third | 32) * 31 + (fourth | 32), 0x85eb_ca6b)) >>> 8) & (HASHES - 1);
}
