/** One HTTP request to the test server: read, recorded, answered or failed as the test asked. Knows sockets and no provider. */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { isObject, type JsonObject, stringOf } from "../../core/json.ts";
import type { Usage } from "../../core/ports.ts";
import { formatNamed } from "../../formats.ts";
import { deliver, type Fault, refuse, sendJson } from "./deliver.ts";
import { answerCall, asksForCompaction, type Exchange, type Outcome, PROVIDER_APIS, routeOf } from "./exchange.ts";
import type { ProviderCall, Refusal, ServedFormat } from "./provider-api.ts";

export interface RecordedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came over the wire. */
  readonly bytes: Buffer;
  /** Undefined for what is no JSON object. */
  readonly body: JsonObject | undefined;
  /** Absent where the path belongs to none of the APIs. */
  readonly format?: ServedFormat;
  readonly kind?: ProviderCall["kind"];
  readonly model?: string;
  /** Absent while the request is under way. */
  readonly outcome?: RequestOutcome;
}

export interface RequestOutcome {
  /** `failed`: by a fault of the test. `aborted`: the client went away. */
  readonly type: "answered" | "refused" | "failed" | "aborted";
  readonly status: number;
  /** Of a refusal, in the provider's words. */
  readonly message?: string;
  readonly usage?: Usage;
}

export interface ServerState extends Omit<Exchange, "index" | "signal"> {
  readonly requests: RecordedRequest[];
  readonly faults: { readonly fault: Fault; readonly matches: (request: RecordedRequest) => boolean }[];
  /** Answers that were delivered. */
  answers: number;
}

const BODY_BYTES_MAX = 32 * 1_024 * 1_024;

/** Never rejects: whatever goes wrong in the test's own functions is an error 500 with its message. */
export async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  state: ServerState,
): Promise<void> {
  // The same request gets the same bytes at any time.
  response.sendDate = false;
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const bytes = await buffer(request).catch(() => undefined);
  if (bytes === undefined) return; // The client went away before it had sent all.
  const record = recordOf(request, bytes);
  state.requests.push(record);
  try {
    record.outcome = await respond(record, response, { ...state, index: state.answers, signal: gone.signal, state });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) sendJson(response, 500, { error: { message, type: "server_error" } });
    record.outcome = { type: gone.signal.aborted ? "aborted" : "failed", status: 500, message };
  }
}

/** A request whose outcome is not known yet. */
interface OpenRequest extends Omit<RecordedRequest, "outcome"> {
  outcome?: RequestOutcome;
}

function recordOf(request: IncomingMessage, bytes: Buffer): OpenRequest {
  const path = request.url ?? "/";
  const body = parsed(bytes, request.headers["content-encoding"]);
  const route = request.method === "POST" ? routeOf(path.replace(/\?.*$/, "")) : undefined;
  const head = { method: request.method ?? "GET", path, headers: request.headers, bytes, body };
  if (route === undefined) return head;
  const { format } = route;
  const kind =
    route.kind === "answer" && body !== undefined && asksForCompaction(format, body) ? "compact" : route.kind;
  return { ...head, format, kind, model: route.model ?? stringOf(body?.model) ?? "" };
}

function parsed(bytes: Buffer, encoding: string | undefined): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(decompressed(bytes, encoding).toString("utf8"));
    return isObject(json) ? json : undefined;
  } catch {
    return undefined; // The request is refused for it.
  }
}

function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  const limit = { maxOutputLength: BODY_BYTES_MAX };
  if (encoding === "gzip") return gunzipSync(bytes, limit);
  if (encoding === "zstd") return zstdDecompressSync(bytes, limit);
  if (encoding === "br") return brotliDecompressSync(bytes, limit);
  return encoding === "deflate" ? inflateSync(bytes, limit) : bytes;
}

interface Turn extends Exchange {
  readonly state: ServerState;
}

async function respond(record: RecordedRequest, response: ServerResponse, turn: Turn): Promise<RequestOutcome> {
  const { format, kind, model = "", body = {} } = record;
  if (format === undefined || kind === undefined) {
    sendJson(response, 404, { error: { message: `There is nothing at ${record.path}.` } });
    return { type: "refused", status: 404 };
  }
  const isStreamPath = record.path.includes(":streamGenerateContent");
  const isStream = isStreamPath || (kind !== "count" && body.stream === true);
  const isArray = isStreamPath && !record.path.includes("alt=sse");
  const call: ProviderCall = { format, kind, model, isStream, isArray, headers: record.headers, body };
  const fault = takeFault(record, turn.state);
  const outcome = failureOf(record, fault) ?? (await answerCall(call, withWindow(turn, fault)));
  if (turn.signal.aborted) return { type: "aborted", status: 0 };
  const delivery = { call, response, signal: turn.signal, ...(fault !== undefined && { fault }) };
  if (outcome.type === "refused") {
    const { refusal, inStream } = outcome;
    const status = await refuse(refusal, inStream && isStream, { ...delivery, memory: turn.memory });
    const isFault = fault !== undefined && REFUSING.includes(fault.type);
    return { type: isFault ? "failed" : "refused", status, message: refusal.message };
  }
  const isWhole = await deliver(outcome.answer, delivery);
  const isBroken = fault?.type === "cut" || fault?.type === "garbage";
  if (!isWhole) return { type: isBroken ? "failed" : "aborted", status: 200 };
  if (kind === "answer") turn.state.answers++;
  const usage = formatNamed(format).readUsage(outcome.answer.whole);
  return { type: "answered", status: 200, ...(usage !== undefined && { usage }) };
}

/** Other faults spoil an answer; a request that is refused anyway never meets them. */
const REFUSING: readonly Fault["type"][] = ["rate-limit", "server-error", "overloaded", "overflow"];

/** A fault may make the window smaller for one request, and choose how that shows. */
function withWindow(turn: Turn, fault: Fault | undefined): Exchange {
  if (fault?.type !== "overflow" && fault?.type !== "truncate") return turn;
  const { windowTokens } = fault;
  const isInStream = fault.type === "overflow" && fault.inStream === true;
  return {
    ...turn,
    overflow: fault.type === "truncate" ? "truncate" : isInStream ? "stream" : "status",
    windowNow: (inputTokens) => windowTokens ?? Math.floor((inputTokens * 9) / 10),
  };
}

function takeFault(record: RecordedRequest, { faults }: ServerState): Fault | undefined {
  const at = faults.findIndex(({ matches }) => matches(record));
  return at < 0 ? undefined : faults.splice(at, 1)[0]?.fault;
}

/** What fails before anybody looks at the conversation. */
function failureOf({ format, bytes, body }: RecordedRequest, fault: Fault | undefined): Outcome | undefined {
  const failures = format === undefined ? undefined : PROVIDER_APIS[format].failures;
  if (failures === undefined) return undefined;
  const refused = (refusal: Refusal, inStream = false): Outcome => ({ type: "refused", refusal, inStream });
  if (fault?.type === "rate-limit") {
    const headers = { "retry-after": String(fault.retryAfterSeconds) };
    return refused({ ...failures["rate-limit"], headers }, fault.inStream);
  }
  if (fault?.type === "server-error" || fault?.type === "overloaded")
    return refused(failures[fault.type], fault.inStream);
  if (bytes.length > BODY_BYTES_MAX) return refused(failures["body-too-large"]);
  return body === undefined ? refused(failures["invalid-json"]) : undefined;
}
