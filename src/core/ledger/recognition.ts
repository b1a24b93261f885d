/**
 * Follows a list that a stateless caller sends whole every turn, and keeps a ledger in step with it. Only new elements
 * are decoded and counted. An element is recognised when the same object stands at the same index, or the same JSON does
 * (a body parsed anew); one that only changed its wire form (a moved cache mark) is taken over without recounting.
 *
 * The trade. Looking at every element costs the length of the list on every call. So a call looks at the newest known
 * elements and at a window that moves over the rest: a list no longer than the two together is checked completely every
 * time, a longer one within length / ROTATING_ELEMENTS calls. An insertion or removal shifts what follows and is noticed at
 * once, at any length. What can go unnoticed for those few calls is an old element replaced by another. For a trigger
 * that is an estimate off by the difference of the two; whoever is about to edit the list asks for `verify: "all"` first.
 * An object that is changed in place is noticed while it is among the REHASHED_ELEMENTS newest, and never after.
 *
 * When a difference is noticed, the ledger is cut to the common prefix and filled again from there; sizes of what was cut
 * off are found again by object or by content, so nothing is estimated twice.
 */

import { invariant } from "../errors.ts";
import type { Message } from "../message.ts";
import { hashJson, isSameJson } from "./json-identity.ts";
import type { Ledger } from "./usage-ledger.ts";

/** The newest known elements, looked at on every call. */
export const NEWEST_ELEMENTS = 64;
/** How many of the older ones are looked at per call. */
export const ROTATING_ELEMENTS = 4_096;
/** Clients go on writing into their newest message (a further result, a cache mark), rarely into an older one. */
const REHASHED_ELEMENTS = 4;
/** Sizes remembered by content after a cut; the oldest go first. */
const REMEMBERED_SIZES_MAX = 65_536;

export interface RecognitionOptions {
  /** Empty, and from now on filled by nobody else. */
  readonly ledger: Ledger;
  /** A wire element as a message; the identity for a list of messages. What it throws leaves the ledger at the prefix before. */
  readonly decode: (wire: unknown, index: number) => Message;
}

export interface SyncOptions {
  /** Default: `window`, see above. */
  readonly verify?: "window" | "all";
}

export interface Synced {
  /** Messages that stayed as they were, from the first on. */
  readonly keptMessages: number;
  readonly addedMessages: number;
  /** How many of the added ones had to be estimated. */
  readonly countedMessages: number;
}

export interface Recognition {
  /** Brings the ledger in step with a list. Afterwards `ledger.messages` is that list, decoded. */
  sync(list: readonly unknown[], options?: SyncOptions): Synced;
}

/** Follows one list; `sync` it with each request. */
export function createRecognition({ ledger, decode }: RecognitionOptions): Recognition {
  const state: State = { ledger, decode, known: [], hashes: new Map(), sizes: new Map(), cursor: 0 };
  return {
    sync: (list, { verify = "window" } = {}) => {
      invariant(ledger.length === state.known.length, "a followed ledger is filled by its recognition alone");
      const isChecked = verify === "window" && list.length >= state.known.length && windowsMatch(state, list);
      const keptMessages = isChecked ? state.known.length : commonPrefix(state, list);
      const cutOff = cutTo(state, keptMessages);
      const countedMessages = appendFrom(state, list, cutOff);
      rehashNewest(state);
      return { keptMessages, addedMessages: list.length - keptMessages, countedMessages };
    },
  };
}

interface State {
  readonly ledger: Ledger;
  readonly decode: RecognitionOptions["decode"];
  /** The elements behind the ledger's messages. */
  readonly known: unknown[];
  /** By index: content of the newest elements when they were last seen. */
  readonly hashes: Map<number, number>;
  /** By content hash: sizes of elements that were cut off. */
  readonly sizes: Map<number, number>;
  /** Where the moving window goes on. */
  cursor: number;
}

function windowsMatch(state: State, list: readonly unknown[]): boolean {
  const { known } = state;
  const oldEnd = Math.max(0, known.length - NEWEST_ELEMENTS);
  if (!rangeMatches(state, list, oldEnd, known.length)) return false;
  const from = state.cursor < oldEnd ? state.cursor : 0;
  const to = Math.min(from + ROTATING_ELEMENTS, oldEnd);
  // A window that reaches the end goes on at the start, so that no stretch waits longer than another.
  const wrappedTo = Math.min(from, ROTATING_ELEMENTS - (to - from));
  state.cursor = to === oldEnd ? wrappedTo : to;
  return rangeMatches(state, list, from, to) && rangeMatches(state, list, 0, wrappedTo);
}

function rangeMatches(state: State, list: readonly unknown[], from: number, to: number): boolean {
  const { known } = state;
  const hashedFrom = known.length - REHASHED_ELEMENTS;
  for (let index = from; index < to; index++) {
    if (known[index] === list[index] && index < hashedFrom) continue;
    if (!isRecognised(state, list[index], index)) return false;
  }
  return true;
}

function isRecognised(state: State, wire: unknown, index: number): boolean {
  const { known, hashes, ledger, decode } = state;
  const hash = hashes.get(index);
  const isUnchanged =
    known[index] === wire ? hash === undefined || hash === hashJson(wire) : isSameJson(known[index], wire);
  if (!isUnchanged && !ledger.restate(index, decode(wire, index))) return false;
  if (!isUnchanged) hashes.delete(index);
  known[index] = wire;
  return true;
}

function commonPrefix(state: State, list: readonly unknown[]): number {
  const end = Math.min(state.known.length, list.length);
  for (let index = 0; index < end; index++) {
    if ((state.known[index] !== list[index] || state.hashes.has(index)) && !isRecognised(state, list[index], index)) {
      return index;
    }
  }
  return end;
}

/** Cuts the ledger and returns the sizes of what was cut off, by object; by content they are remembered. */
function cutTo(state: State, length: number): ReadonlyMap<unknown, number> {
  const { known, hashes, ledger } = state;
  const byObject = new Map<unknown, number>();
  for (let index = length; index < known.length; index++) {
    const wire = known[index];
    const hash = hashes.get(index);
    // An element that may have been changed in place is only known by what it was.
    if (hash === undefined) byObject.set(wire, ledger.sizeOf(index));
    remember(state, hash ?? hashJson(wire), ledger.sizeOf(index));
    hashes.delete(index);
  }
  if (length < known.length) ledger.truncate(length);
  known.length = length;
  return byObject;
}

function remember({ sizes }: State, hash: number, size: number): void {
  sizes.delete(hash);
  sizes.set(hash, size);
  if (sizes.size <= REMEMBERED_SIZES_MAX) return;
  for (const oldest of sizes.keys()) {
    sizes.delete(oldest);
    break;
  }
}

function appendFrom(state: State, list: readonly unknown[], cutOff: ReadonlyMap<unknown, number>): number {
  const { known, sizes, ledger, decode } = state;
  let counted = 0;
  for (let index = known.length; index < list.length; index++) {
    const wire = list[index];
    const size = cutOff.get(wire) ?? (sizes.size === 0 ? undefined : sizes.get(hashJson(wire)));
    if (size === undefined) counted++;
    ledger.append(decode(wire, index), size);
    known.push(wire);
  }
  return counted;
}

function rehashNewest({ known, hashes }: State): void {
  const from = Math.max(0, known.length - REHASHED_ELEMENTS);
  for (const index of hashes.keys()) if (index < from) hashes.delete(index);
  for (let index = from; index < known.length; index++) {
    if (!hashes.has(index)) hashes.set(index, hashJson(known[index]));
  }
}
