/** What others make of a batch that was not written to its end, or of a part of one: no whole line is ever lost, ours or theirs. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { append, begin, compact, ids, isSound, listOf, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

interface Torn {
  readonly directory: string;
  readonly file: string;
  /** Knows the session as it was before the batch. */
  readonly known: FullStore;
  open(): FullStore;
}

/** Two messages that were acknowledged, and of a batch of four as many lines as a killed process left. */
async function tear(lines: number, more = ""): Promise<Torn> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-batch-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "a.jsonl");
  const open = () => jsonlStore({ directory, sync: "never" });
  await begin(open(), "a", 2);
  const known = open();
  await known.open("a");
  const before = readFileSync(file, "utf8");
  await append(open(), "a", [user("torn 1"), user("torn 2"), user("torn 3"), user("torn 4")]);
  const batch = readFileSync(file, "utf8").slice(before.length).split("\n").slice(0, lines);
  writeFileSync(file, `${before}${batch.map((line) => `${line}\n`).join("")}${more}`);
  return { directory, file, known, open };
}

function lineOf(id: string, parentId: string, content: string): string {
  const message = { role: "user", content, timestamp: 1 };
  return `${JSON.stringify({ type: "message", id, parentId, timestamp: "2026-01-01T00:00:01Z", message })}\n`;
}

/** What everybody sees, and goes on to see behind a line of ours; what was in the file stays in it to the letter. */
async function check({ file, known, open }: Torn, expected: string): Promise<void> {
  const before = readFileSync(file, "utf8");
  for (const store of [known, open()]) expect(await ids(store, "a")).toBe(expected);
  const [next] = (await append(known, "a", [user("on")])).ids;
  for (const store of [known, open()]) expect(await ids(store, "a")).toBe(`${expected} ${next}`);
  expect(readFileSync(file, "utf8").startsWith(before)).toBe(true);
  await isSound(open());
}

describe("a batch of which only the beginning was written", () => {
  test.each([1, 2, 3])("counts for nothing behind %i of four lines, and they stay", async (lines) => {
    await check(await tear(lines), "m1 m2");
  });

  test("does not count either when another was torn behind it", async () => {
    const torn = await tear(2);
    const before = readFileSync(torn.file, "utf8");
    await append(torn.open(), "a", [user("again 1"), user("again 2")]);
    const [first = ""] = readFileSync(torn.file, "utf8").slice(before.length).split("\n");
    writeFileSync(torn.file, `${before}${first}\n`);
    await check(torn, "m1 m2");
  });

  test("does not count behind a compaction and its rollback, whoever reads from there", async () => {
    const torn = await tear(3);
    await compact(torn.open(), "a", { archive: [0], summary: "s" });
    for (const store of [torn.known, torn.open()]) expect(await ids(store, "a")).toBe("m3 m2");
    await compact(torn.known, "a", { archive: [0], summary: "t" });
    await torn.open().rollback("a", {});
    await check(torn, "m3 m2");
  });

  test("loses only its last line, where that has no end", async () => {
    const { file, known, open } = await tear(2, '{"type":"message","id":"m5","par');
    const whole = readFileSync(file, "utf8").split("\n").slice(0, -1);
    await append(known, "a", [user("on"), user("and on")]);
    for (const store of [known, open()]) expect(await ids(store, "a")).toBe("m1 m2 m3 m4");
    const after = readFileSync(file, "utf8").split("\n");
    expect(after.slice(0, whole.length)).toEqual(whole);
    expect(after[whole.length]?.trim()).toBe("");
    await isSound(open());
  });

  test("is gone from a fork and from a file that is purged", async () => {
    const { directory, file, open } = await tear(2);
    await append(open(), "a", [user("on")]);
    await open().fork("a", "b");
    await compact(open(), "a", { archive: [0], summary: "s" });
    await open().purge("a", new Date(Date.now() + 1_000));
    for (const each of [file, join(directory, "b.jsonl")]) expect(readFileSync(each, "utf8")).not.toContain("torn");
    expect(await ids(open(), "b")).toBe("m1 m2 m3");
    await isSound(open());
  });
});

describe("what others wrote behind a torn batch", () => {
  test("stands, and so do the lines that it goes on from", async () => {
    await check(await tear(1, lineOf("p1", "m3", "theirs") + lineOf("p2", "p1", "theirs too")), "m1 m2 m3 p1 p2");
  });

  test("stands where it fills the batch up", async () => {
    const theirs = lineOf("p1", "m4", "one") + lineOf("p2", "p1", "two") + lineOf("p3", "p2", "three");
    await check(await tear(2, theirs), "m1 m2 m3 m4 p1 p2 p3");
  });

  test("stands where it lacks nothing but its end", async () => {
    await check(await tear(2, lineOf("p1", "m4", "theirs").trimEnd()), "m1 m2 m3 m4 p1");
  });

  test("leaves the batch aside where it does not go on from it", async () => {
    await check(await tear(2, lineOf("p1", "m2", "theirs")), "m1 m2 p1");
  });

  test("comes while a store is open", async () => {
    const torn = await tear(2);
    expect(await ids(torn.known, "a")).toBe("m1 m2");
    appendFileSync(torn.file, lineOf("p1", "m4", "theirs"));
    await check(torn, "m1 m2 m3 m4 p1");
  });
});

describe("lines of a batch that somebody copied into another session", () => {
  const HEADER = { type: "session", version: 3, id: "b", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };

  async function checkCopy(header: object, lines: number): Promise<void> {
    const { file, directory, open } = await tear(lines);
    const copied = readFileSync(file, "utf8").split("\n").slice(1).join("\n");
    const copy = join(directory, "copy.jsonl");
    rmSync(file);
    writeFileSync(copy, `${JSON.stringify(header)}\n${copied}`);
    const names = ["m1", "m2", "m3", "m4", "m5"].slice(0, 2 + lines).join(" ");
    expect(await ids(open(), "b")).toBe(names);
    const before = readFileSync(copy, "utf8");
    await append(open(), "b", [user("on")]);
    expect(await ids(open(), "b")).toBe(`${names} m${3 + lines}`);
    expect(readFileSync(copy, "utf8").startsWith(before)).toBe(true);
    await isSound(open());
  }

  test.each([1, 2, 3])("all count: a fork of pi's, %i of four lines", (lines) => checkCopy(HEADER, lines));
  test("all count under another header of ours", () =>
    checkCopy({ ...HEADER, palimpsest: { version: 1, incarnation: "other", format: "anthropic-messages" } }, 2));
});

test("a count of an older version, which names no session, is believed in a file of ours alone", async () => {
  const { file, open } = await tear(2);
  const older = readFileSync(file, "utf8").replaceAll(/("lines":4),"incarnation":"[^"]*"/g, "$1");
  expect(older).not.toBe(readFileSync(file, "utf8"));
  writeFileSync(file, older);
  expect(await ids(open(), "a")).toBe("m1 m2");
  expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(["torn-line"]);
  const [header = "", ...entries] = older.split("\n");
  const { palimpsest: _, ...foreign } = JSON.parse(header);
  writeFileSync(file, [JSON.stringify(foreign), ...entries].join("\n"));
  expect(await ids(open(), "a")).toBe("m1 m2 m3 m4");
});
