/**
 * A store of session files, one a session, append-only, in the form that pi and OpenClaw read and write. Theirs can be opened and
 * gone on with. Nothing written is ever changed, but for `purge`, which is asked to.
 */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { jsonlBackend } from "./jsonl/backend.ts";
import type { Sync } from "./jsonl/write.ts";
import { logStore } from "./log/log-store.ts";

export interface JsonlStoreOptions {
  /** Made when the first session is. */
  readonly directory: string;
  /** `always`: on the disk when an append or commit resolves. `never`: when the system sees fit; only a crash of the machine loses anything. */
  readonly sync?: Sync;
  /** `iso` as pi and OpenClaw write them; `number` for milliseconds since 1970. Both are read. Default: `iso`. */
  readonly compactionTimestamps?: "iso" | "number";
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** @example const store = jsonlStore({ directory: "./sessions" }); */
export function jsonlStore(options: JsonlStoreOptions): FullStore {
  const {
    directory,
    sync = "always",
    compactionTimestamps = "iso",
    now = () => new Date(),
    newId = randomUUID,
  } = options;
  if (directory === "")
    throw new CompactionError("invalid-settings", "directory is empty; name one for the session files.");
  if (sync !== "always" && sync !== "never") {
    throw new CompactionError("invalid-settings", 'sync must be "always" or "never".');
  }
  if (compactionTimestamps !== "iso" && compactionTimestamps !== "number") {
    throw new CompactionError("invalid-settings", 'compactionTimestamps must be "iso" or "number".');
  }
  return logStore(jsonlBackend({ directory: resolve(directory), sync, compactionTimestamps, now, newId }));
}
