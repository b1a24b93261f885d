/** Marks that callers put on messages: how far a provider is to cache (Anthropic `cache_control`), and `isPreserved`, which is ours alone. */

import { CompactionError } from "./errors.ts";
import { isArray, isObject, type JsonObject } from "./json.ts";
import type { Conversation, Part } from "./message.ts";

const MARK_KEY = "cache_control";

/** The most that one request may have, tools and system prompt included. */
export const CACHE_MARKS_MAX = 4;

/** A block without its mark; the same object where it has none. */
export function unmarked(wire: JsonObject): JsonObject {
  if (!(MARK_KEY in wire)) return wire;
  const { [MARK_KEY]: _, ...rest } = wire;
  return rest;
}

export function marksOutside({ system, tools }: Pick<Conversation, "system" | "tools">): number {
  const marked = isArray(tools) ? tools.filter((tool) => isObject(tool) && isMarked(tool)) : [];
  return marksIn(system) + marked.length;
}

/** Marks in parts, and in the parts inside results. */
export function marksIn(parts: readonly Part[]): number {
  let marks = 0;
  for (const part of parts) {
    if (isMarked(part.wire)) marks++;
    if (part.type === "tool-result" && !part.server) marks += marksIn(part.content);
  }
  return marks;
}

/** The parts without their first `count` marks; the same objects where there are none. */
export function withoutFirstMarks(parts: readonly Part[], count: number): readonly Part[] {
  let left = Math.min(count, marksIn(parts));
  if (left === 0) return parts;
  const unmark = (part: Part): Part => {
    const inner = part.type === "tool-result" && !part.server ? { ...part, content: part.content.map(unmark) } : part;
    if (left === 0 || !isMarked(part.wire)) return inner;
    left--;
    return { ...inner, wire: unmarked(part.wire) };
  };
  return parts.map((part) => (left === 0 ? part : unmark(part)));
}

/** Clients may write a missing mark as null. */
function isMarked(wire: JsonObject | undefined): wire is JsonObject {
  return (wire?.[MARK_KEY] ?? null) !== null;
}

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
