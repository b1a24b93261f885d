/** Files that were cut off, damaged or half written: what was acknowledged is there, and nothing else is. */

import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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
  stateOf,
  user,
  viewText,
} from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

function setUp(): { directory: string; file: string; open: () => FullStore } {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-torn-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return { directory, file: join(directory, "a.jsonl"), open: () => jsonlStore({ directory, sync: "never" }) };
}

/** Everything that writes one line, and how the session looks after each. */
async function history(store: FullStore, file: string): Promise<readonly { end: number; view: string }[]> {
  const steps: (() => Promise<unknown>)[] = [
    () => store.create({ id: "a", format: "anthropic-messages", base: { model: "x" } }),
    () => append(store, "a", [user("one")]),
    () => append(store, "a", [user("two 😀")]),
    () => append(store, "a", [user("three")]),
    () => store.update("a", { type: "pin", messageIds: ["m2"], isPinned: true }),
    () => compact(store, "a", { archive: [0], summary: "first", edits: [[2, { role: "user", content: "short" }]] }),
    () => append(store, "a", [user("four")]),
    () => store.update("a", { type: "base", base: { model: "y" } }),
    () => compact(store, "a", { archive: [2], summary: "second" }),
    () => store.rollback("a", {}),
    () => append(store, "a", [user("five")]),
  ];
  const states: { end: number; view: string }[] = [];
  for (const step of steps) {
    await step();
    states.push({ end: statSync(file).size, view: await viewText(store, "a") });
  }
  return states;
}

test("cut off at any byte, the session is as it was after the last line that is whole, and goes on", async () => {
  const { file, open } = setUp();
  const states = await history(open(), file);
  const bytes = readFileSync(file);
  const first = states[0]?.end ?? 0;
  const cuts = Array.from({ length: Math.floor((bytes.length - first) / 23) }, (_, index) => first + 23 * index);
  for (const length of [...cuts, ...states.flatMap(({ end }) => [end - 1, end])]) {
    writeFileSync(file, bytes.subarray(0, length));
    // A line that lacks nothing but its end is whole.
    const expected = states.findLast(({ end }) => end - 1 <= length)?.view;
    expect(await viewText(open(), "a"), `${length} bytes`).toBe(expected);
    if (length % 3 !== 0 && !states.some(({ end }) => end - 1 === length)) continue;
    const store = open();
    await append(store, "a", [user("goes on")]);
    const view = await viewText(open(), "a");
    expect(view.startsWith(expected?.slice(0, -2) ?? "?")).toBe(true);
    expect(view).toContain("goes on");
    await isSound(open());
  }
});

/** One append of several messages, one of them of several lines, cut off after every so many bytes. */
test("a batch that is cut off at any byte counts for nothing, and what comes next has its numbers", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 2);
  const before = readFileSync(file).length;
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `answer to ${id}` });
  const body = { role: "user", content: ["one", "two"].map(result) };
  await append(open(), "a", [user("three"), { role: "user", body, attachments: [] }, user("five")]);
  const bytes = readFileSync(file);
  const cuts = Array.from({ length: Math.ceil((bytes.length - 1 - before) / 11) }, (_, index) => before + 11 * index);
  const ends = [...bytes.keys()].filter((at) => at >= before && bytes[at] === 10);
  for (const length of [...cuts, ...ends.slice(0, -1).flatMap((end) => [end, end + 1])]) {
    writeFileSync(file, bytes.subarray(0, before));
    const known = open();
    await known.open("a");
    writeFileSync(file, bytes.subarray(0, length));
    for (const store of [known, open()]) expect(await ids(store, "a"), `${length} bytes`).toBe("m1 m2");
    if (length > before) {
      expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(["torn-line"]);
    }
    await append(known, "a", [user("on"), user("and on")]);
    for (const store of [known, open()]) expect(await ids(store, "a")).toBe("m1 m2 m3 m4");
    await isSound(open());
  }
  writeFileSync(file, bytes.subarray(0, -1));
  expect(await ids(open(), "a")).toBe("m1 m2 m3 m4 m5");
});

test("a line that somebody took out of the last batch takes no other with it", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 4);
  const lines = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, lines.filter((_, at) => at !== 2).join("\n"));
  expect(await ids(open(), "a")).toBe("m1 m3 m4");
  expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(["lost-line"]);
  await append(open(), "a", [user("on")]);
  expect(await ids(open(), "a")).toBe("m1 m3 m4 m5");
});

test("a torn last line is told, and gone with the next write", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 2);
  appendFileSync(file, '{"type":"message","id":"m3","par');
  expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(["torn-line"]);
  await append(open(), "a", [user("three")]);
  expect(await ids(open(), "a")).toBe("m1 m2 m3");
  await isSound(open());
  expect(readFileSync(file, "utf8")).not.toContain('"par\n');
});

