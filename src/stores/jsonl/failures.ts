/** Errors of the file system as errors of a store. What is one already passes. */

import { CompactionError } from "../../core/errors.ts";

/** The store's methods with their errors translated. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CompactionError ? error : storageError(error);
  }
}

function storageError(cause: unknown): CompactionError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  const remedy = REMEDIES[code] ?? "look at the cause";
  const message = `A session file could not be read or written${code === "" ? "" : ` (${code})`}. Nothing was changed; ${remedy}.`;
  return new CompactionError("storage", message, { cause, retryable: RETRYABLE.has(code) });
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: "give this process the right to write to the directory",
  EPERM: "give this process the right to write to the directory",
  EROFS: "the disk is read-only: choose another directory",
  ENOSPC: "the disk is full: make room and try again",
  EDQUOT: "the quota is used up: make room and try again",
  EMFILE: "too many files are open: try again, or raise the limit",
  ENOTDIR: "the directory's path names a file: choose another",
};

const RETRYABLE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "EAGAIN", "EBUSY", "EINTR"]);
