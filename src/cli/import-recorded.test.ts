/** Real sessions of other tools, where there are any: imported, they come out again to the byte. */

import { expect, test } from "vitest";
import { hasRecordings, recordedFiles, recordedPath } from "../../test/recorded.ts";
import { formatNamed } from "../formats.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import { type RecordedConversation, readTranscriptFile } from "../transcripts/index.ts";
import { importOf, storeImport } from "./import.ts";

/** Enough of each kind; the readers' own tests read them all. */
const FILES_PER_FOLDER = 4;
const BYTES_MAX = 2_000_000;

function sample(): readonly string[] {
  const folders = Map.groupBy(recordedFiles("*/**/*.json", "*/**/*.jsonl"), (file) => file.split("/")[0]);
  return [...folders.values()].flatMap((files) => files.slice(0, FILES_PER_FOLDER));
}

function conversationsOf(file: string): readonly RecordedConversation[] {
  try {
    return readTranscriptFile(recordedPath(file)).conversations.slice(0, 2);
  } catch {
    return []; // not every file of a data set is a session
  }
}

test.skipIf(!hasRecordings)("import and export", async () => {
  let checked = 0;
  for (const file of sample()) {
    for (const recorded of conversationsOf(file)) {
      if (JSON.stringify(recorded.body).length > BYTES_MAX) continue;
      const store = memoryStore();
      const format = formatNamed(recorded.format);
      await storeImport(store, importOf("s", "claude-code", recorded));
      const session = await openSession("s", { store, compactor: { format }, create: false });
      const body = Array.isArray(recorded.body) ? { [format.listKey]: recorded.body } : recorded.body;
      expect(JSON.stringify((await session.export()).request), file).toBe(JSON.stringify(body));
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(5);
});
