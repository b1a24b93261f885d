import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { profileNamed, profileNames } from "../src/profiles/profiles.ts";
import { fileMemory, type LoopEvent, type LoopTool, runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { llm } from "../src/summarizers/llm.ts";
import {
  type ModelRequest,
  type ProviderServer,
  type ScriptedReply,
  startProviderServer,
} from "../src/testing/server.ts";
import {
  AI_SDK_MODEL,
  isFlush,
  LOOP_MODEL_NAMES,
  LOOP_MODELS,
  type LoopModel,
  reading,
  readTool,
  resultProblems,
} from "./loop-models.ts";
import { sampleOf } from "./sample.ts";
import { checkpointText } from "./summarizer-script.ts";

/** Loops with the official clients over real HTTP, against a server that answers and refuses as the providers do. */

let server: ProviderServer;
afterEach(() => server.close());

const OPUS = LOOP_MODELS.anthropic;

const CALLS = 60;

describe.each(LOOP_MODEL_NAMES)("%s", (name) => {
  const { make: model, body }: LoopModel = LOOP_MODELS[name];

  test.each([true, false])("an agent of many calls in a small window, streamed: %s", async (stream) => {
    server = await startProviderServer({ reply: reading(CALLS), windowTokens: 20_000 });
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model(server.origin).format, windowTokens: 20_000 },
      body,
    });
    const ran: string[] = [];
    const events: LoopEvent[] = [];
    const result = await runLoop({
      session,
      model: model(server.origin),
      tools: [readTool(ran)],
      input: "Read all files and say when you are done.",
      stream,
      onEvent: (event) => events.push(event),
    });
    expect(result).toEqual({ text: "All files are read.", stopReason: "stop", steps: CALLS + 1 });
    expect(ran).toHaveLength(CALLS + CALLS / 10);
    expect(new Set(ran).size).toBe(ran.length);
    expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
    expect((await session.stats()).compactionCount).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "tool-result")).toHaveLength(ran.length);
    expect(events.some((event) => event.type === "compaction" && event.event.type === "conversation-compacted")).toBe(
      true,
    );
    await session.close();
  });

  test("a window that is smaller than told is learned, and nobody notices", async () => {
    server = await startProviderServer({ reply: reading(CALLS), windowTokens: 20_000 });
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model(server.origin).format, windowTokens: 100_000 },
      body,
    });
    const ran: string[] = [];
    const events: LoopEvent[] = [];
    const loop = {
      session,
      model: model(server.origin),
      tools: [readTool(ran)],
      onEvent: (event: LoopEvent) => events.push(event),
    };
    const result = await runLoop({ ...loop, input: "Read all files." });
    expect(result.text).toBe("All files are read.");
    const refused = server.requests.filter(({ outcome }) => outcome?.type !== "answered");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(events.filter(({ type }) => type === "overflow")).toHaveLength(refused.length);
    await session.close();
  });
});

const TURNS = sampleOf(300, 20);
/** Files that one turn reads, one after the other. */
const FILES = sampleOf(300, 20);

/** One long turn of an agent, and then many short ones. In each of these the model reads one file. */
function conversing(): (request: ModelRequest) => ScriptedReply {
  let answers = 0;
  return ({ body, conversation }) => {
    if (conversation.tools === undefined) return { text: checkpointText("Read all files, from src/0.ts on.", "The files hold lines like those of src/0.ts.") };
    if (isFlush(body)) return { text: "NO_REPLY" };
    const at = answers++;
    const [turn, isDone] = [Math.floor((at - FILES - 1) / 2), (at - FILES - 1) % 2 === 1];
    if (at === FILES || (at > FILES && isDone)) return { reasoning: "Nothing is left.", text: `Turn ${turn} is done.` };
    const path = at < FILES ? `src/${at}.ts` : `turn/${turn}.ts`;
    return { reasoning: `Now ${path}.`, text: "Reading.", toolCalls: [{ name: "read", input: { path } }] };
  };
}