test("a damaged line is passed over, told and left as it is", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 4);
  await compact(open(), "a", { archive: [0], summary: "s" });
  const lines = readFileSync(file, "utf8").split("\n");
  const damaged = [...lines.slice(0, 3), "not JSON {", ...lines.slice(4)].join("\n");
  writeFileSync(file, damaged);
  expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(["bad-line"]);
  expect(await ids(open(), "a")).toBe("m5 m2 m4");
  const { ids: next } = await append(open(), "a", [user("on")]);
  expect(next).toEqual(["m6"]);
  expect(readFileSync(file, "utf8").startsWith(damaged)).toBe(true);
});

test.each([
  ["a message of the view", 4, ["lost-line"]],
  ["an archived message", 1, ["lost-line", "archive-incomplete"]],
  ["a compaction", 5, ["lost-line"]],
])("%s that somebody took out of the file is told", async (_, index, expected) => {
  const { file, open } = setUp();
  await begin(open(), "a", 4);
  await compact(open(), "a", { archive: [0], summary: "one" });
  await compact(open(), "a", { archive: [0, 1], summary: "two" });
  await isSound(open());
  const lines = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, lines.filter((_line, at) => at !== index).join("\n"));
  const rules = (await listOf(open().examine("a"))).map(({ rule }) => rule);
  expect(rules).toEqual(expect.arrayContaining(expected));
});

const LAST_LINES: Readonly<Record<string, (line: string) => string>> = {
  "ends too early": (line) => line.slice(0, -3),
  "lost its id": (line) => line.replace('"m3"', '"m').slice(0, -1),
  "is nothing but noise": (line) => "\u0001".repeat(line.length),
};

test.each(Object.keys(LAST_LINES))("a last line that %s stays, and its number is not given again", async (damage) => {
  const { file, open } = setUp();
  const known = open();
  await begin(known, "a", 3);
  const lines = readFileSync(file, "utf8").split("\n");
  const damaged = [...lines.slice(0, 3), LAST_LINES[damage]?.(lines[3] ?? ""), ""].join("\n");
  writeFileSync(file, damaged);
  expect((await append(open(), "a", [user("four")])).ids).toEqual(["m4"]);
  expect(readFileSync(file, "utf8").startsWith(damaged)).toBe(true);
  for (const store of [known, open()]) {
    expect(await ids(open(), "a")).toBe("m1 m2 m4");
    expect((await stateOf(open(), "a")).version.sequence).toBe(4);
    expect((await listOf(store.examine("a"))).map(({ rule }) => rule)).toEqual(["bad-line"]);
  }
});

test("a damaged line that comes while a store is open takes a number there too", async () => {
  const { file, open } = setUp();
  const store = open();
  await begin(store, "a", 2);
  appendFileSync(file, '{"type":"message","id":"m3","par\n\u0001\n');
  for (const each of [store, open()]) expect((await stateOf(each, "a")).version.sequence).toBe(4);
  expect((await append(store, "a", [user("five")])).ids).toEqual(["m5"]);
  expect((await stateOf(open(), "a")).version).toEqual((await stateOf(store, "a")).version);
});

test("what somebody said in a damaged line is no number", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 2);
  appendFileSync(file, '{"type":"message","id":"m3","input":{"id":"m900000000000001","sequence":7e9}\n');
  expect((await append(open(), "a", [user("four")])).ids).toEqual(["m4"]);
});

test("a lost line shifts neither numbers nor revisions of what came later", async () => {
  const { file, open } = setUp();
  const store = open();
  await begin(store, "a", 2);
  await store.update("a", { type: "pin", messageIds: ["m1"], isPinned: true });
  await store.update("a", { type: "pin", messageIds: ["m2"], isPinned: true });
  const { version } = await stateOf(store, "a");
  const lines = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, [...lines.slice(0, 3), "lost", ...lines.slice(4)].join("\n"));
  const after = await stateOf(open(), "a");
  expect(after.version).toEqual(version);
  expect(after.view.map(({ isPinned }) => isPinned)).toEqual([false, true]);
});

test("an entry that was tampered with is told, whatever it holds", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 2);
  const marks = [
    { record: { type: "committed", eventId: 7 } },
    { record: { type: "novelty" } },
    { role: "king" },
    { record: null },
  ];
  for (const palimpsest of marks) {
    appendFileSync(file, `${JSON.stringify({ type: "message", id: "x", message: {}, palimpsest })}\n`);
  }
  expect((await listOf(open().examine("a"))).map(({ rule }) => rule)).toEqual(marks.map(() => "bad-record"));
  expect(await ids(open(), "a")).toBe("m1 m2");
});

