/**
 * The formats as data: their names, and what each provider demands of a message list. Structure, repair, rendering, counting,
 * detection and stores read this table, so they need no provider code. A new format is one more entry of `RULES`.
 */

import { CompactionError } from "./errors.ts";
import { isObject, stringOf } from "./json.ts";
import type { MediaPart, Part } from "./message.ts";
import { isKnownBefore, type SinceVersions } from "./thinking.ts";
import type { Overhead } from "./tokens/tokens.ts";

export type FormatName = keyof typeof RULES;

export interface FormatRules {
  readonly listKey: "messages" | "input" | "contents";
  /** Keys of a body that hold the system prompt outside the list. */
  readonly systemKeys: readonly string[];
  readonly modelKey: string;
  /** The key of a body that holds the tool definitions, and whatever else stands with them. */
  readonly toolsKey: string;
  /** Keys of which every message of the format has at least one; empty where it may have none of them. */
  readonly messageKeys: readonly string[];
  /** Who carries tool results: a user message, or a message of their own. */
  readonly resultRole: "user" | "tool";
  /** `one`: every call, result and reasoning is an item of its own (Responses). `own-results`: each result is a message of
   *  its own (Chat). `many`: a message holds any number of parts (Anthropic, Gemini). */
  readonly granularity: "many" | "own-results" | "one";
  /** Whether all results must stand directly after the message with their calls. */
  readonly resultsAdjacent: boolean;
  /** Whether results must stand before anything else in the message that carries them. */
  readonly resultsFirst: boolean;
  /** Consecutive messages of one role: accepted as they are, merged by the provider, or refused. */
  readonly sameRole: "free" | "merged" | "refused";
  /** Whether the list must begin with a user message (system messages aside). */
  readonly startsWithUser: boolean;
  /** Whether an empty text or an empty message is refused. */
  readonly refusesEmpty: boolean;
  /** Whether white space is refused as the only text of a message, and as any text of a separate system prompt. */
  readonly refusesBlank: boolean;
  readonly callIds: "required" | "optional";
  /** The call ids, and the names of tools, that the provider accepts. */
  readonly callIdNames: NameRule;
  readonly toolNames: NameRule;
  /** Whether arguments must be an object; elsewhere they are text. */
  readonly objectInputs: boolean;
  /** Whether a result repeats the name of the tool. */
  readonly namedResults: boolean;
  /** Where a call id must be unique. */
  readonly callIdScope: "conversation" | "message";
  /** The reasoning that must be kept: none, signed blocks unchanged, whole groups, or signatures of the current turn. */
  readonly reasoning: "none" | "signed" | "grouped" | "current-turn-signatures";
  /** Whether a system message may stand inside the list, and if so only after a user message. */
  readonly systemInList: "anywhere" | "after-user" | "never";
  /** Whether the system prompt stands outside the list, or is its first message. */
  readonly systemPrompt: "separate" | "in-list";
  /** Keys of a body that make the provider put a stored history before the list. */
  readonly historyKeys: readonly string[];
  /** Keys with the same effect where the list only adds to that history and cannot replace it. */
  readonly prefixKeys: readonly string[];
  /** A key of a body; when false, the provider stores nothing and cannot find an item by its id. */
  readonly storeKey: string | undefined;
  /** Whether a call of the provider's own tools must have returned before a user message with more than results. */
  readonly serverCallsReturn: boolean;
  /** Whether the number of cache marks in a request is limited. */
  readonly limitsCacheMarks: boolean;
  /** What a user message may hold beside text. */
  readonly media: readonly MediaPart["kind"][];
  /** Whether a document may be given as a URL; elsewhere only as data. */
  readonly documentUrls: boolean;
  /** Whether a tool result may hold media too. */
  readonly resultMedia: boolean;
  /** Whether a text may stand for a message: never, for the whole list (Responses), or as its only element (Gemini's SDK). */
  readonly shortForm: "none" | "list" | "element";
  /** Part types that the format reads. One of these that stayed opaque lacks a required field. */
  readonly readKinds: readonly string[];
  /** Part types that belong in messages, never in a result; opaque there. */
  readonly outsideResults: readonly string[];
  /** Whether a failed call has a flag; elsewhere its text must say so. */
  readonly errorFlag: boolean;
  /** Whether item ids must be unique in the list, across all kinds of items. */
  readonly uniqueItemIds: boolean;
  /** Fields that the provider's SDK helpers write into answers, and that no request may hold. */
  readonly answerFields: readonly string[];
  /** The `type` of a whole answer, which has more fields than a message. Clients put answers into the list unchanged. */
  readonly answerType: string | undefined;
  /** The provider whose published prices apply to media. */
  readonly mediaPrices: "anthropic" | "openai" | "gemini";
  /** Objects of a body that may set the detail level of all its media. */
  readonly mediaDetailKeys: readonly string[];
  /** Tokens that the provider adds around the text. */
  readonly overhead: Overhead;
  /** pi's names for the API and its provider. */
  readonly piApi: { readonly api: string; readonly provider: string };
  /** The features that tell a body of this format from those of the others. */
  readonly features: FormatFeatures;
  /** The provider's own compaction; undefined where it offers none. */
  readonly native: NativeRules | undefined;
}

