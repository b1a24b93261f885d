import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { append, begin, compact, listOf, stateOf, takeLease, user } from "../../testing/store/world.ts";
import { createSqliteStore } from "./store.ts";

/** Of `sessions`, whose rows are few and narrow, a list of all may be read; nothing reads all messages, events or edits. */
const WHOLE_TABLE = /^SCAN (?!json_each|sqlite_schema|sessions\b|CONSTANT|message_search)/;

test("no statement reads a whole table", async () => {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-plans-"));
  const file = join(directory, "sessions.db");
  const statements = new Set<string>();
  const onStatement = (sql: string): void => {
    if (/^(?:SELECT|INSERT|UPDATE|DELETE|WITH)/.test(sql)) statements.add(sql);
  };
  const options = { durability: "normal", busyTimeoutMs: 0, now: () => new Date() } as const;
  const store = createSqliteStore({ ...options, url: "", file, newId: () => crypto.randomUUID() }, { onStatement });
  await begin(store, "a", 9);
  const { version } = await stateOf(store, "a");
  await append(store, "a", [user("more")]);
  await store.changes("a", version);
  for (const summary of ["one", "two"]) {
    await compact(store, "a", { archive: [0, 1], summary, edits: [[3, { role: "user", content: "x" }]] });
  }
  await store.rollback("a", {});
  await store.update("a", { type: "pin", messageIds: ["m5"], isPinned: true });
  await store.update("a", { type: "base", base: {} });
  await store.renew(await takeLease(store, "a"), 10);
  await listOf(store.archive("a"));
  await listOf(store.log("a"));
  await listOf(store.sessions());
  await store.messages("a", ["m1"]);
  await store.search("a", "question", 3);
  await store.fork("a", "b");
  await store.purge("a", new Date(Date.now() + 60_000));
  await store.delete("b");
  await store.close();
  expect(statements.size).toBeGreaterThan(30);
  const database = new DatabaseSync(file);
  const scans = [...statements].flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .filter(({ detail }) => WHOLE_TABLE.test(String(detail)))
      .map(({ detail }) => `${detail}: ${sql}`),
  );
  database.close();
  rmSync(directory, { recursive: true });
  expect(scans).toEqual([]);
});
