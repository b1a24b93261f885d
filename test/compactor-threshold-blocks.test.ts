import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor, type NativeAnswer } from "../src/compactor.ts";
import type { JsonArray, JsonObject } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";
import { anthropicBody, json, NATIVE, responsesBody } from "./native-bodies.ts";
import { compactResponses } from "./native-server.ts";

/** What a provider compacts by itself, unasked, while its own on-demand compaction is the strategy: nothing before that is read. */

const WINDOW_TOKENS = 4_000;
const never = (): Promise<NativeAnswer> => Promise.reject(new Error("nobody was to be asked"));

function compactorFor(format: Format, options: Partial<CompactorOptions> = {}) {
  const kind = format === anthropicMessages ? "anthropic-compact" : "responses-compact";
  return createCompactor({
    format,
    native: { kind, compact: never },
    ...NATIVE,
    windowTokens: WINDOW_TOKENS,
    ...options,
  });
}

const block = { type: "compaction", content: "Parts so far are done.", encrypted_content: "e" };

/** The provider's block at the start of the answer of that turn. */
function anthropicWith(turns: number, turn: number): { messages: JsonObject[] } & JsonObject {
  const body = anthropicBody(turns);
  const messages = body.messages.map((message, index) =>
    index === turn * 4 + 1 ? { ...message, content: [block, ...(message.content as JsonArray)] } : message,
  );
  return { ...body, model: "claude-opus-4-8", messages };
}

/** Its item at the start of that turn's output. */
function responsesWith(turns: number, turn: number): { input: JsonObject[] } & JsonObject {
  const body = responsesBody(turns);
  const item = { type: "compaction", id: "cmp_1", encrypted_content: "gAAAA" };
  return { ...body, input: body.input.toSpliced(turn * 5 + 1, 0, item) };
}

describe("what stands before it goes without a call", () => {
  test("Anthropic: the block and what follows are as they were", async () => {
    const body = anthropicWith(12, 11);
    const compactor = compactorFor(anthropicMessages, { protect: { ...NATIVE.protect, tailMessages: 3 } });
    const { request, report } = await compactor.compact(body);
    expect(report).toMatchObject({ compacted: true, steps: { drop: 1 }, calls: 0, fallbacks: [] });
    expect(report.notes).toEqual([expect.stringContaining("ends-with-assistant")]);
    expect(json(request.messages)).toBe(json(body.messages.slice(-3)));
    expect(anthropicMessages.validate(request)).toEqual([]);
    const again = await compactor.compact(request);
    expect(again.report).toMatchObject({ compacted: false });
    expect(again.request).toEqual(request);
  });

  test("Responses: the item and what follows are as they were", async () => {
    const body = responsesWith(12, 11);
    const { request, report } = await compactorFor(openaiResponses).compact(body);
    expect(report).toMatchObject({ compacted: true, steps: { drop: 1 }, calls: 0, fallbacks: [], notes: [] });
    expect(json(request.input)).toBe(json(body.input.slice(-5)));
    expect(openaiResponses.validate(request)).toEqual([]);
  });

  test("what is pinned or protected stays", async () => {
    const body = anthropicWith(12, 11);
    const protect = { ...NATIVE.protect, firstUser: true };
    const { request } = await compactorFor(anthropicMessages, { protect }).compact(body, { pinned: [4] });
    expect(json(request.messages)).toBe(json([body.messages[0], body.messages[4], ...body.messages.slice(-4)]));
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  test("a block that is the newest of what may go stays itself", async () => {
    const body = anthropicBody(12);
    const messages = body.messages.map((message, index) =>
      index === 43 ? { role: "assistant", content: [block, { type: "text", text: "Part 10 is done." }] } : message,
    );
    const { request } = await compactorFor(anthropicMessages).compact({ ...body, messages });
    expect(json(request.messages[0])).toBe(json(messages[43]));
    expect(request.messages).toHaveLength(5);
  });
});

test("users' messages in front of an item that was asked for are a part of it", async () => {
  const compact = async (request: unknown) => compactResponses(request as JsonObject) as NativeAnswer;
  const native = { kind: "responses-compact", compact };
  const first = await compactorFor(openaiResponses, { native }).compact(responsesBody(12));
  expect(first.report).toMatchObject({ compacted: true, steps: { native: 1 } });
  const { request, report } = await compactorFor(openaiResponses).compact(first.request);
  expect(report).toMatchObject({ compacted: false });
  expect(json(request)).toBe(json(first.request));
});

test("a conversation that its provider compacts again and again stays below the window, and its prefix as it was sent", async () => {
  const compactor = compactorFor(anthropicMessages);
  const source = anthropicBody(40).messages;
  const messages: JsonObject[] = [];
  let passes = 0;
  let before: readonly JsonObject[] = [];
  for (const [index, message] of source.entries()) {
    // Always a newer one among the messages that stay.
    const isAnswer = index % 4 === 3;
    messages.push(isAnswer ? { role: "assistant", content: [block, ...(message.content as JsonArray)] } : message);
    if (index % 4 === 1) continue; // A call that was not answered yet.
    const { request, report } = await compactor.fit({ model: "claude-opus-4-8", messages: [...messages] });
    expect(report.tokensAfter, `message ${index}`).toBeLessThan(WINDOW_TOKENS);
    expect(anthropicMessages.validate(request)).toEqual([]);
    if (report.compacted) passes++;
    else expect(json(request.messages.slice(0, before.length))).toBe(json(before));
    before = request.messages;
  }
  expect(passes).toBeGreaterThan(1);
});
