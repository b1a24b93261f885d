/** Checks what callers pass to a session: one clear line, before anything is written. */

import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonObject, ownCopy } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { nearestWord } from "../core/settings/check-schema.ts";
import { quoted } from "../core/text.ts";
import { baseOf, frameOf } from "./session-view.ts";

export function checkText(value: unknown, what: string): void {
  if (typeof value !== "string") throw invalid(`${what} must be a string, not ${typeof value}.`);
}

/** The message to rewind to, and whether it stays. */
export function checkedPoint({ to, before }: { readonly to?: unknown; readonly before?: unknown }): [string, boolean] {
  if ((to === undefined) === (before === undefined))
    throw invalid("rewind takes either `to` or `before`, a message id.");
  const [messageId, isKept] = to === undefined ? [before, false] : [to, true];
  if (typeof messageId !== "string") throw invalid(`A message id must be a string, not ${typeof messageId}.`);
  return [messageId, isKept];
}

export function checkedDate(value: unknown): Date {
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
  throw invalid("`olderThan` must be a valid Date.");
}

export function checkFlag(value: unknown, name: string): void {
  if (value !== undefined && typeof value !== "boolean") throw invalid(`\`${name}\` must be true or false.`);
}

/** The options of each method beside `signal`. */
const METHOD_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  append: ["pinned"],
  rollback: ["to", "cascade"],
  rewind: ["to", "before"],
  fork: ["at"],
  recall: ["limit", "scope"],
  purge: ["olderThan"],
  export: ["all", "format"],
};

/** Every method takes no options or some. The methods of a pass are not listed: the compactor checks their option names. */
export function checkOptions(options: unknown, method?: string): void {
  if (options === undefined) return;
  if (!isObject(options)) throw invalid("Options must be an object.");
  if (method !== undefined) checkNames(method, options, [...(METHOD_OPTIONS[method] ?? []), "signal"]);
  const { signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalid("`signal` must be an AbortSignal.");
}

/** A misspelt option must not silently lose a pin or a signal. */
function checkNames(method: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const near = nearestWord(unknown, known);
  const hint = near === undefined ? `it takes ${known.join(", ")}.` : `did you mean ${near}?`;
  throw invalid(`${method} has no option ${quoted(unknown)}; ${hint}`);
}

/** Checks the options of `openSession`. The compactor's own options are checked when it is created. */
export function checkSessionOptions(options: unknown): void {
  if (!isObject(options)) throw invalid("openSession takes an id and { store, compactor }.");
  checkNames("openSession", options, SESSION_OPTIONS);
  const { store, compactor, leaseMs, agentId, parentId } = options;
  if (typeof store !== "string" && !(isObject(store) && typeof store.open === "function"))
    throw invalid('`store` must be an address such as "memory:", or a store.');
  if (!isObject(compactor)) throw invalid("`compactor` must be a compactor, or what createCompactor takes.");
  if (agentId !== undefined) checkText(agentId, "`agentId`");
  if (parentId !== undefined) checkText(parentId, "`parentId`");
  if (leaseMs !== undefined) checkLeaseMs(leaseMs);
}

const SESSION_OPTIONS = ["store", "compactor", "body", "create", "agentId", "parentId", "metadata", "leaseMs", "now"];

/** A shorter lease could expire before it is renewed. */
const LEASE_MS_MIN = 10;
/** A longer lease only keeps others out, and timers end at about three weeks. */
const LEASE_MS_MAX = 86_400_000;

function checkLeaseMs(value: unknown): void {
  if (typeof value === "number" && value >= LEASE_MS_MIN && value <= LEASE_MS_MAX) return;
  throw invalid(`\`leaseMs\` must be a number from ${LEASE_MS_MIN} to ${LEASE_MS_MAX}.`);
}

/** The body without its messages, after a check that requests can be made from it. */
export function checkedBase(format: Format, body: unknown): JsonObject {
  const base = baseOf(format, ownBody(body));
  frameOf(format, { base, system: null });
  return base;
}

/** A copy: the caller may change its own object later. */
export function ownBody(body: unknown): JsonObject {
  if (!isObject(body)) throw invalid("`body` must be a request body, an object.");
  return ownCopy(body);
}

function invalid(problem: string): CompactionError {
  return new CompactionError("invalid-settings", `${problem} Nothing was changed.`);
}
