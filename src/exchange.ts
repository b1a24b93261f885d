/**
 * One exchange with a provider: the request is recognised, kept inside its model's window and sent, its answer is passed on as it came, and
 * a refusal as too long is answered by a compaction. Whatever goes wrong here, the request is sent as it came. It retries nothing else.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import type { Report } from "./compactor/report.ts";
import { type Compacted, type Compactor, type CompactorOptions, createCompactor } from "./compactor.ts";
import { CompactionError } from "./core/errors.ts";
import type { JsonObject } from "./core/json.ts";
import type { FormatName } from "./core/message.ts";
import { type AnswerReader, createAnswerReader, truncation } from "./exchange/answer.ts";
import { type Endpoint, endpointAt, isConversation, modelOf, threadRefusal } from "./exchange/endpoints.ts";
import { createKnownTexts } from "./exchange/known-texts.ts";
import { type Relay, relay } from "./exchange/relay.ts";
import { readText } from "./exchange/request-body.ts";
import { type LiveRequest, selfSummarizer, withoutModel } from "./exchange/self.ts";
import { formatNamed } from "./formats.ts";

/** Everything that a compactor takes, for every conversation that passes. */
export interface ExchangeOptions extends Omit<CompactorOptions, "format" | "model" | "summarizer"> {
  /** As a compactor takes it, or `self`: asks the model, endpoint and account of the request that is compacted. Default: no model. */
  readonly summarizer?: CompactorOptions["summarizer"] | "self";
  /** Names the conversation of a request in events and logs: a header that has its id, or a function. It is found by its messages. */
  readonly conversation?: string | ((call: { readonly url: string; readonly headers: Headers }) => string | undefined);
  /** Called after a compaction, before the request is sent. */
  readonly onCompaction?: (event: ExchangeCompaction) => void;
  /** Called with whatever went wrong here; the request was sent all the same. */
  readonly onError?: (error: unknown) => void;
}

export interface ExchangeCompaction {
  readonly report: Report;
  readonly format: FormatName;
  readonly model?: string;
  /** As the option `conversation` names it. */
  readonly conversation?: string;
}

/** A request of a client, and how it is sent. */
export interface ExchangeCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The bytes that the client sends, encoded as its headers say. */
  readonly body: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Sends the request as it came, or with another body, which is JSON and not encoded, in the place of its own. */
  send(change?: ExchangeChange): Promise<Response>;
}

export interface ExchangeChange {
  readonly body: string;
  readonly url?: string;
  readonly signal?: AbortSignal;
}

export interface Exchange {
  /** Whether requests to this address may hold a conversation; the body of any other need not be read. */
  recognises(method: string, url: string): boolean;
  exchange(call: ExchangeCall): Promise<Response>;
}

/** Requests of one process come from many conversations. */
const CONVERSATIONS = 256;
/** The settings limit the compactions after refusals to far fewer. */
const SENDS_MAX = 20;

export function createExchange(options: ExchangeOptions): Exchange {
  const { conversation, onCompaction, onError, summarizer, ...others } = options;
  const live = new AsyncLocalStorage<LiveRequest>();
  const own = summarizer === "self" ? selfSummarizer(() => live.getStore()) : summarizer;
  const compactors = new Map<FormatName, Compactor>();
  const texts = createKnownTexts();
  const compactorFor = (name: FormatName): Compactor => {
    const known = compactors.get(name);
    if (known !== undefined) return known;
    const settings = { conversations: CONVERSATIONS, ...others, ...(own !== undefined && { summarizer: own }) };
    const made = createCompactor({ ...settings, format: formatNamed(name) });
    compactors.set(name, made);
    return made;
  };
  // Options that are wrong are refused now and not with the first request.
  compactorFor("anthropic-messages");
  const failed = (error: unknown): void => {
    try {
      onError?.(error);
    } catch {
      // Nobody is left to hear of it, and the request goes on.
    }
  };
  const compacted = (event: ExchangeCompaction): void => {
    try {
      onCompaction?.(event);
    } catch (error) {
      failed(error);
    }
  };
  const nameOf = ({ url, headers }: ExchangeCall): string | undefined =>
    typeof conversation === "string" ? (headers.get(conversation) ?? undefined) : conversation?.({ url, headers });
  const recognise = async (call: ExchangeCall): Promise<Request | undefined> => {
    const endpoint = endpointAt(call.method, call.url);
    if (endpoint === undefined) return undefined;
    const compactor = compactorFor(endpoint.format);
    const { listKey } = compactor.format;
    const text = await readText(call.body, call.headers.get("content-encoding"));
    const body = text === undefined ? undefined : texts.parse(text, listKey);
    if (!isConversation(body, listKey, call.headers)) return undefined;
    return { call, endpoint, body, compactor, hearing: { failed, compacted, nameOf } };
  };
  return {
    recognises: (method, url) => endpointAt(method, url) !== undefined,
    exchange: async (call) => {
      const request = await recognise(call).catch(failed);
      if (request === undefined) return call.send();
      const refused = threadRefusal(request.body, request.endpoint);
      return refused ?? live.run(liveRequest(request), () => converse(request));
    },
  };
}

