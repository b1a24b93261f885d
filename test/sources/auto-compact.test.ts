import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Compactor, type CompactorOptions, createCompactor } from "../../src/compactor.ts";
import { CompactionError } from "../../src/core/errors.ts";
import type { LogFields } from "../../src/core/hooks/log-lines.ts";
import { isArray, isObject, type JsonObject } from "../../src/core/json.ts";
import { autoCompactTokens } from "../../src/core/tokens/chars-per-token.ts";
import { openaiChat } from "../../src/formats/openai-chat.ts";
import type { Complete } from "../../src/summarizers/ask.ts";
import { llm } from "../../src/summarizers/llm.ts";
import { temporaryFolder } from "../run-cli.ts";
import { runInProcess } from "../run-in-process.ts";
import { type ChatServer, startChatServer } from "./chat-server.ts";

/** The named tests of R227 and the example of R196, under the `auto-compact` profile: 8,000, then down to 4,000 (R213). */

const THRESHOLD_TOKENS = 8_000;
const TARGET_TOKENS = 4_000;
const WINDOW_TOKENS = 12_000;
const OPENING = "[Previous conversation summary]\n";

const user = (content: string): JsonObject => ({ role: "user", content });
const assistant = (content: string): JsonObject => ({ role: "assistant", content });
const system = (content: string): JsonObject => ({ role: "system", content });

function compactorWith(strategy: "native" | "summarize" | "truncate" | "none", more: Partial<CompactorOptions> = {}) {
  return createCompactor({
    format: openaiChat,
    profile: "auto-compact",
    windowTokens: WINDOW_TOKENS,
    maxOutputTokens: 1_000,
    compact: { strategy, triggers: [{ type: "absolute", tokens: THRESHOLD_TOKENS }] },
    ...more,
  });
}

/** Turns of 204 tokens each: two messages of 392 characters, and 4 more tokens for each. */
const chat = (turns: number): JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    user(`question ${turn} `.padEnd(392, "q")),
    assistant(`answer ${turn} `.padEnd(392, "a")),
  ]).flat();

describe("R227, estimation", () => {
  /** R029 with D24: content/4, name and arguments of each call, 4 more per message. */
  const check = (message: JsonObject, tokens: number): void => {
    expect(autoCompactTokens().total(openaiChat.decode({ messages: [message] }).messages)).toBe(tokens);
  };
  test("a text", () => check(user("x".repeat(43)), 10 + 4));
  test("nothing", () => check(user(""), 4));
  test("a call", () => {
    const call = { id: "c", type: "function", function: { name: "look", arguments: '{"row":12}' } };
    check({ role: "assistant", content: "x".repeat(8), tool_calls: [call] }, 2 + 1 + 2 + 4);
  });
  test("a history is the sum of its messages", () => {
    expect(autoCompactTokens().total(openaiChat.decode({ messages: chat(10) }).messages)).toBe(10 * 204);
  });
});

