/**
 * Counts messages in the unit of plans: the counter's estimate, times what real usage taught. A message is counted once, however
 * often a growing list is sent. The host may still write into the newest messages, so those are counted for every list.
 */

import type { JsonValue } from "../core/json.ts";
import { refuseDeepMessage } from "../core/json.ts";
import { NEWEST_MESSAGES } from "../core/ledger.ts";
import { isUntouched, type Message, type Part } from "../core/message.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";

export interface Counting {
  /** Not calibrated. */
  readonly counter: TokenCounter;
  /** The size of one message in the counter's unit; sizes add up. */
  sizeOf(message: Message): number;
  /** The same, counted anew. */
  recount(message: Message): number;
  /** Calibrated tokens of a size, or of a sum of sizes. */
  tokens(size: number): number;
  tokensOf(message: Message): number;
  /** The tokens of a list, rounded once: not always the sum of its messages. */
  totalOf(messages: readonly Message[]): number;
}

/** `ratio` is real usage over the estimate: 1 until usage was observed. */
export function createCounting(counter: TokenCounter, ratio: () => number): Counting {
  const sizes = new WeakMap<object, number>();
  /** Lists are immutable, and a decision and its report count the same list several times. */
  const totals = new WeakMap<readonly Message[], number>();
  const recount = (message: Message): number => {
    refuseDeepMessage(message);
    const size = counter.size(message);
    sizes.set(keyOf(message), size);
    return size;
  };
  const sizeOf = (message: Message): number => sizes.get(keyOf(message)) ?? recount(message);
  const sizeOfAll = (messages: readonly Message[]): number => {
    const newest = messages.length - NEWEST_MESSAGES;
    let size = 0;
    messages.forEach((message, index) => {
      size += index < newest || !isUntouched(message) ? sizeOf(message) : recount(message);
    });
    totals.set(messages, size);
    return size;
  };
  const tokens = (size: number): number => Math.round(counter.tokens(size) * ratio());
  return {
    counter,
    sizeOf,
    recount,
    tokens,
    tokensOf: (message) => tokens(sizeOf(message)),
    totalOf: (messages) => tokens(totals.get(messages) ?? sizeOfAll(messages)),
  };
}

/** A list that was decoded anew has new messages, but the same wire objects. */
function keyOf(message: Message): readonly Part[] | Exclude<JsonValue, string | number | boolean | null> {
  if (!isUntouched(message)) return message.parts;
  const { json } = message.wire;
  return typeof json === "object" && json !== null ? json : message.parts;
}

/** The counter with its numbers calibrated: for budgets, summaries and reports. The same counter where nothing was learned. */
export function calibratedCounter(counter: TokenCounter, ratio: number): TokenCounter {
  if (ratio === 1) return counter;
  const scaled =
    <Counted extends readonly unknown[]>(count: (...counted: Counted) => number) =>
    (...counted: Counted): number =>
      Math.round(count(...counted) * ratio);
  return {
    name: counter.name,
    size: counter.size,
    tokens: scaled(counter.tokens),
    count: scaled(counter.count),
    total: scaled(counter.total),
    countParts: scaled(counter.countParts),
    countText: scaled(counter.countText),
    countJson: scaled(counter.countJson),
    countTools: scaled(counter.countTools),
    // The summarizer's model may be another than the observed one: never send it more than the estimate allows.
    safetyMargin: counter.safetyMargin / Math.min(1, ratio),
  };
}
