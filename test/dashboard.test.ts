/** What the dashboard's server answers, over real stores that real conversations filled; and to whom it refuses anything. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT, renderCheckpoint } from "../src/core/checkpoint/checkpoint.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import type { TrafficStore } from "../src/core/store/traffic.ts";
import { summaryLines } from "../src/dashboard/compaction-report.ts";
import type {
  CompactionReport,
  MessageReport,
  MessagesPage,
  SessionReport,
  SessionRow,
  SessionsPage,
} from "../src/dashboard/wire.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { type DashboardServer, startDashboard } from "./dashboard-server.ts";
import { work } from "./dashboard-world.ts";
import { open, SMALL, talk } from "./session-world.ts";
import { storesUnderTest } from "./stores-under-test.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-dashboard-"));
let store: FullStore & TrafficStore;
let server: DashboardServer;
let long: SessionRow;

const LONG = {
  task: "Fix the invoices.",
  rounds: 45,
  client: "agent/1.0",
  model: "claude-opus-4-8",
  windowTokens: 28_000,
};

beforeAll(async () => {
  store = sqliteStore({ file: join(folder, "sessions.db") });
  await work(store, LONG);
  await work(store, { ...LONG, task: "Say hello.", rounds: 2, client: "other/2.0", model: "claude-haiku-4-5" });
  server = await startDashboard({ store });
  const { rows } = await server.get<SessionsPage>("sessions");
  const row = rows.find(({ client }) => client === "agent/1.0");
  if (row === undefined) throw new Error("the long session is listed");
  long = row;
});

afterAll(async () => {
  await server.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

describe("the list of sessions", () => {
  test("stays short, whatever a caller calls itself and its model", async () => {
    const long = memoryStore();
    const name = "x".repeat(1_000_000);
    await long.create({
      id: "s",
      format: "openai-chat",
      base: { model: name },
      metadata: { client: name, [name]: name },
    });
    const own = await startDashboard({ store: long });
    for (const page of ["sessions", "session"]) {
      expect(JSON.stringify(await own.get(page, { session: "s" })).length).toBeLessThan(10_000);
    }
    await own.close();
  });

  test("is titled by the user's words, not by what the client put before them", async () => {
    const clients = memoryStore();
    const own = await startDashboard({ store: clients });
    let sessions = 0;
    const titled = async (messages: readonly object[]): Promise<string | undefined> => {
      const id = `s${++sessions}`;
      const session = await open({ store: clients }, id);
      await session.append(messages as Parameters<typeof session.append>[0]);
      const { row } = await own.get<SessionReport>("session", { session: id });
      await session.close();
      return row.title;
    };
    const text = (words: string): object => ({ type: "text", text: words });
    const asked = text("Fix INV-20417.");
    for (const note of [
      "<system-reminder>\nAttribution\n</system-reminder>\n",
      "<environment_context>\n  <cwd>/work</cwd>\n</environment_context>",
      "<session_context>\nThis is the Gemini CLI.\n</session_context>",
    ]) {
      expect(await titled([{ role: "user", content: [text(note), asked] }])).toBe("Fix INV-20417.");
      const messages = [
        { role: "user", content: [text(note)] },
        { role: "user", content: [asked] },
      ];
      expect(await titled(messages)).toBe("Fix INV-20417.");
    }
    expect(await titled([{ role: "user", content: "<system-reminder>only</system-reminder>" }])).toMatch(/only/);
    const use = { type: "tool_use", id: "t1", name: "bash", input: {} };
    const result = { type: "tool_result", tool_use_id: "t1", content: "KEY=sk-none" };
    const ran = [
      { role: "assistant", content: [use] },
      { role: "user", content: [result] },
    ];
    expect(await titled(ran)).toBe("");
    await own.close();
  });

  test("tells of each session what an operator wants to know", async () => {
    const records = await Array.fromAsync(store.requests(long.key));
    const newest = records.at(-1);
    expect(long).toMatchObject({
      title: "Fix the invoices.",
      client: "agent/1.0",
      model: "claude-opus-4-8",
      state: "active",
      requests: 46,
      context: {
        tokens: newest?.inputTokens,
        isEstimate: false,
        windowTokens: 28_000,
        triggerTokens: newest?.triggerTokens,
      },
    });
    expect(long.turns).toBe(6);
    expect(long.compactions).toBeGreaterThan(0);
    expect(long.inView).toBeLessThan(long.messages);
    expect(long.cachedShare).toBeGreaterThan(0.5);
    expect(long.money?.spentUsd).toBeGreaterThan(0);
  });

  test.each([
    ["agent/1.0", 1],
    ["HAIKU other", 1],
    ["claude", 2],
    ["claude nothing-like-this", 0],
    ["", 2],
  ])("finds by words: %s", async (query, matching) => {
    const page = await server.get<SessionsPage>("sessions", { query });
    expect([page.matching, page.rows.length, page.total]).toEqual([matching, matching, 2]);
  });

  test("is paged and sorted", async () => {
    const first = await server.get<SessionsPage>("sessions", { sort: "turns", limit: "1" });
    const second = await server.get<SessionsPage>("sessions", { sort: "turns", limit: "1", offset: "1" });
    expect([...first.rows, ...second.rows].map(({ client }) => client)).toEqual(["agent/1.0", "other/2.0"]);
    expect((await server.get<SessionsPage>("sessions", { sort: "strange", offset: "-3" })).rows).toHaveLength(2);
  });

  test("is not sent again while nothing changes", async () => {
    const { headers } = await server.ask("/dashboard/sessions");
    const again = await server.ask("/dashboard/sessions", { "if-none-match": String(headers.etag) });
    expect([again.status, again.text]).toEqual([304, ""]);
  });

  test("a session that grows, and one that is new, come first", async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const late = memoryStore({ now: () => new Date(nowMs) });
    const own = await startDashboard({ store: late, now: () => nowMs });
    const order = async (): Promise<string[]> => {
      nowMs += 1_000;
      return (await own.get<SessionsPage>("sessions")).rows.map(({ id }) => id);
    };
    const [a] = [await open({ store: late }, "a"), await open({ store: late }, "b")];
    expect((await order()).sort()).toEqual(["a", "b"]);
    await talk(a, 1);
    expect(await order()).toEqual(["a", "b"]);
    await talk(await open({ store: late }, "c"), 1);
    expect(await order()).toEqual(["c", "a", "b"]);
    await late.delete("a");
    nowMs += 61_000;
    expect(await order()).toEqual(["c", "b"]);
    await own.close();
    await late.close();
  });
});

describe("one session", () => {
  test("its context over time is what its requests held, with window, trigger and every compaction", async () => {
    const { series, compactions } = await server.get<SessionReport>("session", { session: long.key });
    const records = await Array.fromAsync(store.requests(long.key));
    expect(series.of).toBe("requests");
    expect(series.tokens).toEqual(records.map(({ inputTokens }) => inputTokens));
    expect(new Set(series.window)).toEqual(new Set([28_000]));
    expect(Math.max(...series.tokens)).toBeLessThanOrEqual(28_000);
    series.tokens.forEach((tokens, index) => {
      const parts = [series.read[index], series.written[index], series.plain[index]];
      expect(parts.reduce((sum = 0, part = 0) => sum + part, 0)).toBe(tokens);
    });
    expect(series.marks.map(({ eventId }) => eventId)).toEqual(compactions.map(({ id }) => id));
    for (const { place } of series.marks) expect(series.tokens[place]).toBeLessThan(series.tokens[place - 1] ?? 0);
  });

  test("of a session without recorded requests it is estimated from the log: it rises, and falls at each compaction", async () => {
    const session = await open({ store }, "plain");
    for (let turn = 0; turn < 40; turn++) {
      await talk(session, 1);
      await session.request();
    }
    const history = await session.history();
    await session.rollback();
    const { series, compactions, row } = await server.get<SessionReport>("session", { session: "plain" });
    expect(history.length).toBeGreaterThan(1);
    expect(series.of).toBe("messages");
    expect(series.marks.map(({ label }) => label)).toEqual(history.map(({ number }) => String(number)));
    expect(series.marks.map(({ place }) => series.tokens[place])).toEqual(
      history.map(({ compactedTokens }) => compactedTokens),
    );
    expect(compactions.at(-1)?.undoneAt).not.toBeNull();
    const { currentTokens } = await session.stats();
    expect(row.context).toMatchObject({ isEstimate: true });
    expect(Math.abs((row.context.tokens ?? 0) / currentTokens - 1)).toBeLessThan(0.15);
    await store.delete("plain");
  });

  test("view and archive hold every message once, a page at a time", async () => {
    const ids = async (scope: string): Promise<readonly string[]> => {
      const pages: MessagesPage[] = [];
      for (let offset = 0; offset < 120; offset += 10)
        pages.push(await server.get("messages", { session: long.key, scope, offset: String(offset), limit: "10" }));
      return pages.flatMap(({ rows }) => rows.map(({ id }) => id));
    };
    const state = await store.open(long.key);
    expect(await ids("view")).toEqual(state?.view.map(({ id }) => id));
    const archived = await Array.fromAsync(store.archive(long.key));
    expect(await ids("archive")).toEqual(archived.slice(0, 120).map(({ id }) => id));
  });

  test("the archive is searched, and a hit opens in full", async () => {
    const { rows } = await server.get<MessagesPage>("search", {
      session: long.key,
      query: "INV-20417 expected 119.00",
    });
    const [best] = rows.filter(({ archivedBy }) => archivedBy !== null);
    expect(best?.archivedBy).toBeGreaterThan(0);
    expect(best?.what).toBe("result of bash");
    const report = await server.get<MessageReport>("message", { session: long.key, message: best?.id ?? "" });
    expect(report.parts.map(({ text }) => text).join()).toContain("expected 119.00, got 118.99");
  });

  test("is exported as the request, and with everything for import", async () => {
    const request = await server.ask(`/dashboard/export?session=${long.key}`);
    expect(request.headers["content-disposition"]).toMatch(/^attachment; filename="[\w.-]+\.request\.json"$/);
    expect(JSON.parse(request.text).messages).toHaveLength(long.inView);
    const all = JSON.parse((await server.ask(`/dashboard/export?session=${long.key}&all=1`)).text);
    expect(all).toMatchObject({ kind: "palimpsest-session", id: long.key });
    expect(all.log.length).toBeGreaterThan(long.messages);
  });
});

describe("one compaction", () => {
  test("before and after are whole, and what left is what the store archived", async () => {
    const { compactions } = await server.get<SessionReport>("session", { session: long.key });
    const [first] = compactions;
    const asked = { session: long.key, event: first?.id ?? "" };
    const report = await server.get<CompactionReport>("compaction", asked);
    const { counts } = report;
    expect(report.messagesBefore).toBe(counts["="] + counts["~"] + counts["-"]);
    expect(report.messagesAfter).toBe(counts["="] + counts["~"] + counts["+"]);
    const left = await server.get<MessagesPage>("changes", { ...asked, side: "before", mark: "-", limit: "500" });
    const archived = await Array.fromAsync(store.archive(long.key, { eventId: asked.event }));
    expect(left.rows.map(({ id }) => id)).toEqual(archived.map(({ id }) => id));
    expect(report.summary.length).toBeGreaterThan(3);
    const page = await server.get<MessagesPage>("changes", { ...asked, side: "after", offset: "1", limit: "2" });
    expect([page.total, page.rows.length]).toEqual([report.messagesAfter, 2]);
    const found = await server.get<MessagesPage>("search", { ...asked, query: "rounding step" });
    const leftIds = left.rows.filter(({ isSummary }) => !isSummary).map(({ id }) => id);
    expect(found.total).toBeGreaterThan(0);
    expect(found.rows.filter(({ id }) => !leftIds.includes(id))).toEqual([]);
  });

  test("each line of the checkpoint leads to the messages that it came from, where the summarizer says that", async () => {
    const session = await open({
      store: memoryStore(),
      compactor: { format: anthropicMessages, ...SMALL, summarizer: TELLING },
    });
    await talk(session, 8);
    await session.compact();
    const own = await startDashboard({ store: session.store });
    const [event] = await session.history();
    const { summary } = await own.get<CompactionReport>("compaction", { session: "a", event: event?.id ?? "" });
    const told = summary.filter(({ sources }) => sources.length > 0);
    expect(told.map(({ text, sources }) => [text, sources])).toEqual([
      ["Look at the step.", ["m2"]],
      ["The first two answers", ["m3", "m5"]],
    ]);
    const { rows } = await own.get<MessagesPage>("sources", { session: "a", messages: "m3,m5,m999" });
    expect(rows.map(({ id, begins }) => [id, begins.slice(0, 8)])).toEqual([
      ["m3", "Question"],
      ["m5", "Question"],
    ]);
    await own.close();
  });

  test("the lines of a checkpoint", () => {
    const text = "## Goal\n> Build it.\n\n### Done\n- [x] First\n  - deeper\n1. One\nplain\n```";
    expect(summaryLines(text, new Map([["First", ["m2"]]])).map((line) => Object.values(line))).toEqual([
      ["heading", 2, "Goal", []],
      ["quote", 0, "Build it.", []],
      ["heading", 3, "Done", []],
      ["item", 0, "[x] First", ["m2"]],
      ["item", 1, "deeper", []],
      ["item", 0, "One", []],
      ["text", 0, "plain", []],
      ["text", 0, "```", []],
    ]);
  });
});

/** Says of each line which of the messages it came from. */
const TELLING: Summarizer = {
  name: "telling",
  version: "1",
  planCalls: () => 0,
  summarize: async ({ messages }) => {
    const ids = messages.map(({ id }) => id ?? "");
    const checkpoint: Checkpoint = {
      ...EMPTY_CHECKPOINT,
      goal: ["Look at the step."],
      done: ["The first two answers"],
      sources: [
        { line: "Look at the step.", ids: ids.slice(0, 1) },
        { line: "The first two answers", ids: [ids[1] ?? "", ids[3] ?? ""] },
      ],
    };
    return { text: renderCheckpoint(checkpoint), checkpoint, calls: 0, notes: [] };
  },
};

test.each(storesUnderTest)("a session over $name is listed and shown", async ({ open: openStore }) => {
  const opened = await openStore();
  if (typeof opened === "string") return console.warn(opened);
  const odd = 'a/../"><script>alert(1)</script> \u202e';
  const session = await open({ store: opened.store, metadata: { client: "a tool" } }, odd);
  await talk(session, 12);
  await session.compact();
  const own = await startDashboard({ store: opened.store });
  const [row] = (await own.get<SessionsPage>("sessions")).rows;
  expect(row).toMatchObject({ id: odd, client: "a tool", model: "claude-opus-4-5", turns: 12, compactions: 1 });
  const report = await own.get<SessionReport>("session", { session: row?.key ?? "" });
  expect(report.series.marks).toHaveLength(1);
  const event = report.compactions[0]?.id ?? "";
  const { counts } = await own.get<CompactionReport>("compaction", { session: odd, event });
  expect(counts["-"]).toBeGreaterThan(0);
  await own.close();
  await opened.dispose();
});
