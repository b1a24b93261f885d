/**
 * The fact ledger: counts who mentioned which exact identifier, how often and when, as messages go by, and ranks the identifiers by how
 * likely they are to be needed again. The extractive summarizer lists them; the guard checks that they were kept. Linear in the text,
 * bounded in memory. Never keeps a message, never lists a secret.
 */

import { isArray, isObject, type JsonValue } from "../json.ts";
import type { Message, Part, ToolCallPart } from "../message.ts";
import { type IdentifierKind, RUN_CHARS_MIN } from "./identifier-runs.ts";
import { type Stretch, scanLineStarts, scanUnits, visitStretches } from "./identifier-scan.ts";
import {
  addMention,
  createMentionTable,
  enterStretch,
  enterText,
  type Fact,
  type FactSource,
  factAt,
  keepEntries,
  type MentionTable,
  textAt,
} from "./mention-table.ts";

export { scanIdentifiers } from "./identifier-scan.ts";

export interface FactLedger {
  /** Messages seen so far. */
  readonly messages: number;
  /** Facts, numbered in the order of their first mention. */
  readonly size: number;
  add(message: Message): void;
  fact(entry: number): Fact;
  text(entry: number): string;
}

export interface FactLedgerOptions {
  /** Past this many facts the ledger forgets the weaker half. */
  readonly factsMax?: number;
}

const FACTS_MAX = 60_000;
/** Templates show their demonstrations at the beginning. */
const OPENING_MESSAGES = 4;

export function createFactLedger({ factsMax = FACTS_MAX }: FactLedgerOptions = {}): FactLedger {
  const table = createMentionTable();
  let index = 0;
  const mention = (start: number, end: number, kind: IdentifierKind): void => addMention(table, start, end, kind);
  const scanStretch = (stretch: Stretch): void => {
    enterStretch(table, stretch);
    scanUnits(stretch, mention);
  };
  const mentionLine = (stretch: Stretch): void => {
    enterStretch(table, stretch);
    mention(0, stretch.length, "line");
  };
  const scan: Scan = (text, source, isEscaped) => {
    if (text.length < RUN_CHARS_MIN) return;
    enterText(table, text, source, index);
    visitStretches(text, scanStretch);
    if (!isEscaped) return;
    scanLineStarts(text, (word) => {
      enterText(table, word, source, index);
      visitStretches(word, mentionLine);
    });
  };
  return {
    get messages(): number {
      return index;
    },
    get size(): number {
      return table.kinds.length;
    },
    add(message) {
      const isOpening = message.role === "user" && index < OPENING_MESSAGES;
      for (const part of message.parts) {
        if (isOpening && part.type === "text") scan(withoutDemonstrations(part.text), "user", false);
        else scanPart(part, message.role === "user" ? "user" : "assistant", scan);
      }
      index++;
      if (table.kinds.length > factsMax) forget(table, factsMax >> 1);
    },
    fact: (entry) => factAt(table, entry),
    text: (entry) => textAt(table, entry),
  };
}

/** `isEscaped`: the request holds the text as a JSON string, so its line breaks read `\\n`. */
type Scan = (text: string, source: FactSource, isEscaped: boolean) => void;

function scanPart(part: Part, speaker: FactSource, scan: Scan): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      scan(part.text, speaker, false);
      return;
    case "tool-call":
      scanInput(part.input, { scan, isEscaped: hasTextArguments(part) }, 0);
      return;
    case "tool-result":
      for (const inner of part.content) scanPart(inner, "results", scan);
      return;
    case "media":
      if (part.source.type === "text") scan(part.source.text, "results", false);
      else if (part.source.type === "url" && part.source.url.length < 1_000) scan(part.source.url, speaker, false);
      return;
    case "opaque":
      return;
    default:
      part satisfies never;
  }
}

const INPUT_DEPTH_MAX = 12;
/** Paths, commands and queries are shorter; texts to be written are longer. */
const SHORT_ARGUMENT_CHARS = 240;

