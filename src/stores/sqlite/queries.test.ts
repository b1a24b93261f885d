import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import {
  append,
  begin,
  commitOf,
  compact,
  ids,
  isSound,
  listOf,
  refuses,
  user,
  viewText,
} from "../../testing/store/world.ts";
import { sqliteStore } from "../sqlite.ts";

const PICTURE = "iVBORw0KGgo".padEnd(4_000, "Ab9+");

let directory = "";
let store: FullStore;
let sql: DatabaseSync;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "palimpsest-queries-"));
  const file = join(directory, "sessions.db");
  store = sqliteStore({ file, durability: "normal" });
  await begin(store, "a", 6);
  sql = new DatabaseSync(file);
});
afterEach(async () => {
  sql.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

/** Values by name, because not every version of Node binds numbered ones by position. */
function rows(query: string, values: Readonly<Record<string, string>> = {}): readonly unknown[] {
  return sql
    .prepare(query)
    .all(values)
    .map((row) => ({ ...row }));
}

const count = (table: string): unknown => rows(`SELECT count(*) AS count FROM ${table}`)[0];

test("the archive query of AgentPG's users runs as it is", async () => {
  const { eventId, createdAt } = await compact(store, "a", { archive: [0, 1], summary: "s" });
  const found = rows(
    `SELECT ma.id, ma.original_message->>'role' as role, ma.archived_at, ce.strategy
FROM message_archive ma JOIN compaction_events ce ON ma.compaction_event_id = ce.id
WHERE ma.session_id = ?1 ORDER BY ma.archived_at DESC;`,
    { "?1": "a" },
  );
  expect(found).toEqual([
    { id: "m1", role: "user", archived_at: createdAt, strategy: "hybrid" },
    { id: "m2", role: "assistant", archived_at: createdAt, strategy: "hybrid" },
  ]);
  expect(rows("SELECT DISTINCT compaction_event_id AS id FROM message_archive")).toEqual([{ id: eventId }]);
});

test("what a rollback took back is not in the archive", async () => {
  await compact(store, "a", { archive: [0, 1], summary: "s" });
  await store.rollback("a", {});
  expect(count("message_archive")).toEqual({ count: 0 });
});

test("a clean-up through the view is a purge", async () => {
  const { eventId } = await compact(store, "a", {
    archive: [0, 1],
    summary: "s",
    edits: [[2, { role: "user", content: "x" }]],
  });
  const before = await viewText(store, "a");
  const version = (await store.open("a"))?.version;
  sql.prepare("DELETE FROM message_archive WHERE archived_at < ?").run("2000-01-01");
  expect(count("message_archive")).toEqual({ count: 2 });
  sql.prepare("DELETE FROM message_archive WHERE archived_at < ?").run("9999-01-01");
  expect(count("message_archive")).toEqual({ count: 0 });
  expect(await viewText(store, "a")).toBe(before);
  expect((await store.open("a"))?.version.revision).toBeGreaterThan(version?.revision ?? 0);
  await refuses("archive-purged", () => store.rollback("a", { to: eventId }));
  await isSound(store);
});

test("the conversation state is that of Nous", async () => {
  await store.create({ id: "b", format: "gemini", base: {}, agentId: "agent" });
  await compact(store, "a", { archive: [0, 1], summary: "one" });
  const { createdAt } = await compact(store, "a", { archive: [0, 1], summary: "two" });
  const state = () => rows("SELECT * FROM conversation_state ORDER BY session_id");
  const empty = { agent_id: "agent", session_id: "b", summary: null, turn_count: 0, compaction_count: 0 };
  const full = {
    agent_id: "",
    session_id: "a",
    summary: "two",
    turn_count: 3,
    compaction_count: 2,
    updated_at: createdAt,
  };
  expect(state()).toEqual([full, expect.objectContaining(empty)]);
  await store.rollback("a", {});
  expect(state()[0]).toMatchObject({ summary: "one", compaction_count: 1 });
});

test("a deleted event takes its archive along, and the session goes on", async () => {
  await compact(store, "a", { archive: [0, 1], summary: "one", edits: [[3, { role: "user", content: "first edit" }]] });
  const { eventId } = await compact(store, "a", {
    archive: [1],
    summary: "two",
    edits: [[2, { role: "user", content: "second edit" }]],
  });
  const [first] = await listOf(store.events("a"));
  sql.prepare("DELETE FROM compaction_events WHERE id = ?").run(eventId);
  expect(rows("SELECT id FROM message_archive ORDER BY id")).toEqual([{ id: "m1" }, { id: "m2" }]);
  const state = await store.open("a");
  expect([state?.version.head, state?.counters.compactionCount]).toEqual([first?.id, 1]);
  expect(state?.view.map(({ body }) => JSON.stringify(body)).join()).toContain("first edit");
  expect(state?.view.map(({ body }) => JSON.stringify(body)).join()).not.toContain("second edit");
  await isSound(store);
});

test("a deleted session leaves nothing behind, in whatever way it is deleted", async () => {
  const tables = [
    "sessions",
    "messages",
    "compaction_events",
    "message_edits",
    "attachments",
    "message_search_docsize",
    "message_vectors",
  ];
  const fill = async (id: string): Promise<void> => {
    await append(store, id, [picture()]);
    await compact(store, id, { archive: [0, 1], summary: "s", edits: [[2, { role: "assistant", content: "x" }]] });
    expect((await store.search(id, "question", 9)).length).toBeGreaterThan(0);
  };
  await fill("a");
  sql.exec("DELETE FROM sessions");
  expect(tables.map(count)).toEqual(tables.map(() => ({ count: 0 })));
  await begin(store, "b", 6);
  await fill("b");
  await store.delete("b");
  expect(tables.map(count)).toEqual(tables.map(() => ({ count: 0 })));
});

function picture() {
  const source = { type: "base64", media_type: "image/png", data: PICTURE };
  const body = { role: "user", content: [{ type: "image", source }] };
  return {
    role: "user" as const,
    body,
    attachments: [{ path: ["content", 0, "source", "data"], prefix: "", data: PICTURE }],
  };
}

test("binary content is kept once, outside the JSON, until nothing refers to it", async () => {
  await append(store, "a", [picture(), picture()]);
  const commit = await commitOf(store, "a", { archive: [6, 7], summary: "s" });
  const { body, attachments } = picture();
  await store.commit("a", { ...commit, edits: [{ messageId: "m1", kind: "reshape", body, attachments }] });
  await store.release(commit.lease);
  expect(count("attachments")).toEqual({ count: 1 });
  expect(rows("SELECT length(bytes) AS bytes FROM attachments")).toEqual([{ bytes: 3_000 }]);
  expect(rows("SELECT max(length(body)) < 200 AS small FROM messages")).toEqual([{ small: 1 }]);
  expect(JSON.stringify((await store.open("a"))?.view[0]?.body)).toBe(JSON.stringify(body));
  await store.purge("a", new Date(Date.now() + 60_000));
  expect(count("attachments"), "an edit still shows it").toEqual({ count: 1 });
  await compact(store, "a", { archive: [0], summary: "t" });
  await store.purge("a", new Date(Date.now() + 60_000));
  expect(count("attachments")).toEqual({ count: 0 });
  await isSound(store);
});

test("a fork has attachments of its own", async () => {
  await append(store, "a", [picture()]);
  await store.fork("a", "b");
  await store.delete("a");
  expect(JSON.stringify((await store.open("b"))?.view.at(-1)?.body)).toBe(JSON.stringify(picture().body));
  expect(await ids(store, "b")).toBe("m1 m2 m3 m4 m5 m6 m7");
});

test("appends do not touch the index, and a search brings it up to date", async () => {
  expect(count("message_search_docsize")).toEqual({ count: 0 });
  await store.search("a", "question", 1);
  expect(count("message_search_docsize")).toEqual({ count: 6 });
  await append(
    store,
    "a",
    Array.from({ length: 1_100 }, (_, index) => user(`needle ${index}`)),
  );
  expect((await store.search("a", "needle 1099", 1))[0]?.messageId).toBe("m1106");
  expect(count("message_search_docsize")).toEqual({ count: 1_106 });
});

test("a body is never written again", async () => {
  sql.exec(
    "CREATE TRIGGER forbid UPDATE OF body, created_at, sequence, order_key, role ON messages BEGIN SELECT RAISE(ABORT, 'rewritten'); END",
  );
  await compact(store, "a", { archive: [0, 1], summary: "s", edits: [[2, { role: "user", content: "x" }]] });
  await store.update("a", { type: "pin", messageIds: ["m4"], isPinned: true });
  await store.rollback("a", {});
  expect(await ids(store, "a")).toBe("m1 m2 m3 m4 m5 m6");
  sql.exec("DROP TRIGGER forbid");
});

test("a summary that was taken back is not found any more", async () => {
  await compact(store, "a", { archive: [0, 1], summary: "zebra" });
  const found = async () => (await store.search("a", "zebra", 9)).map(({ messageId }) => messageId);
  expect(await found()).toEqual(["m7"]);
  await store.rollback("a", {});
  expect(await found()).toEqual([]);
});
