import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { NO_PASSES } from "./passes.ts";
import { createViewMemory } from "./view-memory.ts";

type Said = { readonly role: string; readonly content: JsonObject[] };

const say = (role: string, text: string): Said => ({ role, content: [{ type: "text", text }] });
const MARK = { cache_control: { type: "ephemeral" } };

/** Turns of about 500 tokens in a small window; the whole list is sent before each reply, after `dress` has changed it. */
async function talk(dress: (sent: readonly Said[], turn: number) => void, options: Partial<CompactorOptions> = {}) {
  const compactor = createCompactor({ format: anthropicMessages, windowTokens: 12_000, telemetry: false, ...options });
  const messages: Said[] = [];
  const requests: JsonObject[] = [];
  let compactions = 0;
  for (let turn = 0; turn < 40; turn++) {
    messages.push(say("user", `Question ${turn} about src/f${turn}.ts. ${"alpha beta ".repeat(120)}`));
    const sent = structuredClone(messages);
    dress(sent, turn);
    const { request, report } = await compactor.fit({ messages: sent });
    if (report.compacted) compactions++;
    requests.push(request as unknown as JsonObject);
    messages.push(say("assistant", `Answer ${turn}. ${"gamma delta ".repeat(120)}`));
  }
  return { compactions, requests };
}

/** Marks the last block of the newest user messages, as hosts cache prompts. */
function markNewest(sent: readonly Said[], count: number): void {
  const users = sent.filter(({ role }) => role === "user").slice(-count);
  for (const { content } of users) Object.assign(content.at(-1) ?? {}, MARK);
}

function marksIn(request: JsonObject): number {
  return JSON.stringify(request).split('"cache_control"').length - 1;
}

describe("an edit stays, whatever a host does at the end of its list", () => {
  test.each([1, 2, 3])("%d cache marks that move on", async (count) => {
    const plain = await talk(() => {});
    const marked = await talk((sent) => markNewest(sent, count));
    expect(plain.compactions).toBeGreaterThan(2);
    expect(marked.compactions).toBe(plain.compactions);
    // The marks of this request, and none of an earlier one.
    expect(new Set(marked.requests.slice(count).map(marksIn))).toEqual(new Set([count]));
    const unmarked = (requests: readonly JsonObject[]) =>
      JSON.stringify(requests).replaceAll(`,${JSON.stringify(MARK).slice(1, -1)}`, "");
    expect(unmarked(marked.requests)).toBe(unmarked(plain.requests));
  });

  test("a reminder that is gone from the next request", async () => {
    const plain = await talk(() => {});
    const reminded = await talk((sent, turn) => sent.at(-1)?.content.push({ type: "text", text: `Step ${turn}.` }));
    expect(reminded.compactions).toBeLessThanOrEqual(plain.compactions + 1);
  });
});

test("a summarizer that fails is not asked with every request because a mark has moved (D13)", async () => {
  let asked = 0;
  const summarizer = {
    name: "broken",
    version: "1",
    planCalls: () => 1,
    summarize: () => {
      asked++;
      return Promise.reject(new Error("overloaded"));
    },
  };
  const options = { profile: "micro-agent", compact: { auto: true }, maxMessages: 0, summarizer } as const;
  await talk((sent) => markNewest(sent, 1), options);
  const askedWithMarks = asked;
  asked = 0;
  await talk(() => {}, options);
  expect(askedWithMarks).toBe(asked);
});

