/**
 * A recognised request on its way: fitted, sent, its answer passed on, and sent again compacted where the provider refuses it as too long.
 * What the answer says is learned, and recorded once it has ended.
 */

import type { Report } from "../compactor/report.ts";
import type { Compactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import type { TrafficStore } from "../core/store/traffic.ts";
import { untilAborted } from "../core/waiting.ts";
import { type AnswerReader, createAnswerReader, truncation } from "./answer.ts";
import { ANSWER_EVENTS } from "./answer-events.ts";
import { asksForStream, type Endpoint, modelOf, withModel } from "./endpoints.ts";
import type { Fitted, Keeper, KeptRequest, RefusedRequest } from "./keeper.ts";
import { answerRecalls } from "./recall.ts";
import { type ExchangeRecord, recordOf } from "./record.ts";
import { type Relay, relay } from "./relay.ts";
import { withoutModel } from "./self.ts";

/** A request of a client, and how it is sent. */
export interface ExchangeCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** The bytes that the client sends, encoded as its headers say. */
  readonly body: string | Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** The bytes of answers are still encoded as their headers say, which those of a `fetch` are not. */
  readonly answersAreEncoded?: boolean;
  /** Sends the request as it came, or with another body, which is JSON and not encoded, in the place of its own. */
  send(change?: ExchangeChange): Promise<Response>;
}

export interface ExchangeChange {
  readonly body: string;
  readonly url?: string;
  readonly signal?: AbortSignal;
}

/** A recognised request, who keeps its conversation, and who hears of what becomes of it. */
export interface Recognised {
  readonly call: ExchangeCall;
  readonly endpoint: Endpoint;
  readonly body: JsonObject;
  readonly compactor: Compactor;
  readonly keeper: Keeper;
  readonly store: Promise<TrafficStore> | undefined;
  /** What is sent in the place of a body: the same, or marked for the provider's cache. */
  mark(body: JsonObject): JsonObject;
  readonly hearing: {
    failed(error: unknown): void;
    compacted(event: CompactionNews): void;
    exchanged(record: ExchangeRecord): void;
  };
  readonly from: {
    caller(): string;
    readonly client: string;
    conversation(): string | undefined;
  };
}

interface CompactionNews {
  readonly report: Report;
  readonly format: FormatName;
  readonly model?: string;
  readonly conversation?: string;
  readonly sessionId?: string;
}

/** The settings limit the compactions after refusals to far fewer. */
const SENDS_MAX = 20;

/** What is sent: the request as the keeper returned it; `text` is absent where that is the one that came. */
interface Sent {
  readonly fitted: Fitted;
  readonly text?: string;
}

/** How often in a row the model may recall before the client hears of it. */
const RECALLS_MAX = 12;

export async function converse(request: Recognised): Promise<Response> {
  const { compactor, endpoint, hearing } = request;
  const asked = askedBy(request);
  let sent = asked && (await prepare(request, asked));
  for (let recalls = 1; ; recalls++) {
    const { response, fitted } = await sendFitting(request, { sent, asked });
    const recall = fitted?.recall;
    if (recall === undefined || asked === undefined) return response;
    const answered = await answerRecalls(response, {
      ...{ format: compactor.format, events: ANSWER_EVENTS[endpoint.format], recall, failed: hearing.failed },
      mayAskAgain: recalls < RECALLS_MAX,
    });
    if (answered !== undefined) return answered;
    throwIfAborted(request.call.signal);
    sent = await prepare(request, asked);
  }
}

/** The answer, and what it answers. */
interface Answered {
  readonly response: Response;
  readonly fitted: Fitted | undefined;
}

/** Sent again compacted for as long as the provider refuses it as too long and that makes sense. */
async function sendFitting(request: Recognised, { sent: first, asked }: Sending): Promise<Answered> {
  let sent = first;
  for (let sends = 1; ; sends++) {
    const [response, answer] = await send(request, { sent, asked });
    const { refusal, refusesReasoning } = answer.reader;
    if (asked === undefined || sent === undefined) return { response: answer.relay.pass(), fitted: undefined };
    const { fitted, text } = sent;
    if (refusesReasoning) return sendUnreasoned(request, asked, answer.relay);
    if (refusal === undefined || sends >= SENDS_MAX) {
      const isOurs = text !== undefined && UNPROCESSABLE.has(response.status) && refusal === undefined;
      const passed = isOurs ? await sendOriginal(request, response, answer.relay) : answer.relay.pass();
      return { response: passed, fitted };
    }
    const next = await prepare(request, asked, { because: "length", request: fitted.request, overflow: refusal });
    if (next?.fitted.report.overflow?.retry !== true) return { response: answer.relay.pass(), fitted };
    await answer.relay.discard();
    throwIfAborted(request.call.signal);
    sent = next;
  }
}

/** Undefined where a function of the caller's failed; then the request goes out as it came. */
function askedBy({ call, endpoint, body, compactor, hearing, from }: Recognised): KeptRequest | undefined {
  try {
    const [tenant, name] = [from.caller(), from.conversation()];
    const model = modelOf(body, endpoint);
    const { client } = from;
    const metadata = { client, tenant, ...(model !== undefined && { model }), ...(name !== undefined && { name }) };
    const asked = withModel(body, endpoint);
    return { compactor, asked, root: [tenant, name ?? ""], metadata, name, signal: call.signal };
  } catch (error) {
    hearing.failed(error);
    return undefined;
  }
}

