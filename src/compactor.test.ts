import { expect, test } from "vitest";
import { createCompactor } from "./compactor.ts";
import type { JsonObject } from "./core/json.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { openaiChat } from "./formats/openai-chat.ts";

const say = (role: string, text: string): JsonObject => ({ role, content: text });
const chatter = (turns: number): readonly JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `Please look at src/part-${turn}.ts. `.repeat(30)),
    say("assistant", `I changed handler_${turn} because it was slow. `.repeat(30)),
  ]).flat();

test("settings can be changed at run time (R016)", async () => {
  const compactor = createCompactor({ format: openaiChat, windowTokens: 100_000 });
  const body = { messages: [...chatter(20)] };
  expect((await compactor.fit(body)).report.reason).toBe("not-triggered");
  compactor.configure({ windowTokens: 8_000 });
  expect(compactor.settings.windowTokens).toBe(8_000);
  expect((await compactor.fit(body)).report.compacted).toBe(true);
  expect(() => compactor.configure({ windowTokens: -1 })).toThrow(/windowTokens/);
  expect(compactor.settings.windowTokens).toBe(8_000);
});

test("settings for one call only", async () => {
  const compactor = createCompactor({ format: openaiChat });
  const body = { messages: [...chatter(20)] };
  const { report } = await compactor.fit(body, { settings: { windowTokens: 8_000 } });
  expect(report.compacted).toBe(true);
  expect(compactor.settings.windowTokens).toBe(200_000);
});

test("plan says what fit does, without doing it", async () => {
  const compactor = createCompactor({ format: openaiChat, windowTokens: 8_000 });
  const body = { messages: [...chatter(20)] };
  const plan = compactor.plan(body);
  expect(plan).toEqual(compactor.plan(body));
  const done = await compactor.fit(body);
  expect(done.plan).toEqual(plan);
  expect(done.report.tokensAfter).toBeLessThanOrEqual(plan.tokensAfter);
});

test("a bare list comes back as a bare list", async () => {
  const { request } = await createCompactor({ format: openaiChat, windowTokens: 8_000 }).fit([...chatter(20)]);
  expect(Array.isArray(request)).toBe(true);
  expect(request.length).toBeLessThan(40);
});

test("the whole list, sent again and again, keeps the same prefix until the next compaction", async () => {
  const compactor = createCompactor({ format: openaiChat, windowTokens: 8_000 });
  const messages = [...chatter(20)];
  let before = (await compactor.fit({ messages: [...messages] })).request.messages;
  for (let turn = 0; turn < 3; turn++) {
    messages.push(say("user", `and step ${turn}?`), say("assistant", "done"));
    const { request, report } = await compactor.fit({ messages: structuredClone(messages) });
    expect(report.compacted).toBe(false);
    expect(JSON.stringify(request.messages.slice(0, before.length))).toBe(JSON.stringify(before));
    before = request.messages;
  }
});

test("thinking that was signed together with an edited prefix is taken out, and only there", async () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
  const messages = [
    ...chatter(20),
    say("user", "go on"),
    { role: "assistant", content: [thinking, { type: "text", text: "ok" }] },
    say("user", "and?"),
  ];
  const run = async (model: string): Promise<string> => {
    const compactor = createCompactor({ format: anthropicMessages, windowTokens: 8_000 });
    return JSON.stringify((await compactor.fit({ model, max_tokens: 10, messages })).request);
  };
  expect(await run("claude-opus-5-5")).not.toContain('"thinking"');
  expect(await run("claude-opus-4-5")).toContain('"thinking"');
});

test("reported usage calibrates the estimate of its model", async () => {
  const compactor = createCompactor({ format: openaiChat });
  const body = { model: "gpt-6-sol", messages: [...chatter(10)] };
  const before = compactor.plan(body).tokensBefore;
  for (let call = 0; call < 20; call++)
    compactor.observe(body, { usage: { prompt_tokens: before * 1.3, completion_tokens: 1 } });
  expect(compactor.plan(body).tokensBefore / before).toBeCloseTo(1.3, 1);
  expect(compactor.plan({ ...body, model: "another" }).tokensBefore).toBe(before);
});

test("what protects and does not fit is named", async () => {
  const messages = [...chatter(4), say("user", "x ".repeat(5_000))];
  const { report } = await createCompactor({ format: openaiChat }).compact({ messages }, { target: { tokens: 1_000 } });
  expect(report.fits).toBe(false);
  expect(report.inTheWay[0]).toMatchObject({ messageId: "m8" });
});

test("a check point that the profile does not name does nothing; an overflow needs no trigger (C24)", async () => {
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 8_000,
    compact: { checkPoints: ["beforeModelCall", "onOverflow"] },
  });
  const body = { messages: [...chatter(20)] };
  expect((await compactor.fit(body, { checkPoint: "afterUser" })).report.reason).toBe("no-check-point");
  expect((await compactor.fit(body, { checkPoint: "beforeModelCall" })).report.compacted).toBe(true);
  const roomy = createCompactor({ format: openaiChat, protect: { tailTokens: 500 } });
  expect((await roomy.fit(body, { checkPoint: "onOverflow" })).report).toMatchObject({
    compacted: true,
    reason: "overflow",
  });
});

test("native compaction without a model that offers it is a summary, and the report says so (R151)", async () => {
  const compactor = createCompactor({ format: openaiChat, profile: "auto-compact", compact: { strategy: "native" } });
  const { report } = await compactor.compact({ messages: [...chatter(20)] });
  expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
  expect(report.fallbacks).toEqual([{ step: "summarize", because: "No model with native compaction was given." }]);
});
