/** Sessions that pi or OpenClaw began: read as theirs, gone on with, compacted and taken back like ours. */

import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isArray, isObject, type JsonObject } from "../../core/json.ts";
import type { StoredMessage } from "../../core/store/store.ts";
import { append, begin, compact, ids, isSound, listOf, stateOf, user, viewText } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";

const HEADER = { type: "session", version: 3, id: "s1", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" };
const entry = (id: string, parentId: string | null, message: JsonObject): JsonObject => {
  return { type: "message", id, parentId, timestamp: "2026-01-01T00:00:01Z", message };
};
const said = (id: string, parentId: string | null, text: string) =>
  entry(id, parentId, { role: "user", content: text });
const answer = (id: string, parentId: string, content: readonly JsonObject[], more: JsonObject = {}) =>
  entry(id, parentId, { role: "assistant", content, model: "claude-x", stopReason: "stop", ...more });
const text = (value: string) => ({ type: "text", text: value });
const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: { cmd: "ls" } });
const result = (id: string, parentId: string, toolCallId: string) =>
  entry(id, parentId, { role: "toolResult", toolCallId, toolName: "bash", content: [text("out")], isError: false });
const compaction = (id: string, parentId: string, firstKeptEntryId: string) => {
  return {
    type: "compaction",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:02Z",
    summary: "S",
    firstKeptEntryId,
    tokensBefore: 9,
  };
};

function setUp(lines: readonly JsonObject[]) {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-foreign-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "2026-01-01T00-00-00_s1.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return { file, directory, open: () => jsonlStore({ directory, sync: "never" }) };
}

/** One word a message: its id, and what it says where the id is ours. */
function words(view: readonly StoredMessage[]): string {
  return view.map(({ id, isSummary }) => (isSummary ? `[${id}]` : id)).join(" ");
}

async function check(lines: readonly JsonObject[], expected: string): Promise<void> {
  const { open } = setUp(lines);
  expect(words((await stateOf(open(), "s1")).view)).toBe(expected);
  await isSound(open());
}

