import { expect, test } from "vitest";
import { type CallOptions, createCompactor } from "./compactor.ts";
import type { JsonObject } from "./core/json.ts";
import type { Settings } from "./core/settings/settings.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { openaiChat } from "./formats/openai-chat.ts";
import { convert, formatNamed, formatNames } from "./formats.ts";
import { llm } from "./summarizers/llm.ts";

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

test("over what was given for the provider too", () => {
  const compactor = createCompactor({ format: openaiChat, provider: { compact: { auto: false }, maxMessages: 90 } });
  compactor.configure({ compact: { auto: true } });
  expect(compactor.settings).toMatchObject({ compact: { auto: true }, maxMessages: 90 });
});

test("what is switched off at run time is off, whatever is changed later", () => {
  const compactor = createCompactor({ format: openaiChat });
  compactor.configure({ prune: { stub: false } });
  expect(compactor.settings.prune.stub).toBeUndefined();
  compactor.configure({ prune: { keepLast: 4 } });
  expect(compactor.settings.prune).toMatchObject({ stub: undefined, keepLast: 4 });
  compactor.configure({ prune: { stub: { afterResults: 3, minChars: 100 } } });
  expect(compactor.settings.prune.stub).toEqual({ afterResults: 3, minChars: 100 });
});

test("what becomes of the caller's own objects changes no settings", () => {
  const [toolsVerbatim, stub, changed] = [["read"], { afterResults: 3, minChars: 100 }, { toolsVerbatim: ["edit"] }];
  const compactor = createCompactor({ format: openaiChat, protect: { toolsVerbatim }, provider: { prune: { stub } } });
  const before = JSON.stringify(compactor.settings);
  toolsVerbatim.push("bash");
  stub.minChars = 1;
  compactor.configure({});
  expect(JSON.stringify(compactor.settings)).toBe(before);
  compactor.configure({ protect: changed });
  changed.toolsVerbatim.push("bash");
  compactor.configure({});
  expect(compactor.settings.protect.toolsVerbatim).toEqual(["edit"]);
});