export interface NativeRules {
  /** The kinds of native compaction that a caller may offer. */
  readonly kinds: readonly string[];
  /** Whether the returned item must open the list, so that kept messages from before it follow it. */
  readonly opensList: boolean;
  /** Whether the answer repeats the users' messages before its item, so that the item does not replace them. */
  readonly returnsUsers: boolean;
}

/** The names that a provider accepts; others fail with "String should match pattern …" or "string too long". */
export interface NameRule {
  /** Matches, with the flag `g`, every character that is refused. */
  readonly refused: RegExp;
  readonly lengthMax: number;
  readonly begins: RegExp;
}

export interface FormatFeatures {
  /** Top-level keys of this format's requests, which other formats usually lack. */
  readonly bodyKeys: readonly string[];
  readonly toolKeys: readonly string[];
  readonly messageKeys: readonly string[];
  readonly roles: readonly string[];
  /** Types of the blocks inside `content`. */
  readonly blockTypes: readonly string[];
  /** Keys of those blocks, where they have no type. */
  readonly blockKeys?: readonly string[];
  /**
   * How the provider's own model names begin; only a hint, because gateways for chat requests accept such names too. It counts in a
   * request that sets `max_tokens`, which this format requires, or that has a list of blocks as content, as session files have.
   */
  readonly modelPrefix?: string;
}

const ANY_NAME: NameRule = { refused: /(?!)/g, lengthMax: Number.POSITIVE_INFINITY, begins: /^/ };
const PLAIN_NAME: NameRule = { ...ANY_NAME, refused: /[^\w-]/g };

/** The default rules: a provider that demands little and has no features of its own. */
const DEFAULTS = {
  modelKey: "model",
  toolsKey: "tools",
  systemKeys: [],
  messageKeys: [],
  resultsAdjacent: true,
  resultsFirst: false,
  sameRole: "free",
  startsWithUser: false,
  refusesEmpty: false,
  refusesBlank: false,
  callIds: "required",
  objectInputs: false,
  namedResults: false,
  callIdScope: "conversation",
  reasoning: "none",
  systemInList: "anywhere",
  systemPrompt: "separate",
  historyKeys: [],
  prefixKeys: [],
  storeKey: undefined,
  serverCallsReturn: false,
  limitsCacheMarks: false,
  documentUrls: true,
  resultMedia: true,
  shortForm: "none",
  outsideResults: [],
  errorFlag: false,
  uniqueItemIds: false,
  answerFields: [],
  answerType: undefined,
  mediaDetailKeys: [],
  // Measured over the usage of five recorded chats of 20 to 150 messages: 3 tokens a message, 7 to 14 a call with its result.
  overhead: { perMessageTokens: 3, perCallTokens: 5, perResultTokens: 5, perToolTokens: 0, toolsPreambleTokens: 0 },
  native: undefined,
} satisfies Partial<FormatRules>;