test("one message an entry, settings and empty answers are none", async () => {
  const usage = { input: 3, output: 5, cacheRead: 20, cacheWrite: 7 };
  const { open } = setUp([
    HEADER,
    { type: "model_change", id: "c", parentId: null, timestamp: "t", provider: "anthropic", modelId: "claude-w" },
    said("u1", "c", "hi"),
    answer("a0", "u1", [], { stopReason: "aborted" }),
    answer("a1", "a0", [text("both"), call("c1")], { usage }),
    result("r1", "a1", "c1"),
  ]);
  const { view, counters, base, format } = await stateOf(open(), "s1");
  expect(view.map(({ body }) => body)).toEqual([
    { role: "user", content: [text("hi")] },
    { role: "assistant", content: [text("both"), { type: "tool_use", id: "c1", name: "bash", input: { cmd: "ls" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: [text("out")] }] },
  ]);
  expect([format, base]).toEqual(["anthropic-messages", { model: "claude-x" }]);
  expect([counters.inputTokens, counters.outputTokens, counters.turnCount, counters.messageCount]).toEqual([
    30, 5, 1, 3,
  ]);
});

test("the last compaction on the path rules", () =>
  check(
    [
      HEADER,
      said("u1", null, "one"),
      answer("a1", "u1", [text("two")]),
      compaction("k1", "a1", "a1"),
      said("u2", "k1", "three"),
      answer("a2", "u2", [text("four")]),
      compaction("k2", "a2", "u2"),
      said("u3", "k2", "five"),
    ],
    "[m6] u2 a2 u3",
  ));

test("a compaction that keeps nothing, and one that names what is not there", async () => {
  await check([HEADER, said("u1", null, "one"), compaction("k1", "u1", "nobody"), said("u2", "k1", "two")], "[m2] u2");
  await check([HEADER, said("u1", null, "one"), compaction("k1", "u1", "k1")], "[m2]");
});

test("a branch that was left does not count, and its numbers are not given again", async () => {
  const { open } = setUp([
    HEADER,
    said("u1", null, "one"),
    answer("a1", "u1", [text("left")]),
    compaction("k1", "a1", "a1"),
    said("u2", "u1", "on"),
  ]);
  const store = open();
  expect(await ids(store, "s1")).toBe("u1 u2");
  const { ids: next } = await append(store, "s1", [user("ours")]);
  expect(next).toEqual(["m5"]);
  expect(await ids(open(), "s1")).toBe("u1 u2 m5");
});

test("a branch that is begun under an open store is seen, and told as a change", async () => {
  const { file, open } = setUp([HEADER, said("u1", null, "one"), said("u2", "u1", "two")]);
  const store = open();
  const { version } = await stateOf(store, "s1");
  expect(await listOf(store.events("s1"))).toEqual([]);
  appendFileSync(file, `${JSON.stringify(said("u3", "u1", "instead"))}\n`);
  const changes = await store.changes("s1", version);
  expect(changes.type === "changed" ? words(changes.state.view) : changes.type).toBe("u1 u3");
  expect(await stateOf(store, "s1")).toEqual(await stateOf(open(), "s1"));
});

test("the older flat form", () =>
  check(
    [
      { type: "session", id: "s1", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" },
      ...[said("", "", "one"), answer("", "", [text("two")]), said("", "", "three")].map(
        ({ id: _, parentId: __, ...rest }) => rest,
      ),
      { type: "compaction", timestamp: "2026-01-01T00:00:02Z", summary: "S", firstKeptEntryIndex: 3, tokensBefore: 9 },
    ],
    "[m4] m3",
  ));

test("edits of theirs replace or remove, and can be undone", async () => {
  const { open } = setUp([
    HEADER,
    said("u1", null, "one"),
    said("u2", "u1", "secret"),
    { type: "context_edit", id: "e1", parentId: "u2", timestamp: "t", targetId: "u2", replacement: null },
    {
      type: "context_edit",
      id: "e2",
      parentId: "e1",
      timestamp: "t",
      targetId: "u1",
      replacement: { content: "hello" },
    },
  ]);
  const store = open();
  const { view, counters } = await stateOf(store, "s1");
  expect(view.map(({ id, body }) => [id, body])).toEqual([["u1", { role: "user", content: [text("hello")] }]]);
  expect(counters.compactionCount).toBe(0);
  await store.rollback("s1", { to: "e1", cascade: true });
  expect(await ids(open(), "s1")).toBe("u1 u2");
});

test("gone on with: appended to, compacted, taken back; what they wrote is untouched", async () => {
  const { file, open } = setUp([
    HEADER,
    said("u1", null, "one"),
    answer("a1", "u1", [text("two")]),
    said("u2", "a1", "three"),
  ]);
  const theirs = readFileSync(file, "utf8");
  await append(open(), "s1", [user("ours")]);
  const before = await viewText(open(), "s1");
  await compact(open(), "s1", { archive: [0, 1], summary: "s" });
  expect(await ids(open(), "s1")).toBe("m5 u2 m4");
  const last = JSON.parse(readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "");
  expect([last.type, last.firstKeptEntryId, last.parentId]).toEqual(["compaction", "u2", "m4"]);
  await open().rollback("s1", {});
  expect(await viewText(open(), "s1")).toBe(before);
  expect(readFileSync(file, "utf8").startsWith(theirs)).toBe(true);
  await isSound(open());
});

test("a compaction of theirs can be taken back", async () => {
  const { open } = setUp([HEADER, said("u1", null, "one"), said("u2", "u1", "two"), compaction("k1", "u2", "u2")]);
  expect(
    (await listOf(open().events("s1"))).map(({ id, summary, isCompaction }) => [id, summary, isCompaction]),
  ).toEqual([["k1", "S", true]]);
  await open().rollback("s1", {});
  expect(await ids(open(), "s1")).toBe("u1 u2");
  await isSound(open());
});

test("names of theirs that look like ours are not given again", async () => {
  const { open } = setUp([HEADER, said("m7", null, "one"), said("m2", "m7", "two")]);
  const { ids: next } = await append(open(), "s1", [user("ours")]);
  expect(next).toEqual(["m9"]);
  expect(await ids(open(), "s1")).toBe("m7 m2 m9");
});

test("purge and fork of a file of theirs", async () => {
  const { file, open } = setUp([
    HEADER,
    said("u1", null, "one"),
    said("u2", "u1", "two"),
    compaction("k1", "u2", "u2"),
    said("u3", "k1", "three"),
  ]);
  const view = await viewText(open(), "s1");
  await open().fork("s1", "copy");
  expect(await viewText(open(), "copy")).toBe(view);
  expect(await open().purge("s1", new Date())).toBe(1);
  expect(readFileSync(file, "utf8")).not.toContain('"one"');
  expect(await viewText(open(), "s1")).toBe(view);
  await isSound(open());
  await open().rollback("copy", {});
  expect(await ids(open(), "copy")).toBe("u1 u2 u3");
});

test("a session is not made twice, whatever its file is called", async () => {
  const { open, directory } = setUp([HEADER, said("u1", null, "one")]);
  await expect(open().create({ id: "s1", format: "gemini", base: {} })).rejects.toMatchObject({
    code: "session-exists",
  });
  writeFileSync(join(directory, "b.jsonl"), `${JSON.stringify({ ...HEADER, id: "other" })}\n`);
  await begin(open(), "b", 2);
  expect(await ids(open(), "b")).toBe("m1 m2");
  expect((await listOf(open().sessions())).map(({ id }) => id).sort()).toEqual(["b", "other", "s1"]);
  await open().delete("s1");
  expect(await open().open("s1")).toBeUndefined();
});

const DATA = "../shared/data";
const RECORDED = [
  "pi_mono/packages/coding-agent/test/fixtures/large-session.jsonl",
  "agent_sessions_multi/Resources/Fixtures/stage0/agents/pi/small.jsonl",
  "agent_sessions_multi/Resources/Fixtures/stage0/agents/openclaw/small.jsonl",
  "agent_sessions_multi/Resources/Fixtures/stage0/agents/openclaw/large.jsonl",
];

describe.skipIf(!existsSync(DATA))(`recordings in ${DATA} (skipped where absent)`, () => {
  test.each(RECORDED)("%s can be gone on with", async (name) => {
    const { directory, open, file } = setUp([]);
    rmSync(file);
    copyFileSync(join(DATA, name), join(directory, "recorded.jsonl"));
    const [session] = await listOf(open().sessions());
    const id = session?.id ?? "";
    const { view } = await stateOf(open(), id);
    expect(view.length).toBeGreaterThan(1);
    const calls = view
      .flatMap(({ body }) => (isObject(body) && isArray(body.content) ? body.content : []))
      .filter(isObject);
    const made = new Set(calls.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
    for (const { type, tool_use_id } of calls) if (type === "tool_result") expect(made).toContain(tool_use_id);
    await append(open(), id, [user("go on")]);
    const before = await viewText(open(), id);
    await compact(open(), id, { archive: view.slice(0, -1).map((_, index) => index), summary: "all of it" });
    expect((await stateOf(open(), id)).view.length).toBe(3);
    await open().rollback(id, {});
    expect(await viewText(open(), id)).toBe(before);
    expect(await listOf(open().examine(id))).toEqual([]);
  });
});

test("compaction entries with numeric timestamps are written where asked for, and read by any store", async () => {
  const { file, directory, open } = setUp([HEADER, said("u1", null, "hi"), said("u2", "u1", "there")]);
  const atMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const now = () => new Date(atMs);
  const numbering = jsonlStore({ directory, sync: "never", now, compactionTimestamps: "number" });
  await compact(numbering, "s1", { archive: [0], summary: "first" });
  await numbering.rollback("s1", {});
  await compact(numbering, "s1", { archive: [0], summary: "second" });
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const written = lines.map((line): JsonObject => JSON.parse(line)).filter(({ type }) => type === "compaction");
  expect(written.map(({ timestamp }) => timestamp)).toEqual([atMs, atMs, atMs]);
  const events = await listOf(open().events("s1"));
  expect(events.map(({ createdAt }) => createdAt)).toEqual([now().toISOString(), now().toISOString()]);
  await isSound(open());
  expect(() => jsonlStore({ directory, compactionTimestamps: "text" as "iso" })).toThrow("compactionTimestamps");
});
