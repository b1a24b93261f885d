import { expect, test } from "vitest";
import { minuteOf, readTimeBefore } from "./when.ts";

const NOW_MS = Date.parse("2026-11-15T12:00:00Z");

function check(text: string, expected: string): void {
  expect(readTimeBefore("older-than", text, NOW_MS).toISOString()).toBe(expected);
}

test("hours", () => check("12h", "2026-11-15T00:00:00.000Z"));
test("days", () => check("90d", "2026-08-17T12:00:00.000Z"));
test("weeks", () => check("2w", "2026-11-01T12:00:00.000Z"));
test("a year", () => check("1y", "2025-11-15T12:00:00.000Z"));
test("a day of the calendar", () => check("2026-01-31", "2026-01-31T00:00:00.000Z"));
test("never before the beginning of time", () => check("999999y", "1970-01-01T00:00:00.000Z"));

test.each(["", "soon", "-3d", "3", "3m", "2026-13-01", "2026-02-31", "1.5d"])("no age: %s", (text) => {
  expect(() => readTimeBefore("older-than", text, NOW_MS)).toThrow(/--older-than must be an age/);
});

test("a minute, in UTC", () => expect(minuteOf("2026-11-15T23:02:46.123Z")).toBe("2026-11-15 23:02"));