const RULES = {
  "anthropic-messages": {
    ...DEFAULTS,
    listKey: "messages",
    systemKeys: ["system"],
    messageKeys: ["role"],
    resultRole: "user",
    granularity: "many",
    resultsFirst: true,
    sameRole: "merged",
    startsWithUser: true,
    refusesEmpty: true,
    refusesBlank: true,
    callIdNames: { ...PLAIN_NAME, lengthMax: 64 },
    toolNames: { ...PLAIN_NAME, lengthMax: 128 },
    objectInputs: true,
    reasoning: "signed",
    systemInList: "after-user",
    prefixKeys: ["thread"],
    serverCallsReturn: true,
    limitsCacheMarks: true,
    media: ["image", "document"],
    readKinds: ["text", "image", ""],
    outsideResults: ["tool_use", "tool_result", "thinking", "redacted_thinking"],
    errorFlag: true,
    answerFields: ["parsed_output"],
    answerType: "message",
    mediaPrices: "anthropic",
    // Measured over six recorded requests: about 90 tokens a call with its result, beyond its text. The preamble is the
    // documented system prompt for tool use. Tool definitions cost their JSON.
    overhead: {
      perMessageTokens: 4,
      perCallTokens: 45,
      perResultTokens: 35,
      perToolTokens: 0,
      toolsPreambleTokens: 346,
    },
    piApi: { api: "anthropic-messages", provider: "anthropic" },
    features: {
      bodyKeys: ["system", "stop_sequences", "anthropic_version", "anthropic_beta", "thinking", "context_management"],
      toolKeys: ["input_schema"],
      messageKeys: [],
      roles: [],
      blockTypes: [
        ...["tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document", "search_result"],
        ...["server_tool_use", "web_search_tool_result", "mcp_tool_use", "mcp_tool_result", "compaction"],
      ],
      modelPrefix: "claude-",
    },
    native: { kinds: ["anthropic-compact"], opensList: true, returnsUsers: false },
  },
  "openai-chat": {
    ...DEFAULTS,
    listKey: "messages",
    messageKeys: ["role"],
    resultRole: "tool",
    granularity: "own-results",
    resultsFirst: true,
    callIdNames: { ...ANY_NAME, lengthMax: 40 },
    toolNames: { ...PLAIN_NAME, lengthMax: 64 },
    callIdScope: "message",
    systemPrompt: "in-list",
    media: ["image", "document", "audio"],
    documentUrls: false,
    resultMedia: false,
    readKinds: ["text", "refusal", "image_url", "input_audio", "file", ""],
    answerFields: ["parsed", "parsed_arguments"],
    mediaPrices: "openai",
    piApi: { api: "openai-completions", provider: "openai" },
    features: {
      bodyKeys: ["max_completion_tokens", "response_format", "frequency_penalty", "logit_bias", "n", "functions"],
      toolKeys: ["function"],
      messageKeys: ["tool_calls", "tool_call_id", "function_call", "refusal", "reasoning_content"],
      roles: ["tool", "function", "developer", "system"],
      blockTypes: ["image_url", "input_audio", "file"],
    },
  },
  "openai-responses": {
    ...DEFAULTS,
    listKey: "input",
    systemKeys: ["instructions"],
    messageKeys: ["role", "type", "id"],
    resultRole: "tool",
    granularity: "one",
    resultsAdjacent: false,
    callIdNames: { ...ANY_NAME, lengthMax: 64 },
    toolNames: { ...PLAIN_NAME, lengthMax: 64 },
    reasoning: "grouped",
    historyKeys: ["previous_response_id", "conversation"],
    storeKey: "store",
    media: ["image", "document"],
    shortForm: "list",
    readKinds: ["input_text", "output_text", "refusal", "input_image", "input_file", ""],
    uniqueItemIds: true,
    answerFields: ["parsed", "parsed_arguments"],
    mediaPrices: "openai",
    piApi: { api: "openai-responses", provider: "openai" },
    features: {
      bodyKeys: ["input", "instructions", "previous_response_id", "max_output_tokens"],
      toolKeys: [],
      messageKeys: [],
      roles: [],
      blockTypes: ["input_text", "output_text", "input_image", "input_file"],
    },
    native: { kinds: ["responses-compact", "responses-trigger"], opensList: false, returnsUsers: true },
  },
  gemini: {
    ...DEFAULTS,
    listKey: "contents",
    systemKeys: ["systemInstruction", "system_instruction"],
    resultRole: "user",
    granularity: "many",
    sameRole: "refused",
    startsWithUser: true,
    refusesEmpty: true,
    callIds: "optional",
    callIdNames: ANY_NAME,
    toolNames: { refused: /[^\w.:-]/g, lengthMax: 64, begins: /^[A-Za-z_]/ },
    objectInputs: true,
    namedResults: true,
    callIdScope: "message",
    reasoning: "current-turn-signatures",
    systemInList: "never",
    prefixKeys: ["cachedContent", "cached_content"],
    media: ["image", "document", "audio", "video"],
    shortForm: "element",
    readKinds: [
      "text",
      ...["functionCall", "function_call", "functionResponse", "function_response"],
      ...["inlineData", "inline_data", "fileData", "file_data", ""],
    ],
    errorFlag: true,
    mediaPrices: "gemini",
    mediaDetailKeys: ["generationConfig", "generation_config", "config"],
    piApi: { api: "google-generative-ai", provider: "google" },
    features: {
      bodyKeys: ["contents", "systemInstruction", "system_instruction", "generationConfig", "safetySettings"],
      toolKeys: ["functionDeclarations", "function_declarations"],
      messageKeys: ["parts"],
      roles: ["model"],
      blockTypes: [],
    },
  },
} satisfies Readonly<Record<string, FormatRules>>;

