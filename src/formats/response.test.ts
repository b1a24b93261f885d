import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { formatNamed, formatNames } from "../formats.ts";

function check(name: FormatName, response: unknown, expected: readonly JsonValue[] | undefined): void {
  const format = formatNamed(name);
  const messages = format.readReply(response);
  expect(messages).toEqual(expected);
  if (messages === undefined) format.decode([response]);
  else expect(format.decode(messages).messages).toHaveLength(messages.length);
}

/** Refused, and the message says this. */
function refuses(name: FormatName, response: unknown, said: RegExp): void {
  const read = (): unknown => formatNamed(name).readReply(response);
  expect(read).toThrow(said);
  expect(read).toThrow(expect.objectContaining({ code: "invalid-request" }));
}

const call = { type: "tool_use", id: "toolu_1", name: "bash", input: {} };

test("Anthropic: the content, in a message of the assistant", () => {
  const response = { id: "msg_1", type: "message", role: "assistant", content: [call], usage: { input_tokens: 1 } };
  check("anthropic-messages", response, [{ role: "assistant", content: [call] }]);
  check("anthropic-messages", { ...response, content: [] }, []);
  check("anthropic-messages", { role: "user", content: "hi" }, undefined);
  check("anthropic-messages", { ...response, role: "user" }, undefined);
});

test("Chat: the first choice's message as it is", () => {
  const message = { role: "assistant", content: "", refusal: null };
  check("openai-chat", { object: "chat.completion", choices: [{ index: 0, message }] }, [message]);
  check("openai-chat", { choices: [{ message: { content: "hi" } }] }, [{ content: "hi", role: "assistant" }]);
  check("openai-chat", message, undefined);
});

test("Responses: every output item, reasoning too", () => {
  const output = [
    { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" },
    {
      type: "message",
      id: "msg_1",
      role: "assistant",
      content: [{ type: "output_text", text: "hi", annotations: [] }],
    },
  ];
  check("openai-responses", { object: "response", output }, output);
  check("openai-responses", { type: "message", role: "user", content: "hi" }, undefined);
});

test("Gemini: the candidate's content, with the role it may lack", () => {
  const parts = [{ text: "hi", thoughtSignature: "s" }];
  const candidates = [{ content: { parts }, finishReason: "STOP" }];
  check("gemini", { candidates }, [{ role: "model", parts }]);
  check("gemini", { response: { candidates } }, [{ role: "model", parts }]);
  check("gemini", { role: "user", parts }, undefined);
});

test("a finished answer that says nothing is no message", () => {
  const silent = { role: "assistant", content: null, refusal: null, tool_calls: [] };
  for (const finish_reason of ["stop", "content_filter", "length"]) {
    check("openai-chat", { choices: [{ finish_reason, message: silent }] }, []);
  }
  check("openai-responses", { object: "response", status: "completed", output: [] }, []);
  check("openai-responses", { object: "response", status: "incomplete", output: [] }, []);
  for (const finishReason of ["STOP", "MAX_TOKENS"]) {
    check("gemini", { candidates: [{ finishReason }] }, []);
    check("gemini", { candidates: [{ finishReason, content: { role: "model" } }] }, []);
    check("gemini", { candidates: [{ finish_reason: finishReason, content: { parts: [] } }] }, []);
  }
});

test("Responses: one that is not finished, or failed, is no answer", () => {
  const response = { object: "response", output: [{ type: "reasoning", id: "rs_1", summary: [] }] };
  refuses("openai-responses", { ...response, status: "in_progress" }, /not finished \(in_progress\)/);
  refuses("openai-responses", { ...response, status: "queued" }, /not finished \(queued\)/);
  refuses("openai-responses", { ...response, status: "cancelled" }, /no answer: it was cancelled/);
  const error = { code: "server_error", message: "Out of luck." };
  refuses("openai-responses", { ...response, status: "failed", error }, /error of the provider.*: Out of luck\./);
  refuses("openai-responses", { ...response, status: "failed", error: null }, /error of the provider and no answer\./);
  refuses("openai-responses", { id: "resp_1", object: "response", status: "queued" }, /not finished/);
  // Whatever has an id and no type would be a reference to an item.
  refuses("openai-responses", { id: "chatcmpl-1", object: "chat.completion", choices: [] }, /a chat\.completion/);
});

test("Chat: choices that hold no message are no answer", () => {
  const message = { role: "assistant", content: "" };
  refuses("openai-chat", { choices: [] }, /gave no answer/);
  refuses("openai-chat", { choices: [], error: { message: "busy" } }, /no answer: busy/);
  refuses("openai-chat", { choices: [{ index: 0 }] }, /gave no answer/);
  const upstream = { code: 502, message: "upstream" };
  refuses("openai-chat", { choices: [{ finish_reason: "error", message, error: upstream }] }, /no answer: upstream/);
  refuses("openai-chat", { choices: [{ finish_reason: "error", message }] }, /error of the provider and no answer\./);
  refuses("openai-chat", { object: "text_completion", choices: [{ text: "hi" }] }, /a text_completion/);
  refuses("openai-chat", { choices: [{ text: "hi", index: 0 }] }, /a text_completion/);
});

test("Gemini: a candidate that was stopped before it said anything is no answer", () => {
  refuses("gemini", { candidates: [] }, /gave no answer/);
  refuses("gemini", { candidates: [], promptFeedback: { blockReason: "SAFETY" } }, /blocked \(SAFETY\)/);
  refuses("gemini", { candidates: [{ finishReason: "SAFETY", index: 0 }] }, /ended with SAFETY/);
  refuses("gemini", { candidates: [{ finish_reason: "RECITATION", content: { parts: [] } }] }, /ended with RECITATION/);
  refuses(
    "gemini",
    { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] },
    /MALFORMED_FUNCTION_CALL/,
  );
  refuses("gemini", { response: { candidates: [] } }, /gave no answer/);
  refuses("gemini", { candidates: [{ index: 0 }] }, /gave no answer/);
});

