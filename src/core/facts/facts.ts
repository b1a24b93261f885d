/**
 * The fact ledger: the exact identifiers of a conversation, ranked by how likely they are to be needed again. Shared by the
 * extractive summarizer, which lists them, and the guard, which checks that they were kept. Secrets are never among them.
 */

import type { Message } from "../message.ts";
import type { IdentifierKind } from "./identifier-runs.ts";
import { createFactLedger, type FactLedger } from "./ledger.ts";
import type { Fact, FactName } from "./mention-table.ts";

export { scanIdentifiers } from "./identifier-scan.ts";
export { createFactLedger, type FactLedger } from "./ledger.ts";

export interface RankedFact extends Pick<Fact, "kind"> {
  readonly text: string;
  /** Between 0 and 1. */
  readonly likelihood: number;
  /** The user or the assistant spoke of it. */
  readonly isTold: boolean;
}

/** More than any summary could list. */
const RANKED_MAX = 20_000;

/** Likeliest first, at most `limit`; of those as likely, what was mentioned first. */
export function rankFacts(ledger: FactLedger, limit: number = RANKED_MAX): readonly RankedFact[] {
  const { messages, size } = ledger;
  const likelihoods = new Float64Array(size);
  let at = 0;
  ledger.visit((fact) => {
    likelihoods[at++] = factLikelihood(fact, messages);
  });
  const order = descendingOrder(likelihoods);
  const ranked: RankedFact[] = [];
  const members = new Map<number, number>();
  at = 0;
  ledger.visit(
    (fact, name) => {
      const likelihood = likelihoods[order[at++] ?? 0] ?? 0;
      const text = name.text();
      if (looksSecret(name, text)) return;
      const family = familyOf(fact, name);
      const others = family === NO_FAMILY ? 0 : (members.get(family) ?? 0);
      if (family !== NO_FAMILY) members.set(family, others + 1);
      if (others < FAMILY_MAX)
        ranked.push({ text, kind: fact.kind, likelihood, isTold: fact.user + fact.assistant > 0 });
    },
    order.subarray(0, rankedEnd(likelihoods, order, limit)),
  );
  return ranked;
}

/** Where those end in the order that are as likely as the last within the limit, and likely at all. */
function rankedEnd(likelihoods: Float64Array, order: Int32Array, limit: number): number {
  const least = order.length <= limit ? 0 : (likelihoods[order[limit - 1] ?? 0] ?? 0);
  let end = order.length;
  for (; end > 0; end--) {
    const likelihood = likelihoods[order[end - 1] ?? 0] ?? 0;
    if (likelihood >= least && likelihood > 0) break;
  }
  return end;
}

/** Of numbered names that only results mention, a few stand for all. */
const FAMILY_MAX = 3;

const NO_FAMILY = -1;

/** The same for `metric_17` and `metric_4`; none for a name that is not numbered, or that anybody used. */
function familyOf({ kind, user, calls, writes, keys, assistant }: Fact, name: FactName): number {
  if ((kind !== "snake" && kind !== "camel") || user + calls + writes + keys + assistant > 0) return NO_FAMILY;
  const { units, start, end } = name;
  let high = 0x811c9dc5;
  let low = 0x9e3779b9;
  let isNumbered = false;
  let isInNumber = false;
  for (let at = start; at < end; at++) {
    const code = units[at] ?? 0;
    const isDigit = code >= 48 && code <= 57;
    // Every number counts as one sign.
    const sign = isDigit ? 35 : code;
    if (!isDigit || !isInNumber) {
      high = Math.imul(high ^ sign, 0x01000193);
      low = Math.imul(low ^ sign, 0x85ebca6b);
    }
    isInNumber = isDigit;
    isNumbered ||= isDigit;
  }
  // Of so many bits that two families hardly ever share them, and then only a name too many is left out. A string takes far longer.
  return isNumbered ? (high >>> 0) * 2 ** 21 + (low >>> 11) : NO_FAMILY;
}

export function factsOf(messages: readonly Message[]): readonly RankedFact[] {
  const ledger = createFactLedger();
  for (const message of messages) ledger.add(message);
  return rankFacts(ledger);
}

