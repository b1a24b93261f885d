import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Conversation, Message, Part } from "../message.ts";
import { cipherTokens, countConversation, estimateTokens, messageCounter } from "./tokens.ts";

/** One token per character and 100 per picture, so that every number can be read off. */
const counter = messageCounter({
  name: "characters",
  countText: (text) => text.length,
  countMedia: () => 100,
  perMessageTokens: 1_000,
  perCallTokens: 10_000,
  perResultTokens: 20_000,
  perToolTokens: 3,
  toolsPreambleTokens: 7,
});

const message = (...parts: readonly Part[]): Message => ({ id: "m", role: "user", parts });
const opaque = (wire: JsonObject): Part => ({ type: "opaque", kind: "x", wire });
const check = (part: Part, expected: number): void => {
  expect(counter.countParts([part])).toBe(expected);
  expect(counter.count(message(part))).toBe(expected + 1_000);
};

const BYTES = "QUJD".repeat(10_000);

describe("what is counted", () => {
  test("text", () => check({ type: "text", text: "hello" }, 5));
  test("reasoning text", () => check({ type: "reasoning", text: "because" }, 7));
  test("a call: name and JSON", () => check({ type: "tool-call", name: "read", input: { a: 1 } }, 10_000 + 4 + 7));
  test("a call with free text", () => check({ type: "tool-call", name: "run", input: "ls -l" }, 10_000 + 3 + 5));
  test("a result: all of its content", () =>
    check(
      {
        type: "tool-result",
        content: [
          { type: "text", text: "abc" },
          { type: "media", kind: "image", source: { type: "base64", data: BYTES } },
        ],
        isError: false,
      },
      20_000 + 3 + 100,
    ));
  test("a picture, never its bytes", () =>
    check({ type: "media", kind: "image", source: { type: "base64", data: BYTES } }, 100));
  test("a document that is text", () =>
    check({ type: "media", kind: "document", source: { type: "text", text: "abcd" } }, 4));
  test("an opaque part: its JSON", () => check(opaque({ type: "x", n: 1 }), 18));
});

describe("bytes inside an opaque part", () => {
  const empty = JSON.stringify({ v: "" }).length;
  test("a data URL is a picture", () => check(opaque({ v: `data:image/png;base64,${BYTES}` }), empty + 100));
  test("a PNG without a label is a picture", () => check(opaque({ v: `iVBORw0KGgo${BYTES}` }), empty + 100));
  test("other base64 is ciphertext", () => check(opaque({ v: BYTES }), empty + Math.round(cipherTokens(BYTES.length))));
  test("deep inside", () =>
    check(opaque({ a: [{ b: `data:image/gif;base64,${BYTES}` }] }), JSON.stringify({ a: [{ b: "" }] }).length + 100));
  test("a signature is ciphertext however short", () =>
    check(
      opaque({ signature: "A".repeat(400) }),
      JSON.stringify({ signature: "" }).length + Math.round(cipherTokens(400)),
    ));
  test("a long text is text", () => {
    const prose = "not base64, with spaces ".repeat(50);
    check(opaque({ v: prose }), JSON.stringify({ v: prose }).length);
  });
});

describe("ciphertext", () => {
  test("a signature counts when it hides more than the text shows", () =>
    check({ type: "reasoning", text: "", signature: "A".repeat(4_000) }, Math.round((3_000 - 172) / 4)));
  test("and not besides the text it signs", () =>
    check({ type: "reasoning", text: "x".repeat(900), signature: "A".repeat(1_430) }, 900));
  test("an envelope alone hides nothing", () => expect(cipherTokens(200)).toBe(0));
  test("encrypted reasoning", () =>
    check({ type: "reasoning", text: "", encrypted: "A".repeat(8_000) }, Math.round((6_000 - 172) / 4)));
});

