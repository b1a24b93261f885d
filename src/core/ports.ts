/** The seams. A plug-in implements one of these and passes its contract suite in `testing/`. */

import type { FormatRules } from "./format-rules.ts";
import type { JsonValue } from "./json.ts";
import type { Conversation, FormatName, Message } from "./message.ts";
import type { NativeWire } from "./native-wire.ts";

/** One provider wire format. Pure: no I/O, and what goes in is never mutated. */
export interface Format<Request extends object = object> {
  readonly name: FormatName;
  /** The key of the message list in a request body. */
  readonly listKey: FormatRules["listKey"];
  /** A whole request body or a bare message list. Throws `invalid-request` naming the path. */
  decode(body: unknown): Conversation;
  /** The same kind of body that was decoded; an untouched message comes out as the very same JSON. */
  encode(conversation: Conversation): unknown;
  /** Everything the provider would refuse that a client can see; empty means valid. */
  validate(body: unknown, options?: ValidateOptions): readonly Violation[];
  rules(model?: string): FormatRules;
  /** The provider's own compaction of that kind, as data in and data out; undefined where there is none. */
  nativeWire(kind: string): NativeWire | undefined;
  /** The wire messages that a whole response adds to the conversation; undefined for what is no response. Throws `invalid-request` for an error or a piece of one. */
  readReply(response: unknown): readonly JsonValue[] | undefined;
  /** Token usage from a response body, a streamed final event, or a bare usage object. */
  readUsage(response: unknown): Usage | undefined;
  /** Whether an error (thrown, parsed or text) says that the window was exceeded, with the numbers it states. */
  readOverflow(error: unknown): Overflow | undefined;
  /** Tool definitions in a neutral form; those that only this provider knows are returned as `foreign`. */
  readTools(tools: JsonValue | undefined): ReadTools;
  /** The neutral form as this format's `tools`. */
  writeTools(definitions: readonly ToolDefinition[]): JsonValue;
  /** Never there: tells the compiler what a request body of this format looks like, so that a session's requests have that type. */
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
  /** Rules differ per model. Default: the one that the body names. */
  readonly model?: string;
  /** True for a request about to be sent, which must also end as the provider wants it. A transcript need not. */
  readonly sending?: boolean;
}

export interface Violation {
  /** Stable name of the broken rule, e.g. `call-without-result`. */
  readonly rule: string;
  /** Where, in the provider's own notation, e.g. `messages.3.content.0`. */
  readonly path: string;
  /** Index into the message list, -1 when it is not about one message. */
  readonly messageIndex: number;
  /** What the provider says (its own wording where known). */
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
  /** What was asked for in all. */
  readonly actualTokens?: number;
  /** The part of it that is the room for the answer, where the provider counts that too. */
  readonly outputTokens?: number;
  readonly maximumTokens?: number;
  /** The body has too many bytes: nothing is said about tokens. */
  readonly isBodySize?: boolean;
}

/** Estimates one message. Pure; calibration is the ledger's business. */
export type CountTokens = (message: Message) => number;
