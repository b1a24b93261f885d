/** What the commands over stored sessions refuse: one line, exit code 2, and nothing was made or changed. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresWorld } from "../../test/postgres-world.ts";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess, sqliteAt } from "../../test/run-in-process.ts";
import { openStore } from "../stores.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const shared = sqliteAt(folder.path, "shared.db");
beforeAll(async () => {
  await shared.cli("import", "examples/long-conversation.json", "--id", "long");
  await shared.cli("compact", "long", "--target", "40%");
});

async function checkRefused(words: readonly string[], expected: RegExp): Promise<void> {
  const { code, stdout, stderr } = await runInProcess(words);
  expect(stderr).toMatch(/^palimpsest: [^\p{Cc}]+\n$/u);
  expect(stderr).toMatch(expected);
  expect([code, stdout]).toEqual([2, ""]);
}

const missing = sqliteAt(folder.path, "missing.db");
const at = ["--store", missing.url];
const looks = [
  ["sessions"],
  ["history", "s"],
  ["show", "s"],
  ["diff", "s", "1"],
  ["recall", "s", "x"],
  ["export", "s"],
  ["doctor"],
];
const changes = [
  ["rollback", "s"],
  ["pin", "s", "m1"],
  ["purge", "--older-than", "1d"],
  ["compact", "s"],
];
test.each([...looks, ...changes])("a store that is not there: %s", async (...words) => {
  await checkRefused([...words, ...at], /there is no store at .*missing\.db; palimpsest import/);
  expect(existsSync(missing.file)).toBe(false);
});

test.each(["memory:", "sqlite::memory:"])("an import that would end with the command: %s", (url) =>
  checkRefused(["import", "examples/long-conversation.json", "--store", url], /ends with the command.*name a file/),
);

test.each([...looks, ...changes])("an empty file: %s", async (...words) => {
  const file = folder.file(`empty-${words.join("-")}.db`, "");
  await checkRefused([...words, "--store", `sqlite:${file}`], /There are no sessions in .*empty/);
  expect([statSync(file).size, existsSync(`${file}-wal`)]).toEqual([0, false]);
});

const world = await postgresWorld();
if (typeof world === "string") test.skip(world, () => {});
else {
  afterAll(() => world.end());
  const there = async (schema: string): Promise<number> => {
    const { rows } = await world.newPool().query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    return rows.length;
  };
  test.each([...looks, ...changes])("a schema that is not there: %s", async (...words) => {
    const [address, schema] = [new URL(world.url), world.newSchema()];
    address.searchParams.set("schema", schema);
    await checkRefused([...words, "--store", address.href], /There are no sessions in postgres.*palimpsest import/);
    expect(await there(schema)).toBe(0);
  });
  test("a schema that import made is read", async () => {
    const [address, schema] = [new URL(world.url), world.newSchema()];
    address.searchParams.set("schema", schema);
    const on = ["--store", address.href];
    expect((await runInProcess(["import", "examples/long-conversation.json", "--id", "long", ...on])).code).toBe(0);
    for (const words of [["sessions"], ["show", "long"], ["recall", "long", "customers"], ["doctor"]]) {
      expect(await runInProcess([...words, ...on])).toMatchObject({ code: 0, stderr: "" });
    }
    expect(await there(schema)).toBe(1);
  });
}

const here = ["--store", shared.url];
test("no such session", () => checkRefused(["show", "lnog", ...here], /no session "lnog".*did you mean long\?/));
test("no such compaction", () =>
  checkRefused(["diff", "long", "7", ...here], /no compaction "7"; there is one, number 1/));
test("no such message", () => checkRefused(["show", "long", "--message", "m500", ...here], /no message "m500"/));
test("an operand too few", () => checkRefused(["diff", "long", ...here], /diff needs an E/));
test("an operand too many", () => checkRefused(["history", "long", "1", ...here], /takes ID, but was given 2 words/));
test("a purge without an age", () => checkRefused(["purge", ...here], /needs --older-than AGE/));
test("an age that is none", () => checkRefused(["purge", "--older-than", "soon", ...here], /not "soon"/));
test("options of files for a session", () =>
  checkRefused(["compact", "long", "--format", "gemini", ...here], /--format is about files/));
test("two things for standard output", () =>
  checkRefused(["export", "long", "--json", ...here], /both want standard output/));
test("what is no database", async () => {
  const file = folder.file("text.db", "This is no database, only a text that is long enough to be told from one.");
  await checkRefused(["sessions", "--store", `sqlite:${file}`], /is not a SQLite database/);
  expect(readFileSync(file, "utf8")).toMatch(/^This is no database/);
});
test.each(["postgers://user:hunter2@host/db", "postgres://user:hunter2@[host/db"])("no address: %s", async (url) => {
  const { code, stdout, stderr } = await runInProcess(["sessions", "--store", url]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).not.toContain("hunter2");
});

test("a session that somebody else is compacting", async () => {
  const store = await openStore(shared.url);
  const lease = await store.lease("long", "somebody else", 60_000);
  const outcome = await shared.cli("compact", "long", "--keep", "3");
  expect(outcome).toMatchObject({ code: 75, stdout: "", stderr: expect.stringMatching(/^palimpsest: Another worker/) });
  if (lease !== undefined) await store.release(lease);
  await store.close();
});
