import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import type { FormatName } from "../core/message.ts";
import { messageCounter } from "../core/tokens/tokens.ts";
import { exactTokens } from "../tokens/exact.ts";
import { type ProviderServer, type ProviderServerOptions, type ScriptedReply, startProviderServer } from "./server.ts";

let server: ProviderServer;
afterEach(() => server.close());

async function start(options: Partial<ProviderServerOptions> = {}): Promise<void> {
  server = await startProviderServer({ reply: () => "Done.", ...options });
}

const anthropic = () => new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries: 0 });
const openai = () => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: server.origin } });

/** Longer than one piece of a stream, with characters of two code units. */
const SAID: ScriptedReply = {
  reasoning: "The user wants two files. I read them at once, since neither depends on the other.",
  text: "I read both files now 📚, and tell you what is in them as soon as I know it.",
  toolCalls: [
    { name: "read", input: { path: "src/a-file-with-a-long-name.ts", lines: 200 } },
    { name: "list", input: {} },
  ],
};
const CALLS = SAID.toolCalls?.map(({ name, input }) => [name, input]);

/** One answer of each API, brought into one form, whole or gathered from a stream. */
const ASKED = {
  anthropic: async (isStream: boolean) => {
    const thinking = { type: "adaptive" } as const;
    const request = {
      model: "claude-opus-5-5",
      max_tokens: 900,
      thinking,
      messages: [{ role: "user", content: "Go." } as const],
    };
    const client = anthropic();
    const { content, stop_reason, usage } = isStream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    return {
      reasoning: content.flatMap((block) => (block.type === "thinking" ? block.thinking : [])).join(""),
      text: content.flatMap((block) => (block.type === "text" ? block.text : [])).join(""),
      calls: content.flatMap((block) => (block.type === "tool_use" ? [[block.name, block.input]] : [])),
      stop: stop_reason,
      input: usage.input_tokens,
      output: usage.output_tokens,
    };
  },
  chat: async (isStream: boolean) => {
    const request = { model: "gpt-5.1", messages: [{ role: "user", content: "Go." } as const] };
    const client = openai();
    const completion = isStream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const [choice] = completion.choices;
    const calls = choice?.message.tool_calls ?? [];
    return {
      text: choice?.message.content,
      calls: calls.flatMap((call) =>
        call.type === "function" ? [[call.function.name, JSON.parse(call.function.arguments)]] : [],
      ),
      stop: choice?.finish_reason,
      input: completion.usage?.prompt_tokens,
      output: completion.usage?.completion_tokens,
    };
  },
  responses: async (isStream: boolean) => {
    const request = { model: "gpt-6-sol", input: "Go." };
    const client = openai();
    const response = isStream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    return {
      text: response.output_text,
      calls: response.output.flatMap((item) =>
        item.type === "function_call" ? [[item.name, JSON.parse(item.arguments)]] : [],
      ),
      stop: response.status,
      input: response.usage?.input_tokens,
      output: response.usage?.output_tokens,
    };
  },
  gemini: async (isStream: boolean) => {
    const request = {
      model: "gemini-3.8-flash",
      contents: "Go.",
      config: { thinkingConfig: { includeThoughts: true } },
    };
    const { models } = google();
    const answers = isStream
      ? await Array.fromAsync(await models.generateContentStream(request))
      : [await models.generateContent(request)];
    const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
    const usage = answers.at(-1)?.usageMetadata;
    return {
      reasoning: parts.flatMap(({ text, thought }) => (thought === true ? text : [])).join(""),
      text: parts.flatMap(({ text, thought }) => (thought === true ? [] : (text ?? []))).join(""),
      calls: parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [[call.name, call.args]])),
      stop: answers.at(-1)?.candidates?.[0]?.finishReason,
      input: usage?.promptTokenCount,
      output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    };
  },
};
const STOPS = { anthropic: "tool_use", chat: "tool_calls", responses: "completed", gemini: "STOP" } as const;
const NAMES = ["anthropic", "chat", "responses", "gemini"] as const;

