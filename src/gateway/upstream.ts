/**
 * Sends requests to upstreams over connections that are kept, and passes answers on as they come: the bytes, the headers, the pace of the
 * reader. Follows no redirect, changes nothing, and retries only what a kept connection lost because its server had closed it already.
 */

import http, { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { Route } from "./routes.ts";

export interface UpstreamRequest {
  readonly method: string;
  readonly route: Route;
  /** Without those that frame the body. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Bytes, a stream of as many bytes as are said, or of nobody knows how many. Absent: there is no body. */
  readonly body?: Uint8Array | { readonly stream: IncomingMessage; readonly bytes: number | undefined };
  readonly signal: AbortSignal;
  /** Until the upstream has accepted a connection. */
  readonly connectMs: number;
}

export interface UpstreamClient {
  send(request: UpstreamRequest): Promise<IncomingMessage>;
  /** Ends the connections that nobody uses. */
  close(): void;
}

export function createUpstreamClient(): UpstreamClient {
  const settings = { keepAlive: true, scheduling: "lifo" } as const;
  const agents = { "http:": new http.Agent(settings), "https:": new https.Agent(settings) };
  const send = (request: UpstreamRequest, isRetried = false): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { route, body, method, signal, connectMs } = request;
      const { protocol, hostname, port } = route.base;
      const isSecure = protocol === "https:";
      const { request: start } = isSecure ? https : http;
      const outgoing = start({
        agent: agents[isSecure ? "https:" : "http:"],
        hostname: hostname.replace(/^\[|\]$/g, ""),
        ...(port !== "" && { port }),
        method,
        path: route.path,
        headers: ["host", route.base.host, ...request.headers.flat(), ...framing(request)],
        signal,
      });
      let isConnected = false;
      const giveUp = (): void => {
        if (!isConnected) outgoing.destroy(new Error("The upstream does not accept connections."));
      };
      // While the process was busy, the connection may have been made: that is heard before an immediate.
      const timer = setTimeout(() => setImmediate(giveUp), connectMs);
      const connected = (): void => {
        isConnected = true;
        clearTimeout(timer);
      };
      outgoing.on("socket", (socket) => {
        if (socket.connecting) socket.once(isSecure ? "secureConnect" : "connect", connected);
        else connected();
      });
      outgoing.on("response", resolve);
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        const isStale = outgoing.reusedSocket && error.code === "ECONNRESET" && !signal.aborted;
        if (isStale && !isRetried && !isStream(body)) resolve(send(request, true));
        else reject(error);
      });
      if (!isStream(body)) outgoing.end(body);
      else {
        // A body that breaks off must not look whole.
        body.stream.on("error", (error) => outgoing.destroy(error)).pipe(outgoing);
      }
    });
  return {
    send,
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function isStream(body: UpstreamRequest["body"]): body is Exclude<UpstreamRequest["body"], Uint8Array | undefined> {
  return body !== undefined && "stream" in body;
}

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);

function framing({ body, method }: UpstreamRequest): readonly string[] {
  const bytes = body === undefined ? 0 : isStream(body) ? body.bytes : body.byteLength;
  if (bytes === undefined) return ["transfer-encoding", "chunked"];
  return body === undefined && BODILESS.has(method) ? [] : ["content-length", String(bytes)];
}

export interface Delivery {
  /** A reader that takes nothing for so long is cut off. */
  readonly stalledMs: number;
  /** Called with each piece before it is written. */
  readonly onBytes: (bytes: number) => void;
}

/** Writes the pieces as they come and as fast as they are read. Throws what the source throws, and where the reader is gone. */
export async function deliver(
  pieces: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  { stalledMs, onBytes }: Delivery,
): Promise<void> {
  for await (const piece of pieces) {
    onBytes(piece.byteLength);
    if (!response.write(piece)) await drained(response, stalledMs);
  }
  response.end();
}

function drained(response: ServerResponse, stalledMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const closed = (): void => reject(new Error("The client is gone."));
  const timer = setTimeout(() => response.destroy(new Error("The client reads nothing.")), stalledMs);
  response.once("drain", resolve).once("close", closed);
  return promise.finally(() => {
    clearTimeout(timer);
    response.off("drain", resolve).off("close", closed);
  });
}
