import { describe, expect, test } from "vitest";
import { type Compacted, createCompactor } from "../../src/compactor.ts";
import type { SummarizeContext, Summarizer, SummaryInput, SummaryResult } from "../../src/core/checkpoint/summary.ts";
import type { JsonArray, JsonObject } from "../../src/core/json.ts";
import { isResultMessage } from "../../src/core/plan/prune.ts";
import { trimTurnContexts } from "../../src/core/plan/summary-marks.ts";
import { anthropicMessages } from "../../src/formats/anthropic-messages.ts";
import { llm } from "../../src/summarizers/llm.ts";
import { historyText } from "../../src/summarizers/serialize.ts";

/** The named tests of R225 and R226, under the `nous` profile with its constants and strings. */

const CLEARED = "[Tool output cleared — content was processed in earlier turns]";

const user = (content: string): JsonObject => ({ role: "user", content });
const assistant = (content: string): JsonObject => ({ role: "assistant", content });
const call = (id: number): JsonObject => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "let me look", signature: "c2ln" },
    { type: "text", text: `step ${id}` },
    { type: "tool_use", id: `t${id}`, name: "read", input: { path: `${id}.txt` } },
  ],
});
const result = (id: number, content: string | JsonArray): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: `t${id}`, content }],
});

/** A tool loop: one question, then a call and its result for each text. */
function loop(results: readonly (string | JsonArray)[]): JsonObject {
  return { messages: [user("look"), ...results.flatMap((text, index) => [call(index), result(index, text)])] };
}

function resultsOf(body: JsonObject): readonly string[] {
  const { messages } = anthropicMessages.decode(body);
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => {
      if (part.type !== "tool-result") return [];
      return [part.content.map((inner) => (inner.type === "text" ? inner.text : inner.type)).join("")];
    }),
  );
}

async function prune(body: JsonObject): Promise<readonly string[]> {
  const { request } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(body);
  return resultsOf(request);
}

describe("R225, layer 1", () => {
  test("is_tool_result_message", () => {
    const { messages } = anthropicMessages.decode([user("hi"), call(0), result(0, "x"), assistant("ok"), user("text")]);
    expect(messages.map(isResultMessage)).toEqual([false, false, true, false, false]);
  });
  test("soft_trim_large_result", async () => {
    const long = `${"a".repeat(12_000)}${"b".repeat(12_000)}`;
    const [trimmed] = await prune(loop([long, "s", "s"]));
    const marker = "--- trimmed (kept 1500 head + 1500 tail of 24000 chars) ---";
    expect(trimmed).toBe(`${"a".repeat(1_500)}\n\n${marker}\n\n${"b".repeat(1_500)}`);
  });
  test("soft_trim_preserves_small", async () => {
    const small = "x".repeat(4_000);
    expect((await prune(loop([small, "s", "s"])))[0]).toBe(small);
  });
  test("hard_clear_old_results", async () => {
    const pruned = await prune(loop(Array.from({ length: 9 }, (_, index) => `result ${index} ${"y".repeat(200)}`)));
    // D17: age 1 is the newest; cleared when older than 6.
    expect(pruned.map((text) => text === CLEARED)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
  test("protect_last_n_results", async () => {
    const long = "z".repeat(9_000);
    const pruned = await prune(loop([long, long, long, long]));
    expect(pruned.map((text) => text === long)).toEqual([false, false, true, true]);
  });
  test("never_modify_assistant_blocks", async () => {
    // A model whose thinking is not bound to what stands before it: a bound one would refuse these blocks after pruning.
    const body = { model: "claude-sonnet-4-5", ...loop(Array.from({ length: 9 }, () => "w".repeat(9_000))) };
    const { request } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(body);
    const assistants = (value: JsonObject): unknown =>
      (value.messages as JsonObject[]).filter(({ role }) => role === "assistant");
    expect(assistants(request)).toEqual(assistants(body));
  });
  test("never_modify_user_text", async () => {
    const long = "words ".repeat(2_000);
    const body = {
      messages: [user(long), call(0), result(0, "q".repeat(9_000)), call(1), result(1, "s"), call(2), result(2, "s")],
    };
    const { request } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(body);
    expect(request.messages[0]).toEqual(user(long));
    expect(resultsOf(request)[0]).not.toBe("q".repeat(9_000));
  });
  test("skip_image_results", async () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    const body = loop([[{ type: "text", text: "v".repeat(9_000) }, image], ...Array.from({ length: 8 }, () => "s")]);
    expect((await prune(body))[0]).toBe(`${"v".repeat(9_000)}media`);
  });
  test("empty_messages_noop", async () => {
    const body = { messages: [] };
    const { request, report } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(body);
    expect(request).toBe(body);
    expect(report).toMatchObject({ compacted: false, repairs: [] });
  });
  test("all_protected_noop", async () => {
    const body = loop(["u".repeat(9_000), "u".repeat(9_000)]);
    const { request } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(body);
    expect(request).toBe(body);
  });
});

/** Remembers what it was given and answers as it is told. */
function scripted(answer: string | Error): Summarizer & { readonly inputs: SummaryInput[] } {
  const inputs: SummaryInput[] = [];
  return {
    name: "scripted",
    version: "1",
    inputs,
    planCalls: () => 1,
    summarize: (input: SummaryInput, _: SummarizeContext): Promise<SummaryResult> => {
      inputs.push(input);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ text: answer, calls: 1, notes: [] });
    },
  };
}

