import Anthropic from "@anthropic-ai/sdk";
import { jsonSchemaOutputFormat } from "@anthropic-ai/sdk/helpers/json-schema";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openaiResponses } from "../src/formats/openai-responses.ts";
import { openSession } from "../src/session.ts";
import { type AnswerServer, anthropicAnswers, startAnswerServer } from "./sdk-answers-server.ts";

/**
 * Answers as the official SDKs hand them out, over real HTTP: what their helpers add is not sent back, and what has not ended is no
 * answer. The server refuses fields that it does not know, as the providers do.
 */

const SCHEMA = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
} as const;

let server: AnswerServer;
beforeAll(async () => {
  server = await startAnswerServer();
});
afterAll(() => server.close());

const anthropicClient = () => new Anthropic({ baseURL: server.origin, apiKey: "none", maxRetries: 0 });
const openaiClient = () => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none", maxRetries: 0 });
const geminiClient = () => new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.origin } });

/** Appends an answer and what its call returned, and returns the request that follows. */
async function nextRequest(format: Format, base: object, given: object, result?: object): Promise<JsonObject> {
  const session = await openSession("s", { store: "memory:", compactor: { format }, body: base });
  await session.append("Go.");
  await session.append(given);
  await session.append(result ?? "Go on.");
  const request = await session.request();
  expect(format.validate(request, { sending: true })).toEqual([]);
  await session.close();
  // A request is a body of the format.
  return request as JsonObject;
}

/** Refused in one line, and nothing is stored. */
async function refuses(format: Format, given: object): Promise<void> {
  const session = await openSession("s", { store: "memory:", compactor: { format } });
  const message = expect.stringMatching(/^[^\n]+(not finished|piece of a streamed answer)[^\n]+$/);
  await expect(session.append(given)).rejects.toMatchObject({ code: "invalid-request", message });
  expect(await session.view()).toEqual([]);
  await session.close();
}

describe("Anthropic", () => {
  const base = { model: "claude-opus-5", max_tokens: 100 };
  const asked: Anthropic.MessageCreateParamsNonStreaming = {
    ...base,
    messages: [{ role: "user", content: "Go." }],
    output_config: { format: jsonSchemaOutputFormat(SCHEMA) },
  };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "done" }] };

  test.each(["messages", "beta"] as const)("%s: a message that was parsed can be sent back", async (kind) => {
    const client = anthropicClient();
    const stream = kind === "beta" ? client.beta.messages.stream(asked) : client.messages.stream(asked);
    const final = await stream.finalMessage();
    expect(final).toHaveProperty("parsed_output", { path: "a.ts" });
    const request = await nextRequest(anthropicMessages, base, final, result);
    // What the session hands out is a request of this API.
    const sent = await client.messages.create(request as unknown as Anthropic.MessageCreateParamsNonStreaming);
    expect(sent.stop_reason).toBe("tool_use");
    const listed = { ...base, messages: [{ role: "user", content: "Go." }, final, result] };
    const fitted = await createCompactor({ format: anthropicMessages }).fit(listed);
    expect(fitted.report.repairs).toMatchObject([{ rule: "unknown-field", messageIndex: 1 }]);
    // The same, of a list that holds the answer as it came.
    await client.messages.create(fitted.request as unknown as Anthropic.MessageCreateParamsNonStreaming);
  });

  test("what the stream has brought so far is refused", async () => {
    const stream = anthropicClient().messages.stream(asked);
    const snapshots: object[] = [];
    stream.on("streamEvent", () => {
      if (stream.currentMessage?.stop_reason === null) snapshots.push(structuredClone(plain(stream.currentMessage)));
    });
    await stream.finalMessage();
    expect(snapshots.length).toBeGreaterThan(5);
    for (const snapshot of snapshots) await refuses(anthropicMessages, snapshot);
    for (const event of anthropicAnswers.events) await refuses(anthropicMessages, event);
  });
});

