/** What each provider demands of a message list, as data, so that structure, repair and rendering need no provider code. */

import { isKnownBefore, type SinceVersions } from "./claude-models.ts";
import { CompactionError } from "./errors.ts";
import type { FormatName, MediaPart } from "./message.ts";

export interface FormatRules {
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
  /** Whether mere white space is refused: where a message says nothing else, and in any text of a system prompt outside the list. */
  readonly refusesBlank: boolean;
  readonly callIds: "required" | "optional";
  /** Whether arguments must be an object; elsewhere they are text. */
  readonly objectInputs: boolean;
  /** Whether a result repeats the name of the tool. */
  readonly namedResults: boolean;
  /** Where a call id may stand only once. */
  readonly callIdScope: "conversation" | "message";
  /** What must be kept of reasoning: nothing, signed blocks as they are, whole groups, or signatures of the current turn. */
  readonly reasoning: "none" | "signed" | "grouped" | "current-turn-signatures";
  /** Whether a system message may stand inside the list, and if so only after a user message. */
  readonly systemInList: "anywhere" | "after-user" | "never";
  /** Whether the system prompt stands outside the list, or is its first message. */
  readonly systemPrompt: "separate" | "in-list";
  /** Keys of a body that have the provider put a history of its own before the list. */
  readonly historyKeys: readonly string[];
  /** The same, where the list only ever adds to that history and cannot stand for it. */
  readonly prefixKeys: readonly string[];
  /** Key of a body that says, where it is false, that nothing is stored: an item under its id alone is not found then. */
  readonly storeKey: string | undefined;
  /** Whether a call of the provider's own tools must have returned before the user says more than results. */
  readonly serverCallsReturn: boolean;
  /** Whether the number of cache marks in a request is limited. */
  readonly limitsCacheMarks: boolean;
  /** What a user message may hold beside text. */
  readonly media: readonly MediaPart["kind"][];
  /** Whether a tool result may hold media too. */
  readonly resultMedia: boolean;
  /** Whether a text may stand for a message: never, for the whole list (Responses), or as its only element (Gemini's SDK). */
  readonly shortForm: "none" | "list" | "element";
  /** Part types that are always read: one that was left opaque lacks what it needs. */
  readonly readKinds: readonly string[];
  /** Part types that stand in messages, never in a result; left opaque there. */
  readonly outsideResults: readonly string[];
  /** Whether a failed call is marked as such; elsewhere the text has to say it. */
  readonly errorFlag: boolean;
  /** Whether the id of an item may stand only once in the list, whatever the item is. */
  readonly uniqueItemIds: boolean;
  /** Fields that the helpers of the provider's SDK write into answers, and that no request may hold. */
  readonly answerFields: readonly string[];
  /** The `type` of a whole answer; one that stands in a list as it came has more fields than a message. */
  readonly answerType: string | undefined;
  /** The provider's own compaction; undefined where it offers none. */
  readonly native: NativeRules | undefined;
}

export interface NativeRules {
  /** The kinds of it that a caller may offer. */
  readonly kinds: readonly string[];
  /** Whether what it returns may only stand first, so that kept messages that stood before it follow it. */
  readonly opensList: boolean;
  /** Whether users' messages stand before its item in what it returns: the item does not stand for those. */
  readonly returnsUsers: boolean;
}

