import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Commit } from "../../core/store/store.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import {
  append,
  begin,
  commitOf,
  compact,
  isSound,
  listOf,
  stateOf,
  takeLease,
  user,
} from "../../testing/store/world.ts";
import { sqliteStore } from "../sqlite.ts";
import type { Seams } from "./connection.ts";
import { createSqliteStore } from "./store.ts";

let directory = "";
let file = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "palimpsest-faults-"));
  file = join(directory, "sessions.db");
});
afterEach(() => rmSync(directory, { recursive: true }));

function open(seams: Seams, busyTimeoutMs = 200): FullStore {
  const options = { durability: "full", busyTimeoutMs, now: () => new Date() } as const;
  return createSqliteStore({ ...options, url: "sqlite:test", file, newId: () => crypto.randomUUID() }, seams);
}

/** Everything that a session shows. */
async function everything(store: FullStore): Promise<string> {
  const [state, events, archive, log] = [
    await store.open("a"),
    await listOf(store.events("a")),
    await listOf(store.archive("a")),
    await listOf(store.log("a")),
  ];
  return JSON.stringify({ state, events, archive, log });
}

/** Fails each statement of the action in turn, and asserts that nothing changed; returns how many there were. */
async function checkFaults(act: (store: FullStore) => Promise<unknown>, isRollbackBroken: boolean): Promise<number> {
  let remaining = Number.POSITIVE_INFINITY;
  let seen: string[] = [];
  const fault = (): never => {
    throw new Error("the disk went away");
  };
  const onStatement = (sql: string): void => {
    // What comes after the deed, and may fail, is no part of it.
    if (sql.startsWith("PRAGMA wal_checkpoint")) fault();
    if (sql !== "ROLLBACK") {
      seen.push(sql);
      remaining--;
    }
    if (remaining < 0 && (sql !== "ROLLBACK" || isRollbackBroken)) fault();
  };
  const store = open({ onStatement });
  const before = await everything(store);
  for (let failing = 0; ; failing++) {
    [remaining, seen] = [failing, []];
    const outcome = await act(store).then(
      () => "done",
      (error) => error.code,
    );
    const [wasFaulty, count] = [remaining < 0, seen.length];
    remaining = Number.POSITIVE_INFINITY;
    if (!wasFaulty) {
      expect(outcome).toBe("done");
      await isSound(store);
      await store.close();
      return count;
    }
    expect(outcome).toBe("storage");
    expect(await everything(store), `after a fault at ${seen.at(-1)}`).toBe(before);
  }
}

async function prepared(): Promise<Commit> {
  const store = sqliteStore({ file });
  await begin(store, "a", 8);
  await compact(store, "a", { archive: [0, 1], summary: "one", edits: [[3, { role: "assistant", content: "short" }]] });
  const commit = await commitOf(store, "a", {
    archive: [1, 2],
    summary: "two",
    edits: [[4, { role: "user", content: "stub" }]],
    totalTokens: 5,
  });
  await store.close();
  return commit;
}

test.each([false, true])(
  "a compaction of which any statement fails never happened (rollback broken: %s)",
  async (broken) => {
    const commit = await prepared();
    expect(await checkFaults((store) => store.commit("a", commit), broken)).toBeGreaterThanOrEqual(9);
  },
);

test("a rollback of which any statement fails never happened", async () => {
  const commit = await prepared();
  const store = sqliteStore({ file });
  const { eventId } = await store.commit("a", commit);
  await store.rollback("a", {});
  const [first] = await listOf(store.events("a"));
  await store.release(commit.lease);
  await compact(store, "a", { archive: [0, 1], summary: "three" });
  await store.close();
  expect(eventId).not.toBe(first?.id);
  const rollback = { to: first?.id ?? "", cascade: true };
  expect(await checkFaults((again) => again.rollback("a", rollback), false)).toBeGreaterThanOrEqual(12);
});

test.each([
  ["append", (store: FullStore) => append(store, "a", [user("one"), user("two")])],
  ["fork", (store: FullStore) => store.fork("a", "b")],
  ["purge", (store: FullStore) => store.purge("a", new Date(Date.now() + 60_000))],
  ["pins", (store: FullStore) => store.update("a", { type: "pin", messageIds: ["m5", "m6"], isPinned: true })],
  ["base", (store: FullStore) => store.update("a", { type: "base", base: { model: "other" } })],
  ["metadata", (store: FullStore) => store.update("a", { type: "metadata", metadata: { model: "other" } })],
] as const)("%s: any statement that fails leaves things as they were", async (_, act) => {
  await prepared();
  expect(await checkFaults(act, false)).toBeGreaterThanOrEqual(4);
});