test("Gemini: what is neither content nor response is no part of the user's", () => {
  for (const other of [{ foo: 1 }, {}, { response: "x" }, { type: "message", content: "hi" }]) {
    refuses("gemini", other, /neither a content nor a part nor a response/);
  }
  check("gemini", { executable_code: { code: "1" } }, undefined);
  check("gemini", { thoughtSignature: "s" }, undefined);
  check("gemini", { parts: [{ foo: 1 }] }, undefined);
});

test("an error is no answer, and no message either", () => {
  const error = { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" };
  for (const name of formatNames) {
    refuses(name, { error }, /error of the provider and no answer: The model is overloaded\./);
    refuses(name, { error: "overloaded" }, /no answer: overloaded\./);
    refuses(name, { type: "error", error }, /no answer/);
  }
  refuses("openai-responses", { type: "error", code: "server_error", message: "x".repeat(5_000) }, /^.{0,400}$/);
  const failedCall = { type: "mcp_call", id: "mcp_1", name: "read", arguments: "{}", error: { message: "no" } };
  check("openai-responses", failedCall, undefined);
});

test("Gemini: a response without candidates is no part of the user's", () => {
  refuses("gemini", { promptFeedback: { blockReason: "SAFETY" } }, /blocked \(SAFETY\)/);
  refuses("gemini", { prompt_feedback: { block_reason: "OTHER" } }, /blocked \(OTHER\)/);
  refuses("gemini", { usageMetadata: { promptTokenCount: 4 }, modelVersion: "m" }, /gave no answer/);
  check("gemini", { inlineData: { mimeType: "image/png", data: "AAAA" } }, undefined);
});

test("pieces of a stream are refused", () => {
  const delta = { object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "x" } }] };
  refuses("openai-chat", delta, /piece of a streamed answer/);
  refuses("openai-chat", { choices: delta.choices }, /piece of a streamed answer/);
  const events = ["message_start", "content_block_delta", "message_delta", "message_stop", "ping"];
  for (const type of events) refuses("anthropic-messages", { type }, new RegExp(`${type}, a piece of a streamed`));
  refuses("openai-responses", { type: "response.output_text.delta", delta: "x" }, /piece of a streamed answer/);
});

test("what a stream has brought so far is no answer yet", () => {
  const snapshot = { id: "msg_1", type: "message", role: "assistant", content: [call], stop_reason: null };
  refuses("anthropic-messages", snapshot, /not finished \(stop_reason is null\)/);
  refuses("anthropic-messages", { ...snapshot, content: [] }, /not finished/);
  const message = { role: "assistant", content: "Looking" };
  refuses("openai-chat", { choices: [{ index: 0, message, finish_reason: null }] }, /finish_reason is null/);
  const chunk = { candidates: [{ content: { role: "model", parts: [{ text: "Look" }] }, index: 0 }] };
  refuses("gemini", chunk, /without a finishReason, a piece of a streamed answer/);
  const item = { id: "fc_1", type: "function_call", call_id: "call_1", name: "read", arguments: "" };
  refuses("openai-responses", { ...item, status: "in_progress" }, /not finished \(in_progress\)/);
  const begun = { id: "msg_1", type: "message", role: "assistant", content: [], status: "in_progress" };
  refuses("openai-responses", begun, /not finished/);
  check("openai-responses", { ...item, status: "completed" }, undefined);
  // One that was cut off has ended, and says so.
  const output = [{ ...item, status: "incomplete" }];
  check("openai-responses", { object: "response", status: "incomplete", output }, output);
  check("anthropic-messages", { ...snapshot, stop_reason: "max_tokens" }, [{ role: "assistant", content: [call] }]);
  check("anthropic-messages", { ...snapshot, stop_reason: "pause_turn" }, [{ role: "assistant", content: [call] }]);
});

test("of several answers none is taken", () => {
  const message = { role: "assistant", content: "A" };
  refuses("openai-chat", { choices: [{ message }, { message }] }, /2 choices/);
  const content = { role: "model", parts: [{ text: "A" }] };
  refuses("gemini", { candidates: [{ content }, { content }] }, /2 candidates/);
});

/** What is not said is not known, in every format. */

const key = (name: string) => (name === "gemini" ? "usageMetadata" : "usage");

test.each(formatNames)("%s: usage without a count is none", (name) => {
  const { readUsage } = formatNamed(name);
  for (const usage of [
    {},
    { input_tokens: null, prompt_tokens: null, promptTokenCount: null },
    { service_tier: "x" },
  ]) {
    expect(readUsage({ [key(name)]: usage })).toBeUndefined();
  }
});

test.each(formatNames)("%s: a count below zero is none", (name) => {
  const usage = { input_tokens: -5, prompt_tokens: -5, promptTokenCount: -5, output_tokens: 3 };
  expect(formatNamed(name).readUsage({ [key(name)]: usage })?.inputTokens).toBe(0);
});
