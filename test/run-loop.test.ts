import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { Model } from "../src/core/model.ts";
import { anthropic, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import { type LoopEvent, type LoopTool, runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { type ModelRequest, type ProviderServer, startProviderServer } from "../src/testing/server.ts";

/** Loops with the official clients over real HTTP, against a server that answers and refuses as the providers do. */

let server: ProviderServer;
afterEach(() => server.close());

const MODELS: Readonly<Record<string, { model: (origin: string) => Model; body: JsonObject }>> = {
  anthropic: {
    model: (origin) => anthropic(new Anthropic({ baseURL: origin, apiKey: "any", maxRetries: 0 }), "claude-opus-5-5"),
    body: { model: "claude-opus-5-5", max_tokens: 900, thinking: { type: "adaptive" } },
  },
  chat: {
    model: (origin) => openaiChat(new OpenAI({ baseURL: `${origin}/v1`, apiKey: "any", maxRetries: 0 }), "gpt-5.1"),
    body: { model: "gpt-5.1" },
  },
  responses: {
    model: (origin) =>
      openaiResponses(new OpenAI({ baseURL: `${origin}/v1`, apiKey: "any", maxRetries: 0 }), "gpt-6-sol"),
    body: { model: "gpt-6-sol", store: false, include: ["reasoning.encrypted_content"] },
  },
  gemini: {
    model: (origin) => gemini(new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: origin } }), "gemini-3.8-flash"),
    body: { model: "gemini-3.8-flash" },
  },
};

const CALLS = 60;

/** The model reads one file after the other, two at once every tenth time, and then says what it has read. */
function reading(calls: number): (request: ModelRequest) => object {
  return ({ index }) =>
    index < calls
      ? {
          reasoning: `Now file ${index}.`,
          text: `Reading ${index}.`,
          toolCalls: [
            { name: "read", input: { path: `src/${index}.ts` } },
            ...(index % 10 === 0 ? [{ name: "read", input: { path: `test/${index}.ts` } }] : []),
          ],
        }
      : { text: "All files are read." };
}

function readTool(ran: string[]): LoopTool {
  return {
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: (input) => {
      const { path } = input as { path: string };
      ran.push(path);
      return `${path}: ${"a line of the file\n".repeat(80)}`;
    },
  };
}

describe.each(Object.keys(MODELS))("%s", (name) => {
  const { model, body } = MODELS[name] ?? {
    model: () => {
      throw new Error(name);
    },
    body: {},
  };

  test.each([true, false])("an agent of many calls in a small window, streamed: %s", async (stream) => {
    server = await startProviderServer({ reply: reading(CALLS) as never, windowTokens: 20_000 });
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model(server.origin).format, windowTokens: 20_000 },
      body,
    });
    const ran: string[] = [];
    const events: LoopEvent[] = [];
    const result = await runLoop({
      session,
      model: model(server.origin),
      tools: [readTool(ran)],
      input: "Read all files and say when you are done.",
      stream,
      onEvent: (event) => events.push(event),
    });
    expect(result).toEqual({ text: "All files are read.", stopReason: "stop", steps: CALLS + 1 });
    expect(ran).toHaveLength(CALLS + CALLS / 10);
    expect(new Set(ran).size).toBe(ran.length);
    expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
    expect((await session.stats()).compactionCount).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "tool-result")).toHaveLength(ran.length);
    expect(events.some((event) => event.type === "compaction" && event.event.type === "conversation-compacted")).toBe(
      true,
    );
    await session.close();
  });

  test("a window that is smaller than told is learned, and nobody notices", async () => {
    server = await startProviderServer({ reply: reading(CALLS) as never, windowTokens: 20_000 });
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model(server.origin).format, windowTokens: 100_000 },
      body,
    });
    const ran: string[] = [];
    const events: LoopEvent[] = [];
    const loop = {
      session,
      model: model(server.origin),
      tools: [readTool(ran)],
      onEvent: (event: LoopEvent) => events.push(event),
    };
    const result = await runLoop({ ...loop, input: "Read all files." });
    expect(result.text).toBe("All files are read.");
    const refused = server.requests.filter(({ outcome }) => outcome?.type !== "answered");
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(2);
    expect(events.filter(({ type }) => type === "overflow")).toHaveLength(refused.length);
    await session.close();
  });
});