test("a full disk is told as such, and nothing is changed", async () => {
  await prepared();
  const store = open({ onConnect: (database) => database.run("PRAGMA max_page_count = 60") });
  const before = await everything(store);
  const large = Array.from({ length: 40 }, (_, index) => user(`${index}`.padEnd(20_000, "x")));
  await expect(append(store, "a", large)).rejects.toMatchObject({
    code: "storage",
    message: expect.stringMatching(/disk is full.*Nothing was changed/),
  });
  expect(await everything(store)).toBe(before);
  await append(store, "a", [user("small enough")]);
  await isSound(store);
  await store.close();
});

const READER = `
const { sqliteStore } = await import(process.argv[1]);
const store = sqliteStore({ file: process.argv[2] });
const told = await store.create({ id: "new", format: "gemini", base: {} }).catch(({ code, message }) => code + ": " + message);
console.log(told);
`;

test("a file that may not be written is told as such", async (context) => {
  await prepared();
  chmodSync(directory, 0o555);
  chmodSync(file, 0o444);
  // Root may write everything, so the one who tries is somebody else.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const module = new URL("../sqlite.ts", import.meta.url).href;
  const child = spawn(process.execPath, ["--input-type=module", "-e", READER, module, file], nobody);
  const output: string[] = [];
  child.stdout.on("data", (chunk) => output.push(String(chunk)));
  child.on("error", (error) => output.push(`cannot start: ${error.message}`));
  await once(child, "close");
  chmodSync(directory, 0o755);
  const told = output.join("");
  if (told === "" || told.startsWith("cannot start")) context.skip("another user cannot run Node here");
  expect(told).toMatch(/^storage: .*(read-only|cannot be opened).*Nothing was changed/);
});

test("a lock that is held too long is told as such, and may be tried again", async () => {
  await prepared();
  const store = open({});
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  await expect(append(store, "a", [user("x")])).rejects.toMatchObject({ code: "storage", retryable: true });
  expect((await stateOf(store, "a")).view.length).toBe(7);
  // Waiting must not block this thread, or the lock would never go.
  setTimeout(() => other.exec("ROLLBACK"), 60);
  const patient = open({}, 600_000);
  await append(patient, "a", [user("y")]);
  expect((await stateOf(store, "a")).view.length).toBe(8);
  other.close();
  await patient.close();
  await store.close();
});

const WORKER = `
const [module, file] = process.argv.slice(1);
const { sqliteStore } = await import(module);
const store = sqliteStore({ file });
for (let count = 0; ; count++) {
  const body = { role: "user", content: "number " + count };
  const { ids } = await store.append("a", { messages: [{ role: "user", body, attachments: [] }], turns: 1 });
  process.stdout.write(ids[0] + "\\n");
  if (count % 5 !== 4) continue;
  const { view, version } = await store.open("a");
  const lease = await store.lease("a", "worker", 60_000);
  if (lease === undefined) continue;
  const event = JSON.parse(process.argv[3]);
  const order = (view[3].order + view[4].order) / 2;
  await store.commit("a", { event, lease, revision: version.revision, sequence: version.sequence, archivedIds: [view[2].id, view[3].id], edits: [],
    inserted: [{ role: "user", body, attachments: [], order }], system: null, passes: { weak: 0, tokensAfter: 0 }, totalTokens: 1 });
  await store.release(lease);
}
`;

test("kill -9 loses nothing that was acknowledged, and leaves no half of a compaction", async () => {
  const { event, lease } = await prepared();
  const module = new URL("../sqlite.ts", import.meta.url).href;
  const args = ["--input-type=module", "-e", WORKER, module, file, JSON.stringify(event)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const acknowledged: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    acknowledged.push(line);
    if (acknowledged.length === 60) child.kill("SIGKILL");
  }
  const store = sqliteStore({ file });
  await store.release(lease);
  const log = await listOf(store.log("a"));
  const kept = new Set(log.map(({ id }) => id));
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  expect(acknowledged.length).toBeGreaterThanOrEqual(60);
  await isSound(store);
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
  await append(store, "a", [user("life goes on")]);
  await store.close();
});

test("a lease survives its worker only until it expires", async () => {
  await prepared();
  const store = sqliteStore({ file });
  expect(await store.lease("a", "other", 1_000)).toBeUndefined();
  const late = sqliteStore({ file, now: () => new Date(Date.now() + 3_600_000) });
  const lease = await takeLease(late, "a", "other");
  expect(lease.token).toBeGreaterThan(0);
  await store.close();
  await late.close();
});
