/**
 * How likely an identifier is to be needed again: a logistic model over who mentioned it, how often, how lately, and what it
 * looks like. Fitted to which identifiers later calls of recorded sessions really used, then rounded; the weight of a user's
 * mention is set by hand, since few recordings speak of it. `bench/retention.ts` measures the result, on the sessions of the
 * fit. Pure arithmetic on one fact; never looks at texts.
 */

import type { IdentifierKind } from "./identifier-scan.ts";
import type { Fact } from "./mention-table.ts";

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
export function factLikelihood(fact: Fact, messages: number): number {
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
