/**
 * Who may read what a store makes: its owner alone. A conversation holds what people and tools said, keys among it. What is already
 * there keeps the mode that somebody chose for it. Windows has no such modes; there the folder's own rules apply.
 */

import { closeSync, mkdirSync, openSync } from "node:fs";

/** For files that are new. */
export const PRIVATE_FILE = 0o600;

/** Makes the folder and those above it that are missing. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/**
 * An empty file, where there is none; whoever opens it next leaves its mode as it is. Where none can be made, that one says why when it
 * opens the file.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
