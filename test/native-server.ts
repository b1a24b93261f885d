/**
 * A server on the loopback interface that compacts conversations in the two wire forms, as strictly as the providers do: it
 * refuses what they refuse, signs what it returns and knows its own signatures again. Scripted to fail in the ways they fail.
 */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import type { NativeCompaction } from "../src/compactor.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";

export interface NativeServer {
  /** Bodies that came in, oldest first. */
  readonly requests: JsonObject[];
  /** What it does instead of compacting; undefined for compacting. */
  behaviour: ((body: JsonObject) => JsonValue | "hang" | number) | undefined;
  anthropic(): NativeCompaction;
  responses(): NativeCompaction;
  close(): Promise<void>;
}

export async function startNativeServer(): Promise<NativeServer> {
  const state: Pick<NativeServer, "requests" | "behaviour"> = { requests: [], behaviour: undefined };
  const server = createServer((request, response) => void answer(request, response, state));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const post = (path: string) => async (body: unknown, signal: AbortSignal) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      body: JSON.stringify(body),
      signal,
    });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
    return (await reply.json()) as Awaited<ReturnType<NativeCompaction["compact"]>>;
  };
  return Object.assign(state, {
    anthropic: () => ({ kind: "anthropic-compact", compact: post("/v1/messages") }),
    responses: () => ({ kind: "responses-compact", compact: post("/v1/responses/compact") }),
    close: () => close(server),
  });
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  state: Pick<NativeServer, "requests" | "behaviour">,
): Promise<void> {
  const body = JSON.parse(await readText(request)) as JsonObject;
  state.requests.push(body);
  const scripted = state.behaviour?.(body);
  if (scripted === "hang") return;
  const send = (status: number, json: JsonValue): void => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  };
  if (typeof scripted === "number") return send(scripted, { error: { message: "the service is overloaded" } });
  if (scripted !== undefined) return send(200, scripted);
  const made = request.url === "/v1/messages" ? compactMessages(body) : compactResponses(body);
  send(made.error === undefined ? 200 : 400, made);
}

const sealed = (value: JsonValue): string => createHash("sha256").update(JSON.stringify(value)).digest("base64");

/** Exported for tests that ask the same without a network: what the two endpoints make of a request. */
export function compactMessages(body: JsonObject): JsonObject {
  const { messages, compaction } = body;
  const refused = ["context_management", "stop_sequences", "stream"].find((key) => body[key] !== undefined);
  if (refused !== undefined) return refusal(`compaction cannot be combined with ${refused}`);
  if (!isObject(compaction) || compaction.type !== "summarize") return refusal("compaction.type: Field required");
  if (!isArray(messages) || messages.length === 0) return refusal("compaction_nothing_to_summarize");
  const blocks = messages.flatMap((message) => (isObject(message) && isArray(message.content) ? message.content : []));
  const earlier = blocks.filter((block) => isObject(block) && block.type === "compaction");
  if (earlier.some((block) => isObject(block) && block.signature !== sealed(block.content ?? null))) {
    return refusal("compaction_signature_invalid");
  }
  const told = earlier.map((block) => (isObject(block) ? String(block.content) : "")).join(" ");
  const content = `${told} Then ${messages.length} messages.`.trim();
  return {
    id: "msg_c1",
    type: "message",
    role: "assistant",
    stop_reason: "compaction",
    // A client's own empty field, which must not come back.
    content: [{ type: "compaction", content, signature: sealed(content), citations: null }],
    usage: {
      input_tokens: 0,
      output_tokens: 0,
      iterations: [
        { type: "compaction", input_tokens: 1200, cache_read_input_tokens: 8000, output_tokens: 290 },
        { type: "compaction", input_tokens: 300, cache_read_input_tokens: 0, output_tokens: 10 },
      ],
    },
  };
}

export function compactResponses(body: JsonObject): JsonObject {
  const { input } = body;
  const refused = Object.keys(body).find((key) => !["model", "input", "instructions"].includes(key));
  if (refused !== undefined) return refusal(`Unknown parameter: '${refused}'.`);
  if (!isArray(input)) return refusal("input: required");
  const isUser = (item: JsonValue): boolean => isObject(item) && item.role === "user";
  const hidden = input.filter((item) => !isUser(item));
  return {
    id: "resp_c1",
    object: "response.compaction",
    output: [...input.filter(isUser), { type: "compaction", id: "cmp_1", encrypted_content: sealed(hidden) }],
    usage: { input_tokens: 1390, input_tokens_details: { cached_tokens: 1200 }, output_tokens: 90, total_tokens: 1480 },
  };
}

function refusal(message: string): JsonObject {
  return { type: "error", error: { type: "invalid_request_error", message } };
}