describe.each(profileNames)("profile %s", (profile) => {
  const models: readonly (readonly [string, LoopModel])[] = [...Object.entries(LOOP_MODELS), ["ai-sdk", AI_SDK_MODEL]];
  const all = models.flatMap(([name, model]) => [true, false].map((stream) => [name, stream, model] as const));
  // A sample takes one model for each profile.
  const some = all.filter((_, at) => sampleOf(1, 0) === 1 || at === profileNames.indexOf(profile) % all.length);

  test.each(some)("with %s, streamed: %s", async (name, stream, { make, body, small }) => {
    server = await startProviderServer({ reply: conversing(), windowTokens: 32_000 });
    const model = make(server.origin);
    const { triggers } = profileNamed(profile).compact;
    // One profile leaves the trigger to its user.
    const compact = {
      auto: true,
      ...(triggers.length === 0 && { triggers: [{ type: "ratio", ratio: 0.8 } as const] }),
    };
    // Half of the runs summarize with a model, the other half without.
    const summarizer = stream ? { summarizer: llm({ model: make(server.origin, small), windowTokens: 32_000 }) } : {};
    const compactor = { format: model.format, profile, windowTokens: 32_000, compact, ...summarizer };
    const session = await openSession("s", { store: "memory:", compactor, body });
    const ran: string[] = [];
    const loop = { session, model, tools: [readTool(ran)], stream, maxSteps: FILES + 1 };
    for (let turn = -1; turn < TURNS; turn++) {
      const input = turn < 0 ? "Read all files." : `Read the file of turn ${turn}.`;
      expect(await runLoop({ ...loop, input })).toMatchObject({ text: `Turn ${turn} is done.`, stopReason: "stop" });
    }
    expect(ran).toHaveLength(FILES + TURNS);
    expect(await resultProblems(session, ran)).toEqual([]);
    expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
    // An edit of the beginning takes thinking away that was signed over it, so later requests may have none.
    const early = JSON.stringify(server.requests.slice(1, 5).map((request) => request.body));
    expect(/"type":"(?:thinking|reasoning)"|thoughtSignature/.test(early)).toBe(name !== "chat");
    if (TURNS === 300) expect(await session.history()).not.toEqual([]);
    await session.close();
  });
});

async function opusSession(options: object = {}, windowTokens = 20_000) {
  const model = OPUS.make(server.origin);
  const compactor = { format: model.format, windowTokens, ...options };
  return { model, session: await openSession("s", { store: "memory:", compactor, body: OPUS.body }) };
}

