/**
 * `createGateway()`: an HTTP handler that stands between any client and the model providers, and keeps every conversation that passes inside
 * its model's window. What is not rewritten passes byte for byte. Reaches no host but the upstreams that it is given, keeps no key, and
 * forwards a request as it came whenever something fails here.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isDeepStrictEqual } from "node:util";
import { checkSchema, refuseProblems } from "../core/settings/check-schema.ts";
import { filledText, group, type ObjectSchema } from "../core/settings/schema.ts";
import { createExchange, type Exchange, type ExchangeOptions } from "../exchange.ts";
import { createTelemetry } from "../telemetry.ts";
import { accessOf } from "./access.ts";
import { type Answer, converse, type Turn } from "./converse.ts";
import { OWN_HEADERS, passedHeaders, STATE_HEADER } from "./headers.ts";
import { type GatewayLimits, LIMITS, limitsSchema } from "./limits.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { readBody } from "./read-body.ts";
import { type ParsedUpstreams, parseUpstreams, routeOf, type Upstreams } from "./routes.ts";
import { createUpstreamClient, deliver, type UpstreamClient } from "./upstream.ts";

/** All are optional. Everything that `palimpsest/fetch` and `createCompactor` take can be given beside these. */
export interface GatewayOptions extends ExchangeOptions {
  /** Names and base addresses of upstreams, besides those of the providers or in their place; clients reach one at `/u/NAME`. */
  readonly upstreams?: Upstreams;
  /** Every request needs it. Without one, only requests to a name of this machine, or to one of `hosts`, are answered. */
  readonly token?: string;
  readonly hosts?: readonly string[];
  readonly limits?: Partial<GatewayLimits>;
  /** Called with one plain object for each request and each failure; nothing in it is a key, a query or a text. */
  readonly log?: (line: GatewayLogLine) => void;
  /** Answers requests for pages of its own, before anything else, the checks of host and token too; true for one that it answered. */
  readonly pages?: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;
}

export interface GatewayLogLine {
  readonly time: string;
  readonly level: "info" | "error";
  readonly event: "request" | "failure" | "closing";
  readonly [key: string]: string | number | boolean | undefined;
}

/** A handler for `createServer` of `node:http`. */
export interface Gateway extends RequestListener {
  /** Other options for the requests that come from now on. Throws where they are wrong, and then the old ones stay. */
  reload(options: GatewayOptions): void;
  /** Resolves once the store is open; throws why it cannot be. */
  ready(): Promise<void>;
  /** Resolves when the requests under way have ended; those that still come are refused. */
  close(): Promise<void>;
}

/** @example createServer(createGateway()).listen(4100, "127.0.0.1"); */
export function createGateway(options: GatewayOptions = {}): Gateway {
  const world: World = { metrics: createMetrics(), open: new Set(), bufferedBytes: 0, isClosed: false };
  let state = createState(options, world);
  const gateway: RequestListener = (request, response) => {
    const work = handle({ request, response, state, world });
    world.open.add(work);
    void work.finally(() => world.open.delete(work));
  };
  return Object.assign(gateway, {
    ready: () => state.exchange.ready(),
    reload: (next: GatewayOptions) => {
      const before = state;
      state = createState(next, world, before);
      if (before.exchange === state.exchange) return;
      // Requests that came before still need it.
      const ended = Promise.all(world.open).then(() => before.exchange.close());
      void ended.catch((error: unknown) => failedOpen(error, { note: undefined, world, log: next.log }));
    },
    close: async () => {
      world.isClosed = true;
      const { log } = state.options;
      const { size: requestsOpen } = world.open;
      if (requestsOpen > 0) log?.({ time: new Date().toISOString(), level: "info", event: "closing", requestsOpen });
      await Promise.all(world.open);
      state.upstream.close();
      await state.exchange.close();
    },
  });
}

/** What lasts as long as the gateway. */
interface World {
  readonly metrics: Metrics;
  readonly open: Set<Promise<void>>;
  bufferedBytes: number;
  isClosed: boolean;
}

