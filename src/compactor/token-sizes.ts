/** Tokens of messages, counted once per wire message or parts list, however often a growing list is sent. */

import type { JsonValue } from "../core/json.ts";
import { isUntouched, type Message, type Part } from "../core/message.ts";
import { sumOf, type TokenCounter } from "../core/tokens/tokens.ts";
import { refuseDeepMessage } from "../core/too-deep.ts";

export interface TokenSizes {
  tokensOf(message: Message): number;
  /** A list as the counter rounds it: not always the sum of its messages (R020). */
  totalOf(messages: readonly Message[]): number;
}

/** `ratio` is what real usage says about the estimate: 1 until some was observed. */
export function createTokenSizes(counter: TokenCounter, ratio: () => number): TokenSizes {
  const known = new WeakMap<object, number>();
  /** A list is never changed, and whoever decides on it or reports on it asks for the whole again. */
  const totals = new WeakMap<readonly Message[], number>();
  function sizeOf(message: Message): number {
    const key = keyOf(message);
    const before = known.get(key);
    if (before !== undefined) return before;
    refuseDeepMessage(message);
    const size = counter.size(message);
    known.set(key, size);
    return size;
  }
  function sizeOfAll(messages: readonly Message[]): number {
    const before = totals.get(messages);
    if (before !== undefined) return before;
    const size = sumOf(messages, sizeOf);
    totals.set(messages, size);
    return size;
  }
  const calibrated = (size: number): number => Math.round(counter.tokens(size) * ratio());
  return {
    tokensOf: (message) => calibrated(sizeOf(message)),
    totalOf: (messages) => calibrated(sizeOfAll(messages)),
  };
}

/** A list that was decoded anew has new messages, but the same wire objects. */
function keyOf(message: Message): readonly Part[] | Exclude<JsonValue, string | number | boolean | null> {
  if (!isUntouched(message)) return message.parts;
  const { json } = message.wire;
  return typeof json === "object" && json !== null ? json : message.parts;
}
