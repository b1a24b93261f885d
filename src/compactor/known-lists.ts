/**
 * Remembers lists that a host sends whole, again and again. The beginning of a list that was found in order is recognised (by its objects,
 * else by its JSON) and not read again. An old message that was changed in place goes unnoticed: `recheck` reads all of them. In a long
 * list that was parsed anew, older messages are compared by turns. Keeps a few lists, and forgets the one unused for longest.
 */

import { isSameJson } from "../core/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { KnownView } from "./quiet.ts";

export interface KnownList extends KnownView {
  /** The other fields of the request; undefined for a bare list. */
  readonly body: JsonObject | undefined;
  /** The elements that the ledger counts, as they were last sent. */
  readonly elements: unknown[];
  /** Where the next comparison of older elements begins. */
  cursor: number;
  /** The edited or repaired beginning that is sent in place of the given one; absent where the list is sent as it came. */
  readonly head?: KnownHead;
}

interface KnownHead {
  /** How many elements at the beginning `list` replaces. */
  readonly covered: number;
  readonly list: readonly JsonValue[];
  /** The other fields of the request that is sent; undefined for a bare list. */
  readonly body: JsonObject | undefined;
}

export interface KnownLists {
  find(request: ListRequest): KnownList | undefined;
  add(list: KnownList): void;
  /** Forgets all lists that begin like this one, after an edit. */
  forget(list: readonly unknown[]): void;
}

export interface ListRequest {
  readonly list: readonly unknown[];
  readonly body: JsonObject | undefined;
  readonly listKey: string;
}

export function createKnownLists(listsMax: number): KnownLists {
  let lists: readonly KnownList[] = [];
  const toFront = (found: KnownList): void => {
    if (lists[0] !== found) lists = [found, ...lists.filter((other) => other !== found)].slice(0, listsMax);
  };
  return {
    find: (request) => {
      const found = lists.find((known) => isBeginning(known, request.list) && isSameBody(known, request));
      if (found !== undefined) toFront(found);
      return found;
    },
    add: (list) => {
      lists = lists.filter(({ elements }) => !beginsAlike(elements, list.elements));
      toFront(list);
    },
    forget: (list) => {
      lists = lists.filter(({ elements }) => !beginsAlike(elements, list));
    },
  };
}

/** A request as its list and its other fields; undefined where it has no list. */
export function listRequest(request: unknown, listKey: string): ListRequest | undefined {
  if (Array.isArray(request)) return { list: request, body: undefined, listKey };
  const list = isObject(request) ? request[listKey] : undefined;
  return isObject(request) && Array.isArray(list) ? { list, body: request, listKey } : undefined;
}

/** Compared with each request: this many of the newest known elements, and this many of the older ones by turns. */
const NEWEST_ELEMENTS = 64;
const ROTATING_ELEMENTS = 1_024;

/**
 * Compares the newest known element first, because lists that differ mostly differ there. The same objects are the same elements;
 * others are compared as JSON, and the known element is replaced. Elements that an edit or repair covers are always compared.
 */
function isBeginning(known: KnownList, list: readonly unknown[]): boolean {
  const { elements, head, cursor } = known;
  const { length } = elements;
  if (length > list.length || !isSameJson(elements[length - 1], list[length - 1])) return false;
  const always = head?.covered ?? 0;
  const old = length - NEWEST_ELEMENTS;
  const end = cursor + ROTATING_ELEMENTS;
  let hasOthers = false;
  for (let index = 0; index < length; index++) {
    if (elements[index] === list[index]) continue;
    hasOthers = true;
    // After the end, the turn continues at the beginning.
    const isItsTurn = (index >= cursor && index < end) || index < end - old;
    if (index >= always && index < old && !isItsTurn) continue;
    if (!isSameJson(elements[index], list[index])) return false;
    elements[index] = list[index];
  }
  if (hasOthers) known.cursor = old > 0 ? end % old : 0;
  return true;
}

function isSameBody({ body: known }: KnownList, { body, listKey }: ListRequest): boolean {
  if (known === undefined || body === undefined) return known === body;
  const keys = Object.keys(body);
  const others = Object.keys(known);
  if (keys.length !== others.length) return false;
  return keys.every((key, at) => key === others[at] && (key === listKey || isSameJson(body[key], known[key])));
}

function beginsAlike(one: readonly unknown[], other: readonly unknown[]): boolean {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) if (!isSameJson(one[index], other[index])) return false;
  return true;
}
