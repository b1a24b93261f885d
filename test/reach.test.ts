import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** How many files somebody has to read to follow a call: those of which V8 runs anything, of all that are imported. */

const FILES_MAX = {
  /** A request that is seen for the first time, and is let through. */
  fit: 45,
  /** The same list once more. */
  again: 45,
  /** With a scripted summarizer. */
  compact: 110,
  /** `session.compact` on SQLite. */
  session: 130,
} as const;

test.each(Object.entries(FILES_MAX))("%s runs through at most %d files", (call, filesMax) => {
  const worker = join(import.meta.dirname, "workers/reach.ts");
  const files = execFileSync(process.execPath, [worker, call], { encoding: "utf8" }).trim().split("\n");
  expect(files).toContain("compactor.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(filesMax);
});
