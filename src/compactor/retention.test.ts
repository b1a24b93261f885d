import { expect, test, vi } from "vitest";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { type Message, textsOf } from "../core/message.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";

const say = (role: string, content: string): JsonObject => ({ role, content });
const chatter = (turns: number): JsonObject[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `Please look at part ${turn}. `.repeat(40)),
    say("assistant", `It was slow, part ${turn} I mean. `.repeat(40)),
  ]).flat();

const DECISION = say("assistant", "We decided: refunds go through the ledger, never through the gateway.");
const isDecision = (message: Message): number => (/\bdecided\b/.test(textsOf(message.parts).join(" ")) ? 1 : 0);
const decided = (): JsonObject[] => [...chatter(4), say("user", "And refunds?"), DECISION, ...chatter(30)];

function compactorWith(options: Partial<CompactorOptions>) {
  return createCompactor({ format: openaiChat, windowTokens: 8_000, ...options });
}

async function kept(options: Partial<CompactorOptions>, messages: readonly JsonObject[]) {
  const { request, report } = await compactorWith(options).fit({ messages });
  expect(report.compacted).toBe(true);
  expect(report.fits).toBe(true);
  return request.messages;
}

test("R234: a scorer keeps what it finds worth keeping, as it was", async () => {
  expect(await kept({}, decided())).not.toContainEqual(DECISION);
  expect(await kept({ scoreMessage: isDecision }, decided())).toContainEqual(DECISION);
});

test("a scorer that likes everything cannot keep a pass from fitting, and the highest score goes first", async () => {
  const messages = await kept({ scoreMessage: (message) => 0.1 + isDecision(message) }, decided());
  expect(messages).toContainEqual(DECISION);
  const plain = await kept({}, decided());
  expect(messages.length).toBeLessThan(plain.length + 12);
});

test("a scorer that likes calls is charged for what they returned too", async () => {
  const rounds = Array.from({ length: 40 }, (_, index) => [
    {
      role: "assistant",
      content: `Reading ${index}.`,
      tool_calls: [{ id: `c${index}`, type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: `c${index}`, content: `line ${index} of the log. `.repeat(50) },
  ]).flat();
  const messages = [say("user", "Fix it."), ...rounds, say("assistant", "Done."), say("user", "Go on.")];
  const likesCalls = ({ parts }: Message): number => (parts.some(({ type }) => type === "tool-call") ? 1 : 0);
  const calls = (list: readonly JsonObject[]): number => list.filter((message) => "tool_calls" in message).length;
  const [plain, liked] = [await kept({}, messages), await kept({ scoreMessage: likesCalls }, messages)];
  expect(calls(liked)).toBeGreaterThan(0);
  expect(calls(liked)).toBeLessThanOrEqual(calls(plain) + 4);
});

test("a scorer is asked once per message, and not before something would go", async () => {
  const score = vi.fn(isDecision);
  const compactor = compactorWith({ scoreMessage: score });
  const small = { messages: decided().slice(4, 14) };
  expect((await compactor.fit(small)).request).toBe(small);
  expect(score).not.toHaveBeenCalled();
  const messages = decided();
  const first = await compactor.compact({ messages });
  const asked = score.mock.calls.length;
  expect(asked).toBeGreaterThan(0);
  await compactor.compact({ messages });
  expect(score).toHaveBeenCalledTimes(asked);
  expect(first.request.messages).toContainEqual(DECISION);
});

test("a session asks the scorer too, and stores no pin for it", async () => {
  const compactor = { format: openaiChat, windowTokens: 8_000, scoreMessage: isDecision };
  const session = await openSession("s", { store: memoryStore(), compactor });
  await session.append(decided());
  expect((await session.fit()).report.compacted).toBe(true);
  const view = await session.view();
  expect(view.map(({ body }) => body)).toContainEqual(DECISION);
  expect(view.some(({ isPinned }) => isPinned)).toBe(false);
  await session.close();
});

test("a scorer that likes the summary before does not keep it", async () => {
  const likesSummaries = ({ parts }: Message): number => (textsOf(parts).join("").includes("[Summary of the") ? 1 : 0);
  const summary = { budget: { minTokens: 100, maxTokens: 200 } };
  const compactor = compactorWith({ windowTokens: 8_000, summary, scoreMessage: likesSummaries });
  const first = await compactor.compact({ messages: decided() });
  const again = await compactor.compact({ messages: [...first.request.messages, ...chatter(40)] });
  const summaries = JSON.stringify(again.request).split("[Summary of the earlier conversation").length - 1;
  expect([first.report.compacted, again.report.compacted, summaries]).toEqual([true, true, 1]);
});

test("R233: a policy sets the tail from the conversation; the settings' constants hold without it", async () => {
  const tailOf = async (options: Partial<CompactorOptions>): Promise<number> => {
    const messages = chatter(120);
    const result = await kept({ ...options, windowTokens: 30_000 }, messages);
    return messages.slice(1).filter((message) => result.includes(message)).length;
  };
  const constant = await tailOf({});
  const asked: number[] = [];
  const shorter = await tailOf({
    keepRecent: ({ view, settings, tokensOf }) => {
      asked.push(view.messages.length, settings.protect.tailTokens);
      const newest = view.messages.slice(-2).reduce((sum, message) => sum + tokensOf(message), 0);
      return { tailTokens: newest, tailMessages: 2 };
    },
  });
  expect(asked.slice(0, 2)).toEqual([240, compactorWith({ windowTokens: 30_000 }).settings.protect.tailTokens]);
  expect(shorter).toBe(2);
  expect(constant).toBeGreaterThan(shorter);
  expect(await tailOf({ keepRecent: () => undefined })).toBe(constant);
});

test("what a policy says is checked like a setting, and says so", async () => {
  const fitted = (tail: object) => compactorWith({ keepRecent: () => tail }).fit({ messages: chatter(30) });
  await expect(fitted({ tailTokens: 9_000 })).rejects.toThrow(/protect\.tailTokens/);
  await expect(fitted({ tailMessages: -1 })).rejects.toThrow(/protect\.tailMessages must be a whole number/);
  expect(() => compactorWith({ keepRecent: 5 as never })).toThrow("keepRecent must be a function, but is 5");
});
