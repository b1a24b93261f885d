/**
 * Rules that every store keeps: valid ids, the names of agents' sessions, message ids, the reach of a lease, the time of a purge, and
 * the places of inserted messages. Pure.
 */

import { CompactionError, invariant } from "../errors.ts";
import type { NewSession } from "./store.ts";

/** Ids are data everywhere: never part of a statement, never a file name as they are. */
const ID_LENGTH_MAX = 1_024;

export function checkSessionId(id: string): void {
  const problem = problemOf(id);
  if (problem === undefined) return;
  throw new CompactionError("invalid-settings", `This cannot be a session id: ${problem}. Nothing was changed.`);
}

/** Ids that come with a new session, besides its own: kept to the letter by every store, or refused. */
export function checkNewSession({ id, agentId = "", parentId = "" }: NewSession): void {
  checkSessionId(id);
  for (const [name, value] of Object.entries({ agentId, parentId })) {
    const problem = typeof value === "string" ? textProblem(value) : "it must be a string";
    if (problem === undefined) continue;
    throw new CompactionError(
      "invalid-settings",
      `This cannot be the ${name} of a session: ${problem}. Nothing was changed.`,
    );
  }
}

function problemOf(id: unknown): string | undefined {
  if (typeof id !== "string") return "it must be a string";
  if (id === "") return "it is empty";
  if (id.length > ID_LENGTH_MAX) return `it has ${id.length} characters, at most ${ID_LENGTH_MAX} are allowed`;
  return textProblem(id);
}

/** What not every database can hold. */
function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "it contains a NUL character";
  return text.isWellFormed() ? undefined : "it contains half of a surrogate pair";
}

const MESSAGE_ID = /^m([1-9][0-9]{0,15})$/;

export function messageIdOf(sequence: number): string {
  return `m${sequence}`;
}

/** Undefined for a text that is no message id. */
export function sequenceOf(messageId: string): number | undefined {
  const sequence = Number(MESSAGE_ID.exec(messageId)?.[1]);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** Each number once, in the order given; undefined where one of them is no message id. */
export function sequencesOf(messageIds: readonly string[]): readonly number[] | undefined {
  const sequences = [...new Set(messageIds.map(sequenceOf))];
  return sequences.every((sequence) => sequence !== undefined) ? sequences : undefined;
}

const SEPARATOR = "\u001f";

/**
 * The name under which a store keeps a session whose id another agent already uses: the id with the agent behind it. The first agent
 * keeps the bare id, so that people who look into a database find the ids that were given. Both SQL schemas split names by this rule.
 */
export function agentKey(sessionId: string, agentId: string): string {
  return `${sessionId}${SEPARATOR}${agentId}`;
}

/** The id that was given, of a session that is stored under `key`. */
export function sessionIdIn(key: string, agentId: string): string {
  const ending = `${SEPARATOR}${agentId}`;
  return agentId !== "" && key.endsWith(ending) && key.length > ending.length ? key.slice(0, -ending.length) : key;
}

/**
 * The time before which a purge deletes, in the form in which stores write times: all of one length, so that text order is time
 * order. Refuses an invalid date, because comparing with it would silently keep or delete everything.
 */
export function purgeTime(before: Date): string {
  const timeMs = before instanceof Date ? before.getTime() : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new CompactionError("invalid-settings", "A purge needs a time before which it deletes. Nothing was changed.");
  }
  if (timeMs < Date.parse(EARLIEST)) return EARLIEST;
  return timeMs > Date.parse(LATEST) ? LATEST : before.toISOString();
}

const EARLIEST = "0001-01-01T00:00:00.000Z";
const LATEST = "9999-12-31T23:59:59.999Z";

/**
 * How much time a lease may have left, in lengths of that lease. One with more left was taken before the clock went back, and would
 * keep everybody out for as long as the clock went back. One length allows for clocks of several machines.
 */
export const LEASE_LENGTHS_MAX = 2;

/**
 * `count` rising numbers strictly between the two neighbours in the view; open at an end where the neighbour is undefined. Two messages
 * in the view never share a number: the later one was placed between numbers that were taken. Appended messages have whole numbers.
 */
export function ordersBetween(before: number | undefined, after: number | undefined, count: number): readonly number[] {
  const low = before ?? (after === undefined ? 0 : Math.min(0, after - 1));
  // Whatever is appended meanwhile gets the next whole number, so the gap ends before it.
  const high = after ?? Math.floor(low) + 1;
  const step = (high - low) / (count + 1);
  const orders = Array.from({ length: count }, (_, index) => low + step * (index + 1));
  const isRising = orders.every((order, index) => order > (orders[index - 1] ?? low) && order < high);
  invariant(isRising, "there is room between two neighbours of the view");
  return orders;
}
