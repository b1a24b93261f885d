/**
 * Lists that a host sends again and again, whole. The beginning of one that was found in order is recognised (by its objects, else by
 * its JSON) and not read again. An old message that was changed in place is not noticed: `recheck` looks at all of them. Holds a few
 * lists and forgets the one that was quiet for longest.
 */

import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { isSameJson } from "../core/ledger/json-identity.ts";
import type { KnownView } from "./quiet.ts";

/** What is known of one list. */
export interface KnownList extends KnownView {
  /** Everything else that the request said; undefined for a bare list. */
  readonly body: JsonObject | undefined;
  /** The elements that the ledger stands for, as they came last. */
  readonly elements: unknown[];
  /** What is sent otherwise than it came, by edits of earlier passes and by repairs; absent where everything is sent as it came. */
  readonly head?: KnownHead;
}

interface KnownHead {
  /** So many elements at the beginning, and what is sent in their place. */
  readonly covered: number;
  readonly list: readonly JsonValue[];
  /** What is sent around the list; undefined for a bare list. */
  readonly body: JsonObject | undefined;
}

export interface KnownLists {
  find(request: ListRequest): KnownList | undefined;
  add(list: KnownList): void;
  /** A list was edited: whatever is known of one that begins alike holds no longer. */
  forget(list: readonly unknown[]): void;
  clear(): void;
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
    clear: () => {
      lists = [];
    },
  };
}

/** A request as its list and what stands around it; undefined where the list is none. */
export function listRequest(request: unknown, listKey: string): ListRequest | undefined {
  if (Array.isArray(request)) return { list: request, body: undefined, listKey };
  const list = isObject(request) ? request[listKey] : undefined;
  return isObject(request) && Array.isArray(list) ? { list, body: request, listKey } : undefined;
}

/** The newest known element first: lists that differ mostly differ there. Takes over the objects of a list that was parsed anew. */
function isBeginning({ elements }: KnownList, list: readonly unknown[]): boolean {
  const { length } = elements;
  if (length > list.length || !isSameJson(elements[length - 1], list[length - 1])) return false;
  for (let index = 0; index < length; index++) {
    if (elements[index] === list[index]) continue;
    if (!isSameJson(elements[index], list[index])) return false;
    elements[index] = list[index];
  }
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