describe("R227, each strategy", () => {
  const body = { messages: [system("Be brief."), ...chat(40)] };
  const S = { name: "scripted", version: "1", planCalls: () => 1 };
  const saying = (text: string) => ({ ...S, summarize: async () => ({ text, calls: 1, notes: [] }) });

  test("disabled", async () => {
    const { request } = await compactorWith("none").fit(body);
    expect(request).toBe(body);
  });
  test("without a threshold nothing happens by itself", async () => {
    const { request, report } = await createCompactor({ format: openaiChat, profile: "auto-compact" }).fit(body);
    expect(report.reason).toBe("not-triggered");
    expect(request).toBe(body);
  });
  test("exactly the threshold is not above it", async () => {
    const exact = { messages: [...chat(39), user("x".repeat(160))] };
    expect(autoCompactTokens().total(openaiChat.decode(exact).messages)).toBe(THRESHOLD_TOKENS);
    expect((await compactorWith("truncate").fit(exact)).report.compacted).toBe(false);
    const above = { messages: [...chat(39), user("x".repeat(164))] };
    expect((await compactorWith("truncate").fit(above)).report.compacted).toBe(true);
  });
  test("truncate keeps system messages and the newest others, in order", async () => {
    const { request, report } = await compactorWith("truncate").fit(body);
    const [first, ...kept] = request.messages;
    expect(first).toEqual(system("Be brief."));
    expect(kept).toEqual(body.messages.slice(-kept.length));
    expect(kept.length).toBeGreaterThanOrEqual(10);
    expect(report.tokensAfter).toBeLessThanOrEqual(TARGET_TOKENS);
  });
  test("system messages among the newest take none of the ten places of truncate (R071)", async () => {
    const newest = [...chat(2), system("Reply in French."), ...chat(3)];
    const messages = [system("Be brief."), ...chat(30), ...newest];
    const truncate = { format: openaiChat, profile: "auto-compact", compact: { strategy: "truncate" } } as const;
    const { request } = await createCompactor(truncate).compact({ messages });
    expect(request.messages).toEqual([system("Be brief."), ...newest]);
  });
  test.each(["summarize", "truncate"] as const)(
    "%s does nothing where fewer messages could go than the settings ask for (C9)",
    async (strategy) => {
      const compact = { strategy, target: { type: "none" }, minZoneMessages: 5 } as const;
      const options = { format: openaiChat, profile: "auto-compact", summarizer: saying("S") } as const;
      const fewer = { messages: chat(7) };
      const { request, report } = await createCompactor({ ...options, compact }).compact(fewer);
      expect(report).toMatchObject({ compacted: false, reason: "zone-too-small" });
      expect(request).toBe(fewer);
      const enough = await createCompactor({ ...options, compact }).compact({ messages: chat(8) });
      expect(enough.report.compacted).toBe(true);
    },
  );
  test("summarize puts one system message before the last ten", async () => {
    const { request } = await compactorWith("summarize", { summarizer: saying("S") }).fit(body);
    expect(request.messages).toEqual([system("Be brief."), system(`${OPENING}S`), ...body.messages.slice(-10)]);
  });
  test.each(["summarize", "truncate"] as const)(
    "%s: the target counts what the threshold counts, whatever the tools take (R054, C4)",
    async (strategy) => {
      const parameters = { type: "object", description: "x".repeat(5 * TARGET_TOKENS) };
      const tools = [{ type: "function", function: { name: "look", parameters } }];
      const plain = await compactorWith(strategy, { summarizer: saying("S") }).fit(body);
      const equipped = await compactorWith(strategy, { summarizer: saying("S") }).fit({ ...body, tools });
      expect(equipped.request.messages).toEqual(plain.request.messages);
      expect(equipped.report).toMatchObject({ compacted: true, fits: true, inTheWay: [] });
    },
  );
  test("native is summarize where the provider has no operation of its own", async () => {
    const { request, report } = await compactorWith("native", { summarizer: saying("S") }).fit(body);
    expect(request.messages).toContainEqual(system(`${OPENING}S`));
    expect(report.fallbacks).toContainEqual(expect.objectContaining({ because: expect.stringContaining("native") }));
  });
});