test("a file that does not begin with a header is no session, and is not overwritten", async () => {
  const { file, open, directory } = setUp();
  writeFileSync(file, '{"role":"user","content":"a fine-tuning example"}\n');
  expect(await open().open("a")).toBeUndefined();
  expect((await listOf(open().examine())).map(({ rule }) => rule)).toEqual(["no-session"]);
  await begin(open(), "a", 1);
  expect(await ids(open(), "a")).toBe("m1");
  expect(readFileSync(join(directory, "a.jsonl"), "utf8")).toContain("fine-tuning");
});

test("a file that was made and never written to is taken", async () => {
  const { file, open } = setUp();
  writeFileSync(file, "");
  await begin(open(), "a", 1);
  expect(readFileSync(file, "utf8").split("\n").length).toBe(3);
});

test("a file of a newer version is not touched", async () => {
  const { file, open } = setUp();
  await begin(open(), "a", 1);
  const newer = readFileSync(file, "utf8").replace('"palimpsest":{"version":1', '"palimpsest":{"version":2');
  writeFileSync(file, newer);
  const store = open();
  await refuses("schema-too-new", () => store.open("a"));
  await refuses("schema-too-new", () => append(store, "a", [user("x")]));
  expect(readFileSync(file, "utf8")).toBe(newer);
  await begin(store, "b", 1);
  expect((await listOf(open().sessions())).map(({ id }) => id)).toEqual(["b"]);
  expect((await listOf(open().examine())).map(({ rule }) => rule)).toEqual(["newer-version"]);
});

test("a file of a newer version of pi is not touched", async () => {
  const { file, open } = setUp();
  const newer = `${JSON.stringify({ type: "session", version: 99, id: "a", timestamp: new Date().toISOString(), cwd: "/" })}\n`;
  writeFileSync(file, newer);
  const store = open();
  await refuses("schema-too-new", () => store.open("a"));
  await refuses("schema-too-new", () => append(store, "a", [user("x")]));
  expect(readFileSync(file, "utf8")).toBe(newer);
  expect((await listOf(open().examine())).map(({ rule }) => rule)).toEqual(["newer-version"]);
});

test("a file that shrinks under an open store is read again", async () => {
  const { file, open } = setUp();
  const store = open();
  await begin(store, "a", 1);
  const { size } = statSync(file);
  await append(store, "a", [user("two")]);
  truncateSync(file, size);
  expect(await ids(store, "a")).toBe("m1");
});

test("purged messages are gone from the disk, summaries that were summarized too", async () => {
  const { file, open } = setUp();
  const store = open();
  await begin(store, "a", 6);
  await compact(store, "a", { archive: [0, 1], summary: "vanishing summary" });
  await compact(store, "a", { archive: [0, 1], summary: "lasting summary", event: { summary: "other words" } });
  const view = await viewText(store, "a");
  await store.purge("a", new Date(Date.now() + 1_000));
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain("question 1");
  expect(text).not.toContain("question 3");
  expect(text).not.toContain("[summary] vanishing summary");
  for (const each of [store, open()]) {
    expect(await viewText(each, "a")).toBe(view);
    await isSound(each);
  }
  await append(open(), "a", [user("on")]);
  expect(await ids(store, "a")).toBe("m8 m4 m5 m6 m9");
  expect((await store.open("a"))?.counters.messageCount).toBe(7);
});

test("a message of several lines is purged with all of them", async () => {
  const { file, open } = setUp();
  const store = open();
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: `answer to ${id}` });
  const body = { role: "user", content: ["one", "two", "three"].map(result) };
  await store.create({ id: "a", format: "anthropic-messages", base: {} });
  await append(store, "a", [user("first"), { role: "user", body, attachments: [] }, user("last")]);
  await compact(store, "a", { archive: [1], summary: "s" });
  const view = await viewText(store, "a");
  expect(await store.purge("a", new Date(Date.now() + 1_000))).toBe(1);
  expect(readFileSync(file, "utf8")).not.toContain("answer to");
  expect(await viewText(open(), "a")).toBe(view);
  await append(store, "a", [user("on")]);
  expect(await ids(open(), "a")).toBe("m1 m4 m3 m5");
  await isSound(open());
});

test("a commit that another store made stale is refused, and leaves no trace", async () => {
  const { file, open } = setUp();
  const [one, other] = [open(), open()];
  await begin(one, "a", 4);
  const commit = await commitOf(one, "a", { archive: [0], summary: "late" });
  await other.update("a", { type: "pin", messageIds: ["m1"], isPinned: true });
  const before = readFileSync(file, "utf8");
  await refuses("store-conflict", () => one.commit("a", commit));
  expect(readFileSync(file, "utf8")).toBe(before);
});
