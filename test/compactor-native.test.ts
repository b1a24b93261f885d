import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { JsonValue } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";
import { anthropicBody, json, NATIVE, responsesBody, work } from "./native-bodies.ts";
import { type NativeServer, startNativeServer } from "./native-server.ts";

/** The provider's own compaction (R151, R197–R200, X24), asked over real HTTP in both wire forms. */

let server: NativeServer;
beforeAll(async () => {
  server = await startNativeServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.behaviour = undefined;
  server.requests.length = 0;
});

const anthropic = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({ format: anthropicMessages, native: server.anthropic(), ...NATIVE, ...options });
const responses = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({
    format: openaiResponses,
    native: server.responses(),
    ...NATIVE,
    protect: { ...NATIVE.protect, tailMessages: 5 },
    ...options,
  });

describe("Anthropic", () => {
  test("one signed block opens the list, the tail behind it is as it was, thinking included", async () => {
    const body = anthropicBody(6);
    const { request, report } = await anthropic().compact(body);
    expect(report).toMatchObject({ compacted: true, steps: { native: 1 }, calls: 1, fallbacks: [] });
    expect(report.notes).toEqual([expect.stringContaining("ends-with-assistant")]);
    const [first, ...kept] = request.messages;
    expect(first).toEqual({
      role: "assistant",
      content: [{ type: "compaction", content: "Then 20 messages.", signature: expect.any(String) }],
    });
    expect(json(kept)).toBe(json(body.messages.slice(-4)));
    expect(anthropicMessages.validate(request)).toEqual([]);
    expect(report.result).toMatchObject({ summary: "Then 20 messages.", summarizer: "native anthropic-compact" });
  });

  test("the request is the ordinary one up to the cut, without what may not be combined with compaction", async () => {
    const body = anthropicBody(6);
    await anthropic().compact(body, { instructions: "the handlers" });
    const [sent] = server.requests;
    expect(sent).toEqual({
      model: body.model,
      max_tokens: 900,
      system: "Be careful.",
      tools: body.tools,
      messages: body.messages.slice(0, -4),
      compaction: { type: "summarize", instructions: expect.stringMatching(/^Summarize.*\n\nthe handlers$/s) },
    });
    expect(json(sent?.messages)).toBe(json(body.messages.slice(0, -4)));
  });

  test("all passes of the call are paid for (usage.iterations)", async () => {
    const prices = { input: 10, output: 100, cacheRead: 1 };
    const { report } = await anthropic({ prices }).compact(anthropicBody(6));
    expect(report.usage).toMatchObject({ inputTokens: 9_500, cacheReadTokens: 8_000, outputTokens: 300 });
    expect(report.costUsd).toBeCloseTo((1_500 * 10 + 8_000 * 1 + 300 * 100) / 1e6, 10);
  });

  test("the next pass sends the block along; its answer stands for both", async () => {
    const first = await anthropic().compact(anthropicBody(6));
    const more = { ...first.request, messages: [...first.request.messages, ...anthropicBody(6).messages] };
    const { request, report } = await anthropic().compact(more);
    expect(server.requests[1]).toHaveProperty("messages.0", first.request.messages[0]);
    expect(report).toMatchObject({ compacted: true, fallbacks: [] });
    expect(request.messages).toHaveLength(5);
    expect(json(request.messages[0])).toContain("Then 20 messages. Then 25 messages.");
  });

  test("what is pinned follows the block, and bound thinking behind it goes", async () => {
    const body = anthropicBody(6);
    const { request, report } = await anthropic().compact(body, { pinned: [0] });
    expect(json(request.messages[1])).toBe(json(body.messages[0]));
    expect(json(request.messages)).not.toContain("thinking");
    expect(report.notes).toEqual([expect.stringContaining("Took out"), expect.stringContaining("ends-with-assistant")]);
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  test("nothing new since the last one: nothing is asked", async () => {
    const first = await anthropic().compact(anthropicBody(6));
    const { report } = await anthropic().compact(first.request);
    expect(report).toMatchObject({ compacted: false, reason: "nothing-to-compact" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("Responses", () => {
  test("the list takes the zone's place as it is, opaque items included", async () => {
    const body = responsesBody(6);
    const { request, report } = await responses().compact(body);
    expect(report).toMatchObject({ compacted: true, steps: { native: 1 }, calls: 1, fallbacks: [] });
    const users = body.input.slice(0, -5).filter(({ role }) => role === "user");
    const item = { type: "compaction", id: "cmp_1", encrypted_content: expect.any(String) };
    expect(request.input).toEqual([...users, item, ...body.input.slice(-5)]);
    expect(openaiResponses.validate(request)).toEqual([]);
    expect(report.usage).toMatchObject({ inputTokens: 1_390, outputTokens: 90 });
    // Nobody but the provider can read the item: a checkpoint is kept beside it, and is not sent.
    expect(report.result?.summary).toContain("Go on with part 0.");
    expect(json(request)).not.toContain("## Goal");
  });

  test("the request holds what the endpoint takes and the zone, nothing else", async () => {
    const body = responsesBody(6);
    const { report } = await responses().compact(body, { instructions: "the handlers", pinned: [0] });
    const input = body.input.slice(1, -5);
    expect(server.requests).toEqual([{ model: "gpt-6-sol", instructions: "Be careful.", input }]);
    expect(report.notes).toEqual(["The provider's own compaction takes no instructions; they were left out."]);
  });

  test("the item goes into the next call", async () => {
    const first = await responses().compact(responsesBody(6));
    const more = { ...first.request, input: [...first.request.input, ...responsesBody(6).input] };
    const { request, report } = await responses().compact(more);
    expect(json(server.requests[1]).match(/"cmp_1"/g)).toHaveLength(1);
    expect(report).toMatchObject({ compacted: true, fallbacks: [] });
    expect(request.input.filter(({ type }) => type === "compaction")).toHaveLength(1);
    expect(new Set(openaiResponses.decode(request).messages.map(({ id }) => id)).size).toBe(request.input.length);
  });

  test("sent again, the whole list gets the same edit; the provider is not asked twice", async () => {
    const compactor = responses({ windowTokens: 4_000, compact: { ...NATIVE.compact, triggers: [ABOVE] } });
    const body = responsesBody(12);
    const first = await compactor.fit(body);
    expect(first.report).toMatchObject({ compacted: true, steps: { native: 1 } });
    const again = await compactor.fit({
      ...body,
      input: [...structuredClone(body.input), { role: "user", content: "on" }],
    });
    expect(again.report.compacted).toBe(false);
    expect(json(again.request.input.slice(0, -1))).toBe(json(first.request.input));
    expect(server.requests).toHaveLength(1);
  });
});

const ABOVE = { type: "absolute", tokens: 1_700, comparison: "gt" } as const;

/** What the provider does instead, and what the report says of it. */
const FAILURES: readonly (readonly [string, JsonValue | "hang" | number, RegExp])[] = [
  ["an error", 529, /529.*overloaded/],
  ["no answer", "hang", /no answer in 200 ms/],
  ["an empty answer", {}, /no output|no signed summary/],
  ["a refusal", { content: [], output: [], stop_reason: "refusal" }, /no output|stop reason refusal/],
  ["an unsigned block", { content: [{ type: "compaction", content: "x" }], output: [{ type: "message" }] }, /no /],
  [
    "what the validator refuses",
    {
      content: [{ type: "compaction", content: "x ".repeat(9_000), signature: "s" }],
      output: [{ type: "compaction", encrypted_content: "e" }, { type: "compaction_trigger" }],
    },
    /cannot stand|would be refused|no smaller/,
  ],
  ["a list that is none", { content: "no", output: "no" }, /no output|no signed summary/],
  ["items that are none", { content: [1], output: [1, { type: "compaction", encrypted_content: "e" }] }, /must be|no /],
];

describe.each(["anthropic", "responses"] as const)("%s: a summary is made instead, and reported", (which) => {
  test.each(FAILURES)("%s", async (_, behaviour, because) => {
    server.behaviour = () => behaviour;
    // Only what never answers may run out of time.
    const options = { summary: { timeoutMs: behaviour === "hang" ? 200 : 120_000 } };
    const done =
      which === "anthropic"
        ? await anthropic(options).compact(anthropicBody(6))
        : await responses(options).compact(responsesBody(6));
    const { report, request } = done;
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 }, calls: 1 });
    expect(report.steps).not.toHaveProperty("native");
    expect(report.fallbacks).toEqual([{ step: "summarize", because: expect.stringMatching(because) }]);
    const format = which === "anthropic" ? anthropicMessages : openaiResponses;
    expect(format.validate(request)).toEqual([]);
  });

  test("an abort is an abort", async () => {
    const controller = new AbortController();
    server.behaviour = () => {
      controller.abort(new Error("stop"));
      return "hang";
    };
    const call = { signal: controller.signal };
    const pending =
      which === "anthropic" ? anthropic().compact(anthropicBody(6), call) : responses().compact(responsesBody(6), call);
    await expect(pending).rejects.toMatchObject({ code: "aborted" });
  });
});

test("what the format's own validator refuses is not handed out", async () => {
  const message = "no items of a provider's";
  const violation = { rule: "not-here", path: "input.0", messageIndex: 0, message };
  const format: Format = {
    ...openaiResponses,
    validate: (body, options) =>
      json(body).includes('"cmp_1"') ? [violation] : openaiResponses.validate(body, options),
  };
  const { report, request } = await responses({ format }).compact(responsesBody(6));
  expect(report.steps).toEqual({ summarize: 1 });
  expect(report.fallbacks[0]?.because).toMatch(/would be refused \(not-here at input\.0\)/);
  expect(json(request)).not.toContain("cmp_1");
});

test("a view that somebody else keeps never holds an id twice", async () => {
  const view = openaiResponses.decode(responsesBody(6));
  const first = await responses().passOver(view, { asked: "manual" });
  const grown = openaiResponses
    .decode(responsesBody(6))
    .messages.map((message) => ({ ...message, id: `n${message.id}` }));
  const messages = [...first.view.messages, ...grown];
  const keeping = responses({ protect: { ...NATIVE.protect, firstUser: true, tailMessages: 5 } });
  const second = await keeping.passOver({ ...first.view, messages }, { asked: "manual" });
  expect(second.report).toMatchObject({ compacted: true, steps: { native: 1 } });
  const ids = second.view.messages.map(({ id }) => id);
  expect(ids[0]).toBe("native/0");
  expect(new Set(ids).size).toBe(ids.length);
});

test("a format without native compaction summarises, with ten recent messages under auto-compact (R199)", async () => {
  const contents = Array.from({ length: 30 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "model",
    parts: [{ text: work(index) }],
  }));
  const compactor = createCompactor({
    format: gemini,
    profile: "auto-compact",
    compact: { strategy: "native" },
    native: server.responses(),
  });
  const { request, report } = await compactor.compact({ contents });
  expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 }, calls: 0 });
  expect(report.fallbacks[0]?.because).toBe(
    "The format gemini has no native compaction of the kind responses-compact.",
  );
  expect(request.contents.slice(-10)).toEqual(contents.slice(-10));
  expect(request.contents.length).toBeLessThanOrEqual(11);
  const chat = createCompactor({ format: openaiChat, native: server.anthropic(), ...NATIVE });
  const messages = contents.map(({ role, parts }) => ({
    role: role === "user" ? "user" : "assistant",
    content: parts,
  }));
  expect((await chat.compact({ messages })).report.steps).toEqual({ summarize: 1 });
  expect(server.requests).toEqual([]);
});