/**
 * The likelihood is a logistic model over who mentioned an identifier, how often, how lately, and what it looks like. Fitted to which
 * identifiers later calls of recorded sessions really used, then rounded; the weight of a user's mention is set by hand, since few
 * recordings speak of it. `bench/retention.ts` measures the result on the sessions of the fit.
 */
const KIND_WEIGHTS: Readonly<Record<IdentifierKind, number>> = {
  path: 0.62,
  url: -0.77,
  email: 0.05,
  file: -0.98,
  snake: 1.51,
  camel: 0.68,
  constant: 0.9,
  capitals: -0.27,
  number: -0.08,
  hex: -0.54,
  code: 1.11,
  kebab: -2.32,
  pair: 0.5,
  line: 0.48,
};

const BIAS = -1.52;
/** A call this few messages ago is part of what is being done now. */
const CURRENT_MESSAGES = 6;

/** What prose and output are full of, too: "and/or", "in-memory", "WARNING" are names only where a call uses them. */
const WORD_LIKE: ReadonlySet<IdentifierKind> = new Set(["pair", "kebab", "capitals"]);

/** What bookings, orders and commits are named by. Logs are full of the like, each newer than the one that somebody named. */
const GIVEN: ReadonlySet<IdentifierKind> = new Set(["code", "hex", "number"]);
/** Set by hand, like the weight of a user's mention: so much that an id which was named outlives those that were only printed. */
const GIVEN_BY_USER = 1.2;
const GIVEN_TO_CALL = 1.5;

/** Between 0 and 1. `messages` is how many messages the ledger has seen. */
function factLikelihood(fact: Fact, messages: number): number {
  const { kind, user, calls, writes, keys, assistant, results } = fact;
  const arguments_ = calls + writes;
  if (arguments_ === 0 && WORD_LIKE.has(kind)) return 0;
  const isName = kind === "camel" || kind === "snake";
  let sum = BIAS + KIND_WEIGHTS[kind];
  sum -= 0.5 * logOf(messages - fact.last + 1);
  if (fact.messages === 1) sum -= 0.74;
  if (fact.lastCall >= 0 && messages - fact.lastCall <= CURRENT_MESSAGES) sum += 1;
  if (user > 0) sum += 1 + (arguments_ > 0 ? 0.69 : 0) + (GIVEN.has(kind) ? GIVEN_BY_USER : 0);
  if (assistant > 0) sum += 0.62 + 0.28 * logOf(1 + assistant);
  if (results > 0) sum += -0.67 + (arguments_ > 0 ? 0.51 : 0);
  if (keys > 0) sum += -0.9 + 0.3 * logOf(1 + keys) + (results > 0 ? 2.7 : 0);
  if (calls > 0) sum += -0.4 + 0.61 * logOf(1 + calls) + (kind === "path" ? 1.08 : 0);
  if (writes > 0) sum += -0.39 + 0.11 * logOf(1 + writes);
  if (arguments_ > 0 && GIVEN.has(kind) && kind !== "number") sum += GIVEN_TO_CALL;
  if (arguments_ > 0) sum += (kind === "number" ? 0.65 : 0) + (isName ? -0.3 : 0);
  return 1 / (1 + Math.exp(-sum));
}

const LOGS = Float64Array.from({ length: 4_096 }, (_, count) => Math.log(count));

/** Of a count; nearly all are small. */
function logOf(count: number): number {
  return LOGS[count] ?? Math.log(count);
}

const KEY_PREFIX =
  /^(?:sk-|pk_|rk_|sk_|AKIA|ASIA|AIza|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abposr]-|hf_|npm_|eyJ|ya29\.|dop_v1_|SG\.|shpat_|AGE-SECRET)/;
const KEY_CHARS_MIN = 16;
/** A run this long without a separator that mixes capitals, small letters and digits is random, not named. */
const OPAQUE_CHARS_MIN = 24;

/** Whether a name looks like a credential or a blob: such a name is never listed. `text` is the name as a string. */
function looksSecret({ units, start, end }: FactName, text: string): boolean {
  if (end - start < KEY_CHARS_MIN) return false;
  if (KEY_PREFIX.test(text)) return true;
  let pieceStart = start;
  for (let at = start; at <= end; at++) {
    if (at < end && IS_SEPARATOR[units[at] ?? 0] !== 1) continue;
    if (at - pieceStart >= OPAQUE_CHARS_MIN && isOpaque(units, pieceStart, at)) return true;
    pieceStart = at + 1;
  }
  return false;
}

