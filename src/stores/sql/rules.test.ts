import { expect, test } from "vitest";
import { sequenceOf, sequencesOf } from "../../core/store/store-rules.ts";
import { planRollback } from "../refusals.ts";
import { flagIn, jsonIn, numberIn, storableText, textIn, timeIn } from "./cells.ts";
import { pendingMigrations, refuseMigration, type SchemaUse } from "./migrations.ts";

test("columns are read as either driver returns them", () => {
  const when = new Date("2026-11-15T22:52:25.123Z");
  const sqlite = { flag: 1, number: 7, time: when.toISOString(), json: '{"b":1,"a":2}' };
  const postgres = { flag: true, number: "7", time: when, json: '{"b":1,"a":2}' };
  for (const row of [sqlite, postgres]) {
    const read = [
      flagIn(row, "flag"),
      numberIn(row, "number"),
      timeIn(row, "time"),
      JSON.stringify(jsonIn(row, "json")),
    ];
    expect(read).toEqual([true, 7, when.toISOString(), '{"b":1,"a":2}']);
  }
});

test("a column of the wrong kind is told by its name", () => {
  expect(() => textIn({ role: 5 }, "role")).toThrow(/column role holds a number/);
  expect(() => numberIn({ revision: "x" }, "revision")).toThrow(/column revision/);
  expect(() => flagIn({ flag: 2 }, "flag")).toThrow(/column flag/);
  expect(() => jsonIn({ plan: "{" }, "plan")).toThrow(/column plan holds 1 characters/);
});

test("text that no database keeps is made into text that both keep", () => {
  expect(storableText("a\0b\ud83d c 😀")).toBe("a\uFFFDb\uFFFD c 😀");
});

test("ids are m and a number, and nothing else", () => {
  expect(["m1", "m42", "m0", "m01", "m", "m-1", "m1.5", "M1", " m1", "m9007199254740993"].map(sequenceOf)).toEqual([
    1,
    42,
    ...Array.from({ length: 8 }, () => undefined),
  ]);
  expect(sequencesOf(["m3", "m1", "m3"])).toEqual([3, 1]);
  expect(sequencesOf(["m3", "x"])).toBeUndefined();
});

test("what may become of a schema", () => {
  const place = "here";
  const check = (use: SchemaUse, [isThere, isUpToDate]: readonly [boolean, boolean]): string => {
    try {
      refuseMigration(use, { place, isThere, isUpToDate });
      return "goes on";
    } catch (error) {
      return String(error).match(/no sessions in here|older version/)?.[0] ?? "?";
    }
  };
  const uses = ["make", "update", "keep"] as const;
  expect(uses.map((use) => check(use, [false, false]))).toEqual([
    "goes on",
    "no sessions in here",
    "no sessions in here",
  ]);
  expect(uses.map((use) => check(use, [true, false]))).toEqual(["goes on", "goes on", "older version"]);
  expect(uses.map((use) => check(use, [true, true]))).toEqual(["goes on", "goes on", "goes on"]);
});

const MIGRATIONS = ["one", "two"].map((name, index) => ({ number: index + 1, name, sql: "" }));

function checkPending(applied: readonly string[], expected: readonly string[] | RegExp): void {
  const pending = () =>
    pendingMigrations(
      MIGRATIONS,
      applied.map((name, index) => ({ number: index + 1, name })),
    ).map(({ name }) => name);
  if (expected instanceof RegExp) expect(pending).toThrow(expected);
  else expect(pending()).toEqual(expected);
}

test("migrations go forward only", () => {
  checkPending([], ["one", "two"]);
  checkPending(["one"], ["two"]);
  checkPending(["one", "two"], []);
  checkPending(["one", "two", "three"], /schema 3.*up to 2/);
  checkPending(["uno"], /number 1 is not one/);
});

const event = (id: string, purgedAt: string | null = null) => ({ id, isCompaction: id !== "prune", purgedAt });

test("a rollback undoes the newest, or down to one of them", () => {
  const inForce = [event("c"), event("prune"), event("a")];
  expect(planRollback(inForce, {})).toEqual({ undoneIds: ["c"], compactions: 1, head: "prune" });
  expect(planRollback(inForce, { to: "a", cascade: true })).toEqual({
    undoneIds: inForce.map(({ id }) => id),
    compactions: 2,
    head: null,
  });
  expect(() => planRollback(inForce, { to: "a" })).toThrow(/2 later/);
  expect(() => planRollback(inForce, { to: "x", cascade: true })).toThrow(/no such compaction event/);
  expect(() => planRollback([], {})).toThrow(/no compaction in force/);
  expect(() => planRollback([event("c"), event("b", "2026")], { to: "b", cascade: true })).toThrow(/purged/);
});

test("only what counted as a compaction is counted down", () => {
  expect(planRollback([event("c"), event("prune")], { to: "prune", cascade: true })).toMatchObject({ compactions: 1 });
});