/** Some formats send arguments as JSON text inside JSON. */
function hasTextArguments({ wire }: ToolCallPart): boolean {
  if (wire === undefined) return false;
  const holder = isObject(wire.function) ? wire.function : wire;
  return typeof holder.arguments === "string";
}

interface InputScan {
  readonly scan: Scan;
  readonly isEscaped: boolean;
}

function scanInput(input: JsonValue, walk: InputScan, depth: number): void {
  const { scan, isEscaped } = walk;
  if (typeof input === "string") {
    const isLong = input.length > SHORT_ARGUMENT_CHARS;
    scan(input, isLong ? "writes" : "calls", isEscaped && isLong);
  } else if (typeof input === "number") scan(String(input), "calls", false);
  else if (depth > INPUT_DEPTH_MAX || input === null || typeof input === "boolean") return;
  else if (isArray(input)) for (const item of input) scanInput(item, walk, depth + 1);
  else {
    for (const key in input) {
      if (!PLAIN_WORD.test(key)) scan(key, "keys", false);
      const value = input[key];
      if (value !== undefined) scanInput(value, walk, depth + 1);
    }
  }
}

/** Most argument names are a plain word, which is never an identifier. */
const PLAIN_WORD = /^[a-z]*$/;

/** Keeps about `keep` facts: those mentioned most widely and most recently. */
function forget(table: MentionTable, keep: number): void {
  const worths = new Float64Array(table.kinds.length);
  for (let entry = 0; entry < worths.length; entry++) worths[entry] = worthOf(factAt(table, entry));
  const threshold = worths.toSorted()[worths.length - keep] ?? 0;
  keepEntries(table, (entry) => (worths[entry] ?? 0) >= threshold);
}

function worthOf({ user, calls, writes, messages, last, results }: Fact): number {
  const isCalled = calls + writes > 0;
  return (user > 0 ? 4 : 0) + (isCalled ? 3 : 0) + Math.log2(1 + messages) + Math.log2(1 + results) / 4 + last / 1e6;
}

const MARK = /(?:end of (?:the |an? )?(?:example|demonstration))/i;
const START = /^\W*(?:(?:start|begin(?:ning)?) of (?:the |an? )?(?:example|demonstration)|demonstration)\W*$/i;
const END = /^\W*end of (?:the |an? )?(?:example|demonstration)\W*$/i;

/** Removes demonstrations of other tasks, which a template marks by a line before and after: their names do not belong to this work. */
export function withoutDemonstrations(text: string): string {
  if (!MARK.test(text)) return text;
  const lines = text.split("\n");
  const own: string[] = [];
  // After the first start without an end no further end is searched for, so that time stays linear.
  let mayEnd = true;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isStart = mayEnd && START.test(line);
    const end = isStart ? lines.findIndex((below, index) => index > at && END.test(below)) : -1;
    if (isStart && end < 0) mayEnd = false;
    if (end < 0) own.push(line);
    else at = end;
  }
  return own.join("\n");
}

export interface RankedFact extends Pick<Fact, "kind"> {
  readonly text: string;
  /** Between 0 and 1. */
  readonly likelihood: number;
  /** The message that mentioned it last. */
  readonly last: number;
}

/** More than any summary could list. */
const RANKED_MAX = 20_000;

/** Likeliest first, about `limit` facts; among equally likely ones, first mentioned first. */
export function rankFacts(ledger: FactLedger, limit: number = RANKED_MAX): readonly RankedFact[] {
  const { messages, size } = ledger;
  const likelihoods = new Float64Array(size);
  for (let entry = 0; entry < size; entry++) likelihoods[entry] = factLikelihood(ledger.fact(entry), messages);
  const order = descendingOrder(likelihoods);
  // Facts as likely as the last within the limit are kept too.
  const least = size <= limit ? 0 : (likelihoods[order[limit - 1] ?? 0] ?? 0);
  const ranked: RankedFact[] = [];
  const members = new Map<string, number>();
  for (const entry of order) {
    const likelihood = likelihoods[entry] ?? 0;
    if (likelihood < least || likelihood === 0) break;
    const fact = ledger.fact(entry);
    const text = ledger.text(entry);
    if (looksSecret(text)) continue;
    const family = familyOf(fact, text);
    const others = family === undefined ? 0 : (members.get(family) ?? 0);
    if (family !== undefined) members.set(family, others + 1);
    if (others < FAMILY_MAX) ranked.push({ text, kind: fact.kind, likelihood, last: fact.last });
  }
  return ranked;
}