/** What the options come to. */
interface State {
  readonly options: GatewayOptions;
  readonly exchangeOptions: ExchangeOptions;
  readonly exchange: Exchange;
  readonly notes: AsyncLocalStorage<Note>;
  readonly upstreams: ParsedUpstreams;
  readonly upstream: UpstreamClient;
  readonly limits: GatewayLimits;
  readonly span: ReturnType<typeof createTelemetry>["span"];
}

/** What is known about a request, for the log and the metrics. */
interface Note {
  state?: "compacted" | "failed-open";
  error?: string;
  firstByteMs?: number;
  receivedBytes: number;
  sentBytes: number;
}

function createState(options: GatewayOptions, world: World, before?: State): State {
  const { upstreams: given, token, hosts, limits: some, log, pages: _p, ...exchangeOptions } = options;
  refuseProblems(checkSchema({ token, hosts, limits: some }, OWN_OPTIONS, { partial: true }));
  const limits = { ...LIMITS, ...some };
  const upstreams = parseUpstreams(given);
  const shared = { options, exchangeOptions, upstreams, limits, span: createTelemetry(options.telemetry).span };
  // What is remembered of conversations is worth more than a fresh start.
  if (before !== undefined && isDeepStrictEqual(before.exchangeOptions, exchangeOptions))
    return { ...before, ...shared };
  const notes = new AsyncLocalStorage<Note>();
  const exchange = createExchange({
    cacheMarks: true,
    ...exchangeOptions,
    onCompaction: (event) => {
      const note = notes.getStore();
      if (note !== undefined) note.state ??= "compacted";
      world.metrics.add("compactions_total");
      world.metrics.add("tokens_freed_total", Math.max(0, event.report.tokensBefore - event.report.tokensAfter));
      exchangeOptions.onCompaction?.(event);
    },
    onExchange: (record) => {
      for (const [kind, key] of TOKEN_KINDS) world.metrics.add("tokens_total", record[key] ?? 0, { kind });
      exchangeOptions.onExchange?.(record);
    },
    onError: (error) => {
      failedOpen(error, { note: notes.getStore(), world, log });
      exchangeOptions.onError?.(error);
    },
  });
  return { ...shared, exchange, notes, upstream: before?.upstream ?? createUpstreamClient() };
}

const HOSTS_MAX = 1_000;

/** Those that are data and no upstreams. */
const OWN_OPTIONS: ObjectSchema = group("Options of a gateway.", {
  token: filledText("What every request must bring."),
  hosts: { type: "list", of: filledText("A name."), maxItems: HOSTS_MAX, about: "Names under which it is asked." },
  limits: limitsSchema,
});

const TOKEN_KINDS = [
  ["input", "inputTokens"],
  ["cache-read", "cacheReadTokens"],
  ["cache-write", "cacheWriteTokens"],
  ["output", "outputTokens"],
] as const;

interface FailurePlace {
  readonly note: Note | undefined;
  readonly world: World;
  readonly log: GatewayOptions["log"];
}

function failedOpen(error: unknown, { note, world, log }: FailurePlace): void {
  if (note !== undefined) {
    note.state = "failed-open";
    note.error = nameOf(error);
  }
  world.metrics.add("failed_open_total");
  log?.({ time: new Date().toISOString(), level: "error", event: "failure", error: nameOf(error) });
}

/** An error's text may quote a message of a conversation; its code or name does not. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "Error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly state: State;
  readonly world: World;
}

/** Never rejects. */
async function handle(visit: Visit): Promise<void> {
  const { request, response, state, world } = visit;
  // What the upstream says about the time is passed on, and nothing added to it.
  response.sendDate = false;
  try {
    if ((await state.options.pages?.(request, response)) === true) return;
    const access = accessOf(request, { token: state.options.token, hosts: state.options.hosts ?? [] });
    if (access.type === "refused") return refuse(visit, access.status, { reason: "access", message: access.message });
    const { url } = access;
    if (request.method === "GET" && url === "/healthz") return sendText(response, world.isClosed ? 503 : 200, "ok\n");
    if (request.method === "GET" && url === "/metrics") return sendText(response, 200, numbersOf(world));
    await forward(visit, url);
  } catch (error) {
    // Whatever it was, it was no upstream's fault, and nobody has answered yet.
    failedOpen(error, { note: undefined, world, log: state.options.log });
    if (!response.headersSent) refuse(visit, 500, { reason: "defect", message: "The gateway failed." });
    else response.destroy();
  }
}