/** A recognised request, and who hears of what becomes of it. */
interface Request {
  readonly call: ExchangeCall;
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  readonly compactor: Compactor;
  readonly hearing: {
    failed(error: unknown): void;
    compacted(event: ExchangeCompaction): void;
    nameOf(call: ExchangeCall): string | undefined;
  };
}

function liveRequest({ call, endpoint, body, compactor: { format } }: Request): LiveRequest {
  const isModelInUrl = endpoint.model !== undefined;
  return {
    format,
    url: call.url,
    body: withModel(body, endpoint),
    isModelInUrl,
    send: (question) => call.send(question),
  };
}

/** The rules, the window and the estimate are the model's, wherever it is named. */
function withModel(body: JsonObject, { model }: Endpoint): JsonObject {
  return model === undefined ? body : { ...body, model };
}

/** What is sent: the request as the compactor returned it; `text` is absent where that is the one that came. */
interface Sent {
  readonly request: JsonObject;
  readonly text?: string;
}

async function converse(request: Request): Promise<Response> {
  const { call, body, endpoint } = request;
  const asked = withModel(body, endpoint);
  let sent = (await prepare(request, asked))?.sent;
  for (let sends = 1; ; sends++) {
    const [response, answer] = await send(request, sent);
    if (answer.reader.refusal === undefined || sent === undefined || sends >= SENDS_MAX) {
      const isOurs = sent?.text !== undefined && UNPROCESSABLE.has(response.status);
      return isOurs && answer.reader.refusal === undefined
        ? sendOriginal(request, response, answer.relay)
        : answer.relay.pass();
    }
    const next = await prepare(request, asked, answer.reader.refusal);
    if (next?.report.overflow?.retry !== true) return answer.relay.pass();
    await answer.relay.discard();
    throwIfAborted(call.signal);
    sent = next.sent;
  }
}

interface Fitted {
  readonly sent: Sent;
  readonly report: Report;
}

/** Undefined where that failed; then the request goes out as it came. */
async function prepare(request: Request, asked: JsonObject, overflow?: unknown): Promise<Fitted | undefined> {
  const { call, body, endpoint, compactor, hearing } = request;
  const { signal } = call;
  try {
    const conversation = hearing.nameOf(call);
    const { request: fitted, report }: Compacted<JsonObject> = await compactor.fit(asked, {
      ...(signal !== undefined && { signal }),
      ...(overflow !== undefined && { overflow }),
      ...(conversation !== undefined && { hookContext: { sessionId: conversation } }),
    });
    const model = modelOf(body, endpoint);
    if (report.compacted) {
      hearing.compacted({
        report,
        format: endpoint.format,
        ...(model !== undefined && { model }),
        ...(conversation !== undefined && { conversation }),
      });
    }
    const isSame = fitted === asked;
    const wire = endpoint.model === undefined ? fitted : withoutModel(fitted);
    return { sent: { request: fitted, ...(!isSame && { text: JSON.stringify(wire) }) }, report };
  } catch (error) {
    throwIfAborted(signal);
    hearing.failed(error);
    return undefined;
  }
}

/** As the platform's `fetch` does. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  signal?.throwIfAborted();
}

interface Answer {
  readonly relay: Relay;
  readonly reader: AnswerReader;
}

async function send(request: Request, sent: Sent | undefined): Promise<[Response, Answer]> {
  const { call, compactor, body, hearing } = request;
  const response = await (sent?.text === undefined ? call.send() : call.send({ body: sent.text }));
  const { status, headers } = response;
  const reader = createAnswerReader({
    format: compactor.format,
    status,
    contentType: headers.get("content-type") ?? "",
    isStreamed: body.stream === true || new URL(call.url).pathname.includes(":stream"),
    failed: hearing.failed,
  });
  const learned = (): void => {
    if (status < 400 && sent !== undefined) learn(request, sent, reader);
  };
  return [response, { relay: await relay(response, reader, learned), reader }];
}

/** What the end of an answer teaches about the estimate and the window. */
function learn({ compactor, hearing }: Request, { request }: Sent, reader: AnswerReader): void {
  try {
    // A refusal teaches when it is recovered from.
    if (reader.refusal !== undefined) return;
    const cut = truncation(reader);
    if (cut !== undefined) compactor.learnOverflow(request, cut);
    else if (reader.usage !== undefined) compactor.observe(request, reader.usage);
  } catch (error) {
    hearing.failed(error);
  }
}

/** What a provider answers to a request that it cannot read. */
const UNPROCESSABLE: ReadonlySet<number> = new Set([400, 422]);

/** A request that only the edits made wrong is sent as it came. One that is wrong all the same gets the answer to that. */
async function sendOriginal({ call, hearing }: Request, response: Response, refused: Relay): Promise<Response> {
  const cause = new Error(await refused.pass().text());
  const original = await call.send();
  if (original.ok) {
    const message = `The provider answered ${response.status} to the compacted request, and took the one that came.`;
    hearing.failed(new CompactionError("invalid-request", message, { cause }));
  }
  return original;
}
