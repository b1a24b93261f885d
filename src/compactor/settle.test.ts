import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openaiResponses } from "../formats/openai-responses.ts";
import { profileNames } from "../profiles/profiles.ts";

/** Content beside an edit: thinking bound to the prefix, system messages in the list, a history that the provider stored. */

const compactor = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({ format: anthropicMessages, telemetry: false, ...options });

const round = (index: number, resultWords = 400): readonly JsonObject[] => [
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: `step ${index}`, signature: `sig${index}` },
      { type: "tool_use", id: `t${index}`, name: "read_file", input: { path: `src/part-${index}.ts` } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: `t${index}`, content: `line ${index} of it `.repeat(resultWords) }],
  },
];
const rounds = (count: number, resultWords?: number): readonly JsonObject[] => [
  { role: "user", content: "Fix the build." },
  ...Array.from({ length: count }, (_, index) => round(index, resultWords)).flat(),
];

const body = (model: string | undefined, messages: readonly JsonObject[]): JsonObject => ({
  ...(model !== undefined && { model }),
  max_tokens: 100,
  thinking: { type: "adaptive" },
  messages: [...messages],
});

const listOf = (request: JsonObject): readonly JsonObject[] => request.messages as JsonObject[];

/** Messages with thinking, by index. */
const thinkingIn = (request: JsonObject): readonly number[] =>
  listOf(request).flatMap((message, index) => (JSON.stringify(message).includes('"signature"') ? [index] : []));

const firstEdit = (before: JsonObject, after: JsonObject): number =>
  listOf(after).findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(listOf(before)[index]));

/** Each shortens tool results and does nothing else. */
const PRUNING: Readonly<Record<string, Partial<CompactorOptions>>> = {
  "above the high-water mark": { windowTokens: 30_000, compact: { auto: false } },
  "at every request": { profile: "nous", windowTokens: 200_000, maxMessages: 0 },
  "over the cap": { profile: "micro-agent", windowTokens: 200_000, prune: { capOnArrivalChars: 3_000 } },
};

describe("thinking behind a result that was shortened", () => {
  describe.each(Object.entries(PRUNING))("%s", (_, options) => {
    test.each(["claude-opus-5-5", "anthropic/claude-opus-5.5", "claude-fable-5.1", undefined])(
      "goes for %s",
      async (model) => {
        const request = body(model, rounds(16));
        const fitted = await compactor(options).fit(request);
        expect(fitted.report).toMatchObject({ compacted: true, reason: "prune" });
        const edited = firstEdit(request, fitted.request);
        expect(thinkingIn(fitted.request).every((index) => index < edited)).toBe(true);
        expect(fitted.report.notes).toContainEqual(expect.stringContaining("Took out thinking"));
        expect(anthropicMessages.validate(fitted.request)).toEqual([]);
      },
    );

    test("stays for a model that is known to accept it", async () => {
      const fitted = await compactor(options).fit(body("claude-opus-5", rounds(16)));
      expect(thinkingIn(fitted.request)).toHaveLength(16);
    });

    test("what is thought after that stays, and the prefix is the same bytes", async () => {
      const own = compactor(options);
      const request = body("claude-opus-5-5", rounds(16));
      const first = await own.fit(request);
      const longer = body("claude-opus-5-5", [...listOf(request), ...round(16, 1)]);
      const again = await own.fit(longer);
      const before = JSON.stringify(listOf(first.request)).slice(0, -1);
      if (!again.report.compacted) {
        expect(JSON.stringify(listOf(again.request)).startsWith(before)).toBe(true);
        expect(thinkingIn(again.request)).toContain(listOf(again.request).length - 2);
      } else
        expect(thinkingIn(again.request).every((index) => index < firstEdit(first.request, again.request))).toBe(true);
    });
  });
});

describe("drop-block", () => {
  const droppable = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } };
  const own = { compact: { boundThinking: "drop-block" } } as const;

  test("the request bears the mark, thinking stays, and so it does in every later request", async () => {
    const kept = compactor({ ...own, windowTokens: 30_000 });
    const request = body("claude-opus-5-5", rounds(16));
    const first = await kept.compact(request, { target: { ratio: 0.6 } });
    expect(first.report.compacted).toBe(true);
    expect(first.request.thinking).toEqual(droppable);
    expect(thinkingIn(first.request).length).toBeGreaterThan(0);
    expect(first.report.notes).toContainEqual(expect.stringContaining("thinking-binding-controls-2026-08-01"));
    const again = await kept.fit(body("claude-opus-5-5", [...listOf(request), ...round(16, 1)]));
    expect(again.request.thinking).toEqual(droppable);
    expect(request.thinking).toEqual({ type: "adaptive" });
  });

  test("a request without a place for the mark loses the thinking instead", async () => {
    const { thinking: _, ...bare } = body("claude-opus-5-5", rounds(16));
    const { request, report } = await compactor(own).compact(bare, { target: { ratio: 0.6 } });
    expect(request.thinking).toBeUndefined();
    const edited = firstEdit(bare, request);
    expect(edited).toBeGreaterThan(0);
    expect(thinkingIn(request)).toEqual(thinkingIn(bare).filter((index) => index < edited));
    expect(report.notes).toContainEqual(expect.stringContaining("no place for the mark"));
  });

  test("a model that binds nothing is told nothing", async () => {
    const { request } = await compactor(own).compact(body("claude-opus-5", rounds(16)), { target: { ratio: 0.6 } });
    expect(request.thinking).toEqual({ type: "adaptive" });
  });
});

