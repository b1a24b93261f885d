import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { type Message, textsOf } from "../src/core/message.ts";
import { estimateTokens, type TokenCounter } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";
import { profileNames } from "../src/profiles/profiles.ts";

/** Failures that other systems were seen to have, each as a test of ours. */

const say = (role: string, text: string): JsonObject => ({ role, content: text });
const call = (id: string, name = "bash"): JsonObject => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input: { cmd: "npm test" } }],
});
const result = (id: string, text: string): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: text }],
});
const chatter = (turns: number, chars = 2_000): readonly JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `question ${turn} about src/part-${turn}.ts `.repeat(Math.ceil(chars / 40))),
    say("assistant", `answer ${turn}: changed handler_${turn} `.repeat(Math.ceil(chars / 40))),
  ]).flat();

test("the error at the end of a long tool result survives the trim", async () => {
  const log = `${"compiling module\n".repeat(2_000)}error TS2304: Cannot find name 'foo'`;
  const messages = [
    say("user", "build"),
    call("a"),
    result("a", log),
    ...chatter(10),
    call("b"),
    result("b", "ok"),
    call("c"),
    result("c", "ok"),
  ];
  const { request, report } = await createCompactor({
    format: anthropicMessages,
    windowTokens: 40_000,
    prune: { highWaterRatio: 0.2, lowWaterRatio: 0.1, mustPay: false },
    protect: { tailTokens: 1_000 },
  }).fit({ messages });
  expect(report.steps.trim).toBe(1);
  expect(JSON.stringify(request)).toContain("error TS2304: Cannot find name 'foo'");
});

test("a tool result that arrives after a compaction is not orphaned", async () => {
  const compactor = createCompactor({ format: anthropicMessages, windowTokens: 16_000 });
  const open = [...chatter(12, 3_000), say("user", "now run it"), call("late")];
  const first = await compactor.compact({ messages: open });
  expect(first.report.compacted).toBe(true);
  // The host goes on with its own list: the result takes the place of the interruption that a request had to say.
  const { request } = await compactor.fit({ messages: [...open, result("late", "3 failed")] });
  expect(anthropicMessages.validate(request)).toEqual([]);
  expect(JSON.stringify(request)).toContain("3 failed");
});

test("the newest turn is not summarised away under a hard target", async () => {
  const messages = [...chatter(20), say("user", "Only change the footer, nothing else.")];
  const { request } = await createCompactor({ format: openaiChat }).compact({ messages }, { target: { ratio: 0.05 } });
  const kept = request.messages;
  expect(kept.at(-1)).toEqual(say("user", "Only change the footer, nothing else."));
});

test("text that looks like a replacement pattern is copied, not expanded", async () => {
  const odd = "cost is $& and $` and $' and $1 for the literal";
  const messages = [say("user", odd), ...chatter(20), say("user", "go on")];
  const { request } = await createCompactor({ format: openaiChat }).compact({ messages }, { target: { ratio: 0.2 } });
  expect(JSON.stringify(request)).toContain(odd);
});

test("images and thinking are not counted as nothing, nor base64 as text", () => {
  const count = (content: JsonObject): number =>
    estimateTokens().total(anthropicMessages.decode([{ role: "assistant", content: [content] }]).messages);
  const data = "A".repeat(400_000);
  const image = count({ type: "image", source: { type: "base64", media_type: "image/png", data } });
  expect(image).toBeGreaterThan(500);
  expect(image).toBeLessThan(6_000);
  expect(count({ type: "thinking", thinking: "so we think ".repeat(3_000), signature: "c2ln" })).toBeGreaterThan(5_000);
});

