import { expect, test } from "vitest";
import type { Message, Part } from "../message.ts";
import { autoCompactTokens, charsPerToken, microAgentTokens, nousTokens, openclawTokens } from "./chars-per-token.ts";
import type { TokenCounter } from "./tokens.ts";

const text = (length: number): Part => ({ type: "text", text: "x".repeat(length) });
/** Name of 4 characters, JSON input of 11: `{"a":"bcde"}` is 12. */
const CALL: Part = { type: "tool-call", callId: "1", name: "read", input: { a: "bcde" } };
const RESULT: Part = { type: "tool-result", callId: "1", content: [text(5), text(6)], isError: false };
const REASONING: Part = { type: "reasoning", text: "x".repeat(40) };
const IMAGE: Part = { type: "media", kind: "image", source: { type: "base64", data: "A".repeat(40_000) } };

const message = (...parts: readonly Part[]): Message => ({ id: "m", role: "user", parts });

function check(counter: TokenCounter, messages: readonly Message[], expected: number): void {
  expect(counter.total(messages)).toBe(expected);
  const sizes = messages.map((item) => counter.size(item));
  expect(counter.tokens(sizes.reduce((sum, size) => sum + size, 0))).toBe(expected);
}

test("micro-agent rounds the grand total down: three messages of 3 characters are 2 tokens", () =>
  check(microAgentTokens(), [message(text(3)), message(text(3)), message(text(3))], 2));
test("micro-agent counts text, call name and JSON input, result text", () =>
  check(microAgentTokens(), [message(text(3), CALL), message(RESULT)], Math.floor((3 + 4 + 12 + 11) / 4)));
test("micro-agent counts nothing else", () => check(microAgentTokens(), [message(REASONING, IMAGE)], 0));

test("nous rounds each message down and adds 4", () =>
  check(nousTokens(), [message(text(7)), message(text(7))], 2 * (1 + 4)));
test("nous counts an empty message as its overhead", () => check(nousTokens(), [message()], 4));
test("nous serialises what is not text", () => check(nousTokens(), [message(CALL)], Math.floor(16 / 4) + 4));

test("openclaw rounds each message up", () => check(openclawTokens(), [message(text(5)), message(text(5))], 4));
test("openclaw takes a picture for 1,200 tokens and counts reasoning", () =>
  check(openclawTokens(), [message(IMAGE, REASONING)], 1_210));
test("openclaw keeps its margin for chunk sizes and out of the total", () => {
  expect(openclawTokens().safetyMargin).toBe(1.2);
  expect(nousTokens().safetyMargin).toBe(1);
});

test("auto-compact rounds each field down and adds 4", () =>
  check(autoCompactTokens(), [message(text(7), CALL)], 1 + 1 + 3 + 4));

test("auto-compact rounds content once, however many blocks it has (R029)", () =>
  check(
    autoCompactTokens(),
    [message(text(3), text(3)), message(text(2), CALL, text(2), CALL)],
    1 + 4 + (1 + 2 * 4 + 4),
  ));

test("options that cannot be are refused", () => {
  expect(() => charsPerToken({ name: "x", rounding: "total", perMessageOverhead: 4 })).toThrow(/perMessageOverhead/);
  expect(() => charsPerToken({ name: "x", rounding: "message", charsPerToken: 0 })).toThrow(/charsPerToken/);
});
