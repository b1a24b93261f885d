import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { DAMAGES, damageable } from "../../../test/store-damages.ts";
import { append, begin, compact, listOf } from "../../testing/store/world.ts";
import { sqliteStore } from "../sqlite.ts";

const PICTURE = "iVBORw0KGgo".padEnd(1_200, "Ab9+");

/** A session with two compactions in force and one undone is damaged by hand; what is found? */
async function check(damage: string, expected: readonly string[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-examine-"));
  const file = join(directory, "sessions.db");
  const store = sqliteStore({ file, durability: "normal" });
  await begin(store, "a", 10);
  await begin(store, "b", 2);
  const body = { role: "user", content: [{ data: PICTURE }] };
  await append(store, "a", [
    { role: "user", body, attachments: [{ path: ["content", 0, "data"], prefix: "", data: PICTURE }] },
  ]);
  await compact(store, "a", { archive: [0, 1], summary: "one", edits: [[4, { role: "user", content: "x" }]] });
  await compact(store, "a", { archive: [1, 2], summary: "two" });
  await compact(store, "a", { archive: [1], summary: "undone" });
  await store.rollback("a", {});
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(damage);
  database.close();
  const of = async (id?: string) =>
    (await listOf(store.examine(id))).map(({ sessionId, rule }) => `${sessionId} ${rule}`);
  expect(await of()).toEqual(expected.map((rule) => `a ${rule}`));
  expect(await of("a")).toEqual(expected.map((rule) => `a ${rule}`));
  expect(await of("b")).toEqual([]);
  await store.close();
  rmSync(directory, { recursive: true });
}

const EVENT = (number: number) => `(SELECT id FROM compaction_events WHERE number = ${number})`;

test("nothing is wrong", () => check("SELECT 1", []));
test("a head that is not the newest", () =>
  check("UPDATE sessions SET head_event_id = NULL WHERE id = 'a'", ["head-in-force"]));
test("a wrong count", () => check("UPDATE sessions SET compaction_count = 9 WHERE id = 'a'", ["compaction-count"]));
test("too many messages counted", () =>
  check("UPDATE sessions SET message_count = 99 WHERE id = 'a'", ["message-count"]));
test("a number not given out yet", () =>
  check("UPDATE messages SET sequence = 99, order_key = 99 WHERE session_id = 'a' AND sequence = 11", [
    "sequence-beyond-last",
    "message-missing",
  ]));
test("a message out of its place", () =>
  check("UPDATE messages SET order_key = 9.5 WHERE session_id = 'a' AND sequence = 9", ["order-of-appended"]));
test("two at one place", () =>
  check(
    "UPDATE messages SET order_key = 11 WHERE session_id = 'a' AND made_by IS NOT NULL AND archived_by IS NULL AND sequence = 13",
    ["order-unique"],
  ));
test("archived by what is undone", () =>
  check(`UPDATE messages SET archived_by = ${EVENT(3)} WHERE session_id = 'a' AND sequence = 9`, [
    "archived-by-in-force",
  ]));
test("a summary that was undone, and is shown", () =>
  check(`UPDATE messages SET archived_by = NULL WHERE made_by = ${EVENT(3)}`, ["order-unique", "made-by-in-force"]));
test("an edit that is not shown", () => check("UPDATE messages SET edited_by = NULL", ["edit-in-force"]));
test("a chain that is broken", () =>
  check(`UPDATE compaction_events SET previous_id = ${EVENT(3)} WHERE number = 2`, ["event-chain"]));
test("a body that is no JSON", () =>
  check("UPDATE messages SET body = '{' WHERE session_id = 'a' AND sequence = 8", ["body-json"]));
test("an attachment that is gone", () => check("DELETE FROM attachments", ["attachment-missing"]));
test("an attachment that is another", () => check("UPDATE attachments SET bytes = x'00'", ["attachment-bytes"]));
test("attachments that are no JSON", () =>
  check("UPDATE messages SET attachments = '[' WHERE session_id = 'a' AND sequence = 11", ["body-json"]));
for (const column of ["plan", "details", "preserved_message_ids"]) {
  test(`${column} that is no JSON`, () =>
    check(`UPDATE compaction_events SET ${column} = '{' WHERE session_id = 'a' AND number = 1`, ["event-json"]));
}
test("a base that is no JSON", () => check("UPDATE sessions SET base = 'x' WHERE id = 'a'", ["session-json"]));

test.each(DAMAGES)("$name", async ({ sql, rules, says = /^/ }) => {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-examine-"));
  const file = join(directory, "sessions.db");
  const store = sqliteStore({ file, durability: "normal" });
  await damageable(store);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
  const found = await listOf(store.examine());
  expect(found.map(({ sessionId, rule }) => `${sessionId} ${rule}`)).toEqual(rules.map((rule) => `a ${rule}`));
  expect(found.map(({ message, remedy }) => `${message} ${remedy}`)[0] ?? "").toMatch(says);
  expect(await listOf(store.examine("b"))).toEqual([]);
  await store.close();
  rmSync(directory, { recursive: true });
});
