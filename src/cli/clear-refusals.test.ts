/** What is refused in one clear line, and what is read all the same. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess, sqliteAt } from "../../test/run-in-process.ts";
import { openStore } from "../stores.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

const request = folder.file("request.json", { model: "gpt-5", messages: [{ role: "user", content: "hello there" }] });

async function check(words: readonly string[], expected: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runInProcess(words);
  expect([code, stdout, stderr.trim().split("\n").length]).toEqual([2, "", 1]);
  expect(stderr).toMatch(expected);
}

test("a window below 0", () => check(["inspect", request, "--window", "-5"], /--window takes nothing below 0.*-5/));
test("a number of messages below 0", () =>
  check(["compact", request, "--keep", "-1"], /--keep takes nothing below 0.*-1/));
test("an option in the place of a value", () =>
  check(["compact", request, "--out", "--json"], /--out needs a value, but --json follows; write --out=--json/));
test("an option without a value", () => check(["compact", request, "--target"], /--target needs a value, N\|P%/));
test("every refusal of an option points to the help of its command", async () => {
  await check(["inspect", request, "--window", "many"], /"many" \(see palimpsest inspect --help\)$/m);
  await check(["explain", request, "--format", "foo"], /unknown format "foo" \(see palimpsest explain --help\)$/m);
  await check(["check", request, "--conversation", "9"], /from 1 \(see palimpsest check --help\)$/m);
  await check(["compact", request, "--json=1"], /\(see palimpsest compact --help\)$/m);
});
test("an id of several lines", () =>
  check(["import", request, "--id", "a\nb", "--store", "memory:"], /--id may hold no control characters/));

test("an id of the file with a line break is printed as JSON", async () => {
  const { cli } = sqliteAt(folder.path, "ids.db");
  const lines = [{ type: "session", version: 3, id: "a\nb", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" }];
  const message = { role: "user", content: "hello" };
  const entry = { type: "message", id: "m", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message };
  const file = folder.file("ids.jsonl", [...lines, entry].map((line) => JSON.stringify(line)).join("\n"));
  expect((await cli("import", file)).stdout).toBe('"a\\nb"\n');
});

test("a request body on one line may be longer than a record", async () => {
  const long = "x".repeat(65 * 1024 * 1024);
  const file = folder.file("long.json", { model: "gpt-5", messages: [{ role: "user", content: long }] });
  expect((await runInProcess(["check", file])).stdout).toMatch(/valid openai-chat/);
});

test("a session that cannot be opened can be examined", async () => {
  const { cli, file } = sqliteAt(folder.path, "damaged.db");
  await cli("import", request, "--id", "s");
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const database = new DatabaseSync(file);
  database.exec("UPDATE sessions SET base = 'x'");
  database.close();
  for (const words of [["doctor"], ["doctor", "s"]]) {
    const { code, stdout } = await cli(...words);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/session s: session-json: .*base/)]);
  }
  expect(await cli("doctor", "t")).toMatchObject({ code: 2, stderr: expect.stringMatching(/no session "t"/) });
});

test("a database that is only read is left as it is, and says what it would have to write", async () => {
  const { cli, file, url } = sqliteAt(folder.path, "read.db");
  await cli("import", request, "--id", "s");
  const before = readFileSync(file);
  const store = await openStore(url, { readOnly: true });
  expect((await store.open("s"))?.view.length).toBe(1);
  await expect(store.search("s", "hello", 3)).rejects.toThrow(/only read.*search.*Nothing was changed.*writable/);
  await expect(store.update("s", { type: "pin", messageIds: ["m1"], isPinned: true })).rejects.toMatchObject({
    code: "storage",
  });
  await store.close();
  expect(readFileSync(file).equals(before)).toBe(true);
  const missing = await openStore(`${url}.other`, { readOnly: true });
  await expect(missing.open("s")).rejects.toMatchObject({ code: "storage" });
  expect(existsSync(`${file}.other`)).toBe(false);
});

/** Root may write anywhere, so the commands are run as somebody else. */
const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot && process.platform === "win32")("reading commands read where nothing can be written", async () => {
  const place = join(folder.path, "locked");
  mkdirSync(place);
  const { cli, file, url } = sqliteAt(place, "sessions.db");
  await cli("import", request, "--id", "s");
  chmodSync(folder.path, 0o755);
  chmodSync(file, 0o444);
  chmodSync(place, 0o555);
  const nobody = isRoot ? { uid: 65_534, gid: 65_534 } : {};
  for (const words of [["sessions"], ["export", "s"], ["doctor"]]) {
    const main = join(import.meta.dirname, "main.ts");
    const options = { cwd: folder.path, encoding: "utf8", ...nobody } as const;
    const { status, stderr } = spawnSync(process.execPath, [main, ...words, "--store", url], options);
    expect([words, status, stderr]).toEqual([words, 0, ""]);
  }
  chmodSync(place, 0o755);
});

test("a name of no file is a stored session's, where the default store has it", async () => {
  const main = join(import.meta.dirname, "main.ts");
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [main, ...words], { cwd: folder.path, encoding: "utf8" });
  expect(run("compact", "talk").stderr).toMatch(/no such file; check the path/);
  run("import", request, "--id", "talk");
  expect(run("compact", "talk", "--keep", "2")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/stored as compaction 1|nothing was changed/),
    stderr: "",
  });
  expect(run("compact", "other").stderr).toMatch(/no such file; check the path/);
  expect(run("compact", "talk", "--agent", "nobody").stderr).toMatch(/no session "talk" of the agent "nobody"/);
});