/** Undefined where that failed; then the request goes out as it came. */
async function prepare(request: Recognised, asked: KeptRequest, refused?: RefusedRequest): Promise<Sent | undefined> {
  const { call, body, endpoint, hearing, keeper } = request;
  try {
    const fitting = keeper.fit(asked, refused);
    // Earlier requests of the conversation may keep it waiting.
    const fitted = await (call.signal === undefined ? fitting : untilAborted(fitting, call.signal));
    const { report, sessionId } = fitted;
    const model = modelOf(body, endpoint);
    if (report.compacted) {
      hearing.compacted({
        report,
        format: endpoint.format,
        ...(model !== undefined && { model }),
        ...(asked.name !== undefined && { conversation: asked.name }),
        ...(sessionId !== undefined && { sessionId }),
      });
    }
    const marked = request.mark(fitted.request);
    if (marked === asked.asked) return { fitted };
    return { fitted, text: JSON.stringify(endpoint.model === undefined ? marked : withoutModel(marked)) };
  } catch (error) {
    throwIfAborted(call.signal);
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

interface Sending {
  readonly sent: Sent | undefined;
  readonly asked: KeptRequest | undefined;
}

async function send(request: Recognised, sending: Sending): Promise<[Response, Answer]> {
  const { call, compactor, body, hearing } = request;
  const { sent } = sending;
  const [at, startedMs] = [new Date(), performance.now()];
  let firstByteMs: number | null = null;
  const response = await (sent?.text === undefined ? call.send() : call.send({ body: sent.text }));
  const { status, headers } = response;
  const reader = createAnswerReader({
    format: compactor.format,
    status,
    contentType: headers.get("content-type") ?? "",
    contentEncoding: call.answersAreEncoded === true ? headers.get("content-encoding") : null,
    isStreamed: asksForStream(call.url, body),
    failed: hearing.failed,
  });
  const ended = (isWhole: boolean): void => {
    if (isWhole && status < 400 && sent !== undefined) learn(request, sent, reader);
    record(request, sending, { reader, status, at, firstByteMs, durationMs: performance.now() - startedMs });
  };
  const begun = (): void => {
    firstByteMs = performance.now() - startedMs;
  };
  return [response, { relay: await relay(response, { answer: reader, begun, ended }), reader }];
}

/** What the end of an answer teaches about the estimate and the window. */
function learn({ compactor, hearing, body, endpoint }: Recognised, { fitted }: Sent, reader: AnswerReader): void {
  try {
    // A refusal teaches when it is recovered from.
    if (reader.refusal !== undefined) return;
    const cut = truncation(reader);
    if (cut !== undefined) compactor.learnOverflow(fitted.request, cut);
    else if (reader.usage === undefined) return;
    else if (fitted.estimatedTokens === undefined) compactor.observe(fitted.request, reader.usage);
    else {
      const inputTokens = compactor.format.readUsage(reader.usage)?.inputTokens;
      const model = modelOf(body, endpoint);
      if (inputTokens === undefined) return;
      compactor.calibrate(fitted.estimatedTokens, inputTokens, model);
      compactor.windows.accepted(compactor.model ?? model ?? "", inputTokens);
    }
  } catch (error) {
    hearing.failed(error);
  }
}

type Ending = Pick<Parameters<typeof recordOf>[0], "reader" | "status" | "at" | "firstByteMs" | "durationMs">;

function record(request: Recognised, { sent, asked }: Sending, ending: Ending): void {
  if (sent === undefined || asked === undefined) return;
  const { compactor, body, endpoint, from, hearing, store } = request;
  try {
    const { fitted } = sent;
    const made = recordOf({
      compactor,
      fitted,
      ...ending,
      model: modelOf(body, endpoint),
      client: from.client,
      tenant: asked.root[0] ?? "",
      conversation: asked.name,
    });
    hearing.exchanged(made);
    const { sessionId } = made;
    if (sessionId === null) return;
    const { format: _, client: _client, tenant: _tenant, conversation: _name, ...stored } = made;
    // Nobody waits for it: the answer is with the client.
    store?.then((opened) => opened.addRequest({ ...stored, sessionId })).catch(hearing.failed);
  } catch (error) {
    hearing.failed(error);
  }
}

/** Once more without the reasoning that the provider refused. Where that is refused too, the client gets the first answer. */
async function sendUnreasoned(request: Recognised, asked: KeptRequest, refused: Relay): Promise<Answered> {
  const sent = await prepare(request, asked, { because: "reasoning" });
  if (sent === undefined) return { response: refused.pass(), fitted: undefined };
  const [response, { relay: next }] = await send(request, { sent, asked });
  const [chosen, other] = response.status === 400 ? [refused, next] : [next, refused];
  await other.discard();
  return { response: chosen.pass(), fitted: sent.fitted };
}

/** What a provider answers to a request that it cannot read. */
const UNPROCESSABLE: ReadonlySet<number> = new Set([400, 422]);

/** A request that only the edits made wrong is sent as it came. One that is wrong all the same gets the answer to that. */
async function sendOriginal({ call, hearing }: Recognised, response: Response, refused: Relay): Promise<Response> {
  const cause = new Error(await refused.pass().text());
  const original = await call.send();
  if (original.ok) {
    const message = `The provider answered ${response.status} to the compacted request, and took the one that came.`;
    hearing.failed(new CompactionError("invalid-request", message, { cause }));
  }
  return original;
}