/** At most this many of numbered names that only results mention. */
const FAMILY_MAX = 3;

const NUMBERED: ReadonlySet<IdentifierKind> = new Set(["snake", "camel", "code"]);
/** Equal for `metric_17` and `metric_4`, and for two dates; undefined for a name without a number, or one that not only results mention. */
function familyOf({ kind, user, calls, writes, keys, assistant }: Fact, text: string): string | undefined {
  const isNumbered = NUMBERED.has(kind) || (kind === "number" && /\D/.test(text));
  if (!isNumbered || user + calls + writes + keys + assistant > 0) return undefined;
  return /\d/.test(text) ? text.replace(/\d+/g, "#") : undefined;
}

export function factsOf(messages: readonly Message[]): readonly RankedFact[] {
  const ledger = createFactLedger();
  for (const message of messages) ledger.add(message);
  return rankFacts(ledger);
}

/**
 * The likelihood is a logistic model over who mentioned an identifier, how often, how recently, and what it looks like. Fitted to which
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

/** Kinds that are common in prose and output too: "and/or", "in-memory", "WARNING" are names only where a call uses them. */
const WORD_LIKE: ReadonlySet<IdentifierKind> = new Set(["pair", "kebab", "capitals"]);

/** Kinds of the ids of bookings, orders and commits. Logs print many of them, each newer than the one that somebody named. */
const GIVEN: ReadonlySet<IdentifierKind> = new Set(["code", "hex", "number"]);
/** Set by hand, like the weight of a user's mention, so that an id somebody named ranks above those that were only printed. */
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

/** The logarithm of a count; nearly all counts are small. */
function logOf(count: number): number {
  return LOGS[count] ?? Math.log(count);
}

const KEY_PREFIX =
  /^(?:sk-|pk_|rk_|sk_|AKIA|ASIA|AIza|ghp_|gho_|ghu_|ghs_|ghr_|github_pat_|glpat-|xox[abposr]-|hf_|npm_|eyJ|ya29\.|dop_v1_|SG\.|shpat_|AGE-SECRET)/;
const KEY_CHARS_MIN = 16;
/** Runs without a separator, so long that they are random where capitals, small letters and digits mix. */
const LONG_PIECES = /[^/._:?&=#@-]{24,}/g;

/** Whether a name looks like a credential or a blob: such a name is never listed. */
function looksSecret(name: string): boolean {
  if (name.length < KEY_CHARS_MIN) return false;
  if (KEY_PREFIX.test(name)) return true;
  return isMixed(name) && (name.match(LONG_PIECES) ?? []).some((piece) => isMixed(piece) && isOpaque(piece));
}

function isMixed(name: string): boolean {
  return /[A-Z]/.test(name) && /[0-9]/.test(name) && /[a-z]/.test(name);
}

/** Words change between capitals, small letters and digits once per hump; random text about every other character. */
function isOpaque(piece: string): boolean {
  return (piece.match(/[a-z]+|[A-Z]+|[^A-Za-z]+/g) ?? []).length > piece.length / 4;
}

/** The indexes of `keys`, largest key first, equal keys in the order given. */
export function descendingOrder(keys: Float64Array): Int32Array {
  // Numbers alone are sorted many times faster than indexes with a comparison.
  const sorted = keys.toSorted().reverse();
  const order = new Int32Array(keys.length);
  const taken = new Int32Array(keys.length);
  for (let index = 0; index < keys.length; index++) {
    const place = firstPlace(sorted, keys[index] ?? 0);
    order[place + (taken[place] ?? 0)] = index;
    taken[place] = (taken[place] ?? 0) + 1;
  }
  return order;
}

/** The first place of a key among the sorted ones, largest first. */
function firstPlace(sorted: Float64Array, key: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > key) low = middle + 1;
    else high = middle;
  }
  return low;
}
