/** What the SQL stores refuse, in one wording: what failed, that nothing was changed, what to do. */

import { CompactionError } from "../../core/errors.ts";

export function sessionMissing(sessionId: string): CompactionError {
  return new CompactionError(
    "session-missing",
    `There is no session ${quoted(sessionId)} in this store. Create it first.`,
  );
}

export function sessionExists(sessionId: string): CompactionError {
  const message = `There is a session ${quoted(sessionId)} already. Nothing was changed; open it, or choose another id.`;
  return new CompactionError("session-exists", message);
}

export function messageMissing(): CompactionError {
  const message = "A message to be pinned or unpinned is not in the view. Nothing was changed; open the session again.";
  return new CompactionError("message-missing", message);
}

export function leaseLost(): CompactionError {
  const message =
    "The lease expired or went to another worker before the commit. Nothing was written; take a lease and plan again.";
  return new CompactionError("lease-lost", message, { retryable: true });
}

export function storeConflict(what: string): CompactionError {
  const message = `${what} Nothing was written; open the session and plan again.`;
  return new CompactionError("store-conflict", message, { retryable: true });
}

export function storeClosed(): CompactionError {
  return new CompactionError("storage", "This store is closed. Nothing was changed; open it again.");
}

const QUOTED_CHARACTERS_MAX = 80;

function quoted(sessionId: string): string {
  const isLong = sessionId.length > QUOTED_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${sessionId.slice(0, QUOTED_CHARACTERS_MAX)}…` : sessionId);
}
