/** Reads columns of a database row, in the forms that both drivers give them. A column of the wrong kind is a damaged row. */

import { CompactionError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";

export type Row = Readonly<Record<string, unknown>>;

export function textIn(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : damaged(column, value);
}

export function numberIn(row: Row, column: string): number {
  const value = row[column];
  if (typeof value === "number") return value;
  const number = typeof value === "string" || typeof value === "bigint" ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : damaged(column, value);
}

export function flagIn(row: Row, column: string): boolean {
  const value = row[column];
  if (value === 1 || value === true) return true;
  return value === 0 || value === false ? false : damaged(column, value);
}

/** An ISO time with milliseconds. */
export function timeIn(row: Row, column: string): string {
  const value = row[column];
  if (typeof value === "string") return value;
  return value instanceof Date ? value.toISOString() : damaged(column, value);
}

function orNull<Value>(read: (row: Row, column: string) => Value) {
  return (row: Row, column: string): Value | null => (row[column] === null ? null : read(row, column));
}

export const textOrNullIn = orNull(textIn);
export const numberOrNullIn = orNull(numberIn);
export const timeOrNullIn = orNull(timeIn);

/** The column must come as text: a driver that parses JSON itself would lose details that `JSON.parse` keeps. */
export function jsonIn(row: Row, column: string): JsonValue {
  return parsedJson(textIn(row, column), column);
}

export function parsedJson(text: string, column: string): JsonValue {
  try {
    // JSON.parse returns exactly the shapes of JsonValue, though its type does not say so.
    return JSON.parse(text) as JsonValue;
  } catch (cause) {
    return damaged(column, text, cause);
  }
}

/** Text as both databases can hold it: neither keeps half a surrogate pair, and Postgres has no NUL. JSON columns escape both. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function damaged(column: string, value: unknown, cause?: unknown): never {
  const message = `A stored row is damaged: its column ${column} holds ${kindOf(value)}. Nothing was changed; examine the store.`;
  throw new CompactionError("storage", message, { cause });
}

function kindOf(value: unknown): string {
  if (typeof value === "string") return `${value.length} characters that cannot be read`;
  return value === null || value === undefined ? "nothing" : `a ${typeof value}`;
}