// An object literal has exactly the keys of its type.
export const FORMAT_NAMES = Object.keys(RULES) as readonly FormatName[];

/** Under which keys a body of any format names its model. */
export const MODEL_KEYS: readonly string[] = [...new Set(FORMAT_NAMES.map((name) => RULES[name].modelKey))];

/** The model that a body of any format names. */
export function modelIn(body: unknown): string | undefined {
  if (!isObject(body)) return undefined;
  for (const key of MODEL_KEYS) {
    const model = stringOf(body[key]);
    if (model !== undefined) return model;
  }
  return undefined;
}

/** The first version of each Claude that takes system messages in the list. Sonnet 5 does not, and nothing is documented about its successor. */
const SYSTEM_IN_LIST_SINCE: SinceVersions = new Map([
  ["fable", [5, 0]],
  ["mythos", [5, 0]],
  ["opus", [4, 8]],
  ["sonnet", [5, 5]],
  ["haiku", [5, 5]],
]);
const OLDER_ANTHROPIC: FormatRules = { ...RULES["anthropic-messages"], systemInList: "never" };

/** Treats an unknown model as a new one. Throws for an unknown format, which only untyped JavaScript can pass. */
export function formatRules(format: FormatName, model?: string): FormatRules {
  const rules: FormatRules | undefined = Object.hasOwn(RULES, format) ? RULES[format] : undefined;
  const isOlder = model !== undefined && format === "anthropic-messages" && isKnownBefore(SYSTEM_IN_LIST_SINCE, model);
  if (rules !== undefined) return isOlder ? OLDER_ANTHROPIC : rules;
  const message = `There is no format ${JSON.stringify(format)}; give what a format decoded, e.g. openaiChat.decode(body), and a format itself for a target.`;
  throw new CompactionError("invalid-request", message);
}

/** A part that we do read, left opaque because it lacks a required field. A lone signature is none: streams do end with one. */
export function isMalformed(part: Part, { readKinds }: FormatRules): boolean {
  if (part.type !== "opaque" || !readKinds.includes(part.kind)) return false;
  return part.kind !== "" || (part.wire.thoughtSignature === undefined && part.wire.thought_signature === undefined);
}
