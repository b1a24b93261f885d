/** Rules for every store: valid ids, names of agents' sessions, the longest lease, the time of a purge, places of inserted messages. Pure. */

import { CompactionError, invariant } from "../errors.ts";
import type { NewEvent, NewSession } from "./store.ts";

/** Ids are data everywhere: never part of a statement, never used unchanged as a file name. */
const ID_LENGTH_MAX = 1_024;

export function checkSessionId(id: string): void {
  const problem = problemOf(id);
  if (problem === undefined) return;
  throw new CompactionError("invalid-settings", `This cannot be a session id: ${problem}. Nothing was changed.`);
}

/** Checks the ids of a new session: every store keeps them exactly, or refuses them. */
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

/** The characters that not every database can hold. */
function textProblem(text: string): string | undefined {
  if (text.includes("\0")) return "it contains a NUL character";
  return text.isWellFormed() ? undefined : "it contains half of a surrogate pair";
}

const MESSAGE_ID = /^m([1-9][0-9]{0,15})$/;

export function messageIdOf(sequence: number): string {
  return `m${sequence}`;
}

/** The number in a message id; undefined for another text. */
export function sequenceOf(messageId: string): number | undefined {
  const sequence = Number(MESSAGE_ID.exec(messageId)?.[1]);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** Each number once, in the given order; undefined where a text is no message id. */
export function sequencesOf(messageIds: readonly string[]): readonly number[] | undefined {
  const sequences = [...new Set(messageIds.map(sequenceOf))];
  return sequences.every((sequence) => sequence !== undefined) ? sequences : undefined;
}

const SEPARATOR = "\u001f";

/** The key of a session whose id another agent already uses: the id, then the agent. Both SQL schemas split keys by this rule. */
export function agentKey(sessionId: string, agentId: string): string {
  return `${sessionId}${SEPARATOR}${agentId}`;
}

/** The given id of a session that is stored under `key`. */
export function sessionIdIn(key: string, agentId: string): string {
  const ending = `${SEPARATOR}${agentId}`;
  return agentId !== "" && key.endsWith(ending) && key.length > ending.length ? key.slice(0, -ending.length) : key;
}

/** The time of a purge, as stores write times. Refuses an invalid date: comparing with it would silently keep or delete everything. */
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
 * The most time that a lease may have left, in lengths of that lease. More means that the clock went back since, and the
 * lease would keep every worker out for that long. One length is for differences between the clocks of several machines.
 */
export const LEASE_LENGTHS_MAX = 2;

/**
 * `count` rising numbers strictly between the two neighbours in the view; open at an end where the neighbour is undefined. Numbers
 * in the view are unique: the later message was placed between existing numbers. Appended messages have whole numbers.
 */
export function ordersBetween(before: number | undefined, after: number | undefined, count: number): readonly number[] {
  const low = before ?? (after === undefined ? 0 : Math.min(0, after - 1));
  // The next appended message gets the next whole number, so the gap ends before it.
  const high = after ?? Math.floor(low) + 1;
  const step = (high - low) / (count + 1);
  const orders = Array.from({ length: count }, (_, index) => low + step * (index + 1));
  const isRising = orders.every((order, index) => order > (orders[index - 1] ?? low) && order < high);
  invariant(isRising, "there is room between two neighbours of the view");
  return orders;
}

/** The facts of an event that made no summary and asked no model, such as a rewind or an entry of another program. */
export const NO_SUMMARY = {
  isCompaction: false,
  summary: null,
  modelUsed: null,
  promptVersion: null,
  calls: 0,
  costUsd: null,
  zoneRatio: null,
  durationMs: 0,
  firstKeptId: null,
  instructions: null,
} as const satisfies Partial<NewEvent>;
