import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { append, begin, commitOf, compact, listOf, takeLease, user } from "../testing/store/world.ts";
import { storeContract, trafficContract } from "../testing/store-contract.ts";
import { sqliteStore } from "./sqlite.ts";

for (const { name, run } of storeContract("sqlite", openNew)) test(name, run);
for (const { name, run } of trafficContract("sqlite", openNew)) test(name, run);

async function openNew() {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-sqlite-"));
  const open = () => sqliteStore({ file: join(directory, "deep", "sessions.db") });
  const stores = [open()];
  return {
    store: stores[0] ?? open(),
    reopen: async () => {
      const again = open();
      stores.push(again);
      return again;
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

test("options that cannot be are refused before anything is opened", () => {
  for (const options of [
    { file: "" },
    { file: "a\0b" },
    { file: "x", busyTimeoutMs: -1 },
    { file: "x", busyTimeoutMs: Number.NaN },
    { file: "x", schemaUse: "kepe" as "keep" },
  ]) {
    expect(() => sqliteStore(options)).toThrow(expect.objectContaining({ code: "invalid-settings" }));
  }
});

test("ids that cannot be are refused wherever they are given", async () => {
  const { store, dispose } = await openNew();
  const bad = "half \ud83d";
  await store.create({ id: "half \uFFFD", format: "gemini", base: {} });
  const refused = { code: "invalid-settings" };
  await expect(store.open(bad)).rejects.toMatchObject(refused);
  await expect(store.append(bad, { messages: [], turns: 0 })).rejects.toMatchObject(refused);
  await expect(store.search(bad, "x", 1)).rejects.toMatchObject(refused);
  await expect(store.fork("half \uFFFD", bad)).rejects.toMatchObject(refused);
  await expect(store.events(bad)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  await dispose();
});

test("what is asked of a session that is not there is refused", async () => {
  const { store, dispose } = await openNew();
  const missing = { code: "session-missing" };
  const since = new Date();
  await expect(store.lease("nobody", "me", 1_000)).rejects.toMatchObject(missing);
  await expect(store.rollback("nobody", {})).rejects.toMatchObject(missing);
  await expect(store.update("nobody", { type: "base", base: {} })).rejects.toMatchObject(missing);
  await expect(store.update("nobody", { type: "pin", messageIds: [], isPinned: true })).rejects.toMatchObject(missing);
  await expect(store.purge("nobody", since)).rejects.toMatchObject(missing);
  await expect(store.search("nobody", "x", 1)).rejects.toMatchObject(missing);
  await expect(store.messages("nobody", ["m1"])).rejects.toMatchObject(missing);
  for (const items of [store.events("nobody"), store.archive("nobody"), store.log("nobody"), store.examine("nobody")]) {
    await expect(items[Symbol.asyncIterator]().next()).rejects.toMatchObject(missing);
  }
  await dispose();
});

test("lists longer than a page come whole and in order", async () => {
  const { store, dispose } = await openNew();
  await begin(store, "a", 1_203);
  const archive = Array.from({ length: 1_100 }, (_, index) => index);
  await compact(store, "a", { archive, summary: "s" });
  const numbers = (messages: readonly { sequence: number }[]) => messages.map(({ sequence }) => sequence);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  expect(numbers(await listOf(store.log("a")))).toEqual(upTo(1_204));
  expect(numbers(await listOf(store.archive("a")))).toEqual(upTo(1_100));
  await dispose();
});

test("the newest session is the one that was last written to", async () => {
  let seconds = 0;
  const now = (): Date => {
    seconds++;
    return new Date(seconds * 1_000);
  };
  const store = sqliteStore({ file: ":memory:", now });
  for (const id of ["a", "b", "c"]) await begin(store, id, 1);
  await append(store, "b", [user("more")]);
  expect((await listOf(store.sessions())).map(({ id }) => id)).toEqual(["b", "c", "a"]);
  await store.close();
});

test("tokens of leases rise, even when a session was deleted and made again", async () => {
  const { store, dispose } = await openNew();
  await begin(store, "a", 4);
  const old = await takeLease(store, "a");
  await store.delete("a");
  await begin(store, "a", 4);
  const next = await takeLease(store, "a");
  expect(next.token).toBeGreaterThan(old.token);
  const late = await commitOf(store, "a", { archive: [0], summary: "late", lease: old });
  await expect(store.commit("a", late)).rejects.toMatchObject({ code: "lease-lost" });
  await dispose();
});

test("the address says which file, and loading the driver leaves warnings alone", async () => {
  const { emitWarning } = process;
  const store = sqliteStore({ file: ":memory:" });
  await store.create({ id: "a", format: "gemini", base: {} });
  expect([store.url, process.emitWarning === emitWarning]).toEqual(["sqlite::memory:", true]);
  await store.close();
});
