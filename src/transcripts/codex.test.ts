/** Codex rollouts: items, usage, compaction, roll-back, the older form without a header. */

import { expect, test } from "vitest";
import { readTranscript } from "./read-transcript.ts";
import type { RecordedConversation, Transcript } from "./transcript.ts";

type Fields = Record<string, unknown>;

const line = (type: string, payload: Fields) => ({ timestamp: "2026-01-01T00:00:00Z", type, payload });
const item = (payload: Fields) => line("response_item", payload);
const meta = line("session_meta", { id: "s1", cwd: "/w", base_instructions: { text: "Be brief." } });
const user = (text: string) => item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const reply = (text: string) => item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
const call = (id: string) => item({ type: "function_call", call_id: id, name: "sh", arguments: "{}" });
const output = (id: string) => item({ type: "function_call_output", call_id: id, output: `out ${id}` });
const tokens = (total: number, input: number, more: Fields = {}) =>
  line("event_msg", {
    type: "token_count",
    info: {
      total_token_usage: { total_tokens: total },
      last_token_usage: { input_tokens: input, cached_input_tokens: 4, output_tokens: 7, reasoning_output_tokens: 2 },
    },
    ...more,
  });

const read = (lines: readonly unknown[]): Transcript =>
  readTranscript(lines.map((one) => JSON.stringify(one)).join("\n"));

function script(items: readonly unknown[]): string {
  return items
    .map((one) => {
      const fields = one as { role?: string; content?: { text: string }[]; call_id?: string; type: string };
      if (fields.content !== undefined) return `${fields.role}:${fields.content.map((part) => part.text).join("+")}`;
      return fields.call_id === undefined
        ? fields.type
        : `${fields.type.endsWith("_output") ? "=" : ""}${fields.call_id}`;
    })
    .join(" ");
}

function check(lines: readonly unknown[], expected: string): RecordedConversation {
  const transcript = read(lines);
  expect(transcript.source).toBe("codex");
  const main = transcript.conversations[0] as RecordedConversation; // a transcript is never empty
  expect(script((main.body as { input: unknown[] }).input)).toBe(expected);
  return main;
}

test("items, instructions, model and usage", () => {
  const main = check(
    [
      meta,
      line("turn_context", { model: "gpt-x" }),
      line("event_msg", { type: "user_message", message: "hi" }),
      user("hi"),
      item({ type: "reasoning", summary: [], encrypted_content: "e" }),
      call("c1"),
      tokens(11, 50),
      tokens(11, 50, { rate_limits: { primary: {} } }),
      output("c1"),
      reply("done"),
      tokens(30, 90),
    ],
    "user:hi reasoning c1 =c1 assistant:done",
  );
  expect(main).toMatchObject({ id: "s1", format: "openai-responses", models: ["gpt-x"] });
  expect(main.body).toMatchObject({ model: "gpt-x", instructions: "Be brief." });
  const usage = { inputTokens: 50, cacheReadTokens: 4, cacheWriteTokens: 0, outputTokens: 7, reasoningTokens: 2 };
  expect(main.calls).toEqual([
    { segment: 0, messageCount: 1, model: "gpt-x", usage },
    { segment: 0, messageCount: 4, model: "gpt-x", usage: { ...usage, inputTokens: 90 } },
  ]);
});

test("usage reported after the results still finds its answer", () => {
  const main = check(
    [meta, user("hi"), call("c1"), call("c2"), output("c1"), output("c2"), tokens(1, 9)],
    "user:hi c1 c2 =c1 =c2",
  );
  expect(main.calls.map((one) => one.messageCount)).toEqual([1]);
});

test("usage without an answer of its own is no call", () => {
  expect(check([meta, user("hi"), tokens(1, 9)], "user:hi").calls).toEqual([]);
  const counted = check([meta, user("hi"), reply("one"), tokens(1, 9), tokens(2, 9)], "user:hi assistant:one").calls;
  expect(counted.map((one) => one.messageCount)).toEqual([1]);
});

