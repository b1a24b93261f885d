/** What callers may hand to a session, checked at its edge: one clear line, before anything is written. */

import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonObject } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { ownCopy } from "../core/store/stored-json.ts";
import { baseOf, frameOf } from "./session-view.ts";

export function checkText(value: unknown, what: string): void {
  if (typeof value !== "string") throw invalid(`${what} must be a string, not ${typeof value}.`);
}

export function checkDate(value: unknown): void {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw invalid("`olderThan` must be a valid Date.");
}

/** The body without its messages, once it is known that requests can be made from it. */
export function checkedBase(format: Format, body: unknown): JsonObject {
  const base = baseOf(format, ownBody(body));
  frameOf(format, { base, system: null });
  return base;
}

/** A copy: what the caller does with its own object later changes nothing here. */
export function ownBody(body: unknown): JsonObject {
  if (!isObject(body)) throw invalid("`body` must be a request body, an object.");
  return ownCopy(body);
}

function invalid(problem: string): CompactionError {
  return new CompactionError("invalid-options", `${problem} Nothing was changed.`);
}
