import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { formatNamed } from "../formats.ts";
import { type Fault, type ProviderServer, type ProviderServerOptions, startProviderServer } from "./server.ts";

const TEXT = "A text that takes more than one event of a stream, so that a stream can break in the middle of it.";

let server: ProviderServer;
const options: ProviderServerOptions = { reply: () => TEXT, windowTokens: 1_000 };
beforeEach(async () => {
  server = await startProviderServer(options);
});
afterEach(() => server.close());

interface Client {
  readonly format: "anthropic-messages" | "openai-chat" | "openai-responses" | "gemini";
  /** Resolves to the text. */
  ask(prompt: string, isStream: boolean, maxRetries?: number): Promise<string>;
}

const CLIENTS: Readonly<Record<string, Client>> = {
  anthropic: {
    format: "anthropic-messages",
    ask: async (prompt, isStream, maxRetries = 0) => {
      const client = new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries, logLevel: "off" });
      const request = {
        model: "claude-opus-5-5",
        max_tokens: 900,
        messages: [{ role: "user", content: prompt } as const],
      };
      const { content } = isStream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("");
    },
  },
  chat: {
    format: "openai-chat",
    ask: async (prompt, isStream, maxRetries = 0) => {
      const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries, logLevel: "off" });
      const request = { model: "gpt-5.1", messages: [{ role: "user", content: prompt } as const] };
      const { choices } = isStream
        ? await client.chat.completions.stream(request).finalChatCompletion()
        : await client.chat.completions.create(request);
      return choices[0]?.message.content ?? "";
    },
  },
  responses: {
    format: "openai-responses",
    ask: async (prompt, isStream, maxRetries = 0) => {
      const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries, logLevel: "off" });
      const request = { model: "gpt-6-sol", input: prompt };
      if (!isStream) return (await client.responses.create(request)).output_text;
      let text = "";
      // The helper hides what the failed response said.
      for await (const event of await client.responses.create({ ...request, stream: true })) {
        if (event.type === "response.output_text.done") text = event.text;
        if (event.type === "response.completed") return text;
        if (event.type === "response.failed") throw event;
      }
      throw new Error("The stream ended without an answer.");
    },
  },
  gemini: {
    format: "gemini",
    ask: async (prompt, isStream, maxRetries = 0) => {
      const retryOptions = { attempts: maxRetries + 1, initialDelay: 0.001 };
      const httpOptions = { baseUrl: server.origin, retryOptions };
      const { models } = new GoogleGenAI({ apiKey: "any", httpOptions });
      const request = { model: "gemini-3.8-flash", contents: prompt };
      if (!isStream) return (await models.generateContent(request)).text ?? "";
      const chunks = await Array.fromAsync(await models.generateContentStream(request));
      if (chunks.at(-1)?.candidates?.[0]?.finishReason !== "STOP") throw new Error("The stream ended too early.");
      return chunks.map(({ text }) => text).join("");
    },
  },
};
const ALL = Object.keys(CLIENTS).flatMap((name) => [false, true].map((isStream) => [name, isStream] as const));
const clientOf = (name: string): Client => CLIENTS[name] ?? expect.fail(name);
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("It did not throw."),
    (error: unknown) => error,
  );

