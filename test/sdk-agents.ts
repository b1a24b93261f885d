/** One agent for each provider's own client: reads modules for as long as the model asks for one. Every result is another text. */

import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { FormatName } from "../src/core/message.ts";
import { fileText, QUESTION } from "./fetch-agents.ts";

export const QUESTION_WITH_FACT = `${QUESTION} The release code is ZEBRA-4711: it belongs under the list.`;

export interface AgentWorld {
  readonly origin: string;
  readonly isStream: boolean;
  /** Of Anthropic. */
  readonly model?: string;
  readonly fetch: typeof globalThis.fetch;
  /** What the tool returns to each call. Default: `fileText`. */
  readonly read?: (call: number) => string;
}

export type Agent = (world: AgentWorld) => Promise<void>;

export const AGENTS: Readonly<Record<FormatName, Agent>> = {
  "anthropic-messages": async ({ origin, isStream, fetch, model = "claude-opus-4-5", read = fileText }) => {
    const client = new Anthropic({ apiKey: "none", baseURL: origin, maxRetries: 0, fetch });
    const tools = [{ name: "read_file", input_schema: { type: "object" as const } }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model, max_tokens: 1_000, system: "You read code.", tools, messages };
      const answer = isStream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
      messages.push({ role: "assistant", content: answer.content });
      const use = answer.content.find(({ type }) => type === "tool_use");
      if (use?.type !== "tool_use") break;
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: read(call) }] });
    }
  },
  "openai-chat": async ({ origin, isStream, fetch, read = fileText }) => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0, fetch });
    const tools = [{ type: "function" as const, function: { name: "read_file", parameters: { type: "object" } } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model: "gpt-5", tools, messages };
      const { choices } = isStream
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body);
      const message = choices[0]?.message;
      if (message === undefined) throw new Error("There is no answer.");
      messages.push({ role: "assistant", content: message.content, tool_calls: message.tool_calls ?? [] });
      const run = message.tool_calls?.[0];
      if (run === undefined) break;
      messages.push({ role: "tool", tool_call_id: run.id, content: read(call) });
    }
  },
  "openai-responses": async ({ origin, isStream, fetch, read = fileText }) => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0, fetch });
    const tools = [{ type: "function" as const, name: "read_file", parameters: { type: "object" }, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model: "gpt-5", store: false, tools, input };
      const { output } = isStream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      for (const item of output) {
        // What its helper adds to an answer is refused in a request.
        const { parsed_arguments: _, ...plain } = item as typeof item & { readonly parsed_arguments?: unknown };
        const said = item.type === "message" ? { ...plain, content: item.content.map(withoutParsed) } : plain;
        input.push(said as OpenAI.Responses.ResponseInputItem);
      }
      const run = output.find(({ type }) => type === "function_call");
      if (run?.type !== "function_call") break;
      input.push({ type: "function_call_output", call_id: run.call_id, output: read(call) });
    }
  },
  gemini: async ({ origin, isStream, fetch, read = fileText }) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: origin, fetch } });
    const tools = [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: { type: "object" } }] }];
    const contents: Content[] = [{ role: "user", parts: [{ text: QUESTION_WITH_FACT }] }];
    for (let call = 1; ; call++) {
      const body = { model: "gemini-2.5-pro", contents, config: { tools } };
      const chunks = isStream
        ? await Array.fromAsync(await client.models.generateContentStream(body))
        : [await client.models.generateContent(body)];
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      contents.push({ role: "model", parts });
      const run = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
      if (run === undefined) break;
      const response = { output: read(call) };
      contents.push({ role: "user", parts: [{ functionResponse: { name: "read_file", response } }] });
    }
  },
};

function withoutParsed(part: object): object {
  const { parsed: _, ...plain } = part as { readonly parsed?: unknown };
  return plain;
}