const OPENING = "[Previous conversation summary]\n\n";
const ACKNOWLEDGEMENT = "I have the context from our previous conversation. Let's continue.";

/** Turns of about 2,000 tokens each by the source's own estimate. */
function chat(turns: number): JsonObject {
  const messages = Array.from({ length: turns }, (_, turn) => [
    user(`question ${turn} ${"q".repeat(3_980)}`),
    assistant(`answer ${turn} ${"a".repeat(3_980)}`),
  ]).flat();
  return { system: "You are helpful.", messages };
}

function compact(body: JsonObject, summarizer: Summarizer): Promise<Compacted<JsonObject>> {
  return createCompactor({
    format: anthropicMessages,
    profile: "nous",
    compact: { auto: true },
    maxMessages: 0,
    summarizer,
  }).fit(body);
}

const nous = () => createCompactor({ format: anthropicMessages, profile: "nous" });

const messagesOf = (body: JsonObject): JsonObject[] => body.messages as JsonObject[];

describe("R226, layer 2", () => {
  test("should_compact_under_threshold", async () => {
    const { report } = await compact(chat(30), scripted("S"));
    expect(report).toMatchObject({ compacted: false, reason: "not-triggered" });
  });
  test("should_compact_over_threshold", async () => {
    const { report } = await compact(chat(60), scripted("S"));
    expect(report).toMatchObject({ compacted: true, reason: "budgetSum" });
  });
  test("find_cut_point_keeps_recent", async () => {
    const { request } = await compact(chat(60), scripted("S"));
    const kept = messagesOf(request).slice(2);
    // 20,000 tokens are reached within the tenth message pair; snapped forward, nine turns and a half become nine or ten.
    expect(kept.length).toBeGreaterThanOrEqual(18);
    expect(kept.length).toBeLessThanOrEqual(20);
    expect(kept).toEqual(messagesOf(chat(60)).slice(-kept.length));
  });
  test("cut_at_user_boundary", async () => {
    const { request } = await compact(chat(60), scripted("S"));
    expect(messagesOf(request)[2]?.role).toBe("user");
  });
  test("alternation_preserved", async () => {
    const { request } = await compact(chat(60), scripted("S"));
    const roles = messagesOf(request).map(({ role }) => role);
    expect(roles.every((role, index) => role === (index % 2 === 0 ? "user" : "assistant"))).toBe(true);
  });
  test("alternation_leading_assistant", async () => {
    const body = { messages: messagesOf(chat(60)).slice(1) };
    const { request } = await compact(body, scripted("S"));
    expect(anthropicMessages.validate(request)).toEqual([]);
    expect(messagesOf(request)[2]?.role).toBe("user");
  });
  test("iterative_update_prompt", async () => {
    const first = await compact(chat(60), scripted("FIRST"));
    const grown = { ...first.request, messages: [...messagesOf(first.request), ...messagesOf(chat(50))] };
    const second = scripted("SECOND");
    const { request } = await compact(grown, second);
    expect(second.inputs[0]?.previous?.text).toBe("FIRST");
    // D12: the old pair is no part of what is summarised.
    const given = JSON.stringify(second.inputs[0]?.messages);
    expect(given).not.toContain("FIRST");
    expect(given).not.toContain(ACKNOWLEDGEMENT);
    expect(JSON.stringify(request)).not.toContain("FIRST");
  });
  test("serialize_for_summary", async () => {
    const prompts: string[] = [];
    const complete = async ({ prompt }: { readonly prompt: string }) => {
      prompts.push(prompt);
      return { text: "## Goal\nAnswer." };
    };
    const settings = { format: anthropicMessages, profile: "nous", compact: { auto: true }, maxMessages: 0 } as const;
    const summarizer = llm({ complete, windowTokens: 200_000, guard: false });
    await createCompactor({ ...settings, summarizer }).fit(chat(60));
    // R105: two speakers, a blank line between what they say.
    expect(prompts).toHaveLength(1);
    expect(prompts[0]).toMatch(
      /\n\*\*User:\*\* question 0 q+\n\n\*\*Assistant:\*\* answer 0 a+\n\n\*\*User:\*\* question 1 /,
    );
    expect(prompts[0]).not.toContain("[User]:");
  });
  test("summarization_failure_fallback", async () => {
    const first = await compact(chat(60), scripted("FIRST"));
    const grown = { ...first.request, messages: [...messagesOf(first.request), ...messagesOf(chat(50))] };
    const { request, report } = await compact(grown, scripted(new Error("model is down")));
    expect(report.fallbacks).toEqual([{ step: "truncate", because: "model is down" }]);
    expect(report.compacted).toBe(true);
    // D13: what was summarised before is not lost with the failure.
    expect(messagesOf(request)[0]).toEqual(user(`${OPENING}FIRST`));
    expect(JSON.stringify(request)).not.toContain("model is down");
  });
  test("conversation_state_updated", async () => {
    const { request, report } = await compact(chat(60), scripted("S"));
    expect(messagesOf(request).slice(0, 2)).toEqual([user(`${OPENING}S`), assistant(ACKNOWLEDGEMENT)]);
    expect(report.result?.summary).toBe("S");
  });
  test("turn_contexts_cleaned", async () => {
    // R140, with the correction of D11: one context per turn, of which the newest half-count of the kept messages stays.
    const contexts = Array.from({ length: 60 }, (_, turn) => ({ turn }));
    const { request } = await compact(chat(60), scripted("S"));
    const recent = messagesOf(request).length - 2;
    expect(recent).toBeGreaterThan(1);
    const cleaned = trimTurnContexts(contexts, request, nous());
    expect(cleaned).toEqual(contexts.slice(60 - Math.floor(recent / 2)));
    expect(trimTurnContexts(cleaned, request, nous())).toEqual(cleaned);
    expect(trimTurnContexts(contexts, chat(30), nous())).toBe(contexts);
    const lone = { messages: messagesOf(request).slice(0, 3) };
    expect(trimTurnContexts(contexts, lone, nous())).toEqual([{ turn: 59 }]);
  });
  test("format_history_text_with_summary", async () => {
    // R141: the summary under its own heading, then at most the last 20 messages.
    const { request } = await compact(chat(60), scripted("S"));
    const grown = { ...request, messages: [...messagesOf(request), ...messagesOf(chat(15))] };
    const [heading, ...said] = historyText(grown, nous()).split("\n\n");
    expect(heading).toBe("[Previous context summary]\nS");
    expect(said).toHaveLength(20);
    expect(said[0]).toMatch(/^\*\*User:\*\* question 5 /);
    expect(said.at(-1)).toMatch(/^\*\*Assistant:\*\* answer 14 /);
    expect(historyText(chat(1), nous())).toMatch(/^\*\*User:\*\* question 0 /);
  });
  test("prepare_messages_async", async () => {
    const pending = compact(chat(60), scripted("S"));
    expect(pending).toBeInstanceOf(Promise);
    expect(messagesOf((await pending).request).length).toBeLessThan(messagesOf(chat(60)).length);
  });
});
