/** A server on the loopback interface that answers as it is told, whole or as a stream of events, and remembers what it was asked. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";

export interface Answer {
  readonly whole?: JsonValue;
  /** The same, as the provider streams it. */
  readonly events?: readonly JsonObject[];
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is closed after the events, without the end that the provider marks. */
  readonly isCut?: boolean;
  /** The response does not end after the events; without events it does not begin. */
  readonly hangs?: boolean;
}

export interface AskedRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** Whether the client closed the connection before the answer was complete. */
  isAborted: boolean;
}

export interface ModelServer {
  readonly origin: string;
  readonly requests: AskedRequest[];
  /** One answer for each request; the last one repeats. */
  answers: readonly Answer[];
  /** Answers instead, where it is set. */
  onRequest: ((body: JsonObject) => Answer) | undefined;
  close(): void;
}

type ServerState = Pick<ModelServer, "requests" | "answers" | "onRequest">;

/** How to poll for what will come, on a machine of any speed. */
export const PATIENTLY = { timeout: 120_000, interval: 5 };

export async function startModelServer(): Promise<ModelServer> {
  const state: ServerState = { requests: [], answers: [], onRequest: undefined };
  const server = createServer((request, response) => void respond(request, response, state));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}

async function respond(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  // The clients send JSON objects.
  const body = JSON.parse(await readText(request)) as JsonObject;
  const asked: AskedRequest = { path, headers: request.headers, body, isAborted: false };
  response.on("close", () => {
    asked.isAborted = !response.writableFinished;
  });
  const scripted = state.answers[Math.min(state.requests.length, state.answers.length - 1)] ?? {};
  const answer = state.onRequest?.(body) ?? scripted;
  state.requests.push(asked);
  const { whole, events = [], status = 200, headers, isCut, hangs } = answer;
  const isStream = status === 200 && (body.stream === true || path.endsWith(":streamGenerateContent"));
  if (hangs && events.length === 0) return;
  if (!isStream) {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream", ...headers });
  const isNamed = /\/(?:messages|responses)$/.test(path);
  for (const event of events) {
    const name = isNamed && isObject(event) ? `event: ${String(event.type)}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  if (hangs) return;
  response.end(path.endsWith("/completions") && !isCut ? "data: [DONE]\n\n" : "");
}
