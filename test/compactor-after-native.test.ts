import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor, type NativeAnswer } from "../src/compactor.ts";
import type { JsonArray, JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";
import { anthropicBody, json, NATIVE, responsesBody, work } from "./native-bodies.ts";
import { compactMessages, compactResponses } from "./native-server.ts";

/** X24: a summary of ours in a conversation that its provider has compacted before. */

/** Both answer as the endpoints do; the first may be told what to say. */
const anthropic = (options: Partial<CompactorOptions> = {}, answer: (body: JsonObject) => unknown = compactMessages) =>
  createCompactor({
    format: anthropicMessages,
    native: { kind: "anthropic-compact", compact: async (request) => answer(request as JsonObject) as NativeAnswer },
    ...NATIVE,
    ...options,
  });
const responses = (options: Partial<CompactorOptions> = {}) =>
  createCompactor({
    format: openaiResponses,
    native: {
      kind: "responses-compact",
      // What is sent is JSON, and the answer has the endpoint's form.
      compact: async (request) => compactResponses(request as JsonObject) as NativeAnswer,
    },
    ...NATIVE,
    ...options,
  });

test("leaves the provider's item where it is", async () => {
  const first = await responses().compact(responsesBody(6));
  const more = { ...first.request, input: [...first.request.input, ...responsesBody(6).input] };
  const { request, report } = await responses({ compact: { strategy: "summarize" } }).compact(more);
  expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 }, notes: [] });
  expect(request.input).toContainEqual(first.request.input.find(({ type }) => type === "compaction"));
});

test.each(["pair", "merge-first-user"] as const)(
  "%s: stands behind it, for the provider reads nothing before",
  async (renderer) => {
    const body = anthropicBody(8);
    // As the provider leaves it in the midst of a conversation: unsigned, at the start of an answer with a call.
    const block = { type: "compaction", content: "Parts 0 and 1 are done.", encrypted_content: "e" };
    const messages = body.messages.map((message, index) =>
      index === 9 ? { ...message, content: [block, ...(message.content as JsonArray)] } : message,
    );
    const { request, report } = await anthropic({
      compact: { strategy: "summarize" },
      protect: { ...NATIVE.protect, firstUser: true },
      render: { renderer },
    }).compact({ ...body, messages });
    expect(report.compacted).toBe(true);
    expect(report.notes.join()).not.toContain("compacted itself");
    const shown = request.messages.map((message) => json(message));
    const at = shown.findIndex((message) => message.includes("encrypted_content"));
    expect(at).toBeGreaterThanOrEqual(0);
    expect(shown.findIndex((message) => message.includes("module-3"))).toBeGreaterThan(at);
    expect(anthropicMessages.validate(request)).toEqual([]);
  },
);

test("where there is no room for it, what can be read of it is summarised, and that is said", async () => {
  const content = `${work(77)} The port is 5432. `.repeat(9);
  const answer = () => ({ content: [{ type: "compaction", content, signature: "c2ln" }] });
  const first = await anthropic({}, answer).compact(anthropicBody(12));
  const more = { ...first.request, messages: [...first.request.messages, ...anthropicBody(2).messages] };
  const summarizing = anthropic({ compact: { strategy: "summarize" } });
  const { request, report } = await summarizing.compact(more, { target: { tokens: 600 } });
  expect(report.compacted).toBe(true);
  expect(report.notes[0]).toMatch(/provider had compacted itself had to go/);
  expect(json(request.messages)).not.toContain('"compaction"');
  expect(json(request.messages)).toContain("src/module-77.ts");
  expect(anthropicMessages.validate(request)).toEqual([]);
});

test.each([{}, { encrypted_content: null }])(
  "an attempt of the provider's that failed stands for nothing: %j",
  async (rest) => {
    const body = anthropicBody(8);
    const failed = { type: "compaction", content: null, ...rest };
    const messages = body.messages.map((message, index) =>
      index === body.messages.length - 1
        ? { ...message, content: [failed, ...(message.content as JsonArray)] }
        : message,
    );
    const native = await anthropic().compact({ ...body, messages });
    expect(native.report).toMatchObject({ compacted: true, steps: { native: 1 } });
    const summarized = await anthropic({ compact: { strategy: "summarize" } }).compact({ ...body, messages });
    expect(summarized.report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
    // What was before stands before what stayed.
    expect(json(summarized.request.messages[0])).toContain("module-3");
    expect(json(summarized.request.messages.at(-1))).toContain('"compaction"');
    expect(anthropicMessages.validate(summarized.request)).toEqual([]);
  },
);
