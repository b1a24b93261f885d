/**
 * Reads the mark `isPreserved`, with which a caller pins a message. The mark is ours: it is removed before anything
 * else reads the message, so no provider ever sees it. Pure; never changes its arguments.
 */

import { CompactionError } from "./errors.ts";
import { isArray, isObject } from "./json.ts";

const MARK = "isPreserved";

export interface UnmarkedValue<T> {
  readonly value: T;
  readonly isPreserved: boolean;
}

/** Whether a message carries the mark, whatever its value. */
export function isPreservedMark(message: unknown): boolean {
  return typeof message === "object" && message !== null && Object.hasOwn(message, MARK);
}

/** One message; returned unchanged where it has no mark. */
export function takePreserved<T>(message: T): UnmarkedValue<T> {
  if (!isObject(message) || !Object.hasOwn(message, MARK)) return { value: message, isPreserved: false };
  const { [MARK]: mark, ...rest } = message;
  if (typeof mark !== "boolean") {
    throw new CompactionError("invalid-request", `\`${MARK}\` must be true or false. Nothing was changed.`);
  }
  // The same message without a field that no format has.
  return { value: rest as T, isPreserved: mark };
}

export interface UnmarkedRequest<Request> {
  readonly request: Request;
  /** Indexes in the list. */
  readonly preserved: readonly number[];
}

/** A request body, or a bare list of messages. */
export function takePreservedIn<Request>(request: Request, listKey: string): UnmarkedRequest<Request> {
  const list = isObject(request) ? request[listKey] : request;
  if (!isArray(list)) return { request, preserved: [] };
  if (!list.some(isPreservedMark)) return { request, preserved: [] };
  const taken = list.map(takePreserved);
  const values = taken.map(({ value }) => value);
  // The same kind of request, with the same messages.
  const unmarked = (isObject(request) ? { ...request, [listKey]: values } : values) as Request;
  return { request: unmarked, preserved: taken.flatMap(({ isPreserved }, index) => (isPreserved ? [index] : [])) };
}
