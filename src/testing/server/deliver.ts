/** How an answer leaves the test server: as JSON, as events or as a JSON array, whole or as a fault has it. Knows no provider. */

import type { ServerResponse } from "node:http";
import type { JsonValue } from "../../core/json.ts";
import { PROVIDER_APIS } from "./exchange.ts";
import type { ProviderCall, Refusal, ServerMemory, StreamEvent, WrittenAnswer } from "./provider-api.ts";

/**
 * What goes wrong with one request. Where `inStream` is true a stream begins with status 200 and holds the error before any content; a call
 * that asks for no stream is refused by its status all the same.
 */
export type Fault =
  | { readonly type: "rate-limit"; readonly retryAfterSeconds: number; readonly inStream?: boolean }
  | { readonly type: "server-error" | "overloaded"; readonly inStream?: boolean }
  /** The window counts as that small; default: nine tenths of what was sent. */
  | { readonly type: "overflow"; readonly windowTokens?: number; readonly inStream?: boolean }
  /** Answers all the same, to a part of what was sent, and reports that part's tokens. */
  | { readonly type: "truncate"; readonly windowTokens?: number }
  /** The connection breaks behind so many events of a stream, or in the middle of a JSON answer. */
  | { readonly type: "cut"; readonly afterEvents?: number }
  /** `pause` is awaited before each event, or before a JSON answer. */
  | { readonly type: "slow"; readonly pause: () => Promise<unknown> }
  /** Status 200 and no answer: text that is no JSON. */
  | { readonly type: "garbage" };

interface Delivery {
  readonly call: ProviderCall;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly fault?: Fault;
}

/** Resolves to the status that was sent. */
export async function refuse(
  refusal: Refusal,
  inStream: boolean,
  delivery: Delivery & { readonly memory: ServerMemory },
): Promise<number> {
  const { call, response, memory } = delivery;
  const api = PROVIDER_APIS[call.format];
  if (!inStream) {
    sendJson(response, refusal.status, api.writeError(refusal), refusal.headers);
    return refusal.status;
  }
  await sendStream(api.errorEvents(refusal, call, memory), delivery);
  response.end(call.isArray ? "]" : "");
  return 200;
}

/** Resolves to whether all of it was sent. */
export async function deliver({ whole, events }: WrittenAnswer, delivery: Delivery): Promise<boolean> {
  const { call, response, fault } = delivery;
  if (fault?.type === "garbage") {
    response.writeHead(200, { "content-type": call.isStream ? "text/event-stream" : "application/json" });
    response.end(call.isStream ? "data: {garbage\n\n" : "<html>");
    return false;
  }
  if (call.isStream) {
    const isSent = await sendStream(events, delivery);
    if (isSent) response.end(call.isArray ? "]" : PROVIDER_APIS[call.format].streamEnd);
    return isSent;
  }
  if (fault?.type === "slow") await fault.pause();
  if (delivery.signal.aborted) return false;
  if (fault?.type !== "cut") {
    sendJson(response, 200, whole);
    return true;
  }
  const json = Buffer.from(JSON.stringify(whole));
  response.writeHead(200, { "content-type": "application/json", "content-length": json.length });
  await write(response, json.subarray(0, json.length >> 1));
  response.destroy();
  return false;
}

async function sendStream(
  events: readonly StreamEvent[],
  { call, response, fault, signal }: Delivery,
): Promise<boolean> {
  response.writeHead(200, { "content-type": call.isArray ? "application/json" : "text/event-stream; charset=utf-8" });
  const eventsMax = fault?.type === "cut" ? (fault.afterEvents ?? 1) : Number.POSITIVE_INFINITY;
  for (const [index, event] of events.entries()) {
    if (fault?.type === "slow") await fault.pause();
    if (signal.aborted) return false;
    if (index >= eventsMax) break;
    const text = call.isArray ? `${index === 0 ? "[" : ","}${JSON.stringify(event.data)}` : eventText(event);
    // Networks cut where they like, inside of events and of characters.
    const bytes = Buffer.from(text);
    await write(response, bytes.subarray(0, bytes.length >> 1));
    await write(response, bytes.subarray(bytes.length >> 1));
  }
  if (fault?.type !== "cut") return true;
  // Without this the headers would wait for the first event.
  response.flushHeaders();
  response.destroy();
  return false;
}

function eventText({ name, data }: StreamEvent): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Waits until it is on its way, so that what breaks the connection afterwards breaks it behind this. */
function write(response: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => void response.write(bytes, () => resolve()));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  json: JsonValue,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(json));
}