describe("around the messages", () => {
  test("tools: JSON, each, and once", () => {
    expect(counter.countTools([{ a: 1 }, { b: 2 }])).toBe(7 + 2 * 3 + JSON.stringify([{ a: 1 }, { b: 2 }]).length);
    expect(counter.countTools([])).toBe(0);
    expect(counter.countTools(undefined)).toBe(0);
  });
  test("a conversation is the sum of its parts", () => {
    const conversation: Conversation = {
      format: "openai-chat",
      system: [{ type: "text", text: "be kind" }],
      tools: [{ a: 1 }],
      messages: [message({ type: "text", text: "hi" }), message({ type: "text", text: "there" })],
    };
    expect(countConversation(conversation, counter)).toEqual({
      systemTokens: 7,
      toolsTokens: 7 + 3 + 9,
      messagesTokens: 2_007,
      totalTokens: 7 + 19 + 2_007,
    });
  });
});

describe("the default", () => {
  test("whole numbers that add up", () => {
    const estimate = estimateTokens({ format: "openai-chat" });
    const messages = ["one", "two words", "three more words"].map((text) => message({ type: "text", text }));
    for (const item of messages) expect(Number.isInteger(estimate.count(item))).toBe(true);
    const sum = messages.reduce((total, item) => total + estimate.size(item), 0);
    expect(estimate.tokens(sum)).toBe(estimate.total(messages));
    expect(estimate.total(messages)).toBe(3 * 3 + 1 + 2 + 3);
  });
  describe("knows the tokenizer of a model by its name", () => {
    const prose = "The quick brown fox jumps over the lazy dog. ".repeat(100);
    const cipher = "QUJDRA==".repeat(500);
    const page = { type: "media", kind: "document", source: { type: "file", fileId: "f" } } as const;
    const parts: readonly Part[] = [
      { type: "text", text: prose },
      { type: "reasoning", text: "", signature: cipher },
      { type: "tool-result", content: [{ type: "text", text: prose }], isError: false },
      { type: "opaque", kind: "redacted_thinking", wire: { type: "redacted_thinking", encrypted_content: cipher } },
    ];
    const counter = (model?: string) =>
      estimateTokens({ format: "anthropic-messages", perResultTokens: 0, ...(model !== undefined && { model }) });
    const plain = counter().countParts(parts);

    test.each([
      ["claude-opus-4-7", 1.3],
      ["anthropic/claude-opus-4.8", 1.3],
      ["us.anthropic.claude-opus-5-5-20260901-v1:0", 1.3],
      ["claude-mythos-preview", 1.3],
      ["claude-haiku-5-5", 1.3],
      ["claude-opus-latest", 1.3],
      ["claude-opus-4-6", 1],
      ["claude-opus-4-20250514", 1],
      ["claude-sonnet-4-5-20250929", 1],
      ["claude-3-7-sonnet-latest", 1],
      ["anthropic.claude-v2:1", 1],
      ["gpt-6-sol", 1],
      ["my-deployment", 1],
      ["", 1],
    ])("%s", (model, factor) => {
      const counted = counter(model);
      expect(counted.countParts(parts) / plain).toBeCloseTo(factor, 2);
      expect(counted.countText(prose) / counter().countText(prose)).toBeCloseTo(factor, 2);
      expect(counted.countJson({ prose }) / counter().countJson({ prose })).toBeCloseTo(factor, 2);
    });
    test("a page's text, and not its picture", () =>
      expect(counter("claude-opus-4-7").countParts([page]) - counter().countParts([page])).toBe(10 * 700 * 0.3));
    test("a tokenizer that is given is taken at its word", () => {
      const own = messageCounter({ name: "own", countText: (text) => text.length, model: "claude-opus-5" });
      expect(own.countText("four")).toBe(4);
    });
  });
  test("Anthropic adds more around a call than OpenAI", () => {
    const call = message({ type: "tool-call", name: "read", input: {} });
    const tokens = (format: "anthropic-messages" | "openai-chat"): number => estimateTokens({ format }).count(call);
    expect(tokens("anthropic-messages")).toBeGreaterThan(tokens("openai-chat") + 30);
  });
});