describe("compaction that frees nothing", () => {
  test("is not reported as success, and leaves the request alone", async () => {
    const body = { messages: [say("user", "one"), say("assistant", "two"), say("user", "three")] };
    const { request, report } = await createCompactor({ format: openaiChat }).compact(body);
    expect(report.compacted).toBe(false);
    expect(report.tokensAfter).toBe(report.tokensBefore);
    expect(request).toBe(body);
  });

  test("stops by itself after two weak passes, and starts again when there is more to gain", async () => {
    const compactor = createCompactor({
      format: openaiChat,
      windowTokens: 10_000,
      compact: { triggers: [{ type: "absolute", tokens: 2_000 }], target: { type: "tokens", tokens: 1_950 } },
      protect: { tailTokens: 1_800, tailMessages: 2 },
    });
    const messages = [...chatter(5, 1_500)];
    const reasons: string[] = [];
    for (let turn = 0; turn < 8; turn++) {
      messages.push(say("user", `small step ${turn}`), say("assistant", "done"));
      reasons.push((await compactor.fit({ messages: [...messages] })).report.reason);
    }
    const passes = reasons.filter((reason) => reason === "absolute").length;
    expect(passes).toBeGreaterThan(0);
    expect(passes).toBeLessThan(6);
  });
});

test("finished work is not sent to the summarizer again", async () => {
  const inputs: string[] = [];
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 12_000,
    summarizer: {
      name: "recording",
      version: "1",
      planCalls: () => 1,
      summarize: ({ messages, turnPrefix, previous }) => {
        inputs.push(JSON.stringify([messages, turnPrefix]));
        return Promise.resolve({
          text: `pass ${inputs.length}, before: ${previous?.text ?? "nothing"}`,
          calls: 1,
          notes: [],
        });
      },
    },
  });
  const messages = [...chatter(14)];
  const first = await compactor.compact({ messages: [...messages] });
  expect(first.report.compacted).toBe(true);
  messages.push(...chatter(14).map((message) => ({ ...message, content: `later ${message.content}` })));
  await compactor.compact({ messages });
  expect(inputs).toHaveLength(2);
  expect(inputs[0]).toContain('"answer 0: ');
  expect(inputs[1]).not.toContain('"answer 0: ');
});

describe.each(profileNames)("%s", (profile) => {
  test.each(["truncate", "summarize", "hybrid"] as const)(
    "a long tool loop keeps what was asked for: %s",
    async (strategy) => {
      const request = "Only change the footer, please.";
      const rounds = Array.from({ length: 40 }, (_, round) => [
        call(`call_${round}`),
        result(`call_${round}`, `line ${round} of src/part-${round}.ts\n`.repeat(40)),
      ]);
      const said = anthropicMessages.decode([
        say("user", "hello"),
        say("assistant", "Hi."),
        say("user", request),
        ...rounds.flat(),
      ]);
      for (const name of formatNames) {
        const format = formatNamed(name);
        const body = format.encode(convert(said, format).conversation);
        const { request: fitted, report } = await createCompactor({
          format,
          profile,
          windowTokens: 20_000,
          compact: { strategy },
          maxMessages: 0,
        }).compact(body);
        expect(report.compacted, name).toBe(true);
        const users = format.decode(fitted).messages.filter(({ role }) => role === "user");
        expect(
          users.some(({ parts }) => textsOf(parts).join().includes(request)),
          name,
        ).toBe(true);
      }
    },
  );
});

test("a list of 2,001 messages is counted once, not once per message that might go", async () => {
  let counted = 0;
  const own = estimateTokens({ format: "openai-chat" });
  const size = (message: Message): number => {
    counted++;
    return own.size(message);
  };
  const counter: TokenCounter = {
    ...own,
    size,
    count: (message) => own.tokens(size(message)),
    total: (messages) => own.tokens(messages.reduce((sum, message) => sum + size(message), 0)),
  };
  const messages = [...chatter(1_000, 400), say("user", "go on")];
  const compactor = createCompactor({ format: openaiChat, windowTokens: 40_000, counter });
  const { report } = await compactor.fit({ messages });
  expect(report.compacted).toBe(true);
  expect(counted).toBeLessThan(3 * messages.length);
});
