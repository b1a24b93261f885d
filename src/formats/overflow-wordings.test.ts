import { expect, test } from "vitest";
import { readOverflow } from "./overflow.ts";

/** The shortest forms of wordings, as compatible servers cut them, and what is like them but speaks of other limits. */

test.each([
  "400 The request exceeds the limit of 128000",
  "exceeds the limit of 64000",
  "Range of input length should be respected",
])("%s", (text) => {
  expect(readOverflow(text)).toEqual({});
  expect(readOverflow({ error: { message: text.toUpperCase() } })).toEqual({});
});

test.each([
  "The file you sent exceeds the limit of 20",
  "The body exceeds the limit of 20MB",
  "The request exceeds the limit of 128 tools",
  "Your account exceeds the limit of 50 requests",
])("no overflow: %s", (text) => expect(readOverflow(text)).toBeUndefined());

test.each([
  "The decoder prompt (length 30001) is longer than the maximum model length of 24576. Make sure that `max_model_len` is no smaller than the number of text tokens.",
  "The prompt (total length 30001) is too long to fit into the model (context length 24576).",
])("vLLM: %s", (text) => expect(readOverflow(text)).toEqual({ actualTokens: 30_001, maximumTokens: 24_576 }));

/** Too many bytes: less helps, but it says nothing about the window. */
test.each([
  ["Anthropic", "413 request_too_large: Request exceeds the maximum size"],
  ["status alone, number", 413],
  ["status alone, object", { status: 413 }],
  ["status alone, text", "413 Payload Too Large"],
  ["status in a sentence", "Request failed with status code 413"],
])("body size: %s", (_, error) => expect(readOverflow(error)).toEqual({ isBodySize: true }));

/** Every wording that other agents are known to look for. */
test.each([
  "input is too long for requested model",
  "exceeds the model's maximum context length",
  "maximum prompt length is 8192",
  "reduce the length of the messages",
  "exceeds the maximum allowed input length",
  "input (9000 tokens) is longer than the model's context length",
  "exceeds the available context size",
  "greater than the context length",
  "context window exceeds limit",
  "exceeded model token limit",
  "too large for model with 8192 maximum context length",
  "prompt has 9000 tokens, but the configured context size is 8192",
  "model_context_window_exceeded",
  "prompt exceeds max length",
  "prompt too long; exceeded max context length",
  "context length exceeded",
  "token limit exceeded",
  "context size has been exceeded",
  "tokens in request more than max tokens allowed",
  "ran out of space in the context window",
  "The decoder prompt is longer than the maximum model length",
  "请压缩上下文",
  "400 (no body)",
])("an overflow: %s", (text) => expect(readOverflow(text)).toBeDefined());
