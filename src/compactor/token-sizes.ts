/**
 * Tokens of messages, counted once per wire message or parts list, however often a growing list is sent. A wire message is the host's:
 * one that it has changed in place since is counted anew.
 */

import type { JsonValue } from "../core/json.ts";
import { isUntouched, type Message, type Part } from "../core/message.ts";
import { sumOf, type TokenCounter } from "../core/tokens/tokens.ts";
import { refuseDeepMessage } from "../core/too-deep.ts";
import { TOO_DEEP, weightOf } from "./message-weight.ts";

export interface TokenSizes {
  tokensOf(message: Message): number;
  /** A list as the counter rounds it: not always the sum of its messages. */
  totalOf(messages: readonly Message[]): number;
}

/** `ratio` is what real usage says about the estimate: 1 until some was observed. */
export function createTokenSizes(counter: TokenCounter, ratio: () => number): TokenSizes {
  const known = new WeakMap<object, Counted>();
  /** A list is never changed, and whoever decides on it or reports on it asks for the whole again. */
  const totals = new WeakMap<readonly Message[], number>();
  function sizeOf(message: Message): number {
    const key = keyOf(message);
    return known.get(key)?.size ?? countAnew(message, key, weightOf(message.parts));
  }
  function sizeNow(message: Message): number {
    const key = keyOf(message);
    const before = known.get(key);
    // Parts are ours, and never change.
    if (before !== undefined && key === message.parts) return before.size;
    const weight = weightOf(message.parts);
    return before?.weight === weight ? before.size : countAnew(message, key, weight);
  }
  function countAnew(message: Message, key: object, weight: number): number {
    if (weight === TOO_DEEP) refuseDeepMessage(message);
    const size = counter.size(message);
    known.set(key, { size, weight });
    return size;
  }
  function sizeOfAll(messages: readonly Message[]): number {
    const before = totals.get(messages);
    if (before !== undefined) return before;
    // A list that was sent again is looked at as a whole before anything else is asked about it.
    const size = sumOf(messages, sizeNow);
    totals.set(messages, size);
    return size;
  }
  const calibrated = (size: number): number => Math.round(counter.tokens(size) * ratio());
  return {
    tokensOf: (message) => calibrated(sizeOf(message)),
    totalOf: (messages) => calibrated(sizeOfAll(messages)),
  };
}

interface Counted {
  readonly size: number;
  /** At that time. */
  readonly weight: number;
}

/** A list that was decoded anew has new messages, but the same wire objects. */
function keyOf(message: Message): readonly Part[] | Exclude<JsonValue, string | number | boolean | null> {
  if (!isUntouched(message)) return message.parts;
  const { json } = message.wire;
  return typeof json === "object" && json !== null ? json : message.parts;
}
