import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { anthropic } from "../src/models.ts";
import { type LoopTool, runLoop, subAgent } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { openStore } from "../src/stores.ts";
import {
  type ModelRequest,
  type ProviderServer,
  type ScriptedReply,
  startProviderServer,
} from "../src/testing/server.ts";

/** Agents that call agents: each in a window of its own, over real HTTP, in stored sessions. */

const FILES = 30;
const WINDOW_TOKENS = 15_000;

let server: ProviderServer;
beforeEach(async () => {
  server = await startProviderServer({ reply, windowTokens: WINDOW_TOKENS });
});
afterEach(() => server.close());

/** A sub-agent reads its files one by one. The agent above gives two of them a task, and then says what they said. */
function reply({ conversation }: ModelRequest): ScriptedReply {
  const said = JSON.stringify(conversation.messages);
  const [, part] = /Read part (\w)/.exec(said) ?? [];
  const done = [...said.matchAll(/(\w)-(\d+)\.ts: /g)].map(([, , number]) => Number(number));
  if (part !== undefined && !said.includes("Compare")) {
    const next = done.length === 0 ? 0 : Math.max(...done) + 1;
    return next < FILES
      ? { toolCalls: [{ name: "read", input: { path: `${part}-${next}.ts` } }] }
      : { text: `Part ${part} has ${FILES} files.` };
  }
  const answers = [...new Set(said.match(/Part \w has \d+ files\./g) ?? [])];
  return answers.length === 2
    ? { text: answers.toSorted().join(" ") }
    : { toolCalls: ["A", "B"].map((name) => ({ name: "look", input: { task: `Read part ${name}.` } })) };
}

const model = () =>
  anthropic(new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries: 0 }), "claude-opus-5-5");
const body = { model: "claude-opus-5-5", max_tokens: 900 };

async function agents(address: string, ran: string[], before: (path: string) => void = () => {}) {
  const store = await openStore(address);
  const asked = model();
  const compactor = { format: asked.format, windowTokens: WINDOW_TOKENS };
  const session = await openSession("parent", { store, compactor, body });
  const read: LoopTool = {
    name: "read",
    run: (input) => {
      const { path } = input as { path: string };
      before(path);
      ran.push(path);
      return `${path}: ${"a line of the file\n".repeat(150)}`;
    },
  };
  const look = subAgent({ name: "look", parent: session, model: asked, compactor, body, tools: [read] });
  return { store, session, loop: { session, model: asked, tools: [look] } };
}

const ANSWER = `Part A has ${FILES} files. Part B has ${FILES} files.`;

test.each(["memory:", "sqlite", "jsonl"])("each has its own session and window, in %s", async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-sub-agents-"));
  const address = kind === "sqlite" ? `sqlite:${join(folder, "s.db")}` : kind === "jsonl" ? `jsonl:${folder}` : kind;
  const ran: string[] = [];
  const { store, session, loop } = await agents(address, ran);
  const { text } = await runLoop({ ...loop, input: "Compare the parts." });
  expect(text).toBe(ANSWER);
  expect(new Set(ran).size).toBe(2 * FILES);
  expect(ran).toHaveLength(2 * FILES);
  // Four messages: the question, two calls, their results, the answer. Nothing of what the others read.
  expect(JSON.stringify(await session.view())).not.toContain("a line of the file");
  const results = (await session.export({ all: true })).log ?? [];
  const ids = [...new Set(JSON.stringify(results).match(/toolu_\d+/g) ?? [])];
  expect(ids).toHaveLength(2);
  for (const id of ids) {
    const child = await store.open(`parent/${id}`);
    expect(child).toMatchObject({ parentId: "parent" });
    expect(child?.counters.compactionCount).toBeGreaterThan(0);
  }
  expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
  await store.close();
});

test("one that is interrupted goes on in its session, and runs no tool again", async () => {
  const ran: string[] = [];
  const stop = new AbortController();
  const { store, loop } = await agents("memory:", ran, (path) => {
    if (path === "B-9.ts") stop.abort(new Error("enough"));
  });
  await expect(runLoop({ ...loop, input: "Compare the parts.", signal: stop.signal })).rejects.toMatchObject({
    code: "aborted",
    cause: new Error("enough"),
  });
  expect((await runLoop(loop)).text).toBe(ANSWER);
  // The tool that gave up the whole run was not answered, so it alone ran twice at most.
  const twice = ran.filter((path, index) => ran.indexOf(path) !== index);
  expect(twice.filter((path) => path !== "B-9.ts")).toEqual([]);
  expect(new Set(ran).size).toBe(2 * FILES);
  expect(server.requests.filter(({ outcome }) => outcome?.type === "refused")).toEqual([]);
  await store.close();
});

test("the example of the docs runs as it is", async () => {
  await server.close();
  server = await startProviderServer({
    reply: ({ conversation }) => {
      const said = JSON.stringify(conversation.messages);
      if (!said.includes("Compare them.")) {
        const isRead = said.includes("MIT");
        return isRead
          ? { text: "It says MIT." }
          : { toolCalls: [{ name: "read_file", input: { path: "package.json" } }] };
      }
      if (said.includes("It says MIT.")) return { text: "They agree." };
      return { toolCalls: [{ name: "look", input: { task: "Read package.json" } }] };
    },
  });
  const root = join(import.meta.dirname, "..");
  const env = { ...process.env, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.origin };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ["examples/loop/sub-agents.ts", "Compare them."], { cwd: root, env });
  expect(stdout.trim()).toBe("They agree.");
  const source = readFileSync(join(root, "examples/loop/sub-agents.ts"), "utf8");
  expect(source.split("\n").length).toBeLessThanOrEqual(26);
});

test("one that is not done, or has no task, is an error that the caller reads", async () => {
  const { session, loop } = await agents("memory:", []);
  const { model: asked, tools } = loop;
  const context = { signal: new AbortController().signal, callId: "toolu_1" };
  const compactor = { format: asked.format, windowTokens: WINDOW_TOKENS };
  const short = subAgent({ name: "look", parent: session, model: asked, compactor, body, maxSteps: 2 });
  await expect(short.run({ task: "Read part A." }, context)).rejects.toThrow("It was not done after 2 steps.");
  await expect(tools[0]?.run({}, context)).rejects.toThrow("`task` must be a text.");
  await session.close();
});
