/**
 * A provider on the loopback interface that speaks OpenAI Chat, as strictly as the real one: refuses what exceeds its window in
 * the provider's own words, and results without their call. Asks for a tool in every turn; tells summaries when asked for one.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { isArray, isObject, type JsonObject, type JsonValue } from "../../src/core/json.ts";

export interface ChatServer {
  /** Bodies that came in, oldest first: those of the conversation, and those that ask for a summary. */
  readonly requests: JsonObject[];
  readonly summaries: JsonObject[];
  /** How many were refused. */
  refused: number;
  /** Answers requests for a summary with an error when true. */
  isSummaryBroken: boolean;
  post(body: unknown, signal?: AbortSignal): Promise<JsonObject>;
  close(): Promise<void>;
}

export async function startChatServer(windowTokens: number): Promise<ChatServer> {
  const state = { requests: [] as JsonObject[], summaries: [] as JsonObject[], refused: 0, isSummaryBroken: false };
  const server = createServer((request, response) => void answer(request, response, { state, windowTokens }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    post: async (body: unknown, signal?: AbortSignal): Promise<JsonObject> => {
      const sent = { method: "POST", body: JSON.stringify(body), ...(signal !== undefined && { signal }) };
      const reply = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, sent);
      // What this server sends is always an object.
      const json = (await reply.json()) as JsonObject;
      if (!reply.ok) throw Object.assign(new Error(JSON.stringify(json)), { status: reply.status });
      return json;
    },
    close: (): Promise<void> => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  });
}

type State = Pick<ChatServer, "requests" | "summaries" | "refused" | "isSummaryBroken">;

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { state, windowTokens }: { readonly state: State; readonly windowTokens: number },
): Promise<void> {
  // Nothing but JSON objects is posted here.
  const body = JSON.parse(await readText(request)) as JsonObject;
  const isSummary = body.tools === undefined;
  (isSummary ? state.summaries : state.requests).push(body);
  const problem =
    problemOf(body, windowTokens) ?? (isSummary && state.isSummaryBroken ? "The server had an error" : null);
  if (problem !== null) state.refused++;
  const json = problem === null ? completion(body, isSummary, state.requests.length) : refusal(problem);
  response.writeHead(problem === null ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(json));
}

/** Four characters a token, as the profile itself counts. */
function problemOf(body: JsonObject, windowTokens: number): string | undefined {
  const messages = isArray(body.messages) ? body.messages.filter(isObject) : [];
  const tokens = Math.ceil(JSON.stringify(messages).length / 4);
  if (tokens > windowTokens) {
    return `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens.`;
  }
  const calls = new Set<JsonValue>();
  for (const { role, tool_calls, tool_call_id = null } of messages) {
    for (const call of isArray(tool_calls) ? tool_calls : []) if (isObject(call)) calls.add(call.id ?? null);
    if (role === "tool" && !calls.has(tool_call_id)) {
      return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
    }
  }
  return undefined;
}

function completion(body: JsonObject, isSummary: boolean, number: number): JsonObject {
  const messages = isArray(body.messages) ? body.messages.filter(isObject) : [];
  const isUser = messages.at(-1)?.role === "user";
  const call = {
    id: `call_${number}`,
    type: "function",
    function: { name: "look_up", arguments: `{"row":${number}}` },
  };
  const said = isSummary
    ? `Key facts up to summary request of ${messages.length} messages: look_up was called, row by row.`
    : `Row read. ${"It is fine. ".repeat(40)}`;
  const message: JsonObject =
    isUser && !isSummary
      ? { role: "assistant", content: null, tool_calls: [call] }
      : { role: "assistant", content: said };
  const tokens = Math.ceil(JSON.stringify(messages).length / 4);
  return {
    id: `chatcmpl-${number}`,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: message.tool_calls === undefined ? "stop" : "tool_calls" }],
    usage: { prompt_tokens: tokens, completion_tokens: 100, total_tokens: tokens + 100 },
  };
}

function refusal(message: string): JsonObject {
  const code = message.includes("maximum context length") ? "context_length_exceeded" : null;
  return { error: { message, type: "invalid_request_error", param: "messages", code } };
}
