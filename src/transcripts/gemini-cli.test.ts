/** Gemini CLI sessions, as one document and as lines with updates. */

import { expect, test } from "vitest";
import { readTranscript } from "./read-transcript.ts";
import type { RecordedConversation } from "./transcript.ts";

const user = (id: string, content: unknown) => ({ id, timestamp: "t", type: "user", content });
const gemini = (id: string, content: unknown, more: Record<string, unknown> = {}) => ({
  id,
  timestamp: "t",
  type: "gemini",
  content,
  thoughts: [{ description: "hm" }],
  model: "gemini-x",
  ...more,
});
const toolCall = (id: string, result: unknown) => ({ id, name: "ls", args: { path: "." }, status: "success", result });
const response = (id: string) => ({ functionResponse: { id, name: "ls", response: { output: "a.txt" } } });
const header = { sessionId: "s1", projectHash: "h", startTime: "t", lastUpdated: "t" };

function check(text: string, expected: unknown): RecordedConversation {
  const transcript = readTranscript(text);
  expect(transcript.source).toBe("gemini-cli");
  const main = transcript.conversations[0] as RecordedConversation; // a transcript is never empty
  expect((main.body as { contents: unknown }).contents).toEqual(expected);
  return main;
}

const lines = (records: readonly unknown[]) => records.map((record) => JSON.stringify(record)).join("\n");

test("calls, results and usage of a document", () => {
  const tokens = { input: 100, output: 5, cached: 40, thoughts: 3, tool: 2, total: 110 };
  const main = check(
    JSON.stringify({
      ...header,
      messages: [
        user("1", "list"),
        { id: "n", type: "info", content: "update available" },
        gemini("2", "ok", { tokens, toolCalls: [toolCall("c1", [response("c1")]), toolCall("c2", null)] }),
        gemini("3", "done"),
      ],
    }),
    [
      { role: "user", parts: [{ text: "list" }] },
      {
        role: "model",
        parts: [
          { text: "ok" },
          { functionCall: { id: "c1", name: "ls", args: { path: "." } } },
          { functionCall: { id: "c2", name: "ls", args: { path: "." } } },
        ],
      },
      { role: "user", parts: [response("c1")] },
      { role: "model", parts: [{ text: "done" }] },
    ],
  );
  expect(main).toMatchObject({ id: "s1", format: "gemini", models: ["gemini-x"] });
  expect(main.calls).toEqual([
    {
      segment: 0,
      messageCount: 1,
      model: "gemini-x",
      usage: { inputTokens: 102, cacheReadTokens: 40, cacheWriteTokens: 0, outputTokens: 8, reasoningTokens: 3 },
    },
  ]);
});

test("lines: a message written again replaces itself, a rewind takes back, a set replaces all", () => {
  const base = [header, user("1", [{ text: "hi" }]), gemini("2", "he"), gemini("2", "hello"), user("3", "oops")];
  const hi = { role: "user", parts: [{ text: "hi" }] };
  check(lines([...base, { $rewindTo: "3" }, { $set: { lastUpdated: "t2" } }]), [
    hi,
    { role: "model", parts: [{ text: "hello" }] },
  ]);
  check(lines([...base, { $set: { messages: [user("9", "new")] } }]), [{ role: "user", parts: [{ text: "new" }] }]);
});

test("two prompts in a row are one content, so that roles alternate", () =>
  check(lines([header, user("1", "a"), user("2", "b")]), [{ role: "user", parts: [{ text: "a" }, { text: "b" }] }]));

test("one part in place of a list is looked at like the parts of one", () =>
  check(lines([header, user("1", { text: "a" }), gemini("2", { text: "hm", thought: true }), gemini("3", "b")]), [
    { role: "user", parts: [{ text: "a" }] },
    { role: "model", parts: [{ text: "b" }] },
  ]));
