/** The models that loops are tested with, each over the official client against a server on the loopback interface, and an agent that reads files. */

import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { JsonObject } from "../src/core/json.ts";
import { aiSdk, anthropic, type CompactingModel, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import type { LoopTool } from "../src/run-loop.ts";
import type { Session } from "../src/session/session-port.ts";
import type { ModelRequest, ScriptedReply } from "../src/testing/server.ts";

export interface LoopModel {
  /** With thinking or reasoning on, where the API has it. */
  readonly body: JsonObject;
  /** A cheaper model of the same provider. */
  readonly small: string;
  readonly make: (origin: string, name?: string, maxRetries?: number) => CompactingModel;
}

export const LOOP_MODELS = {
  anthropic: {
    make: (origin, name = "claude-opus-5-5", maxRetries = 0) =>
      anthropic(new Anthropic({ baseURL: origin, apiKey: "any", maxRetries }), name),
    small: "claude-haiku-5-5",
    body: { model: "claude-opus-5-5", max_tokens: 900, thinking: { type: "adaptive" } },
  },
  chat: {
    make: (origin, name = "gpt-5.1", maxRetries = 0) =>
      openaiChat(new OpenAI({ baseURL: `${origin}/v1`, apiKey: "any", maxRetries }), name),
    small: "gpt-5.2",
    body: { model: "gpt-5.1" },
  },
  responses: {
    make: (origin, name = "gpt-6-sol", maxRetries = 0) =>
      openaiResponses(new OpenAI({ baseURL: `${origin}/v1`, apiKey: "any", maxRetries }), name),
    small: "gpt-5.2",
    body: { model: "gpt-6-sol", store: false, include: ["reasoning.encrypted_content"] },
  },
  gemini: {
    make: (origin, name = "gemini-3.8-flash", maxRetries = 0) =>
      gemini(new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: origin } }), name, {
        request: { config: { httpOptions: { retryOptions: { attempts: maxRetries + 1 } } } },
      }),
    small: "gemini-3.5-flash",
    body: { model: "gemini-3.8-flash" },
  },
} satisfies Readonly<Record<string, LoopModel>>;

// The keys of the table above.
export const LOOP_MODEL_NAMES = Object.keys(LOOP_MODELS) as (keyof typeof LOOP_MODELS)[];

/** A model of the AI SDK, whose retries are ours and cannot be turned off. */
export const AI_SDK_MODEL: LoopModel = {
  make: (origin, name = "claude-opus-5-5") => aiSdk(createAnthropic({ baseURL: `${origin}/v1`, apiKey: "any" })(name)),
  small: "claude-haiku-5-5",
  body: {
    model: "claude-opus-5-5",
    max_tokens: 900,
    provider_options: { anthropic: { thinking: { type: "adaptive" } } },
  },
};

/** Whether this is the silent turn before a compaction. */
export function isFlush(body: unknown): boolean {
  return JSON.stringify(body).includes("Memory flush");
}

/** What is wrong with the results in a session of an agent that read these files: each must be there once. */
export async function resultProblems(session: Session, paths: readonly string[]): Promise<readonly string[]> {
  const { log = [] } = await session.export({ all: true });
  const bodies = log.filter(({ madeBy }) => madeBy === null).map(({ body }) => body);
  const parts = session.compactor.format.decode(bodies).messages.flatMap((message) => message.parts);
  const texts = parts.flatMap((part) => (part.type === "tool-result" ? [JSON.stringify(part.content)] : []));
  const calls = parts.filter(({ type }) => type === "tool-call");
  const counts = [
    ["calls", calls.length],
    ["results", texts.length],
    ["different files", new Set(paths).size],
  ] as const;
  return [
    ...counts.flatMap(([what, count]) =>
      count === paths.length ? [] : [`${count} ${what} for ${paths.length} files`],
    ),
    ...paths.flatMap((path) => {
      const count = texts.filter((text) => text.includes(`${path}: `)).length;
      return count === 1 ? [] : [`${count} results of ${path}`];
    }),
  ];
}

/** The model reads one file after the other, two at once every tenth time, and then says what it has read. */
export function reading(calls: number): (request: ModelRequest) => ScriptedReply {
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

export function readTool(ran: string[]): LoopTool {
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
