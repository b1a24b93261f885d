/** Makes files and folders that only their owner can read, because conversations may hold keys. Existing ones keep their mode. */

import { closeSync, mkdirSync, openSync } from "node:fs";

/** For files that are new. */
export const PRIVATE_FILE = 0o600;

/** Makes the folder and those above it that are missing. */
export function makePrivateDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Makes an empty file where there is none. Where that fails, opening it later fails and says why. */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", PRIVATE_FILE));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}
