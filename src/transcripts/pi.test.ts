/** pi and OpenClaw sessions: tree and flat list, results, compaction, edits, other providers' reasoning. */

import { expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { readTranscript } from "./read-transcript.ts";
import type { RecordedConversation, Transcript } from "./transcript.ts";

type Fields = Record<string, unknown>;

const header = { type: "session", version: 3, id: "s1", timestamp: "t", cwd: "/w" };
const entry = (id: string, parentId: string | null, message: Fields) => ({
  type: "message",
  id,
  parentId,
  timestamp: "t",
  message,
});
const user = (id: string, parentId: string | null, text: string) =>
  entry(id, parentId, { role: "user", content: [{ type: "text", text }] });
const say = (text: string) => ({ type: "text", text });
const call = (id: string) => ({ type: "toolCall", id, name: "bash", arguments: { cmd: "ls" } });
const answer = (id: string, parentId: string, content: readonly Fields[], more: Fields = {}) =>
  entry(id, parentId, {
    role: "assistant",
    content,
    api: "anthropic-messages",
    model: "claude-x",
    stopReason: "stop",
    ...more,
  });
const result = (id: string, parentId: string, toolCallId: string, more: Fields = {}) =>
  entry(id, parentId, {
    role: "toolResult",
    toolCallId,
    toolName: "bash",
    content: [say(`out ${toolCallId}`)],
    isError: false,
    ...more,
  });

const read = (lines: readonly unknown[]): Transcript =>
  readTranscript(lines.map((line) => JSON.stringify(line)).join("\n"));

function script(messages: readonly unknown[]): string {
  return messages
    .map((message) => {
      const { role, content } = message as { role: string; content: Fields[] };
      const words = content.map((block) => {
        if (block.type === "tool_result") return `${block.is_error === true ? "!" : "="}${block.tool_use_id}`;
        return String(block.text ?? block.id ?? block.type).replaceAll(/\s+/g, " ");
      });
      return `${role[0]}:${words.join("+")}`;
    })
    .join(" ");
}

function check(lines: readonly unknown[], expected: string): RecordedConversation {
  const transcript = read(lines);
  expect(transcript.source).toBe("pi");
  const main = transcript.conversations[0] as RecordedConversation; // a transcript is never empty
  expect(script((main.body as { messages: unknown[] }).messages)).toBe(expected);
  return main;
}

const SUMMARY =
  "u:The conversation history before this point was compacted into the following summary: <summary> S </summary>";

test("the branch of the last entry, results in one message, usage summed", () => {
  const usage = { input: 3, output: 5, cacheRead: 20, cacheWrite: 7, totalTokens: 35 };
  const main = check(
    [
      header,
      { type: "model_change", id: "m", parentId: null, timestamp: "t", provider: "anthropic", modelId: "claude-x" },
      user("u1", "m", "hi"),
      answer("a0", "u1", [say("left branch")]),
      answer("a1", "u1", [say("both"), call("c1"), call("c2")], { usage, stopReason: "toolUse" }),
      result("r1", "a1", "c1"),
      result("r2", "r1", "c2", { isError: true }),
      answer("a2", "r2", [say("done")], { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }),
    ],
    "u:hi a:both+c1+c2 u:=c1+!c2 a:done",
  );
  expect(main).toMatchObject({ id: "s1", format: "anthropic-messages", models: ["claude-x"] });
  const counted = { inputTokens: 30, cacheReadTokens: 20, cacheWriteTokens: 7, outputTokens: 5, reasoningTokens: 0 };
  expect(main.calls).toEqual([{ segment: 0, messageCount: 1, model: "claude-x", usage: counted }]);
});

test("aborted answers keep what they said; empty ones vanish", () =>
  check(
    [
      header,
      user("u1", null, "hi"),
      answer("a1", "u1", [], { stopReason: "aborted" }),
      user("u2", "a1", "again"),
      answer("a2", "u2", [say("part"), call("c1")], { stopReason: "aborted" }),
      user("u3", "a2", "stop"),
    ],
    "u:hi u:again a:part+c1 u:stop",
  ));

test("the older flat form needs no ids", () => {
  const flat = (lines: readonly Fields[]) => lines.map(({ id: _, parentId: __, ...rest }) => rest);
  check(
    [
      { type: "session", id: "s1", timestamp: "t", cwd: "/w" },
      ...flat([user("u1", null, "hi"), answer("a1", "u1", [say("one")]), user("u2", "a1", "on")]),
      { type: "compaction", timestamp: "t", summary: "S", firstKeptEntryIndex: 3, tokensBefore: 9 },
      ...flat([user("u3", "x", "next")]),
    ],
    `${SUMMARY} u:on u:next`,
  );
});

const compaction = (id: string, parentId: string, firstKeptEntryId: string) => ({
  type: "compaction",
  id,
  parentId,
  timestamp: "t",
  summary: "S",
  firstKeptEntryId,
  tokensBefore: 99,
});

test("the last compaction on the path rules; kept answers are counted once", () => {
  const usage = { input: 3, output: 5, cacheRead: 0, cacheWrite: 0 };
  const main = check(
    [
      header,
      user("u1", null, "hi"),
      answer("a1", "u1", [say("one")], { usage }),
      compaction("k1", "a1", "a1"),
      user("u2", "k1", "two"),
      answer("a2", "u2", [say("three")], { usage }),
      compaction("k2", "a2", "u2"),
      user("u3", "k2", "four"),
    ],
    `${SUMMARY} u:two a:three u:four`,
  );
  expect(main.segments.map(({ messages }) => script(messages)).slice(0, 2)).toEqual([
    "u:hi a:one",
    `${SUMMARY} a:one u:two a:three`,
  ]);
  expect(main.calls.map(({ segment, messageCount }) => [segment, messageCount])).toEqual([
    [0, 1],
    [1, 3],
  ]);
  expect(main.compactions[1]).toEqual({ afterSegment: 1, tokensBefore: 99, summary: "S" });
});

test("a compaction on a branch that was left does not count", () =>
  check([header, user("u1", null, "hi"), compaction("k1", "u1", "u1"), user("u2", "u1", "on")], "u:hi u:on"));

test("edits replace or remove what they name", () =>
  check(
    [
      header,
      user("u1", null, "hi"),
      answer("a1", "u1", [call("c1")]),
      result("r1", "a1", "c1"),
      user("u2", "r1", "secret"),
      { type: "context_edit", id: "e1", parentId: "u2", targetId: "u2", replacement: null },
      { type: "context_edit", id: "e2", parentId: "e1", targetId: "u1", replacement: "hello" },
    ],
    "u:hello a:c1 u:=c1",
  ));

test("shell runs, custom messages and branch summaries are user text; hidden runs are not", () =>
  check(
    [
      header,
      entry("b1", null, { role: "bashExecution", command: "ls", output: "a.txt", exitCode: 2 }),
      entry("b2", "b1", { role: "bashExecution", command: "env", output: "x", excludeFromContext: true }),
      { type: "custom_message", id: "x", parentId: "b2", timestamp: "t", customType: "note", content: "note" },
      { type: "branch_summary", id: "y", parentId: "x", timestamp: "t", fromId: "b1", summary: "B" },
    ],
    "u:The user ran `ls`: a.txt (exit code 2) u:note u:Summary of a branch that was left: <summary> B </summary>",
  ));

test("reasoning: signed by Anthropic stays, redacted stays opaque, foreign becomes text; foreign ids are made legal", () => {
  const main = check(
    [
      header,
      user("u1", null, "hi"),
      answer("a1", "u1", [
        { type: "thinking", thinking: "hm", thinkingSignature: "sig" },
        { type: "thinking", thinking: "", thinkingSignature: "data", redacted: true },
        say("one"),
      ]),
      answer("a2", "a1", [{ type: "thinking", thinking: "foreign", thinkingSignature: "{}" }, call("call_1|fc_1")], {
        api: "openai-responses",
      }),
      result("r1", "a2", "call_1|fc_1", { content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
    ],
    "u:hi a:thinking+redacted_thinking+one a:foreign+call_1_fc_1 u:=call_1_fc_1",
  );
  const { messages } = main.body as { messages: { content: Fields[] }[] };
  expect(messages[1]?.content.slice(0, 2)).toEqual([
    { type: "thinking", thinking: "hm", signature: "sig" },
    { type: "redacted_thinking", data: "data" },
  ]);
  expect(messages[3]?.content[0]?.content).toEqual([
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  ]);
});

test("OpenClaw is told by its name; a parent that is a call id follows the entry before", () => {
  const transcript = read([
    { ...header, cwd: "/home/u/.openclaw/workspace" },
    user("u1", "s1", "hi"),
    answer("a1", "u1", [call("c1")]),
    result("r1", "c1", "c1"),
    entry("y", "r1", { role: "oracle", content: "?" }),
    { type: "novelty", id: "z", parentId: "y" },
  ]);
  expect(transcript.source).toBe("openclaw");
  expect(script(transcript.conversations[0]?.segments[0]?.messages ?? [])).toBe("u:hi a:c1 u:=c1");
  expect(transcript.records.unknown).toEqual({ "message oracle": 1, novelty: 1 });
});

/** As a `toolResult` of pi's and as a block of Anthropic's own. */
function checkResult(content: unknown, expected: unknown): void {
  const block = { type: "tool_result", tool_use_id: "a", content };
  const forms = [result("3", "2", "a", { content }), entry("3", "2", { role: "user", content: [block] })];
  for (const form of forms) {
    const [main] = read([header, user("1", null, "go"), answer("2", "1", [call("a")]), form]).conversations;
    const { messages } = (main as RecordedConversation).body as { messages: { content: Fields[] }[] }; // never empty
    expect(messages[2]?.content[0]?.content).toEqual(expected);
    expect(anthropicMessages.validate(main?.body)).toEqual([]);
  }
}

test("a result that is no text and no list is read as what can be sent", () => {
  checkResult(null, undefined);
  checkResult([], undefined);
  checkResult([null, say("out")], [say("out")]);
  checkResult({ files: 3 }, [say('{"files":3}')]);
  checkResult(12, [say("12")]);
});
