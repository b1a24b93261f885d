/** `palimpsest inspect DIRECTORY`: one line for each file that holds a conversation, largest first. */

import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { displayWidth } from "./one-line.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

beforeAll(() => {
  mkdirSync(join(folder.path, "deep", "er"), { recursive: true });
  copyFileSync("examples/long-conversation.json", join(folder.path, "deep", "er", "long.json"));
  copyFileSync("examples/sample-session.jsonl", join(folder.path, "session.jsonl"));
  const small = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
  writeFileSync(join(folder.path, "small.json.gz"), gzipSync(small));
  writeFileSync(join(folder.path, "package.json"), '{ "name": "no conversation" }');
  writeFileSync(join(folder.path, "broken.jsonl"), "not json");
  writeFileSync(join(folder.path, "notes.txt"), "not looked at");
  symlinkSync(folder.path, join(folder.path, "loop"));
});

test("as text", async () => {
  const { code, stdout, stderr } = await runInProcess(["inspect", folder.path, "--window", "200k"]);
  expect([code, stderr]).toEqual([0, ""]);
  const names = [...stdout.matchAll(/ (\S+\.jsonl?(?:\.gz)?)$/gm)].map(([, name]) => name);
  expect(names).toEqual([join("deep", "er", "long.json"), "session.jsonl", "small.json.gz"]);
  expect(stdout).toContain("3 files with conversations");
  expect(stdout).toContain("2 other files with no conversation");
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test("as JSON, with the same numbers as for each file", async () => {
  const { stdout } = await runInProcess(["inspect", folder.path, "--json"]);
  const { files, unread, leftOut } = JSON.parse(stdout);
  expect([files.length, unread.length, leftOut]).toEqual([3, 2, 0]);
  for (const { file, tokens, messages, format } of files) {
    const alone = JSON.parse((await runInProcess(["inspect", join(folder.path, file), "--json"])).stdout);
    expect([tokens, messages, format]).toEqual([
      alone.usage?.nextRequestTokens ?? alone.tokens.total,
      alone.messages,
      alone.format,
    ]);
  }
});

test("an empty one, and options that are about one file", async () => {
  const empty = join(folder.path, "deep", "empty");
  mkdirSync(empty);
  expect((await runInProcess(["inspect", empty])).stdout).toContain("0 files with conversations");
  const { code, stderr } = await runInProcess(["inspect", empty, "--conversation", "2"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--conversation is about one file")]);
});