function numbersOf({ metrics, bufferedBytes }: World): string {
  return metrics.write({ buffered_bytes: bufferedBytes, resident_bytes: process.memoryUsage.rss() });
}

async function forward(visit: Visit, url: string): Promise<void> {
  const { request, state, world } = visit;
  const route = routeOf(url, request.headers, state.upstreams);
  if (route === undefined) return refuse(visit, 404, { reason: "path", message: "There is no such upstream or path." });
  if (request.headers.upgrade?.toLowerCase().includes("websocket") === true) {
    // Clients then go on with ordinary requests.
    return refuse(visit, UPGRADE_REQUIRED, { reason: "upgrade", message: "WebSockets are not served here: use HTTP." });
  }
  if (world.isClosed) return refuse(visit, 503, { reason: "closing", message: "The gateway is shutting down." });
  if (world.open.size > state.limits.requestsMax) {
    return refuse(visit, 503, { reason: "busy", message: "The gateway has too many requests under way." });
  }
  const method = request.method ?? "GET";
  const isConversation = state.exchange.recognises(method, `${route.base.origin}${route.path}`);
  const note: Note = { receivedBytes: 0, sentBytes: 0 };
  const attributes = { "http.request.method": method, "palimpsest.upstream": route.upstream };
  await state.span("palimpsest.gateway.request", attributes, async (more) => {
    const trip: Trip = { ...visit, route, note, isConversation, started: performance.now() };
    await state.notes.run(note, () => travel(trip));
    more({ "http.response.status_code": visit.response.statusCode, "palimpsest.state": note.state ?? "passed" });
  });
}

interface Trip extends Visit, Pick<Turn, "route"> {
  readonly note: Note;
  readonly isConversation: boolean;
  readonly started: number;
}

async function travel(trip: Trip): Promise<void> {
  const { request, response, state, world, route, isConversation } = trip;
  const { limits } = state;
  const controller = new AbortController();
  const { signal } = controller;
  const gone = (): void => controller.abort();
  response.once("close", gone);
  const timer = setTimeout(() => response.destroy(), limits.requestMs);
  const turn: Turn = { request, route, signal, upstream: state.upstream, connectMs: limits.connectMs };
  world.metrics.add("requests_open", 1);
  try {
    const answer = isConversation ? await converseWhole(trip, turn) : await passThrough(trip, turn);
    if (answer !== undefined) await write(trip, answer);
  } catch (error) {
    if (signal.aborted) world.metrics.add("aborted_total");
    else upstreamFailed(trip, error);
  } finally {
    clearTimeout(timer);
    response.off("close", gone);
    // Of an answer that nobody read to its end.
    if (!response.writableEnded) controller.abort();
    world.metrics.add("requests_open", -1);
    finish(trip);
  }
}

/** A conversation has to be known before anything of it is sent. Undefined where the client was refused. */
async function converseWhole(trip: Trip, turn: Turn): Promise<Answer | undefined> {
  const { request, response, state, world, note } = trip;
  const read = await readBody(request, {
    response,
    limits: state.limits,
    shared: world,
    onBytes: (bytes) => {
      note.receivedBytes = bytes;
    },
  });
  if (typeof read === "string") {
    const status = read === "too-large" ? 413 : 503;
    refuse(trip, status, { reason: read, message: "The gateway does not take a conversation of so many bytes now." });
    return undefined;
  }
  try {
    const { exchange, options } = state;
    const failed = (error: unknown): void => failedOpen(error, { note, world, log: options.log });
    return await converse({ ...turn, request, exchange, body: read, failedOpen: failed });
  } finally {
    world.bufferedBytes -= read.byteLength;
  }
}