describe.each(ALL)("%s, streamed: %s", (name, isStream) => {
  const { ask, format } = clientOf(name);
  const isOverflow = (error: unknown): boolean => formatNamed(format).readOverflow(error) !== undefined;

  test.each([
    [{ type: "rate-limit", retryAfterSeconds: 0 }, 429],
    [{ type: "server-error" }, 500],
    [{ type: "overloaded" }, name === "anthropic" ? 529 : 503],
  ] satisfies [Fault, number][])("%j comes as that status, once", async (fault, status) => {
    server.failNext(fault);
    const error = await thrownBy(ask("Go.", isStream));
    expect(error).toMatchObject({ status });
    expect(isOverflow(error)).toBe(false);
    expect(await ask("Go.", isStream)).toBe(TEXT);
    expect(server.requests.map(({ outcome }) => outcome?.type)).toEqual(["failed", "answered"]);
  });

  test("a client that retries gets over it", async () => {
    server.failNext({ type: "rate-limit", retryAfterSeconds: 0 });
    expect(await ask("Go.", isStream, 1)).toBe(TEXT);
    expect(server.requests).toHaveLength(2);
    expect(server.requests[1]?.bytes).toEqual(server.requests[0]?.bytes);
  });

  test.each([{ type: "cut" }, { type: "cut", afterEvents: 2 }, { type: "garbage" }] satisfies Fault[])(
    "%j breaks the answer",
    async (fault) => {
      server.failNext(fault);
      await thrownBy(ask("Go.", isStream));
      expect(server.requests).toMatchObject([{ outcome: { type: "failed", status: 200 } }]);
      expect(await ask("Go.", isStream)).toBe(TEXT);
    },
  );

  test("a slow answer comes when it may", async () => {
    const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let pauses = 0;
    const pause = (): Promise<void> => {
      pauses++;
      begun.resolve();
      return goOn.promise;
    };
    server.failNext({ type: "slow", pause });
    const answer = ask("Go.", isStream);
    await begun.promise;
    // Another request is not held up.
    expect(await ask("Go.", isStream)).toBe(TEXT);
    expect(server.requests.map(({ outcome }) => outcome?.type)).toEqual([undefined, "answered"]);
    goOn.resolve();
    expect(await answer).toBe(TEXT);
    if (isStream) expect(pauses).toBeGreaterThan(2);
  });

  test("a full window is refused as an overflow", async () => {
    const error = await thrownBy(ask("word ".repeat(2_000), isStream));
    expect(error).toMatchObject({ status: 400 });
    expect(isOverflow(error)).toBe(true);
    expect(server.requests).toMatchObject([{ outcome: { type: "refused", status: 400 } }]);
  });

  test("an overflow on demand names a window below what was sent", async () => {
    server.failNext({ type: "overflow" });
    expect(isOverflow(await thrownBy(ask("Go.", isStream)))).toBe(true);
    expect(await ask("Go.", isStream)).toBe(TEXT);
  });

  test("a truncating server answers and reports less than was sent", async () => {
    const prompt = "word ".repeat(200);
    await ask(prompt, isStream);
    server.failNext({ type: "truncate", windowTokens: 50 });
    expect(await ask(prompt, isStream)).toBe(TEXT);
    const [whole, part] = server.requests.map(({ outcome }) => outcome?.usage?.inputTokens ?? 0);
    expect(whole).toBeGreaterThan(150);
    expect(part).toBe(50);
  });
});

describe.each(Object.keys(CLIENTS))("%s", (name) => {
  const { ask, format } = clientOf(name);

  test.each([
    { type: "overflow", inStream: true },
    { type: "overloaded", inStream: true },
  ] satisfies Fault[])("%j comes in a stream with status 200, before any content", async (fault) => {
    server.failNext(fault);
    const error = await thrownBy(ask("Go.", true));
    expect(formatNamed(format).readOverflow(error) !== undefined).toBe(fault.type === "overflow");
    expect(server.requests).toMatchObject([{ outcome: { type: "failed", status: 200 } }]);
  });

  test("what the test's own function throws arrives as an error", async () => {
    await server.close();
    server = await startProviderServer({ reply: ["only one"] });
    expect(await ask("Go.", true)).toBe("only one");
    expect(String(await thrownBy(ask("Go.", true)))).toContain("The script has no reply 1.");
  });

  test("a failed call gets the same reply again", async () => {
    await server.close();
    server = await startProviderServer({ reply: ["first", "second"] });
    server.failNext({ type: "cut" });
    await thrownBy(ask("Go.", true));
    expect([await ask("Go.", false), await ask("Go.", true)]).toEqual(["first", "second"]);
  });
});

test("an error inside a stream that is one JSON list leaves it a list", async () => {
  server.failNext({ type: "overloaded", inStream: true });
  const url = `${server.origin}/v1beta/models/gemini-3.8-flash:streamGenerateContent?key=any`;
  const response = await fetch(url, { method: "POST", body: `{"contents":[{"parts":[{"text":"Go."}]}]}` });
  expect(await response.json()).toMatchObject([{ error: { code: 503 } }]);
});

test("faults wait for the requests they are meant for", async () => {
  server.failNext({ type: "server-error" }, ({ model }) => model === "gpt-6-sol");
  expect(await clientOf("chat").ask("Go.", false)).toBe(TEXT);
  expect(await thrownBy(clientOf("responses").ask("Go.", false))).toMatchObject({ status: 500 });
});

test("who goes away aborts what the model works on", async () => {
  await server.close();
  const { promise, resolve } = Promise.withResolvers<void>();
  server = await startProviderServer({
    reply: ({ signal }) => {
      signal.addEventListener("abort", () => resolve());
      gone.abort();
      return promise.then(() => "too late");
    },
  });
  const gone = new AbortController();
  const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
  const asked = client.responses.create({ model: "gpt-6-sol", input: "Go." }, { signal: gone.signal });
  await thrownBy(asked);
  await promise;
  await new Promise(setImmediate);
  expect(server.requests).toMatchObject([{ outcome: { type: "aborted" } }]);
});