describe("a system message in the list stays one, word for word", () => {
  const rule = { role: "system", content: "Never touch the production database." };
  const turn = (index: number): readonly JsonObject[] => [
    { role: "assistant", content: `Answer ${index}: ${"the queue is full again today. ".repeat(20)}` },
    { role: "user", content: `Question ${index}: ${"what about the other one? ".repeat(10)}` },
  ];
  const turns = Array.from({ length: 12 }, (_, index) => turn(index)).flat();
  const places: Readonly<Record<string, readonly JsonObject[]>> = {
    "behind the first request": [{ role: "user", content: "Deploy it." }, rule, ...turns],
    "in the middle": [{ role: "user", content: "Deploy it." }, ...turns.slice(0, 12), rule, ...turns.slice(12)],
    "in the tail": [{ role: "user", content: "Deploy it." }, ...turns.slice(0, 22), rule, ...turns.slice(22)],
    last: [{ role: "user", content: "Deploy it." }, ...turns, rule],
  };

  describe.each(profileNames)("%s", (profile) => {
    test.each(Object.entries(places))("%s", async (_, messages) => {
      const request = { model: "claude-opus-5", max_tokens: 5, messages };
      const fitted = await compactor({ profile }).compact(request, { target: { ratio: 0.3 } });
      expect(fitted.report.compacted).toBe(true);
      expect(anthropicMessages.validate(fitted.request)).toEqual([]);
      expect(fitted.request.messages.filter(({ content }) => content === rule.content)).toEqual([rule]);
    });
  });
});

describe("a history that the provider stored", () => {
  const said = (index: number): JsonObject => ({
    role: "assistant",
    content: `Said ${index}. ${"It works. ".repeat(90)}`,
  });
  const asked = (index: number): JsonObject => ({ role: "user", content: `Asked ${index}. ${"And now? ".repeat(20)}` });
  const whole = Array.from({ length: 20 }, (_, index) => [asked(index), said(index)]).flat();
  const responses = () => createCompactor({ format: openaiResponses, telemetry: false });

  test.each(["previous_response_id", "conversation"])(
    "%s: a list that holds it itself stands alone then",
    async (key) => {
      const input = [...whole, asked(20)];
      const request: JsonObject = { model: "gpt-6", [key]: "id_1", input };
      const own = responses();
      const { request: fitted, report } = await own.compact(request, { target: { ratio: 0.3 } });
      expect(report.compacted).toBe(true);
      expect(fitted).not.toHaveProperty(key);
      expect(report.notes).toContainEqual(expect.stringContaining("reference to a history"));
      expect((await own.fit({ ...request, input: [...input, said(20), asked(21)] })).request).not.toHaveProperty(key);
      expect((await responses().fit({ ...fitted, [key]: "id_2" })).request).not.toHaveProperty(key);
      expect((await responses().fit(request)).request).toBe(request);
    },
  );

  test("a list that only adds to it is left alone, and the report says why", async () => {
    const results = Array.from({ length: 20 }, (_, index) => ({
      type: "function_call_output",
      call_id: `c${index}`,
      output: "found nothing of interest here. ".repeat(200),
    }));
    const request = { model: "gpt-6", previous_response_id: "resp_1", input: results };
    const { request: same, report } = await responses().compact(request, { target: { ratio: 0.1 } });
    expect(same).toBe(request);
    expect(report).toMatchObject({ compacted: false, ok: false });
    const many = { ...request, input: Array.from({ length: 200 }, (_, index) => asked(index)) };
    const refused = await responses().compact(many, { target: { ratio: 0.1 } });
    expect(refused.request).toBe(many);
    expect(refused.report).toMatchObject({ compacted: false, ok: false, reason: "server-history" });
    expect(refused.report.notes).toContainEqual(expect.stringContaining("The provider holds the history"));
    expect(responses().plan(many).steps).toEqual([]);
  });
});
