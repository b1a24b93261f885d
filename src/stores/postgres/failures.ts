/** What a database client threw, as the error that callers branch on. Never shows a connection string. */

import { CompactionError } from "../../core/errors.ts";

/** The five characters of SQLSTATE, or what Node and the clients use in their place. */
export function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Postgres itself took the transaction back to let another one go on: it can simply be tried again. */
export function isLostRace(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error));
}

/** A lock was not to be had in time, and the transaction was taken back. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Nothing more can be said over that connection, and whether the last statement took effect is not known. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^08/.test(code) || CONNECTION_CODES.has(code)) return true;
  return code === "" && error instanceof Error && CONNECTION_MESSAGE.test(error.message);
}

/** No connection was to be had, so the statement cannot have taken effect. */
export function isNeverSent(error: unknown): boolean {
  return ["57P03", "53300", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT"].includes(codeOf(error));
}

/** `isUnsure` where a write may have taken effect although its answer was lost. */
export function storageFailure(doing: string, cause: unknown, isUnsure: boolean): CompactionError {
  if (cause instanceof CompactionError) return cause;
  const said = (cause instanceof Error && withoutPassword(cause.message)) || codeOf(cause) || "an unknown error";
  const isLost = isConnectionLost(cause);
  const state =
    isLost && isUnsure && !isNeverSent(cause)
      ? "Whether it took effect is not known: look at the session before you try again."
      : "Nothing was changed.";
  const message = `Postgres could not ${doing}: ${said}. ${state}${remedyOf(codeOf(cause))}`;
  return new CompactionError("storage", message, { cause, retryable: isLost || isPassing(cause) });
}

/** Goes away by itself: races, locks that were not to be had, too many connections. */
function isPassing(error: unknown): boolean {
  return isLostRace(error) || isLockTimeout(error) || ["53300", "57014"].includes(codeOf(error));
}

function remedyOf(code: string): string {
  if (code === "55P03") return " Another worker holds the lock: try again.";
  if (code === "53100") return " Free some space on the server's disk.";
  if (code === "25006") return " The server is read-only: connect to the primary.";
  if (code === "42501") return " Give this account the rights it needs on the schema.";
  return "";
}

/** A transaction that idled too long, shutdown of the server and refused connections, then Node's own, then those of postgres.js. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "25P03",
  "57P01",
  "57P02",
  "57P03",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
]);

/** `pg` gives these no code. */
const CONNECTION_MESSAGE = /connection (?:terminated|ended|closed|timeout)|not queryable|timeout exceeded when trying/i;

function withoutPassword(message: string): string {
  return message.replaceAll(/(\/\/[^\s:@/]*):[^\s@/]*@/g, "$1:***@").replace(/[.\s]+$/, "");
}