describe("what goes wrong", () => {
  test.each(["anthropic", "chat"] as const)(
    "%s: an answer that breaks off at the end of the window is asked for again",
    async (name) => {
      const { make, body }: LoopModel = LOOP_MODELS[name];
      const files = reading(40);
      let cut = 0;
      server = await startProviderServer({
        reply: (request) => {
          if (request.index !== 30 || cut++ > 0) return files({ ...request, index: request.index - (cut > 0 ? 1 : 0) });
          // Compatible servers that cut the request in silence have no room to answer.
          return { text: name === "chat" ? "" : "I was about to", stop: "window-full" };
        },
      });
      const model = make(server.origin);
      const compactor = { format: model.format, windowTokens: 40_000 };
      const session = await openSession("s", { store: "memory:", compactor, body });
      const events: LoopEvent[] = [];
      const ran: string[] = [];
      const loop = { session, model, tools: [readTool(ran)], onEvent: (event: LoopEvent) => events.push(event) };
      expect((await runLoop({ ...loop, input: "Read all files." })).text).toBe("All files are read.");
      expect(events.filter(({ type }) => type === "overflow")).toHaveLength(1);
      expect((await session.stats()).compactionCount).toBeGreaterThan(0);
      expect(new Set(ran).size).toBe(ran.length);
      expect(JSON.stringify(await session.export({ all: true }))).not.toContain("I was about to");
      await session.close();
    },
  );

  test("what no compaction makes fit is an error, and nothing is lost", async () => {
    server = await startProviderServer({ reply: () => "Hi.", windowTokens: 20_000 });
    const { model, session } = await opusSession({}, 60_000);
    const long = "Everything in this request matters. ".repeat(4_000);
    const asked = runLoop({ session, model, input: long });
    await expect(asked).rejects.toMatchObject({ code: "compaction-failure" });
    expect(JSON.stringify(await session.view())).toContain(long);
    await server.close();
    server = await startProviderServer({ reply: () => "Hi." });
    // The model with the small window is learned; a larger one goes on.
    const larger = OPUS.make(server.origin, "claude-opus-4-8");
    await session.setBody({ ...OPUS.body, model: larger.id });
    expect((await runLoop({ session, model: larger })).text).toBe("Hi.");
    await session.close();
  });

  test("a tool that throws, hangs or is not there is an error that the model reads", async () => {
    server = await startProviderServer({
      reply: ({ index }) =>
        index === 0
          ? { toolCalls: ["throws", "hangs", "unknown"].map((name) => ({ name, input: {} })) }
          : "I see three errors.",
    });
    const { model, session } = await opusSession();
    const results: string[] = [];
    const { text } = await runLoop({
      session,
      model,
      tools: [
        { name: "throws", run: () => Promise.reject(new Error("no such file")) },
        { name: "hangs", timeoutMs: 1, run: () => new Promise(() => {}) },
      ],
      input: "Go.",
      onEvent: (event) => {
        if (event.type === "tool-result") results.push(`${event.result.call.name}: ${event.result.output}`);
      },
    });
    expect(text).toBe("I see three errors.");
    expect(results.sort()).toEqual([
      "hangs: The tool did not answer within 1 ms and was stopped.",
      "throws: no such file",
      'unknown: There is no tool "unknown".',
    ]);
    await session.close();
  });

  test("a new input behind calls that were stopped is answered, and they do not run", async () => {
    server = await startProviderServer({ reply: reading(3) });
    const { model, session } = await opusSession();
    const controller = new AbortController();
    const ran: string[] = [];
    const stopping: LoopTool = {
      ...readTool([]),
      run: () => {
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
    };
    const stopped = runLoop({ session, model, tools: [stopping], input: "Read.", signal: controller.signal });
    await expect(stopped).rejects.toMatchObject({ code: "aborted", cause: new Error("enough") });
    const { text } = await runLoop({ session, model, tools: [readTool(ran)], input: "Read the others." });
    expect(text).toBe("All files are read.");
    expect(ran).toEqual(["src/1.ts", "src/2.ts"]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("interrupted before it returned a result");
    expect(server.requests.filter(({ outcome }) => outcome?.type === "refused")).toEqual([]);
    await session.close();
  });

  test("a tool that may run for ever is waited for", async () => {
    server = await startProviderServer({ reply: reading(1) });
    const { model, session } = await opusSession();
    const tools = [readTool([])];
    const { text } = await runLoop({ session, model, tools, input: "Go.", toolTimeoutMs: Number.POSITIVE_INFINITY });
    expect(text).toBe("All files are read.");
    await session.close();
  });

  test("an abort while a tool runs leaves a session that goes on, and no finished tool runs again", async () => {
    server = await startProviderServer({ reply: reading(4) });
    const { model, session } = await opusSession();
    const ran: string[] = [];
    const controller = new AbortController();
    const tool = readTool(ran);
    const aborting: LoopTool = {
      ...tool,
      run: (input, context) => {
        if ((input as { path: string }).path !== "src/2.ts" || controller.signal.aborted)
          return tool.run(input, context);
        controller.abort(new Error("enough"));
        return new Promise(() => {});
      },
    };
    const loop = { session, model, tools: [aborting] };
    await expect(runLoop({ ...loop, input: "Read.", signal: controller.signal })).rejects.toMatchObject({
      code: "aborted",
      cause: new Error("enough"),
    });
    expect((await runLoop(loop)).text).toBe("All files are read.");
    expect(ran.toSorted()).toEqual(["src/0.ts", "src/1.ts", "src/2.ts", "src/3.ts", "test/0.ts"]);
    await session.close();
  });

  test("a session that is answered asks nothing", async () => {
    server = await startProviderServer({ reply: reading(2) });
    const { model, session } = await opusSession();
    const loop = { session, model, tools: [readTool([])] };
    await runLoop({ ...loop, input: "Read." });
    const asked = server.requests.length;
    expect(await runLoop(loop)).toEqual({ text: "All files are read.", stopReason: "stop", steps: 0 });
    expect(server.requests).toHaveLength(asked);
    await session.close();
  });

  test("steps are limited, and the next run goes on", async () => {
    server = await startProviderServer({ reply: reading(5) });
    const { model, session } = await opusSession();
    const loop = { session, model, tools: [readTool([])] };
    expect(await runLoop({ ...loop, input: "Read.", maxSteps: 3 })).toMatchObject({
      stopReason: "max-steps",
      steps: 3,
    });
    expect(await runLoop(loop)).toMatchObject({ text: "All files are read.", stopReason: "stop", steps: 3 });
    await session.close();
  });
});

test("memory is flushed once before a compaction, silently, into dated files", async () => {
  let flushes = 0;
  const files = reading(40);
  let index = 0;
  server = await startProviderServer({
    reply: (request) => {
      if (isFlush(request.body)) {
        const isNoted = JSON.stringify(request.conversation.messages.at(-1)).includes("Appended to memory");
        return isNoted ? "NO_REPLY" : { toolCalls: [{ name: "memory_append", input: { note: `Note ${++flushes}` } }] };
      }
      return files({ ...request, index: index++ });
    },
  });
  const { model, session } = await opusSession({ memoryFlush: { enabled: true, softThresholdTokens: 1_000 } });
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-memory-"));
  const events: LoopEvent[] = [];
  const now = (): Date => new Date("2026-01-31T12:00:00Z");
  const memory = fileMemory({ directory, now });
  const { text } = await runLoop({
    session,
    model,
    tools: [readTool([])],
    memory,
    input: "Read all files.",
    onEvent: (event) => events.push(event),
  });
  expect(text).toBe("All files are read.");
  const { compactionCount } = await session.stats();
  expect(compactionCount).toBeGreaterThan(0);
  expect(events.filter(({ type }) => type === "memory-flush")).not.toEqual([]);
  expect(events.filter((event) => event.type === "memory-flush" && !event.saved)).toEqual([]);
  expect(flushes).toBeGreaterThan(0);
  expect(flushes).toBeLessThanOrEqual(compactionCount + 1);
  const notes = readFileSync(join(directory, "memory/2026-01-31.md"), "utf8");
  expect(notes.match(/Note \d+/g)).toHaveLength(flushes);
  expect(JSON.stringify(await session.export({ all: true }))).not.toMatch(/NO_REPLY|Memory flush/);
  const [append, read] = memory;
  const context = { signal: new AbortController().signal, callId: undefined };
  await expect(read?.run({ date: "../../etc/passwd" }, context)).rejects.toThrow("`date` must be YYYY-MM-DD.");
  await expect(append?.run({ note: "" }, context)).rejects.toThrow("`note` must be a text.");
  await session.close();
});

test.each([
  { type: "ratio", ratio: 0.6 },
  { type: "reserve", reserveTokens: 8_000, floorTokens: 0 },
  { type: "absolute", tokens: 12_000 },
  { type: "budgetSum", tokens: 12_000 },
] as const)("memory is flushed before a compaction by $type, once for each", async (trigger) => {
  const order: string[] = [];
  let index = 0;
  server = await startProviderServer({
    reply: (request) => {
      if (isFlush(request.body)) {
        order.push("flush");
        return "NO_REPLY";
      }
      return reading(40)({ ...request, index: index++ });
    },
    windowTokens: 20_000,
  });
  const { model, session } = await opusSession({
    compact: { strategy: "summarize", triggers: [trigger] },
    prune: { enabled: false },
    memoryFlush: { enabled: true, softThresholdTokens: 1_000 },
  });
  session.compactor.on("notify", ({ type }) => type === "conversation-compacted" && order.push("compaction"));
  const said: string[] = [];
  await runLoop({
    session,
    model,
    tools: [readTool([])],
    input: "Read all files.",
    onEvent: (event) => event.type === "text" && said.push(event.text),
  });
  expect(order.slice(0, 4)).toEqual(["flush", "compaction", "flush", "compaction"]);
  expect(said.join("")).not.toContain("NO_REPLY");
  await session.close();
});

test.each(LOOP_MODEL_NAMES)(
  "%s: a result that is larger than the window is cut on arrival, and kept whole",
  async (name) => {
    const { make, body }: LoopModel = LOOP_MODELS[name];
    server = await startProviderServer({ reply: reading(6), windowTokens: 20_000 });
    const model = make(server.origin);
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model.format, windowTokens: 20_000 },
      body,
    });
    const whole = `${"a line of the file\n".repeat(20_000)}the end`;
    const { text } = await runLoop({
      session,
      model,
      tools: [{ name: "read", run: () => whole }],
      input: "Read all files.",
    });
    expect(text).toBe("All files are read.");
    expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
    const { log = [] } = await session.export({ all: true });
    expect(log.filter((row) => JSON.stringify(row.body).includes("the end"))).toHaveLength(7);
    await session.close();
  },
);

test("/compact with instructions compacts, and asks no model, where the host allows it", async () => {
  server = await startProviderServer({ reply: reading(80) });
  const { model, session } = await opusSession({}, 100_000);
  await runLoop({ session, model, tools: [readTool([])], input: "Read all files." });
  const asked = server.requests.length;
  const { text, stopReason } = await runLoop({ session, model, input: "/compact keep the paths", commands: true });
  expect([stopReason, text]).toEqual(["compacted", expect.stringMatching(/^Compacted: \d+ tokens freed\.$/)]);
  expect(server.requests).toHaveLength(asked);
  expect((await session.history()).at(-1)).toMatchObject({ instructions: "keep the paths" });
  expect((await runLoop({ session, model, input: "/compact" })).stopReason).toBe("stop");
  expect(server.requests).toHaveLength(asked + 1);
  const { session: empty } = await opusSession();
  const nothing = { stopReason: "compacted", text: expect.stringContaining("was not compacted"), steps: 0 };
  expect(await runLoop({ session: empty, model, input: "/compact", commands: true })).toEqual(nothing);
  await session.close();
});
