/**
 * What all models have in common: how an answer is read, how a stream ends, how a failure is told, how a conversation is compacted by hand.
 * A provider's file says only how its client is called. Never sends a request twice.
 */

import { tariffOf, windowOfModel } from "../compactor/model-facts.ts";
import {
  type CallOptions,
  type Compacted,
  createCompactor,
  type NativeAnswer,
  type NativeCompaction,
} from "../compactor.ts";
import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonObject, stringOf } from "../core/json.ts";
import type { Part, ToolCallPart } from "../core/message.ts";
import type { Model, ModelCall, ModelDelta, ModelReply, Prices, Question, StopReason } from "../core/model.ts";
import type { Format } from "../core/ports.ts";
import { untilAborted } from "../core/waiting.ts";
import { isTransient } from "../retry.ts";
import { llm } from "../summarizers/llm.ts";

export interface ModelOptions {
  /** Default: the published window of the model. */
  readonly windowTokens?: number;
  /** Default: the published prices of the model. */
  readonly prices?: Prices;
  /** Fields of every request that does not state them itself, for example `{ reasoning: { effort: "low" } }`. */
  readonly request?: object;
}

export interface ProviderCalls<Request extends object> {
  readonly id: string;
  readonly format: Format<Request>;
  readonly options: ModelOptions;
  send(body: JsonObject, signal: AbortSignal): PromiseLike<unknown>;
  /** Yields what is said while it is said, and returns the whole response. */
  stream(body: JsonObject, signal: AbortSignal): AsyncGenerator<ModelDelta, unknown, undefined>;
  count?(body: JsonObject, signal: AbortSignal): PromiseLike<number>;
  /** Why the response ended, in the provider's words; undefined where it has not. */
  stopOf(response: JsonObject): string | undefined;
  question(question: Question): object;
  /** The provider's own compaction, where it has one. */
  readonly native?: { readonly kind: string; send(body: JsonObject, signal: AbortSignal): PromiseLike<unknown> };
}

/** A model that compacts too. */
export interface CompactingModel<Request extends object = object> extends Model<Request> {
  /** The provider's own compaction: the option `native` of a compactor. Absent where the provider has none. */
  readonly native?: NativeCompaction;
  /**
   * Compacts a request or a bare list now, whatever its size: by the provider's own compaction, else by a summary of this model. The newest
   * ten messages stay. Keeps nothing: the result is the caller's to send.
   */
  compact<Given>(request: Given, call?: CallOptions): Promise<Compacted<Given>>;
}

export function createModel<Request extends object>(calls: ProviderCalls<Request>): CompactingModel<Request> {
  const model = asking(calls);
  const native = nativeOf(calls);
  return {
    ...model,
    ...(native !== undefined && { native }),
    compact: (request, call) => byHand(model, native).compact(request, call),
  };
}

/** The tail is counted in messages, so that a conversation of any length has something to compact. */
const BY_HAND = { compact: { strategy: "native" }, protect: { tailMessages: 10, tailTokens: 0 } } as const;

function byHand<Request extends object>(model: Model<Request>, native: NativeCompaction | undefined) {
  const { id, format, windowTokens } = model;
  return createCompactor({
    ...BY_HAND,
    format,
    model: id,
    ...(windowTokens !== undefined && { windowTokens }),
    ...(native !== undefined && { native }),
    summarizer: llm({ model }),
  });
}

/** It resolves with the response as it came; the format says what stands for the list. */
function nativeOf({ native, ...asked }: ProviderCalls<object>): NativeCompaction | undefined {
  if (native === undefined) return undefined;
  const wire = asked.format.nativeWire(native.kind);
  return {
    kind: native.kind,
    compact: async (request, signal = new AbortController().signal) => {
      const body = bodyOf(request, asked);
      // The compactor's request has been through this already, and says how to compact.
      const { compaction } = body;
      const made = { ...wire?.request(body, undefined), ...(compaction !== undefined && { compaction }) };
      const answer = await answered(asked, signal, () => native.send(made, signal));
      // Whoever reads it takes any object and says what is wrong with it.
      return (isObject(answer) ? answer : {}) as NativeAnswer;
    },
  };
}

function asking<Request extends object>(calls: ProviderCalls<Request>): Model<Request> {
  const { id, format, options, count } = calls;
  const windowTokens = options.windowTokens ?? windowOfModel(id);
  const prices = options.prices ?? tariffOf(id)?.prices;
  return {
    id,
    format,
    ...(windowTokens !== undefined && { windowTokens }),
    ...(prices !== undefined && { prices }),
    // A signal of its own for each call: clients leave listeners behind on it.
    complete: async (request, signal = new AbortController().signal) => {
      const body = bodyOf(request, calls);
      return readResponse(await answered(calls, signal, () => calls.send(body, signal)), calls);
    },
    stream: (request, signal = new AbortController().signal) => events(calls, request, signal),
    ...(count !== undefined && {
      countTokens: async (request: object, signal = new AbortController().signal) =>
        answered(calls, signal, () => count(bodyOf(request, calls), signal)),
    }),
    question: calls.question,
  };
}

type Asked = Pick<ProviderCalls<object>, "id" | "format" | "options">;

