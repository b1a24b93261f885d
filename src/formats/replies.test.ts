import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { formatNamed, formatNames } from "../formats.ts";

function check(name: FormatName, response: unknown, expected: readonly JsonValue[] | undefined): void {
  const format = formatNamed(name);
  const messages = format.readReply(response);
  expect(messages).toEqual(expected);
  if (messages !== undefined) expect(format.decode(messages).messages).toHaveLength(messages.length);
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
  const message = { role: "assistant", content: null, tool_calls: [], refusal: null };
  check("openai-chat", { object: "chat.completion", choices: [{ index: 0, message }] }, [message]);
  check("openai-chat", { choices: [] }, []);
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
  check("gemini", { candidates: [{ content: { parts } }] }, [{ role: "model", parts }]);
  check("gemini", { candidates: [{ finishReason: "SAFETY" }] }, []);
  check("gemini", { role: "user", parts }, undefined);
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
  refuses("openai-responses", { type: "response.output_text.delta", delta: "x" }, /piece of a streamed answer/);
});

test("of several answers none is taken", () => {
  const message = { role: "assistant", content: "A" };
  refuses("openai-chat", { choices: [{ message }, { message }] }, /2 choices/);
  const content = { role: "model", parts: [{ text: "A" }] };
  refuses("gemini", { candidates: [{ content }, { content }] }, /2 candidates/);
});
