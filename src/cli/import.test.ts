/** `palimpsest import` and what comes out again: own ids, nothing twice, nothing half. */

import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { hasRecordings, recordedFiles, recordedPath } from "../../test/recorded.ts";
import { runCli, temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess, sqliteAt } from "../../test/run-in-process.ts";
import { formatNamed } from "../formats.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import { type RecordedConversation, readTranscriptFile } from "../transcripts/index.ts";
import { importOf } from "./import.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const { cli, url } = sqliteAt(folder.path, "imports.db");

test("a session file keeps its own id, and is never imported twice", async () => {
  const first = await cli("import", "examples/sample-session.jsonl");
  expect(first).toMatchObject({ code: 0, stdout: "11111111-1111-4111-8111-111111111111\n" });
  const again = await cli("import", "examples/sample-session.jsonl");
  expect(again).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/already; nothing was changed/) });
});

test("what has no id gets one; a list becomes a body; standard input", async () => {
  const list = [{ role: "user", content: "Hello?" }];
  const { code, stdout } = await runInProcess(["import", "-", "--store", url], {
    stdin: JSON.stringify(list),
  });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{12}\n$/)]);
  expect(JSON.parse((await cli("export", stdout.trim())).stdout)).toEqual({ messages: list });
});

test("one of several conversations, or each", async () => {
  const line = (id: string) => JSON.stringify({ custom_id: id, body: { messages: [{ role: "user", content: id }] } });
  const file = folder.file("batch.jsonl", `${line("a1")}\n${line("b2")}\n`);
  expect(await cli("import", file, "--conversation", "2")).toMatchObject({
    code: 0,
    stdout: "b2\n",
    stderr: expect.stringMatching(/1 more in the file/),
  });
  expect(await cli("import", file, "--each")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/"b2" already/),
  });
  expect((await cli("show", "a1")).code).toBe(2);
});

test("images come back", async () => {
  const data = Buffer.alloc(3_000, 7).toString("base64");
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
  const body = { model: "claude-sonnet-4-5", max_tokens: 9, messages: [{ role: "user", content: [image] }] };
  const file = folder.file("image.json", body);
  await cli("import", file, "--id", "image");
  expect((await cli("export", "image")).stdout).toBe(`${JSON.stringify(body, null, 2)}\n`);
});

test("Ctrl-C while it waits for input leaves no store", async () => {
  const stopped = sqliteAt(folder.path, "stopped.db");
  const outcome = await runCli(["import", "-", "--store", stopped.url], { interrupts: true });
  expect(outcome).toEqual({ code: 130, stdout: "", stderr: "palimpsest: interrupted\n" });
  expect(existsSync(stopped.file)).toBe(false);
});

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
      const { session: made, batch } = importOf("s", "claude-code", recorded);
      await store.create(made, batch);
      const session = await openSession("s", { store, compactor: { format }, create: false });
      const body = Array.isArray(recorded.body) ? { [format.listKey]: recorded.body } : recorded.body;
      expect(JSON.stringify((await session.export()).request), file).toBe(JSON.stringify(body));
      checked++;
    }
  }
  expect(checked).toBeGreaterThan(5);
});