describe("Chat", () => {
  const base = { model: "gpt-5.1" };
  const tool = { type: "function", function: { name: "read", strict: true, parameters: SCHEMA } } as const;
  const format = { type: "json_schema", json_schema: { name: "place", strict: true, schema: SCHEMA } } as const;
  const asked = {
    ...base,
    messages: [{ role: "user", content: "Go." } as const],
    tools: [{ ...tool, function: { ...tool.function, parameters: { ...SCHEMA } } }],
    response_format: { ...format, json_schema: { ...format.json_schema, schema: { ...SCHEMA } } },
  };
  const result = { role: "tool", tool_call_id: "call_1", content: "done" };

  test("a completion that was parsed, and its message alone, can be sent back", async () => {
    const client = openaiClient();
    const parsed = await client.chat.completions.parse(asked);
    expect(parsed.choices[0]?.message).toMatchObject({
      parsed: { path: "a.ts" },
      tool_calls: [{ function: { parsed_arguments: { path: "a.ts" } } }],
    });
    const streamed = await client.chat.completions.stream(asked).finalChatCompletion();
    for (const completion of [parsed, streamed]) {
      const [choice] = completion.choices;
      for (const given of [completion, choice?.message ?? {}]) {
        const request = await nextRequest(openaiChat, base, given, result);
        // What the session hands out is a request of this API.
        await client.chat.completions.create(request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
      }
      const listed = { ...base, messages: [...asked.messages, choice?.message, result] };
      const fitted = await createCompactor({ format: openaiChat }).fit(plain(listed));
      // The same, of a list that holds the message as the helper made it.
      await client.chat.completions.create(fitted.request as OpenAI.ChatCompletionCreateParamsNonStreaming);
    }
  });

  test("what the stream has brought so far is refused", async () => {
    const stream = openaiClient().chat.completions.stream(asked);
    const snapshots: object[] = [];
    stream.on("chunk", (piece, snapshot) => {
      snapshots.push(plain(piece));
      if (snapshot.choices[0]?.finish_reason === null) snapshots.push(plain(snapshot));
    });
    await stream.finalChatCompletion();
    expect(snapshots.length).toBeGreaterThan(5);
    for (const snapshot of snapshots) await refuses(openaiChat, snapshot);
  });
});

describe("Responses", () => {
  const base = { model: "gpt-6-sol", store: false };
  const tool = { type: "function", name: "read", strict: true, parameters: { ...SCHEMA } } as const;
  const asked = {
    ...base,
    input: "Go.",
    tools: [tool],
    text: { format: { type: "json_schema", name: "place", strict: true, schema: { ...SCHEMA } } as const },
  };
  const output = { type: "function_call_output", call_id: "call_1", output: "done" };

  test("a response that was parsed, and its items alone, can be sent back", async () => {
    const client = openaiClient();
    const parsed = await client.responses.parse(asked);
    expect(parsed.output[1]).toHaveProperty("parsed_arguments", { path: "a.ts" });
    const streamed = await client.responses.stream(asked).finalResponse();
    for (const answered of [parsed, streamed]) {
      for (const given of [answered, answered.output]) {
        const request = await nextRequest(openaiResponses, base, given, output);
        // What the session hands out is a request of this API.
        await client.responses.create(request as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming);
      }
      const listed = { ...base, input: [{ role: "user", content: "Go." }, ...answered.output, output] };
      const fitted = await createCompactor({ format: openaiResponses }).fit(plain(listed));
      // The same, of a list that holds the items as the helper made them.
      await client.responses.create(fitted.request as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    }
  });

  test("events, items that were only begun, and a response in progress are refused", async () => {
    const stream = openaiClient().responses.stream(asked);
    const pieces: object[] = [];
    for await (const event of stream) {
      pieces.push(plain(event));
      if (event.type === "response.created") pieces.push(plain(event.response));
      if (event.type === "response.output_item.added") pieces.push(plain(event.item));
    }
    expect(pieces.length).toBeGreaterThan(10);
    for (const piece of pieces) await refuses(openaiResponses, piece);
  });
});

describe("Gemini", () => {
  const asked = { model: "gemini-3-pro", contents: "Go." };

  test("a whole response can be sent back, a chunk is refused", async () => {
    const client = geminiClient();
    const whole = await client.models.generateContent(asked);
    const request = await nextRequest(gemini, { model: "gemini-3-pro" }, whole);
    expect(request.contents).toHaveLength(3);
    const chunks: object[] = [];
    for await (const piece of await client.models.generateContentStream(asked)) chunks.push(piece);
    expect(chunks).toHaveLength(2);
    await refuses(gemini, chunks[0] ?? {});
    await refuses(gemini, chunks);
  });
});

/** As it would be sent: a copy, without what cannot be seen. */
function plain<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