/** By unit, none of them beyond ASCII. */
const IS_SEPARATOR = new Uint8Array(128);
for (const separator of "/._:?&=#@-") IS_SEPARATOR[separator.charCodeAt(0)] = 1;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const OTHER = 8;

function isOpaque(units: Uint16Array, start: number, end: number): boolean {
  let changes = 0;
  let shapes = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const shape = shapeOf(units[at] ?? 0);
    shapes |= shape;
    // Digits and marks are one shape.
    const kind = Math.min(shape, DIGIT);
    if (kind !== previous) changes++;
    previous = kind;
  }
  // Words change their shape once per hump; random text about every other character.
  return changes > (end - start) / 4 && (shapes & ~OTHER) === (LOWER | UPPER | DIGIT);
}

function shapeOf(code: number): number {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : OTHER;
}

/**
 * The indexes of `keys`, largest key first, equal keys in the order given. No key is negative. Sorts by their bits in flat memory:
 * sorting as many objects costs several times as much. Linear but for numbers that are nearly equal.
 */
export function descendingOrder(keys: Float64Array): Int32Array {
  const highs = highWords(keys);
  const order = byHighWord(highs);
  const compare = (a: number, b: number): number => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b;
  for (let start = 0; start < order.length; ) {
    const key = keys[order[start] ?? 0];
    const high = highs[order[start] ?? 0];
    let end = start + 1;
    let isSettled = true;
    for (; end < order.length && highs[order[end] ?? 0] === high; end++) {
      // Equal keys stand in the order given already.
      if (keys[order[end] ?? 0] !== key) isSettled = false;
    }
    if (end - start > 1 && !isSettled) sortRange(order, start, end, compare);
    start = end;
  }
  return order;
}

/** The upper half of each number's bits, which of two numbers that are not negative is larger for the larger one. */
function highWords(keys: Float64Array): Uint32Array {
  const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const high = IS_LITTLE_ENDIAN ? 1 : 0;
  const highs = new Uint32Array(keys.length);
  for (let index = 0; index < keys.length; index++) highs[index] = words[2 * index + high] ?? 0;
  return highs;
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1;

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** Indexes by falling word, equal ones as given: one round per digit, lowest digit first. */
function byHighWord(highs: Uint32Array): Int32Array {
  const { length } = highs;
  let from = new Int32Array(length);
  for (let index = 0; index < length; index++) from[index] = index;
  let to = new Int32Array(length);
  const ends = new Int32Array(DIGITS);
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    ends.fill(0);
    for (let at = 0; at < length; at++) {
      const digit = ((highs[at] ?? 0) >>> shift) & (DIGITS - 1);
      ends[digit] = (ends[digit] ?? 0) + 1;
    }
    for (let digit = DIGITS - 2; digit >= 0; digit--) ends[digit] = (ends[digit] ?? 0) + (ends[digit + 1] ?? 0);
    for (let at = length - 1; at >= 0; at--) {
      const index = from[at] ?? 0;
      const digit = ((highs[index] ?? 0) >>> shift) & (DIGITS - 1);
      const place = (ends[digit] ?? 0) - 1;
      ends[digit] = place;
      to[place] = index;
    }
    [from, to] = [to, from];
  }
  return from;
}

/** Negative when the first index comes first. */
type Compare = (a: number, b: number) => number;

/** Up to so many are sorted faster by hand. */
const INSERTED_MAX = 12;

function sortRange(order: Int32Array, start: number, end: number, compare: Compare): void {
  if (end - start > INSERTED_MAX) {
    order.subarray(start, end).sort(compare);
    return;
  }
  for (let at = start + 1; at < end; at++) {
    const index = order[at] ?? 0;
    let place = at;
    for (; place > start && compare(order[place - 1] ?? 0, index) > 0; place--) order[place] = order[place - 1] ?? 0;
    order[place] = index;
  }
}
