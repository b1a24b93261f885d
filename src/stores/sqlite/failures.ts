/** What SQLite says went wrong, as the one error class: what failed, that nothing was changed, what to do. */

import { CompactionError } from "../../core/errors.ts";

/** Errors of ours pass as they are. */
export function asCompactionError(error: unknown, file: string): CompactionError {
  if (error instanceof CompactionError) return error;
  const [what, remedy] = REASONS[sqliteCode(error) ?? -1] ?? [
    `could not be read or written (${textOf(error)})`,
    "the cause says more",
  ];
  const message = `The database ${file} ${what}. Nothing was changed; ${remedy}.`;
  return new CompactionError("storage", message, { cause: error, retryable: isBusy(error) });
}

/** Somebody else has the lock: to be tried again. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

const BUSY = 5;
const LOCKED = 6;

/** By primary result code. */
const REASONS: Readonly<Record<number, readonly [what: string, remedy: string]>> = {
  3: ["may not be accessed", "check the permissions of the file and its folder"],
  [BUSY]: ["is locked: another process is writing to it", "try again"],
  [LOCKED]: ["is locked: another process is writing to it", "try again"],
  8: ["cannot be written to: it is read-only", "make the file and its folder writable, or use another file"],
  10: ["could not be read or written: the disk failed", "check the disk"],
  11: ["is damaged", "restore it from a backup"],
  13: ["cannot grow: the disk is full", "free some space and try again"],
  14: ["cannot be opened", "check that the path is a file, and the permissions of the file and its folder"],
  18: ["cannot hold a row this large", "make the message smaller"],
  26: ["is not a SQLite database", "use another file"],
};

/** The low byte is the primary code, the rest says more. */
function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
