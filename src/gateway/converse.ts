/**
 * One request that holds a conversation: given to the exchange with its bytes, and sent by it as they came or changed. Whatever fails in the
 * exchange, the request goes to its upstream as it came.
 */

import type { IncomingMessage } from "node:http";
import type { Exchange, ExchangeChange } from "../exchange.ts";
import { BODY_HEADERS, OWN_HEADERS, passedHeaders, STATE_HEADER } from "./headers.ts";
import type { Route } from "./routes.ts";
import type { UpstreamClient, UpstreamRequest } from "./upstream.ts";

/** What is written to the client. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly pieces: AsyncIterable<Uint8Array>;
}

export interface Turn {
  readonly request: IncomingMessage;
  readonly route: Route;
  readonly signal: AbortSignal;
  readonly upstream: UpstreamClient;
  readonly connectMs: number;
}

export interface Conversation extends Turn {
  readonly exchange: Exchange;
  readonly body: Uint8Array;
  /** Called where the exchange failed. */
  failedOpen(error: unknown): void;
}

export async function converse(conversation: Conversation): Promise<Answer> {
  const { request, route, signal, body, exchange, failedOpen } = conversation;
  const answers: IncomingMessage[] = [];
  const upstreamFailures = new Set<unknown>();
  const send = async (change?: ExchangeChange): Promise<Response> => {
    try {
      const answer = await conversation.upstream.send(upstreamRequest(conversation, change));
      return toResponse(answer, answers.push(answer) - 1);
    } catch (error) {
      upstreamFailures.add(error);
      throw error;
    }
  };
  const url = `${route.base.origin}${route.path}`;
  const headers = new Headers();
  for (const [name, value] of passedHeaders(request.rawHeaders)) headers.append(name, value);
  try {
    const call = { method: request.method ?? "POST", url, headers, body, signal, answersAreEncoded: true, send };
    return toAnswer(await exchange.exchange(call), answers);
  } catch (error) {
    if (signal.aborted || upstreamFailures.has(error)) throw error;
    failedOpen(error);
    return toAnswer(await send(), answers);
  }
}

/** The request as it came, or with the exchange's body in the place of its own. */
function upstreamRequest(
  { request, route, signal, body, connectMs }: Conversation,
  change: ExchangeChange | undefined,
): UpstreamRequest {
  const { method = "POST", rawHeaders } = request;
  if (change === undefined) {
    const headers = passedHeaders(rawHeaders, ["content-length", ...OWN_HEADERS]);
    return { method, route, headers, body, signal, connectMs };
  }
  return {
    method,
    route: change.url === undefined ? route : routeTo(change.url, route),
    // Its answer may have to be read, as a summary or as a call of the recall tool.
    headers: passedHeaders(rawHeaders, [...BODY_HEADERS, ...OWN_HEADERS, "accept-encoding"]),
    body: Buffer.from(change.body),
    signal: change.signal === undefined ? signal : AbortSignal.any([signal, change.signal]),
    connectMs,
  };
}

/** Another path of the same upstream: some ask there for an answer that is not streamed. */
function routeTo(url: string, route: Route): Route {
  const { origin, pathname, search } = new URL(url);
  if (origin !== route.base.origin) throw new Error("A question must go to the upstream of its conversation.");
  return { ...route, path: `${pathname}${search}` };
}

/** Statuses that come without a body. */
const EMPTY: ReadonlySet<number | undefined> = new Set([204, 205, 304]);

/** In the form that the exchange takes. A header of ours says which of the upstream's answers it is. */
function toResponse(answer: IncomingMessage, number: number): Response {
  const { statusCode: status = 502, statusMessage: statusText = "", rawHeaders } = answer;
  const headers = new Headers();
  for (const [name, value] of passedHeaders(rawHeaders)) headers.append(name, value);
  headers.set(STATE_HEADER, String(number));
  if (EMPTY.has(status)) answer.resume();
  return new Response(EMPTY.has(status) ? null : toWebStream(answer), { status, statusText, headers });
}

/** Reads no further than what is asked for, and hands on in one piece what came together. */
function toWebStream(answer: IncomingMessage): ReadableStream<Uint8Array> {
  const pieces: AsyncIterator<Buffer> = answer[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void answer.destroy(),
    },
    { highWaterMark: 0 },
  );
}

/** With the headers in the order and spelling of the upstream, where the answer came from there. */
function toAnswer(response: Response, answers: readonly IncomingMessage[]): Answer {
  const { status, statusText, headers, body } = response;
  const origin = answers[Number(headers.get(STATE_HEADER) ?? -1)];
  const spelled = origin === undefined ? [...headers] : passedHeaders(origin.rawHeaders, [STATE_HEADER]);
  const kept = spelled.filter(([name]) => headers.has(name));
  return { status, statusText, headers: kept, pieces: body ?? NOTHING };
}

const NOTHING: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};
