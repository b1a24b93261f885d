/** The one error class. Callers branch on `code`, nobody parses `message`. Every code has a row in docs/errors.md. */

import { redactSecrets } from "./secrets/secrets.ts";

export type ErrorCode =
  /** A body or message is not of the shape its format requires. */
  | "invalid-request"
  /** A setting, an option or an argument is unknown, of the wrong kind or out of range. */
  | "invalid-settings"
  /** A file could not be read, or is not what it claims to be. */
  | "unreadable-file"
  /** An optional dependency that was asked for is not installed. */
  | "missing-dependency"
  /** A plan would have broken a promise and was refused; nothing was changed. A defect of ours or of a strategy plug-in. */
  | "invalid-plan"
  /** A model made no summary that could be used; `reason` says how it failed. */
  | "summary-failed"
  /** A model did not answer, or its answer cannot be used; `cause` is what its client threw or the response. */
  | "model-failed"
  /** An error was given as an overflow and is none; `cause` is that error. */
  | "not-an-overflow"
  /** The provider refused a request as too long, and no compaction made it fit; trying again would end in the same way. */
  | "compaction-failure"
  /** The provider states a window that leaves hardly any room for a conversation, and nobody told it. */
  | "window-too-small"
  /** There is no session of that id in the store. */
  | "session-missing"
  /** There is one already. */
  | "session-exists"
  /** There is no such message, or it is not where it was looked for. */
  | "message-missing"
  /** There is no such compaction event in force. */
  | "event-missing"
  /** A later compaction rests on the one that was to be undone. */
  | "needs-cascade"
  /** Messages that a rollback would have to bring back were purged. */
  | "archive-purged"
  /** Somebody else changed the session meanwhile; nothing was written. Plan again. */
  | "store-conflict"
  /** The lease expired or went to another worker before the commit; nothing was written. */
  | "lease-lost"
  /** Another worker is compacting the session. */
  | "already-in-progress"
  /** Compaction was asked for, and there is nothing that could go. */
  | "nothing-to-compact"
  /** The database was written by a newer version of this package. */
  | "schema-too-new"
  /** The store could not read or write; `cause` is what it said. Nothing was changed, unless the message says that nobody knows. */
  | "storage"
  /** The caller's signal was aborted; nothing was changed. */
  | "aborted";

/** The only error that is thrown on purpose; `code` says what happened, docs/errors.md what to do about it. */
export class CompactionError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** Which kind of failure within its code, e.g. `timeout`; docs/errors.md lists them. */
  readonly reason: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { readonly cause?: unknown; readonly retryable?: boolean; readonly reason?: string } = {},
  ) {
    super(redactSecrets(message), options.cause === undefined ? undefined : { cause: shownCause(options.cause) });
    this.name = "CompactionError";
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.reason = options.reason;
  }
}

const CAUSES_MAX = 5;

/**
 * The cause itself, unless its text quotes a credential: then a copy of its name and text without it. Loggers write causes down with
 * their errors.
 */
function shownCause(cause: unknown, depth: number = 0): unknown {
  if (!(cause instanceof Error) || depth > CAUSES_MAX) return cause;
  const inner = shownCause(cause.cause, depth + 1);
  const [message, stack] = [redactSecrets(cause.message), redactSecrets(cause.stack ?? "")];
  if (message === cause.message && stack === (cause.stack ?? "") && inner === cause.cause) return cause;
  const shown = new Error(message, inner === undefined ? undefined : { cause: inner });
  shown.name = cause.name;
  shown.stack = stack;
  return shown;
}

/** Guards what must be true whatever the input; a failure is a defect of ours. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}