describe("R227, against a provider", () => {
  let server: ChatServer;
  beforeEach(async () => {
    server = await startChatServer(WINDOW_TOKENS);
  });
  afterEach(() => server.close());

  /** The summary goes through the provider's ordinary chat call (R122). */
  const complete: Complete = async ({ system: instruction, prompt, signal }) => {
    const reply = await server.post({ model: "mock", messages: [system(instruction), user(prompt)] }, signal);
    return { text: String(messageIn(reply).content) };
  };

  const loopCompactor = (lines: string[] = []): Compactor => {
    const log = (_: LogFields, line: string): void => void lines.push(line);
    return compactorWith("summarize", {
      summarizer: llm({ complete, windowTokens: WINDOW_TOKENS, guard: false, retry: { maxAttempts: 1 } }),
      logger: { debug: log, info: log, warn: log, error: log },
    });
  };

  test("a long tool loop is never refused: before every model call it is compacted where it must be", async () => {
    const lines: string[] = [];
    const { messages, compactions } = await converse(server, loopCompactor(lines), 60);
    expect(server.refused).toBe(0);
    expect(compactions).toBeGreaterThan(1);
    expect(server.summaries).toHaveLength(compactions);
    // What was sent last: the newest summary as a system message, and the newest messages as they were.
    const sent = messagesIn(server.requests.at(-1));
    expect(sent.filter(({ role }) => role === "system")).toHaveLength(1);
    expect(sent[0]?.content).toMatch(/^\[Previous conversation summary\]\nKey facts /);
    expect(sent.slice(-10)).toEqual(messages.slice(0, -1).slice(-10));
    expect(openaiChat.validate(server.requests.at(-1))).toEqual([]);
    // R221.
    expect(lines).toContainEqual(expect.stringMatching(/^\[compact\] triggered: [\d,]+ tokens > 8,?000 threshold$/));
    expect(lines).toContainEqual(expect.stringMatching(/^\[compact\] done: [\d,]+ tokens remaining$/));
  });

  test("without compaction the same loop is refused, in the provider's words", async () => {
    const failure = await converse(server, compactorWith("none"), 60).catch((error: unknown) => error);
    expect(server.refused).toBe(1);
    expect(openaiChat.readOverflow(failure)?.maximumTokens).toBe(WINDOW_TOKENS);
  });

  test("the second summary carries the first on, and the prefix stays the same in between", async () => {
    await converse(server, loopCompactor(), 60);
    const [, second] = server.summaries;
    expect(JSON.stringify(second)).toContain("Key facts ");
    const openings = server.requests.map((body) => JSON.stringify(messagesIn(body).slice(0, 3)));
    const changes = openings.filter((opening, index) => index > 1 && opening !== openings[index - 1]).length;
    expect(changes).toBe(server.summaries.length);
  });

  test("a summariser's error reaches the caller, and nothing was changed (R152)", async () => {
    server.isSummaryBroken = true;
    const failure = await converse(server, loopCompactor(), 60).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CompactionError);
    expect(failure).toMatchObject({ code: "summary-failed" });
    expect(JSON.stringify(server.requests)).not.toContain("The server had an error");
  });
});

interface Conversed {
  readonly messages: readonly JsonObject[];
  readonly compactions: number;
}

/** The loop of R194 as D24 corrects it: the whole list, kept by the host, goes through `fit` before every model call. */
async function converse(server: ChatServer, compactor: Compactor, turns: number): Promise<Conversed> {
  const messages: JsonObject[] = [];
  let compactions = 0;
  for (let turn = 0; turn < turns; turn++) {
    messages.push(user(`Please read row ${turn}. `.repeat(10)));
    for (let isDone = false; !isDone; ) {
      const body = { model: "mock", tools: [], messages: [...messages] };
      const { request, report } = await compactor.fit(body, { checkPoint: "beforeModelCall" });
      if (report.compacted) compactions++;
      const reply = messageIn(await server.post(request));
      messages.push(reply);
      const calls = isArray(reply.tool_calls) ? reply.tool_calls.filter(isObject) : [];
      for (const { id = "" } of calls) {
        messages.push({ role: "tool", tool_call_id: id, content: `row ${turn}: ${"value ".repeat(60)}` });
      }
      isDone = calls.length === 0;
    }
  }
  return { messages, compactions };
}

function messageIn(reply: JsonObject): JsonObject {
  const [choice] = isArray(reply.choices) ? reply.choices : [];
  const message = isObject(choice) ? choice.message : undefined;
  return isObject(message) ? message : {};
}

function messagesIn(body: JsonObject | undefined): readonly JsonObject[] {
  return isArray(body?.messages) ? body.messages.filter(isObject) : [];
}

test("R196: the chat compacts by itself in front of whoever types, and takes it back", async () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const facts = ["The coupon code is SPRING-25.", "The office is in Lyon.", "Tomas does the photos."];
  const talk = Array.from({ length: 36 }, (_, index) => `Remark number ${index} is about lamps.`);
  const asked = ["What is the coupon code?", "/rollback", "/rollback", "/rollback", "/nope", "/quit"];
  const { stdout } = await runInProcess(
    ["chat", "--model", "scripted", "--window", "2k", "--folder", folder.path, "--store", `sqlite:${folder.path}/a.db`],
    { stdin: [...facts, ...talk, ...asked].join("\n") },
  );
  expect(stdout).toMatch(/compacted \(\w+\): [\d,]+ → [\d,]+ tokens, \d+ → \d+ messages/);
  expect(stdout).toMatch(/What I was sent says: ".*The coupon code is SPRING-25\."/);
  expect(stdout).toContain("took back compaction 1");
  expect(stdout).toContain("There is no compaction in force to undo");
  expect(stdout).toContain("there is no /nope");
});
