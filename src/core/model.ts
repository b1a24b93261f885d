/** A model behind a client: asked with request bodies of one format, whole or streamed. Adapters are in `models/`; nothing here sends anything. */

import type { JsonValue } from "./json.ts";
import type { Format, Usage } from "./ports.ts";

/** USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface Model<Request extends object = object> {
  /** As the provider names it. Every request is sent to this model, whatever it names itself. */
  readonly id: string;
  readonly format: Format<Request>;
  /** What a request may hold; absent where neither the caller nor the table of published models says it. */
  readonly windowTokens?: number;
  /** Of a short request: some providers charge more for long ones. */
  readonly prices?: Prices;
  /** Resolves with the whole answer. Throws `model-failed`, or `aborted` as soon as the signal is. */
  complete(request: object, signal?: AbortSignal): Promise<ModelReply>;
  /** The same request, streamed. The last event is `end`, with the same reply that `complete` resolves with. */
  stream(request: object, signal?: AbortSignal): AsyncGenerator<ModelEvent, void, undefined>;
  /** The provider's own count of what the request holds. */
  countTokens?(request: object, signal?: AbortSignal): Promise<number>;
  question(question: Question): object;
}

export interface Question {
  readonly system: string;
  readonly prompt: string;
  /** Room for the text of the answer; reasoning may take more. */
  readonly maxOutputTokens: number;
}

export interface ModelReply {
  /** The provider's response as it came: append it to a session. Of a stream, the whole of it as one response. */
  readonly response: object;
  /** The wire messages that it adds to the conversation; empty for an answer without any content. */
  readonly messages: readonly JsonValue[];
  readonly text: string;
  /** The calls that the client has to answer, in order. */
  readonly calls: readonly ModelCall[];
  readonly stopReason: StopReason;
  readonly usage?: Usage;
  /** The model that answered, where the response names one. */
  readonly model?: string;
}

/** `pause`: the provider interrupted its own turn; send the conversation again. `window-full`: the window left no room for the answer. */
export type StopReason = "stop" | "tool-calls" | "length" | "window-full" | "refusal" | "pause" | "other";

export interface ModelCall {
  /** Absent where the provider pairs by name and order. */
  readonly callId?: string;
  readonly name: string;
  /** The raw text where the arguments are not valid JSON or the tool takes free text. */
  readonly input: JsonValue;
}

/** Texts are pieces in the order in which they arrive; calls and usage follow once they are complete. */
export type ModelEvent =
  | ModelDelta
  | { readonly type: "tool-call"; readonly call: ModelCall }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "end"; readonly reply: ModelReply };

export interface ModelDelta {
  readonly type: "text" | "reasoning";
  readonly text: string;
}
