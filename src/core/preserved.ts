/**
 * The mark `isPreserved` that a caller may put on a message to pin it. It is ours alone: it is taken off before anything else reads
 * the message, so no provider ever sees it. Pure; nothing that is given is changed.
 */

import { CompactionError } from "./errors.ts";
import { isArray, isObject } from "./json.ts";

const MARK = "isPreserved";

export interface Unmarked<T> {
  readonly value: T;
  readonly isPreserved: boolean;
}

/** Whether a message carries the mark, whatever its value. */
export function isPreservedMark(message: unknown): boolean {
  return typeof message === "object" && message !== null && Object.hasOwn(message, MARK);
}

/** One message; what carries no mark comes back as it is. */
export function takePreserved<T>(message: T): Unmarked<T> {
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
  /** By index in the list. */
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