describe.each(NAMES)("%s", (name) => {
  test.each([false, true])("says what the test gave, with usage (streamed: %s)", async (isStream) => {
    await start({ reply: () => SAID });
    const { reasoning, ...answer } = { reasoning: SAID.reasoning, ...(await ASKED[name](isStream)) };
    expect(reasoning).toBe(SAID.reasoning);
    expect(answer).toMatchObject({ text: SAID.text, calls: CALLS, stop: STOPS[name] });
    expect(answer.input).toBeGreaterThan(0);
    expect(answer.output).toBeGreaterThan(40);
    const usage = { inputTokens: answer.input, outputTokens: answer.output };
    expect(server.requests).toMatchObject([{ kind: "answer", outcome: { type: "answered", status: 200, usage } }]);
  });
});

test("the same requests get the same bytes from every server", async () => {
  const bytes = async (): Promise<readonly string[]> => {
    await start({ reply: () => SAID });
    const texts: string[] = [];
    for (const stream of [true, false]) {
      const body = JSON.stringify({ model: "gpt-6-sol", input: "Go.", stream });
      const init = { method: "POST", body, headers: { authorization: "Bearer any" } };
      const response = await fetch(`${server.origin}/v1/responses`, init);
      texts.push(JSON.stringify([...response.headers]), await response.text());
    }
    return texts;
  };
  const first = await bytes();
  await server.close();
  expect(await bytes()).toEqual(first);
});

describe("options", () => {
  const ask = (text: string, model = "claude-opus-5-5") =>
    anthropic().messages.create({ model, max_tokens: 900, messages: [{ role: "user", content: text }] });

  test("each model has its window, others are unknown", async () => {
    await start({ windowTokens: { "claude-opus-5-5": 1_000, "claude-haiku-4-5": 5_000 } });
    const long = "word ".repeat(2_000);
    await ask(long, "claude-haiku-4-5");
    await expect(ask(long)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/\d+ tokens > 1000 maximum/),
    });
    await expect(ask("Go.", "claude-opus-9")).rejects.toMatchObject({ status: 404 });
    // Models before that count the answer too, and say so.
    await server.close();
    await start({ windowTokens: 1_000 });
    await expect(ask("word ".repeat(300), "claude-3-7-sonnet-latest")).rejects.toThrow(
      /exceed context limit: \d+ \+ 900 > 1000/,
    );
  });

  test("a server that truncates answers to the newest messages", async () => {
    const read: number[] = [];
    const reply: ProviderServerOptions["reply"] = ({ conversation }) => {
      read.push(conversation.messages.length);
      return "Done.";
    };
    await start({ windowTokens: 200, overflow: "truncate", reply });
    const messages = Array.from({ length: 41 }, (_, index) => {
      return {
        role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
        content: `Message ${index}: ${"word ".repeat(10)}`,
      };
    });
    const answer = await openai().chat.completions.create({ model: "gpt-5.1", messages });
    expect(answer.usage?.prompt_tokens).toBeLessThanOrEqual(200);
    expect(read[0]).toBeLessThan(20);
  });

  test("a server that refuses inside its streams still refuses other calls by their status", async () => {
    await start({ windowTokens: 100, overflow: "stream" });
    const request = { model: "gpt-6-sol", input: "word ".repeat(300) };
    await expect(openai().responses.create(request)).rejects.toMatchObject({ status: 400 });
    const events = await Array.fromAsync(await openai().responses.create({ ...request, stream: true }));
    expect(events.map(({ type }) => type)).toEqual(["response.created", "response.failed"]);
    expect(server.requests.map(({ outcome }) => outcome?.status)).toEqual([400, 200]);
  });

  test("another counter counts, and a clock lets the cache forget", async () => {
    const countText = await exactTokens();
    let nowMs = 1_000;
    const counter = (format: FormatName) => messageCounter({ name: "exact", format, countText });
    await start({ counter, now: () => nowMs });
    const content = "Every good boy does fine. ".repeat(300);
    const chat = () => openai().chat.completions.create({ model: "gpt-5.1", messages: [{ role: "user", content }] });
    const first = await chat();
    expect(first.created).toBe(1);
    const exact = messageCounter({ name: "exact", format: "openai-chat", countText });
    expect(first.usage?.prompt_tokens).toBe(exact.countText(content) + 3);
    expect((await chat()).usage?.prompt_tokens_details?.cached_tokens).toBe(first.usage?.prompt_tokens);
    nowMs += 3_600_000;
    expect((await chat()).usage?.prompt_tokens_details?.cached_tokens).toBe(0);
  });
});