/** The request as a body of this model's; whether it is streamed is said with the call. */
export function bodyOf(request: unknown, { id, format, options }: Asked): JsonObject {
  if (!isObject(request))
    throw new CompactionError("invalid-request", `A request is a body with ${format.listKey}, not a bare list.`);
  // The caller's own object, which is sent as JSON.
  const defaults = (options.request ?? {}) as JsonObject;
  const { stream: _, stream_options: _options, ...body } = { ...defaults, ...request };
  // Gemini's client has nearly all fields in this one.
  const [stated, own] = [defaults.config, request.config];
  return { ...body, ...(isObject(stated) && isObject(own) && { config: { ...stated, ...own } }), model: id };
}

/** The answer, or `model-failed` with what the client threw; after an abort at once, whatever the client does. */
export async function answered<Value>(
  asked: Asked,
  signal: AbortSignal,
  call: () => PromiseLike<Value>,
): Promise<Value> {
  if (signal.aborted) throw aborted(signal);
  try {
    // An async function, so that what is thrown at once is caught like what is rejected.
    return await untilAborted((async () => call())(), signal);
  } catch (error) {
    throw signal.aborted ? aborted(signal) : failure(asked, error);
  }
}

async function* events(calls: ProviderCalls<object>, request: object, signal: AbortSignal) {
  const body = bodyOf(request, calls);
  if (signal.aborted) throw aborted(signal);
  const ending = new AbortController();
  const deltas = calls.stream(body, AbortSignal.any([signal, ending.signal]));
  let isOver = false;
  try {
    for (;;) {
      const next = await answered(calls, signal, () => deltas.next());
      isOver = next.done === true;
      if (!next.done) {
        if (next.value.text !== "") yield next.value;
        continue;
      }
      const reply = readResponse(next.value, calls);
      for (const call of reply.calls) yield { type: "tool-call", call } as const;
      if (reply.usage !== undefined) yield { type: "usage", usage: reply.usage } as const;
      yield { type: "end", reply } as const;
      return;
    }
  } finally {
    // A caller that stops reading ends the request; nobody waits for a client that does not listen.
    ending.abort();
    if (!isOver) void deltas.return(undefined).catch(() => undefined);
  }
}

function readResponse(response: unknown, calls: ProviderCalls<object>): ModelReply {
  const { format } = calls;
  if (!isObject(response)) throw failure(calls, new TypeError("the client returned no response"));
  const messages = messagesOf(response, calls);
  const parts = format.decode(messages).messages.flatMap((message) => message.parts);
  const toolCalls = parts.filter(isClientCall).map(callOf);
  const usage = format.readUsage(response);
  const stopped = stopReasonOf(calls.stopOf(response));
  // A server that cut the request without a word has no room for an answer.
  const stopReason = stopped === "length" && usage?.outputTokens === 0 ? "window-full" : stopped;
  const model = stringOf(response.model) ?? stringOf(response.modelVersion);
  return {
    response,
    messages,
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: toolCalls,
    stopReason: stopReason === "stop" && toolCalls.length > 0 ? "tool-calls" : stopReason,
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  };
}

function messagesOf(response: JsonObject, calls: ProviderCalls<object>) {
  let messages: ReturnType<Format["readReply"]>;
  try {
    messages = calls.format.readReply(response);
  } catch (error) {
    throw failure(calls, response, errorText(error), calls.stopOf(response) === undefined);
  }
  if (messages === undefined) throw failure(calls, response, "what came back is no response of its API");
  return messages;
}

function isClientCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.server !== true;
}

function callOf({ callId, name, input }: ToolCallPart): ModelCall {
  return { ...(callId !== undefined && { callId }), name, input };
}

/** The providers' words do not clash, so one list serves all of them. */
const STOP_REASONS: Readonly<Record<StopReason, readonly string[]>> = {
  stop: ["end_turn", "stop_sequence", "stop", "completed", "STOP"],
  "tool-calls": ["tool_use", "tool_calls", "function_call"],
  length: ["max_tokens", "length", "max_output_tokens", "MAX_TOKENS"],
  "window-full": ["model_context_window_exceeded"],
  refusal: ["refusal", "content_filter", "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "RECITATION", "SPII"],
  pause: ["pause_turn", "CONTINUATION"],
  other: [],
};
const REASON_OF: ReadonlyMap<string, StopReason> = new Map(
  // The keys of the table above.
  (Object.keys(STOP_REASONS) as StopReason[]).flatMap((reason) =>
    STOP_REASONS[reason].map((word): [string, StopReason] => [word, reason]),
  ),
);

function stopReasonOf(said: string | undefined): StopReason {
  return REASON_OF.get(said ?? "") ?? "other";
}

function aborted(signal: AbortSignal): CompactionError {
  return new CompactionError("aborted", "The request to the model was aborted.", { cause: signal.reason });
}

/** `cause` is what the client threw, or the response. An error of ours that was thrown on the way stays as it is. */
function failure(
  { id, format }: Asked,
  cause: unknown,
  said: string = errorText(cause),
  isUnfinished = false,
): CompactionError {
  if (cause instanceof CompactionError) return cause;
  const isOverflow = format.readOverflow(cause) !== undefined;
  const retryable =
    !isOverflow && (isUnfinished || isTransient(cause) || isTransient(isObject(cause) ? cause.error : undefined));
  const message = `${id} did not answer: ${said.replace(/[.\s]+$/, "")}.`;
  return new CompactionError("model-failed", message, { cause, retryable, ...(isOverflow && { reason: "overflow" }) });
}
