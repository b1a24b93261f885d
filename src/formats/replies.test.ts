import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { formatNamed } from "../formats.ts";

function check(name: FormatName, response: unknown, expected: readonly JsonValue[] | undefined): void {
  const format = formatNamed(name);
  const messages = format.readReply(response);
  expect(messages).toEqual(expected);
  if (messages !== undefined) expect(format.decode(messages).messages).toHaveLength(messages.length);
}

const call = { type: "tool_use", id: "toolu_1", name: "bash", input: {} };

test("Anthropic: the content, in a message of the assistant", () => {
  const response = { id: "msg_1", type: "message", role: "assistant", content: [call], usage: { input_tokens: 1 } };
  check("anthropic-messages", response, [{ role: "assistant", content: [call] }]);
  check("anthropic-messages", { ...response, content: [] }, []);
  check("anthropic-messages", { role: "user", content: "hi" }, undefined);
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
