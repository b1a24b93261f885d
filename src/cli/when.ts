/** Times as tables show them, to the minute and always in UTC; and spans of time as people write them. */

import { usage } from "./arguments.ts";

/** `2026-11-15 09:30`. */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

export function dayOf(iso: string): string {
  return iso.slice(0, 10);
}

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS };

/** What lies so far back: `12h`, `90d`, `6w`, `1y`; or from a day on: `2026-01-31`. */
export function readTimeBefore(option: string, text: string, nowMs: number): Date {
  const span = /^(\d{1,6})([hdwy])$/.exec(text.trim());
  if (span !== null) return new Date(Math.max(0, nowMs - Number(span[1]) * (UNITS_MS[span[2] ?? ""] ?? 0)));
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? new Date(`${text.trim()}T00:00:00Z`) : undefined;
  // A day that its month has not is taken by JavaScript for one of the next month, and more would be deleted than was asked for.
  if (date !== undefined && !Number.isNaN(date.getTime()) && dayOf(date.toISOString()) === text.trim()) return date;
  throw usage(`--${option} must be an age such as 90d, 12h or 6w, or a day such as 2026-01-31, not "${text}"`);
}
