/** The one error class. Callers branch on `code`, nobody parses `message`. Every code has a row in docs/errors.md. */

import { redactSecrets } from "./secrets/secrets.ts";

export type ErrorCode =
  /** A body or message is not of the shape its format requires. */
  | "invalid-request"
  /** A setting, an option or an argument is unknown, of the wrong kind or out of range. */
  | "invalid-settings"
  /** A file could not be read, or is not what it claims to be. */
  | "unreadable-file"
  /** An optional dependency that the call needs is not installed. */
  | "missing-dependency"
  /** A plan would have broken a promise and was refused; nothing was changed. A defect of ours or of a strategy plug-in. */
  | "invalid-plan"
  /** A model made no usable summary; `reason` says how it failed. */
  | "summary-failed"
  /** A model did not answer, or its answer cannot be used; `cause` is what its client threw or the response. */
  | "model-failed"
  /** The given error is not an overflow; `cause` is that error. */
  | "not-an-overflow"
  /** The provider refused a request as too long, and no compaction made it fit; a retry would end in the same way. */
  | "compaction-failure"
  /** The provider states a window that leaves hardly any room for a conversation, and no setting states it. */
  | "window-too-small"
  /** The store has no session of that id. */
  | "session-missing"
  /** The store already has a session of that id. */
  | "session-exists"
  /** The message does not exist, or is not where it was expected. */
  | "message-missing"
  /** No compaction event with this id is in force. */
  | "event-missing"
  /** A later compaction depends on the one to undo. */
  | "needs-cascade"
  /** Messages that a rollback would have to restore were purged. */
  | "archive-purged"
  /** Another worker changed the session meanwhile; nothing was written. Plan again. */
  | "store-conflict"
  /** The lease expired or went to another worker before the commit; nothing was written. */
  | "lease-lost"
  /** Another worker is compacting the session. */
  | "already-in-progress"
  /** The caller asked for a compaction, and no message can leave. */
  | "nothing-to-compact"
  /** The database was written by a newer version of this package. */
  | "schema-too-new"
  /** The store could not read or write; `cause` is its error. Nothing was changed, unless the message says that this is unknown. */
  | "storage"
  /** The caller's signal was aborted; nothing was changed. */
  | "aborted";

/** The only error that is thrown on purpose; `code` says what happened, docs/errors.md how to fix it. */
export class CompactionError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  /** The kind of failure within its code, e.g. `timeout`; docs/errors.md lists them. */
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

/** The cause itself; a copy of its name and text where it quotes a credential, because loggers write causes with their errors. */
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

/** Guards a fact that must hold for every input; a failure is a defect of ours. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Invariant broken: ${message}`);
}
