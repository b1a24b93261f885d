import { describe, expect, test } from "vitest";
import { endpointAt, isConversation, unstreamed } from "./endpoints.ts";

const ADDRESSES: readonly (readonly [url: string, format: string, model?: string])[] = [
  ["https://api.anthropic.com/v1/messages?beta=true", "anthropic-messages"],
  ["http://127.0.0.1:4000/anthropic/v1/messages/", "anthropic-messages"],
  [
    "https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/publishers/anthropic/models/claude-opus-4-5@20251101:streamRawPredict",
    "anthropic-messages",
    "claude-opus-4-5@20251101",
  ],
  [
    "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-opus-4-5-v1%3A0/invoke",
    "anthropic-messages",
    "us.anthropic.claude-opus-4-5-v1:0",
  ],
  ["https://api.openai.com/v1/chat/completions", "openai-chat"],
  ["https://x.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01", "openai-chat"],
  ["https://openrouter.ai/api/v1/chat/completions", "openai-chat"],
  ["https://api.openai.com/v1/responses", "openai-responses"],
  ["https://x.openai.azure.com/openai/v1/responses?api-version=preview", "openai-responses"],
  [
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    "gemini",
    "gemini-2.5-pro",
  ],
];

test.each(ADDRESSES.map((address) => ({ address, url: address[0] })))("$url", ({ address: [url, format, model] }) => {
  expect(endpointAt("post", url)).toEqual({ format, model });
  expect(endpointAt("GET", url)).toBeUndefined();
});

describe("is left alone", () => {
  const paths = ["/v1/messages/count_tokens", "/v1/messages/batches", "/v1/responses/compact", "/v1/responses/resp_1"];
  const others = ["/v1/responses/resp_1/cancel", "/v1/completions", "/v1beta/models/m:countTokens", "/v1/models", "/"];
  test.each([...paths, ...others])("%s", (path) => {
    expect(endpointAt("POST", `https://example.com${path}`)).toBeUndefined();
  });

  test("an address that is none", () => expect(endpointAt("POST", "/v1/messages")).toBeUndefined());

  test.each([undefined, null, [], "text", {}, { messages: "text" }])("the body %j", (body) => {
    expect(isConversation(body, "messages", new Headers())).toBe(false);
  });
});

test("a question whose answer is not streamed has the address and the body for that", () => {
  const gemini = unstreamed("https://h/v1/models/m:streamGenerateContent?alt=sse&key=k", { contents: [] });
  expect(gemini).toEqual({ url: "https://h/v1/models/m:generateContent?key=k", body: { contents: [] } });
  const chat = unstreamed("https://h/v1/chat/completions", { stream: true, stream_options: {}, messages: [] });
  expect(chat).toEqual({ url: "https://h/v1/chat/completions", body: { stream: false, messages: [] } });
});