/** Whatever is no conversation passes as it comes, in both directions. */
async function passThrough({ request, note }: Trip, turn: Turn): Promise<Answer> {
  const { method = "GET", headers, rawHeaders } = request;
  const length = headers["content-length"];
  const hasBody = length !== undefined || headers["transfer-encoding"] !== undefined;
  const bytes = length === undefined ? undefined : Number(length);
  if (hasBody) {
    request.on("data", (piece: Buffer) => {
      note.receivedBytes += piece.byteLength;
    });
    request.pause();
  }
  const answer = await turn.upstream.send({
    method,
    route: turn.route,
    headers: passedHeaders(rawHeaders, ["content-length", ...OWN_HEADERS]),
    ...(hasBody && { body: { stream: request, bytes } }),
    signal: turn.signal,
    connectMs: turn.connectMs,
  });
  const { statusCode: status = 502, statusMessage: statusText = "" } = answer;
  return { status, statusText, headers: passedHeaders(answer.rawHeaders, [STATE_HEADER]), pieces: answer };
}

async function write({ response, state, note, started }: Trip, answer: Answer): Promise<void> {
  const { status, statusText, headers, pieces } = answer;
  const own = note.state === undefined ? [] : [STATE_HEADER, note.state];
  response.writeHead(status, statusText, [...headers.flat(), ...own]);
  response.flushHeaders();
  await deliver(pieces, response, {
    stalledMs: state.limits.stalledMs,
    onBytes: (bytes) => {
      note.firstByteMs ??= performance.now() - started;
      note.sentBytes += bytes;
    },
  });
}

const UPGRADE_REQUIRED = 426;

/** In the form that clients of all providers read. */
function refuse(
  { response, world }: Pick<Visit, "response" | "world">,
  status: number,
  { reason, message }: { readonly reason: string; readonly message: string },
): void {
  world.metrics.add("requests_refused_total", 1, { reason });
  const body = JSON.stringify({
    type: "error",
    error: { type: `gateway_${reason}`, message: `palimpsest: ${message}` },
  });
  const upgrade = status === UPGRADE_REQUIRED ? { upgrade: "HTTP/1.1" } : {};
  const length = { "content-length": Buffer.byteLength(body) };
  const headers = { "content-type": "application/json", ...length, ...upgrade, connection: "close" };
  response.writeHead(status, headers).end(body);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
}

function upstreamFailed(trip: Trip, error: unknown): void {
  const { response, world, note } = trip;
  note.error = nameOf(error);
  world.metrics.add("upstream_failures_total");
  if (response.headersSent) response.destroy();
  else refuse(trip, 502, { reason: "upstream", message: `The upstream did not answer (${nameOf(error)}).` });
}

const MS_PER_SECOND = 1_000;

function finish({ request, response, state, world, route, note, isConversation, started }: Trip): void {
  const { metrics } = world;
  const ms = performance.now() - started;
  const { statusCode: status } = response;
  metrics.add("requests_total", 1, {
    upstream: route.upstream,
    kind: isConversation ? "conversation" : "other",
    status,
  });
  metrics.observe("request_seconds", ms / MS_PER_SECOND);
  if (note.firstByteMs !== undefined) metrics.observe("first_byte_seconds", note.firstByteMs / MS_PER_SECOND);
  metrics.add("received_bytes_total", note.receivedBytes);
  metrics.add("sent_bytes_total", note.sentBytes);
  state.options.log?.({
    time: new Date().toISOString(),
    level: "info",
    event: "request",
    method: request.method,
    upstream: route.upstream,
    // Without the query, in which some clients send their key.
    path: route.path.split("?", 1)[0],
    status,
    ms: Math.round(ms),
    ...(note.firstByteMs !== undefined && { firstByteMs: Math.round(note.firstByteMs) }),
    receivedBytes: note.receivedBytes,
    sentBytes: note.sentBytes,
    ...(note.state !== undefined && { state: note.state }),
    ...(note.error !== undefined && { error: note.error }),
  });
}
