/** A purge of several sessions that ends before its time: it says which are purged, and which are not. */

import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { sqliteAt } from "../../test/run-in-process.ts";
import { sqliteStore } from "../stores/sqlite.ts";
import { begin, compact } from "../testing/store/world.ts";
import { runPalimpsest } from "./dispatch.ts";
import { minuteOf } from "./one-line.ts";
import { readTimeBefore } from "./purge.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

/** Listed, and so purged, as `c`, `b`, `a`. */
async function threeSessions(name: string) {
  const place = sqliteAt(folder.path, name);
  let second = 0;
  const now = () => new Date(Date.UTC(2026, 0, 1, 0, 0, second++));
  const store = sqliteStore({ file: place.file, durability: "normal", now });
  for (const id of ["a", "b", "c"]) {
    await begin(store, id, 6);
    await compact(store, id, { archive: [0, 1], summary: "s" });
  }
  await store.close();
  const database = new DatabaseSync(place.file, { timeout: 1_000 });
  const left = (): string => {
    const rows = database
      .prepare("SELECT session_id AS id FROM messages WHERE archived_by IS NOT NULL GROUP BY 1")
      .all();
    return rows.map(({ id }) => id).join(" ");
  };
  return { ...place, database, left };
}

const PURGE = ["purge", "--older-than", "1d"];

test("a session that fails: those before it are told, and the reason", async () => {
  const { cli, database, left } = await threeSessions("failing.db");
  database.exec(
    "CREATE TRIGGER t BEFORE DELETE ON messages WHEN OLD.session_id = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
  const { code, stdout, stderr } = await cli(...PURGE);
  expect([code, left()]).toEqual([2, "a b"]);
  expect(stderr).toMatch(/^palimpsest: .*no.*\n$/);
  expect(stdout).toBe(
    "deleted 2 archived messages of 1 session for good\n  c: 2 messages\nstopped at session b\n1 session behind it was not reached\n",
  );
  const again = await cli(...PURGE, "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ messages: 0, sessions: [], stoppedAt: "b", notReached: 1 });
  expect((await cli(...PURGE)).stdout).toMatch(/^nothing was deleted\nstopped at session b\n/);
  database.exec("DROP TRIGGER t");
  expect(JSON.parse((await cli(...PURGE, "--json")).stdout)).toMatchObject({ messages: 4, stoppedAt: null });
  database.close();
});

test("one session that fails has nothing to tell but why", async () => {
  const { cli, database } = await threeSessions("one.db");
  database.exec("CREATE TRIGGER t BEFORE DELETE ON messages BEGIN SELECT RAISE(ABORT, 'no'); END");
  expect(await cli("purge", "b", "--older-than", "1d")).toMatchObject({ code: 2, stdout: "" });
  database.close();
});

test("a key that is pressed: it is heard between two sessions, and those before are told", async () => {
  const { url, database, left } = await threeSessions("interrupted.db");
  const written = { stdout: "", stderr: "" };
  const code = await runPalimpsest([...PURGE, "--store", url], {
    stdin: (async function* () {})(),
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    environment: {},
    onInterrupt: (listener) => {
      const wait = (): void => void (left() === "a b c" ? setImmediate(wait) : listener());
      wait();
      return () => {};
    },
  });
  expect([code, written.stderr, left()]).toEqual([130, "palimpsest: interrupted\n", "a b"]);
  expect(written.stdout).toMatch(/^deleted 2 .*\n {2}c: 2 messages\nstopped at session b\n1 session behind it was/);
  database.close();
});

const NOW_MS = Date.parse("2026-11-15T12:00:00Z");

function check(text: string, expected: string): void {
  expect(readTimeBefore("older-than", text, NOW_MS).toISOString()).toBe(expected);
}

test("hours", () => check("12h", "2026-11-15T00:00:00.000Z"));
test("days", () => check("90d", "2026-08-17T12:00:00.000Z"));
test("weeks", () => check("2w", "2026-11-01T12:00:00.000Z"));
test("a year", () => check("1y", "2025-11-15T12:00:00.000Z"));
test("a day of the calendar", () => check("2026-01-31", "2026-01-31T00:00:00.000Z"));
test("never before the beginning of time", () => check("999999y", "1970-01-01T00:00:00.000Z"));

test.each(["", "soon", "-3d", "3", "3m", "2026-13-01", "2026-02-31", "1.5d"])("no age: %s", (text) => {
  expect(() => readTimeBefore("older-than", text, NOW_MS)).toThrow(/--older-than must be an age/);
});

test("a minute, in UTC", () => expect(minuteOf("2026-11-15T23:02:46.123Z")).toBe("2026-11-15 23:02"));