const RULES: Readonly<Record<FormatName, FormatRules>> = {
  "anthropic-messages": {
    resultRole: "user",
    granularity: "many",
    resultsAdjacent: true,
    resultsFirst: true,
    sameRole: "merged",
    startsWithUser: true,
    refusesEmpty: true,
    refusesBlank: true,
    callIds: "required",
    objectInputs: true,
    namedResults: false,
    callIdScope: "conversation",
    reasoning: "signed",
    systemInList: "after-user",
    systemPrompt: "separate",
    historyKeys: [],
    prefixKeys: ["thread"],
    storeKey: undefined,
    serverCallsReturn: true,
    limitsCacheMarks: true,
    media: ["image", "document"],
    resultMedia: true,
    shortForm: "none",
    readKinds: ["text", "image", ""],
    outsideResults: ["tool_use", "tool_result", "thinking", "redacted_thinking"],
    errorFlag: true,
    uniqueItemIds: false,
    answerFields: ["parsed_output"],
    answerType: "message",
    native: { kinds: ["anthropic-compact"], opensList: true, returnsUsers: false },
  },
  "openai-chat": {
    resultRole: "tool",
    granularity: "own-results",
    resultsAdjacent: true,
    resultsFirst: true,
    sameRole: "free",
    startsWithUser: false,
    refusesEmpty: false,
    refusesBlank: false,
    callIds: "required",
    objectInputs: false,
    namedResults: false,
    callIdScope: "message",
    reasoning: "none",
    systemInList: "anywhere",
    systemPrompt: "in-list",
    historyKeys: [],
    prefixKeys: [],
    storeKey: undefined,
    serverCallsReturn: false,
    limitsCacheMarks: false,
    media: ["image", "document", "audio"],
    resultMedia: false,
    shortForm: "none",
    readKinds: ["text", "refusal", "image_url", "input_audio", "file", ""],
    outsideResults: [],
    errorFlag: false,
    uniqueItemIds: false,
    answerFields: ["parsed", "parsed_arguments"],
    answerType: undefined,
    native: undefined,
  },
  "openai-responses": {
    resultRole: "tool",
    granularity: "one",
    resultsAdjacent: false,
    resultsFirst: false,
    sameRole: "free",
    startsWithUser: false,
    refusesEmpty: false,
    refusesBlank: false,
    callIds: "required",
    objectInputs: false,
    namedResults: false,
    callIdScope: "conversation",
    reasoning: "grouped",
    systemInList: "anywhere",
    systemPrompt: "separate",
    historyKeys: ["previous_response_id", "conversation"],
    prefixKeys: [],
    storeKey: "store",
    serverCallsReturn: false,
    limitsCacheMarks: false,
    media: ["image", "document"],
    resultMedia: true,
    shortForm: "list",
    readKinds: ["input_text", "output_text", "refusal", "input_image", "input_file", ""],
    outsideResults: [],
    errorFlag: false,
    uniqueItemIds: true,
    answerFields: ["parsed", "parsed_arguments"],
    answerType: undefined,
    native: { kinds: ["responses-compact"], opensList: false, returnsUsers: true },
  },
  gemini: {
    resultRole: "user",
    granularity: "many",
    resultsAdjacent: true,
    resultsFirst: false,
    sameRole: "refused",
    startsWithUser: true,
    refusesEmpty: true,
    refusesBlank: false,
    callIds: "optional",
    objectInputs: true,
    namedResults: true,
    callIdScope: "message",
    reasoning: "current-turn-signatures",
    systemInList: "never",
    systemPrompt: "separate",
    historyKeys: [],
    prefixKeys: ["cachedContent", "cached_content"],
    storeKey: undefined,
    serverCallsReturn: false,
    limitsCacheMarks: false,
    media: ["image", "document", "audio", "video"],
    resultMedia: true,
    shortForm: "element",
    readKinds: [
      "text",
      ...["functionCall", "function_call", "functionResponse", "function_response"],
      ...["inlineData", "inline_data", "fileData", "file_data", ""],
    ],
    outsideResults: [],
    errorFlag: true,
    uniqueItemIds: false,
    answerFields: [],
    answerType: undefined,
    native: undefined,
  },
};

/** The first version of each Claude that takes system messages in the list; Sonnet 5 does not, and nobody says so of its successor. */
const SYSTEM_IN_LIST_SINCE: SinceVersions = new Map([
  ["fable", [5, 0]],
  ["mythos", [5, 0]],
  ["opus", [4, 8]],
  ["sonnet", [5, 5]],
  ["haiku", [5, 5]],
]);
const OLDER_ANTHROPIC: FormatRules = { ...RULES["anthropic-messages"], systemInList: "never" };

/**
 * A model that is not known is taken to be a new one. Whoever passes a body where a conversation is meant, or no format, is told
 * so: nothing but JavaScript lets that happen.
 */
export function formatRules(format: FormatName, model?: string): FormatRules {
  const rules = Object.hasOwn(RULES, format) ? RULES[format] : undefined;
  const isOlder = model !== undefined && format === "anthropic-messages" && isKnownBefore(SYSTEM_IN_LIST_SINCE, model);
  if (rules !== undefined) return isOlder ? OLDER_ANTHROPIC : rules;
  const message = `There is no format ${JSON.stringify(format)}; give what a format decoded, e.g. openaiChat.decode(body), and a format itself for a target.`;
  throw new CompactionError("invalid-request", message);
}