test("a summarizer made from the settings follows those of a call", async () => {
  const asked: unknown[] = [];
  const made: unknown[] = [];
  const make = llm({
    windowTokens: 100_000,
    complete: ({ model }) => {
      asked.push(model);
      return Promise.resolve({ text: "## Goal\nLook at the parts." });
    },
  });
  const summarizer = (settings: Settings) => {
    made.push(settings.summary.model);
    return make.withSettings(settings);
  };
  const compactor = createCompactor({ format: openaiChat, windowTokens: 8_000, summarizer });
  const small = { summary: { model: "small" } };
  for (const [task, settings] of [{}, small, structuredClone(small)].entries()) {
    await compactor.compact({ messages: [say("user", `Task ${task}.`), ...chatter(20)] }, { settings });
  }
  expect([...new Set(asked)]).toEqual([undefined, "small"]);
  expect(made).toEqual(["inherit", "small"]);
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

const round = (index: number): readonly JsonObject[] => [
  {
    role: "assistant",
    content: `Looking at part ${index}. `.repeat(12),
    tool_calls: [{ id: `c${index}`, type: "function", function: { name: "bash", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: `c${index}`, content: `line of output ${index} `.repeat(140) },
];

test("an ordinary session never outgrows its window, and results pruned on the way are not taken for weak passes", async () => {
  const windowTokens = 40_000;
  const compactor = createCompactor({ format: openaiChat, windowTokens });
  const messages: JsonObject[] = [];
  const reasons = new Set<string>();
  let largest = 0;
  for (let index = 0; index < 160; index++) {
    if (index % 8 === 0) messages.push(say("user", `Please go on with part ${index}.`));
    messages.push(...round(index));
    const { report } = await compactor.fit({ messages: [...messages] });
    reasons.add(report.reason);
    largest = Math.max(largest, report.tokensAfter);
  }
  expect(largest).toBeLessThanOrEqual(windowTokens * 0.86);
  expect(reasons.has("ratio") || reasons.has("reserve")).toBe(true);
  expect(reasons).not.toContain("thrashing");
});

test("a summary that is a system message is replaced by the next one", async () => {
  const options = {
    format: openaiChat,
    profile: "auto-compact",
    compact: { triggers: [{ type: "absolute", tokens: 3_000 }] },
  } as const;
  const first = await createCompactor(options).fit({ messages: [...chatter(20)] });
  expect(first.report.compacted).toBe(true);
  const second = await createCompactor(options).fit({ messages: [...first.request.messages, ...chatter(20)] });
  expect(second.report.compacted).toBe(true);
  expect(second.request.messages.filter(({ role }) => role === "system")).toHaveLength(1);
});

test("a list that had to be repaired keeps its edits too", async () => {
  const compactor = createCompactor({ format: openaiChat, windowTokens: 8_000 });
  const [call] = round(1);
  const messages = [say("user", "start"), ...(call === undefined ? [] : [call]), ...chatter(20)];
  const first = await compactor.fit({ messages: structuredClone(messages) });
  expect(first.report).toMatchObject({ compacted: true, repairs: [{ rule: "call-without-result" }] });
  const again = await compactor.fit({ messages: structuredClone(messages) });
  expect(again.report.compacted).toBe(false);
  expect(JSON.stringify(again.request)).toBe(JSON.stringify(first.request));
});

test("with compaction on, nous has no limit on the number of messages (R018, R045)", async () => {
  const kept = async (auto: boolean, repeats: number): Promise<number> => {
    const messages = Array.from({ length: 24 }, (_, index) =>
      say(index % 2 === 0 ? "user" : "assistant", `message ${index} `.repeat(repeats)),
    );
    const compactor = createCompactor({ format: openaiChat, profile: "nous", compact: { auto } });
    return (await compactor.fit({ messages })).request.messages.length;
  };
  expect(await kept(false, 800)).toBe(20);
  expect(await kept(false, 1)).toBe(20);
  expect(await kept(true, 800)).toBe(24);
});

test("a pinned first message stays as it is, also where summaries are merged into the first", async () => {
  const messages = [say("user", "the rules"), ...chatter(20)];
  const { request, report } = await createCompactor({ format: openaiChat, profile: "micro-agent" }).compact(
    { messages },
    { pinned: [0] },
  );
  expect(report.compacted).toBe(true);
  expect(request.messages[0]).toEqual(say("user", "the rules"));
});

test.each([
  [{ pin: [0] }, /did you mean pinned/],
  [{ pinned: [99] }, /message 99, but the list has 1/],
  [{ target: { percent: 10 } }, /target must be/],
  [{ target: { tokens: Number.NaN } }, /target must be/],
  [{ target: { ratio: -1 } }, /target must be/],
])("call options are checked: %j", async (call, message) => {
  const compactor = createCompactor({ format: openaiChat });
  await expect(compactor.compact({ messages: [say("user", "hi")] }, call as CallOptions)).rejects.toThrow(message);
});

test("half a character in the conversation does not come out of a summary", async () => {
  const messages = [say("user", "please fix \ud83d this module"), ...chatter(20)];
  const { report } = await createCompactor({ format: openaiChat, protect: { firstUser: false } }).compact(
    { messages },
    { target: { ratio: 0.3 } },
  );
  expect(report.result?.summary?.isWellFormed()).toBe(true);
});

test.each(formatNames)("%s: a bare list takes a summary that would go into the system prompt (D25)", async (name) => {
  const format = formatNamed(name);
  const body = format.encode(convert(openaiChat.decode([...chatter(20)]), format).conversation) as JsonObject;
  const list = (Array.isArray(body) ? body : (body.messages ?? body.input ?? body.contents)) as JsonObject[];
  const compactor = createCompactor({ format, profile: "auto-compact", protect: { tailMessages: 4 } });
  const { request, report } = await compactor.compact(list);
  expect(report.compacted).toBe(true);
  expect(Array.isArray(request)).toBe(true);
  expect(format.validate(request)).toEqual([]);
  expect(JSON.stringify(request)).toContain("[Previous conversation summary]");
});
