import { describe, expect, test } from "vitest";
import { acceptAnswer } from "./answer.ts";

const prompt = { system: "s", prompt: "p", nonce: "abc123" };
const countText = (text: string): number => text.length / 4;

function reasonFor(text: string, task = "p"): string {
  try {
    return acceptAnswer({ text }, { prompt: { ...prompt, prompt: task }, maxTokens: 1_000, countText }) === text
      ? "accepted"
      : "changed";
  } catch (error) {
    return error instanceof Error && "reason" in error ? String(error.reason) : "thrown";
  }
}

describe("an error report is no summary", () => {
  test.each([
    "Error",
    "Error: 529 overloaded_error",
    "error 500",
    "API Error: the model is overloaded",
    "Error (429): slow down.",
    "Error generating a response. Try again.",
    "Internal Server Error",
    "Internal server error. Please retry.",
    "Service Unavailable",
    "Service temporarily unavailable, retry later",
    "502 Bad Gateway",
    "Bad gateway",
    "Gateway Timeout - try again",
    "Too Many Requests",
    "Too many requests, please slow down.",
    "Rate limit reached for big-model on tokens per min. Limit: 10000 / min.",
    "Rate limit exceeded",
    "Exception: boom",
    "java.lang.NullPointerException: null",
    "Exception in thread main",
    "Traceback (most recent call last):\n  File x",
    "<!DOCTYPE html><html></html>",
    "HTTP/1.1 503 Service Unavailable",
    "Summary unavailable due to context limits. Older messages were truncated.",
    '{"error": {"message": "no credit"}}',
  ])("%s", (text) => expect(reasonFor(text)).toBe("error-text"));
});

describe("a summary that tells of errors is one", () => {
  test.each([
    "Rate limiting was added to the login endpoint, five requests a minute.",
    "Rate limits of the provider were met twice; the user wants a queue.",
    "Exception handling in the login was rewritten.",
    "Too many requests were sent by the crawler, so a delay was added.",
    "The error (ECONNRESET) was traced to the proxy.",
    "Login error (401) was traced to the clock.",
    "Internal server errors were traced to the proxy.",
    "Service unavailable pages are cached now.",
    "HTTP/2 was turned on for the proxy.",
    "An error 500 of the payment service was reproduced.",
  ])("%s", (text) => expect(reasonFor(text)).toBe("accepted"));
});

test("headings that the task gives are repeated, its other lines are not", () => {
  const lines = [
    "Open questions and who answers them",
    "Decisions and the reasons for them",
    "What was tried and did not work",
  ];
  const asked = (marked: (line: string) => string): readonly [string, string] => [
    lines.map((line) => `${marked(line)}\n- the parser`).join("\n\n"),
    `Use this layout:\n\n${lines.map(marked).join("\n")}`,
  ];
  expect(reasonFor(...asked((line) => `## ${line}`))).toBe("accepted");
  expect(reasonFor(...asked((line) => `**${line}**`))).toBe("accepted");
  expect(reasonFor(...asked((line) => line))).toBe("echo");
});
