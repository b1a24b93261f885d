import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sqliteStore } from "../sqlite.ts";
import { initial } from "./migrations/001-initial.ts";

let directory = "";
let file = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "palimpsest-schema-"));
  file = join(directory, "sessions.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

async function migrated(): Promise<DatabaseSync> {
  const store = sqliteStore({ file });
  await store.create({ id: "a", format: "gemini", base: {} });
  await store.close();
  return new DatabaseSync(file);
}

/** What opening the file as it is says; and that the file is the same afterwards. */
async function checkRefused(expected: { code: string; message: RegExp }): Promise<void> {
  const before = readFileSync(file);
  const store = sqliteStore({ file });
  await expect(store.open("a")).rejects.toMatchObject({
    code: expected.code,
    message: expect.stringMatching(expected.message),
  });
  await store.close();
  expect(readFileSync(file).equals(before)).toBe(true);
}

test("the schema is the one in schema.sql; `vitest -u` writes it anew", async () => {
  const database = await migrated();
  const rows = database
    .prepare(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'message\\_search\\_%' ESCAPE '\\' ORDER BY rowid",
    )
    .all();
  database.close();
  const dump = rows.map(({ sql }) => `${sql};\n`).join("\n");
  await expect(dump).toMatchFileSnapshot("./schema.sql");
});

test("the file is in WAL mode, and its migrations are recorded", async () => {
  const database = await migrated();
  expect(database.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
  expect(database.prepare("SELECT number, name FROM schema_migrations").all()).toEqual([
    expect.objectContaining({ number: 1, name: "initial" }),
    expect.objectContaining({ number: 2, name: "identity" }),
    expect.objectContaining({ number: 3, name: "search-words" }),
    expect.objectContaining({ number: 4, name: "agents" }),
    expect.objectContaining({ number: 5, name: "traffic" }),
    expect.objectContaining({ number: 6, name: "search" }),
  ]);
  database.close();
});

test("sessions of the first schema get an identity, and so do those that an older version makes", async () => {
  const database = new DatabaseSync(file);
  database.exec(
    "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT",
  );
  database.exec(initial.sql);
  database.exec("INSERT INTO schema_migrations VALUES (1, 'initial', '')");
  const make = (id: string) =>
    database.exec(
      `INSERT INTO sessions (id, format, created_at, updated_at) VALUES ('${id}', 'gemini', '2026', '2026')`,
    );
  make("a");
  make("b");
  const store = sqliteStore({ file });
  const identityOf = async (id: string) => (await store.open(id))?.version.incarnation;
  const before = [await identityOf("a"), await identityOf("b")];
  await store.delete("b");
  make("b");
  database.close();
  const all = new Set([...before, await identityOf("b")]);
  await store.close();
  expect([...all].filter((identity) => /^[0-9a-f]{32}$/.test(identity ?? ""))).toHaveLength(3);
});

test("a database of a newer version is left alone", async () => {
  const database = await migrated();
  database.exec("INSERT INTO schema_migrations VALUES (99, 'from the future', '2030-01-01T00:00:00.000Z')");
  database.close();
  await checkRefused({ code: "schema-too-new", message: /schema 99.*up to 6.*newer version/ });
});

test("a database that other migrations made is left alone", async () => {
  const database = await migrated();
  database.exec("UPDATE schema_migrations SET name = 'other'");
  database.close();
  await checkRefused({ code: "storage", message: /number 1 is not initial/ });
});

test("the database of another program is left alone", async () => {
  const database = new DatabaseSync(file);
  database.exec("CREATE TABLE sessions (id INTEGER); INSERT INTO sessions VALUES (1)");
  database.close();
  await checkRefused({ code: "storage", message: /another program/ });
});

test("a file that is no database is left alone", async () => {
  writeFileSync(file, '{"role":"user","content":"a transcript, not a database"}\n'.repeat(100));
  await checkRefused({ code: "storage", message: /not a SQLite database.*Nothing was changed/ });
});

test("a folder is no file", async () => {
  const store = sqliteStore({ file: directory });
  await expect(store.open("a")).rejects.toMatchObject({
    code: "storage",
    message: expect.stringMatching(/cannot be opened/),
  });
});

test("a migration that fails half-way leaves an empty database, and can be tried again", async () => {
  const { createSqliteStore } = await import("./store.ts");
  let failures = 1;
  const options = {
    url: "",
    file,
    durability: "full",
    busyTimeoutMs: 0,
    now: () => new Date(),
    newId: () => "e",
  } as const;
  const onStatement = (sql: string): void => {
    if (sql.startsWith("INSERT INTO schema_migrations") && failures-- > 0) throw new Error("the power went out");
  };
  const store = createSqliteStore(options, { onStatement });
  await expect(store.open("a")).rejects.toMatchObject({ code: "storage" });
  const database = new DatabaseSync(file);
  expect(database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()).toMatchObject({ count: 0 });
  database.close();
  expect(await store.open("a")).toBeUndefined();
  await store.close();
});

const STARTER = `
const [module, file, name] = process.argv.slice(1);
const { sqliteStore } = await import(module);
const store = sqliteStore({ file });
await store.create({ id: "shared", format: "gemini", base: {} }).catch((error) => {
  if (error.code !== "session-exists") throw error;
});
for (let number = 0; number < 25; number++) {
  const body = { role: "user", parts: [{ text: name + " " + number }] };
  await store.append("shared", { messages: [{ role: "user", body, attachments: [] }], turns: 1 });
}
await store.close();
`;

test("several processes start at once on one new file", async () => {
  const module = new URL("../sqlite.ts", import.meta.url).href;
  const start = (name: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", STARTER, module, file, name]);
  const outputs = await Promise.all(["a", "b", "c", "d"].map(start));
  expect(outputs.map(({ stderr }) => stderr)).toEqual(["", "", "", ""]);
  const store = sqliteStore({ file });
  const state = await store.open("shared");
  await store.close();
  expect(state?.view.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
  expect(state?.counters.messageCount).toBe(100);
  expect(existsSync(file)).toBe(true);
});
