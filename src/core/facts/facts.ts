/**
 * The fact ledger: the exact identifiers of a conversation, ranked by how likely they are to be needed again. Shared by the
 * extractive summarizer, which lists them, and the guard, which checks that they were kept. Secrets are never among them.
 */

import type { Message } from "../message.ts";
import { descendingOrder } from "./descending.ts";
import { createFactLedger, type FactLedger } from "./ledger.ts";
import type { Fact, FactName } from "./mention-table.ts";
import { factLikelihood } from "./score.ts";
import { looksSecret } from "./secret.ts";

export { descendingOrder } from "./descending.ts";
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
