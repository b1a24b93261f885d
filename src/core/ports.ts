/** The seams. A plug-in implements one of these and passes its contract suite in `testing/`. */

import type { FormatRules } from "./format-rules.ts";
import type { JsonArray, JsonObject, JsonValue } from "./json.ts";
import type { Conversation, FormatName, Message } from "./message.ts";

/** One provider wire format. Pure: no I/O, and arguments are never mutated. */
export interface Format<Request extends object = object> {
  readonly name: FormatName;
  /** The key of the message list in a request body. */
  readonly listKey: FormatRules["listKey"];
  /** Reads a whole request body or a bare message list. Throws `invalid-request` naming the path. */
  decode(body: unknown): Conversation;
  /** Returns the same kind of body that was decoded; an untouched message keeps the very same JSON. */
  encode(conversation: Conversation): unknown;
  /** The violations that a client can see before the provider refuses the body; empty means valid. */
  validate(body: unknown, options?: ValidateOptions): readonly Violation[];
  rules(model?: string): FormatRules;
  /** The provider's own compaction of that kind; undefined where there is none. */
  nativeWire(kind: string): NativeWire | undefined;
  /** The wire messages that a whole response adds; undefined for other values. Throws `invalid-request` for an error or a part of a response. */
  readReply(response: unknown): readonly JsonValue[] | undefined;
  /** Token usage from a response body, a streamed final event, or a bare usage object. */
  readUsage(response: unknown): Usage | undefined;
  /** The overflow that an error (thrown, parsed or text) states, with its numbers; undefined for other errors. */
  readOverflow(error: unknown): Overflow | undefined;
  /** Whether an error says that reasoning of earlier answers is not accepted, because of its signature. */
  refusesReasoning(error: unknown): boolean;
  /** Tool definitions in a neutral form; those that only this provider knows are returned as `foreign`. */
  readTools(tools: JsonValue | undefined): ReadTools;
  /** Writes the neutral form as this format's `tools`. */
  writeTools(definitions: readonly ToolDefinition[]): JsonValue;
  /** Never set: gives the compiler the type of this format's request bodies, for a session's requests. */
  readonly requestType?: Request;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: JsonValue;
}

export interface ReadTools {
  readonly definitions: readonly ToolDefinition[];
  /** Names or types of provider-run tools that no other provider has. */
  readonly foreign: readonly string[];
}

export interface ValidateOptions {
  /** Rules differ per model. Default: the model that the body names. */
  readonly model?: string;
  /** True for a request about to be sent: its end is checked too, unlike a transcript's. */
  readonly sending?: boolean;
}

export interface Violation {
  /** Stable name of the broken rule, e.g. `call-without-result`. */
  readonly rule: string;
  /** The place, in the provider's own notation, e.g. `messages.3.content.0`. */
  readonly path: string;
  /** Index into the message list, -1 when it is not about one message. */
  readonly messageIndex: number;
  /** The provider's own wording where known. */
  readonly message: string;
}

export interface Usage {
  /** All input tokens of the request, cached ones included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All output tokens, reasoning included. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

export interface Overflow {
  /** The tokens of the whole request. */
  readonly actualTokens?: number;
  /** The part of these that is room for the answer, where the provider counts that too. */
  readonly outputTokens?: number;
  readonly maximumTokens?: number;
  /** The body has too many bytes; the error says nothing about tokens. */
  readonly isBodySize?: boolean;
}

/** Estimates one message. Pure; the ledger calibrates. */
export type CountTokens = (message: Message) => number;

export interface NativeWire {
  /** Makes the compaction request from an ordinary one that holds just the messages to compact. */
  request(body: JsonObject, instructions: string | undefined): JsonObject;
  /** The part of the answer that replaces the zone, or the reason why the answer is unusable. */
  read(answer: unknown): NativeReading;
  /** Whether the request has a field for the summary's focus. */
  readonly takesInstructions: boolean;
  /** Whether the request is the live one up to the cut, which is in the prompt cache; otherwise it holds only what leaves. */
  readonly sendsPrefix: boolean;
}

export type NativeReading =
  | { readonly type: "read"; readonly list: JsonArray; readonly text?: string }
  | { readonly type: "unusable"; readonly because: string };
