/** The recorded transcripts that lie beside the project, where there are any. */

import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..", "shared", "data");

export const hasRecordings: boolean = existsSync(root);

if (!hasRecordings) console.log("No recorded transcripts in ../shared/data: the tests that read them are skipped.");

/** Paths of the files that match, relative to the data folder, in a stable order. */
export function recordedFiles(...patterns: readonly string[]): readonly string[] {
  if (!hasRecordings) return [];
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  return files.filter((file) => statSync(join(root, file)).isFile()).sort();
}

export function recordedPath(file: string): string {
  return join(root, file);
}