test("a report repeated while the next answer is being written does not cut that answer in two", () => {
  const thought = item({ type: "reasoning", summary: [] });
  const main = check(
    [meta, user("hi"), call("c1"), tokens(1, 9), output("c1"), thought, tokens(1, 9), reply("done"), tokens(2, 12)],
    "user:hi c1 =c1 reasoning assistant:done",
  );
  expect(main.calls.map((one) => one.messageCount)).toEqual([1, 3]);
});

test("ghosts and notes of the client are left out, unknown items counted", () => {
  const noted = item({ type: "message", role: "user", content: [], metadata: { turn_id: "t" }, phase: "input" });
  const lines = [meta, noted, item({ type: "ghost_snapshot" }), item({ type: "novelty" }), line("world_state", {})];
  expect(read(lines).records.unknown).toEqual({ "response_item novelty": 1 });
  expect(read(lines).conversations[0]?.segments[0]?.messages).toEqual([
    { type: "message", role: "user", content: [], phase: "input" },
  ]);
});

test("items that no one could decode are left out and counted", () => {
  const odd = [
    item({ type: "message", role: "user", content: 7 }),
    item({ type: "message", role: "user", content: [null] }),
  ];
  const half = item({ type: "function_call_output", call_id: "c1", output: ["text"] });
  const { conversations, records } = read([meta, user("hi"), ...odd, half]);
  expect(conversations[0]?.segments[0]?.messages).toEqual([user("hi").payload]);
  expect(records.unknown).toEqual({ "response_item message": 2, "response_item function_call_output": 1 });
});

test("a compaction restarts from its replacement", () => {
  const replacement = [user("kept").payload, { type: "compaction", encrypted_content: "e" }];
  const main = check(
    [
      meta,
      user("hi"),
      reply("one"),
      tokens(9, 70),
      line("compacted", { message: "", replacement_history: replacement }),
      user("on"),
    ],
    "user:kept compaction user:on",
  );
  expect(main.segments.map(({ messages }) => script(messages))).toEqual([
    "user:hi assistant:one",
    "user:kept compaction user:on",
  ]);
  expect(main.compactions).toEqual([{ afterSegment: 0, tokensBefore: 70 }]);
});

test("an older compaction restarts from its text, and calls count in their segment", () => {
  const main = check(
    [
      meta,
      user("hi"),
      reply("one"),
      line("compacted", { message: "SUMMARY" }),
      user("on"),
      reply("two"),
      tokens(9, 70),
    ],
    "user:SUMMARY user:on assistant:two",
  );
  expect(main.compactions).toEqual([{ afterSegment: 0, summary: "SUMMARY" }]);
  expect(main.calls.map(({ segment, messageCount }) => [segment, messageCount])).toEqual([[1, 2]]);
});

test("turns that were rolled back are gone", () => {
  const back = line("event_msg", { type: "thread_rolled_back", num_turns: 2 });
  check(
    [
      meta,
      user("<environment_context>x</environment_context>"),
      user("a"),
      reply("1"),
      user("b"),
      reply("2"),
      back,
      user("c"),
    ],
    "user:<environment_context>x</environment_context> user:c",
  );
});

test("calls of turns that were rolled back are gone too", () => {
  const back = line("event_msg", { type: "thread_rolled_back", num_turns: 1 });
  const main = check(
    [
      meta,
      user("a"),
      reply("1"),
      tokens(9, 70),
      user("b"),
      reply("2"),
      tokens(19, 80),
      back,
      user("c"),
      reply("3"),
      tokens(29, 90),
    ],
    "user:a assistant:1 user:c assistant:3",
  );
  expect(main.calls.map(({ messageCount, usage }) => [messageCount, usage.inputTokens])).toEqual([
    [1, 70],
    [3, 90],
  ]);
});

test("the older form: a header, then bare items", () => {
  const main = check(
    [
      { id: "old", timestamp: "t", instructions: "Be kind.", git: {} },
      { record_type: "state" },
      user("hi").payload,
      call("c1").payload,
      output("c1").payload,
    ],
    "user:hi c1 =c1",
  );
  expect([main.id, (main.body as Fields).instructions]).toEqual(["old", "Be kind."]);
});
