/**
 * Tokens of messages, counted once per wire message or parts list, however often a growing list is sent. A wire message is the host's:
 * one that it has changed in place since is counted anew.
 */

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
  const known = new WeakMap<object, Counted>();
  /** A list is never changed, and whoever decides on it or reports on it asks for the whole again. */
  const totals = new WeakMap<readonly Message[], number>();
  function sizeOf(message: Message): number {
    const key = keyOf(message);
    return known.get(key)?.size ?? countAnew(message, key);
  }
  function sizeNow(message: Message): number {
    const key = keyOf(message);
    const before = known.get(key);
    // Parts are ours, and never change.
    const isSame = before !== undefined && (key === message.parts || weightOf(key) === before.weight);
    return isSame ? before.size : countAnew(message, key);
  }
  function countAnew(message: Message, key: object): number {
    refuseDeepMessage(message);
    const counted = { size: counter.size(message), weight: key === message.parts ? 0 : weightOf(key) };
    known.set(key, counted);
    return counted.size;
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
  /** Of the wire message at that time. */
  readonly weight: number;
}

/** Texts stand above this; what nobody reads may nest as it likes, and is not gone into. */
const WEIGHED_DEPTH = 12;

/** Changes with the length of any text in it and with any member that comes or goes, and reads no text: this is asked of every message each time. */
function weightOf(json: object, depth: number = WEIGHED_DEPTH): number {
  let weight = 1;
  // A list is walked by its places: by its keys takes five times as long.
  if (Array.isArray(json)) for (let index = 0; index < json.length; index++) weight += weightIn(json[index], depth);
  // Any object may be asked for a key of its own.
  else for (const key in json) weight += weightIn((json as Record<string, unknown>)[key], depth);
  return weight;
}

function weightIn(inner: unknown, depth: number): number {
  if (typeof inner === "string") return inner.length + 1;
  return typeof inner !== "object" || inner === null || depth === 0 ? 1 : weightOf(inner, depth - 1);
}

/** A list that was decoded anew has new messages, but the same wire objects. */
function keyOf(message: Message): readonly Part[] | Exclude<JsonValue, string | number | boolean | null> {
  if (!isUntouched(message)) return message.parts;
  const { json } = message.wire;
  return typeof json === "object" && json !== null ? json : message.parts;
}
