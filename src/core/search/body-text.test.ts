import { expect, test } from "vitest";
import type { JsonValue } from "../json.ts";
import { bodyText } from "./body-text.ts";

function check(body: JsonValue, expected: readonly string[]): void {
  expect(bodyText(body).split("\n")).toEqual(expected);
}

test("plain text", () => check({ role: "user", content: "hello" }, ["hello"]));

test("Anthropic: text, thinking, call and result, no ids and signatures", () => {
  check(
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "c2lnbmF0dXJl" },
        { type: "redacted_thinking", data: "cmVkYWN0ZWQ" },
        { type: "text", text: "look", cache_control: { type: "ephemeral" } },
        { type: "tool_use", id: "toolu_1", name: "bash", input: { command: "ls", id: "kept", timeout: 30 } },
        { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "a.txt" }], is_error: false },
      ],
    },
    ["hm", "look", "bash", "ls", "kept", "30", "a.txt"],
  );
});

test("a document's text is read, an image's bytes are not", () => {
  const document = (type: string) => ({ type: "document", source: { type, media_type: "text/plain", data: "words" } });
  check({ role: "user", content: [document("text"), document("base64")] }, ["words"]);
});

test("Chat: arguments are read as what they say", () => {
  const call = { id: "c1", type: "function", function: { name: "write", arguments: '{"text":"one\\ntwo"}' } };
  check({ role: "assistant", content: null, tool_calls: [call] }, ["write", "one", "two"]);
  check({ role: "tool", tool_call_id: "c1", content: "done" }, ["done"]);
});

test("arguments that are no JSON are text", () => {
  check({ type: "function_call", call_id: "c", name: "f", arguments: "{broken" }, ["f", "{broken"]);
});

test("Responses: items and their output, encrypted reasoning is not read", () => {
  check({ type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "ok" }] }, ["ok"]);
  const reasoning = { type: "reasoning", id: "r", summary: [{ type: "summary_text", text: "why" }] };
  check({ ...reasoning, encrypted_content: "gAAAA" }, ["why"]);
});

test("Gemini: calls and responses, inline data is not read", () => {
  check(
    {
      role: "model",
      parts: [
        { text: "see", thoughtSignature: "abc" },
        { functionCall: { name: "find", args: { type: "bug" } } },
        { functionResponse: { name: "find", response: { status: "open" } } },
        { inlineData: { mimeType: "image/png", data: "iVBOR" } },
      ],
    },
    ["see", "find", "bug", "find", "open"],
  );
});

test("data URLs go, links stay", () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  check({ role: "user", content: [image("data:image/png;base64,iVBORw0KGgo="), image("https://x.org/a.png")] }, [
    "https://x.org/a.png",
  ]);
  check({ role: "tool", content: "before data:image/png;base64,iVBORw0KGgo= after" }, ["before  after"]);
});

test("a picture that the model made is not read", () => {
  check({ type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo=" }, [""]);
  check({ type: "other_call", result: "what came of it" }, ["what came of it"]);
});
