import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { append, begin, commitOf, compact, user } from "../../testing/store/world.ts";
import { sqliteStore } from "../sqlite.ts";

/** A session with a compaction, in a file that somebody else has locked until `unlock`. */
async function locked() {
  const folder = await mkdtemp(join(tmpdir(), "palimpsest-locks-"));
  const file = join(folder, "s.db");
  // A wait that ends within a test was ended by something else.
  const store = sqliteStore({ file, busyTimeoutMs: 600_000 });
  await begin(store, "a", 8);
  await compact(store, "a", { archive: [0, 1], summary: "first" });
  const commit = await commitOf(store, "a", { archive: [0] });
  const holder = new DatabaseSync(file);
  holder.exec("BEGIN IMMEDIATE");
  onTestFinished(async () => {
    holder.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return { store, commit, unlock: () => holder.exec("ROLLBACK") };
}

test("an abort ends the wait for a lock, and nothing happens later", async () => {
  const { store, commit, unlock } = await locked();
  const before = JSON.stringify(await store.open("a"));
  const waiting = () => ({ signal: AbortSignal.timeout(50) });
  const calls = {
    create: store.create({ id: "b", format: "gemini", base: {} }, undefined, waiting()),
    append: store.append("a", { messages: [user("late")], turns: 1 }, waiting()),
    lease: store.lease("a", "another", 1_000, waiting()),
    commit: store.commit("a", commit, waiting()),
    rollback: store.rollback("a", {}, waiting()),
    pin: store.update("a", { type: "pin", messageIds: ["m4"], isPinned: true }, waiting()),
    base: store.update("a", { type: "base", base: { model: "other" } }, waiting()),
    metadata: store.update("a", { type: "metadata", metadata: { model: "other" } }, waiting()),
    purge: store.purge("a", new Date(Date.now() + 60_000), waiting()),
    fork: store.fork("a", "c", waiting()),
    delete: store.delete("a", waiting()),
    search: store.search("a", "question", 3, "all", waiting()),
  };
  for (const [name, call] of Object.entries(calls)) await expect(call, name).rejects.toMatchObject({ code: "aborted" });
  unlock();
  await pause(50);
  expect(JSON.stringify(await store.open("a"))).toBe(before);
  expect([await store.open("b"), await store.open("c")]).toEqual([undefined, undefined]);
});

test("a signal that is not aborted does not end the wait", async () => {
  const { store, unlock } = await locked();
  const { signal } = new AbortController();
  const appended = store.append("a", { messages: [user("late")], turns: 1 }, { signal });
  await pause(50);
  unlock();
  expect((await appended).ids).toEqual(["m10"]);
  expect((await append(store, "a", [user("next")])).ids).toEqual(["m11"]);
});