test("marks on results that were cut do not pile up", async () => {
  const compactor = createCompactor({
    format: anthropicMessages,
    profile: "micro-agent",
    prune: { capOnArrivalChars: 100 },
    telemetry: false,
  });
  const messages: Said[] = [say("user", "Look around.")];
  for (let round = 0; round < 8; round++) {
    const id = `t${round}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "a line of it ".repeat(40) }] },
    );
    const sent = structuredClone(messages);
    markNewest(sent, 1);
    const { request } = await compactor.fit({ messages: sent });
    expect(marksIn(request as unknown as JsonObject)).toBe(1);
  }
});

test("a list that has taken an edit over is not edited again, though it begins like the one before", () => {
  const said = (...texts: readonly string[]) =>
    openaiChat.decode({
      messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
    });
  const source = said("Paint it.", "Yes.", "Go on.", "Done.", "Go on.", "Done.", "Thanks.");
  const memory = createViewMemory(32);
  const kept = { ...source, messages: source.messages.filter((_, index) => index !== 2 && index !== 3) };
  memory.remember(source, kept, NO_PASSES);
  const again = memory.recall(
    said("Paint it.", "Yes.", "Go on.", "Done.", "Go on.", "Done.", "Thanks.", "Bye."),
    undefined,
  );
  expect(again.view.messages).toHaveLength(6);
  const back = said("Paint it.", "Yes.", "Go on.", "Done.", "Thanks.", "Bye.", "Wait!", "What?");
  expect(memory.recall(back, undefined).view).toBe(back);
});

describe("of several edits that a list may have had", () => {
  const said = (...texts: readonly string[]) =>
    openaiChat.decode({
      messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
    });
  const without = (source: Conversation, from: number, to: number): Conversation => ({
    ...source,
    messages: source.messages.filter((_, index) => index < from || index >= to),
  });

  test("one that was made after a host took the result for its list is made again", () => {
    const memory = createViewMemory(32);
    const first = said("Paint it.", "Yes.", "Red.", "Done.", "Thanks.");
    memory.remember(first, without(first, 0, 2), NO_PASSES);
    const taken = ["Red.", "Done.", "Thanks.", "You are welcome.", "Now blue.", "Done.", "Now green."] as const;
    const second = said(...taken);
    memory.remember(second, without(second, 2, 4), NO_PASSES);
    const { view, covered } = memory.recall(said(...taken, "Done."), undefined);
    expect(covered).toBe(4);
    expect(view.messages).toHaveLength(6);
  });

  test("a conversation keeps its own, though another with the same beginning was edited since", () => {
    const memory = createViewMemory(32);
    const same = ["Paint it.", "Yes.", "Red.", "Done."] as const;
    const own = said(...same, "Thanks.", "You are welcome.", "Now blue.");
    const other = said(...same, "Why red?", "You said so.", "Hm.");
    memory.remember(own, without(own, 0, 6), NO_PASSES);
    memory.remember(other, without(other, 0, 2), NO_PASSES);
    const again = said(...same, "Thanks.", "You are welcome.", "Now blue.", "Done.");
    expect(memory.recall(again, undefined).covered).toBe(6);
    expect(memory.recall(other, undefined).covered).toBe(2);
  });
});

test("a host that goes back to an earlier request finds it in the view", () => {
  const said = (...texts: readonly string[]) =>
    openaiChat.decode({
      messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
    });
  const source = said("Paint it.", "Yes.", "Red.", "Done.", "Thanks.");
  const memory = createViewMemory(32);
  const kept = { ...source, messages: source.messages.filter((_, index) => index === 0 || index > 2) };
  memory.remember(source, kept, NO_PASSES);
  expect(memory.recall(said("Paint it.", "Yes.", "Red.", "Done.", "Thanks.", "Bye."), undefined).covered).toBe(3);
  const back = said("Paint it.", "Yes.", "Red.", "Done.");
  expect(memory.recall(back, undefined).view).toBe(back);
});

test("holds as many conversations as it is told", async () => {
  const compactor = createCompactor({ format: openaiChat, windowTokens: 200_000, conversations: 2 });
  const bodies = [1, 2, 3].map((number) => ({
    model: "gpt-5.1",
    messages: Array.from({ length: 40 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: `Conversation ${number}, message ${at}: ${"some words ".repeat(50)}`,
    })),
  }));
  const sent = [];
  for (const body of bodies) sent.push((await compactor.compact(body, { target: { ratio: 0.3 } })).request);
  const again = [];
  for (const body of bodies.toReversed()) again.unshift((await compactor.fit(body)).request);
  expect(again.slice(1)).toEqual(sent.slice(1));
  expect(again[0]).toBe(bodies[0]);
});
