/** The Messages API: its answers, streams, errors and limits. */

import { isObject, type JsonObject, numberOf, stringOf } from "../../../core/json.ts";
import { bindsThinking, isKnownBefore, isKnownSince, type SinceVersions } from "../../../core/thinking.ts";
import { formatNamed } from "../../../formats.ts";
import {
  type Answer,
  type AnswerUsage,
  type ProviderApi,
  type ProviderCall,
  type Reading,
  type Refusal,
  type ScriptedReply,
  type ScriptedStop,
  type ServerMemory,
  type StreamEvent,
  textPieces,
  type WrittenAnswer,
} from "../provider-api.ts";
import { readMessages } from "./read.ts";
import { sealSummary, type ThinkingPlace, thinkingBlock } from "./thinking.ts";

const format = formatNamed("anthropic-messages");

export const messagesApi: ProviderApi = {
  read: readMessages,
  compacted: ({ conversation }, summary) => {
    const body = isObject(conversation.wire?.json) ? conversation.wire.json : {};
    return format.decode({
      ...body,
      messages: [{ role: "assistant", content: [{ type: "compaction", content: summary }] }],
    });
  },
  write: writeMessage,
  writeCount: (inputTokens, uneditedTokens) => ({
    input_tokens: inputTokens,
    ...(uneditedTokens !== undefined && { context_management: { original_input_tokens: uneditedTokens } }),
  }),
  writeError,
  errorEvents: (refusal, call, memory) => [
    named({ type: "message_start", message: { ...envelope(call, memory.nextId("msg_")), usage: usageOf(NOTHING) } }),
    { name: "error", data: writeError(refusal) },
  ],
  overflow,
  failures: {
    "rate-limit": {
      status: 429,
      message: "This request would exceed your organization's rate limit of 400,000 input tokens per minute.",
    },
    "server-error": { status: 500, message: "Internal server error" },
    overloaded: { status: 529, message: "Overloaded" },
    "body-too-large": { status: 413, message: "Request exceeds the maximum size" },
    "invalid-json": { status: 400, message: "The request body is not valid JSON" },
  },
  unknownModel: (model) => ({ status: 404, message: `model: ${model}` }),
  cachePolicy: (model) => ({
    minimumTokens: cacheMinimum(model),
    entries: "marked",
    reportsWrites: true,
    lifetimeMs: 300_000,
  }),
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function writeError({ status, message, code }: Refusal): JsonObject {
  const details = code === undefined ? {} : { details: { error_code: code } };
  return {
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message, ...details },
    request_id: "req_1",
  };
}

/** The first models that answer as far as the window goes; older ones refuse what might not fit. */
const ANSWERS_INTO_WINDOW_SINCE: SinceVersions = new Map([
  ["opus", [4, 5]],
  ["sonnet", [4, 5]],
  ["haiku", [4, 5]],
]);

function overflow({ model, body }: ProviderCall, inputTokens: number, windowTokens: number): Refusal | undefined {
  if (inputTokens > windowTokens) {
    return { status: 400, message: `prompt is too long: ${inputTokens} tokens > ${windowTokens} maximum` };
  }
  const answerTokens = isKnownBefore(ANSWERS_INTO_WINDOW_SINCE, model) ? (numberOf(body.max_tokens) ?? 0) : 0;
  if (inputTokens + answerTokens <= windowTokens) return undefined;
  const sum = `${inputTokens} + ${answerTokens} > ${windowTokens}`;
  const message = `input length and \`max_tokens\` exceed context limit: ${sum}, decrease input length or \`max_tokens\` and try again`;
  return { status: 400, message };
}

const SMALL_MINIMUM: SinceVersions = new Map([
  ["fable", [5, 0]],
  ["mythos", [5, 0]],
  ["opus", [5, 0]],
  ["sonnet", [5, 5]],
  ["haiku", [5, 5]],
]);
const LARGE_MINIMUM = /claude-(?:opus-4-[56]|haiku-4-5)/;

function cacheMinimum(model: string): number {
  if (LARGE_MINIMUM.test(model)) return 4_096;
  if (/claude-opus-4-7/.test(model)) return 2_048;
  return isKnownSince(SMALL_MINIMUM, model) ? 512 : 1_024;
}

const NOTHING: AnswerUsage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteLongTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
};

function usageOf(usage: AnswerUsage): JsonObject {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteLongTokens, outputTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWriteTokens - cacheWriteLongTokens,
      ephemeral_1h_input_tokens: cacheWriteLongTokens,
    },
    output_tokens: outputTokens,
    ...(reasoningTokens > 0 && { output_tokens_details: { thinking_tokens: reasoningTokens } }),
    service_tier: "standard",
  };
}

function envelope({ model }: ProviderCall, id: string): JsonObject {
  return { id, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
}

const STOP_REASONS: Readonly<Record<ScriptedStop, string>> = {
  end: "end_turn",
  "tool-calls": "tool_use",
  "output-limit": "max_tokens",
  "window-full": "model_context_window_exceeded",
  refusal: "refusal",
};

function writeMessage(answer: Answer, memory: ServerMemory): WrittenAnswer {
  const { call, reading, reply, compaction } = answer;
  const place = placeIn(reading);
  const content = [
    ...(compaction === undefined ? [] : compactionBlocks(compaction.summary, call, reading)),
    ...(reply === undefined ? [] : replyBlocks(reply, { call, reading, place }, memory)),
  ];
  const usage = totalUsage(answer);
  const isFailed = compaction?.summary === "" && call.kind === "compact";
  const stop = reply === undefined && !isFailed ? "compaction" : STOP_REASONS[reply?.stop ?? "end"];
  const { applied, transformations } = reading.notes ?? {};
  const isEdited = call.body.context_management !== undefined;
  const management = isEdited ? { context_management: { applied_edits: applied ?? [] } } : {};
  const isTransformed = Array.isArray(transformations) && transformations.length > 0;
  const transformed = isTransformed ? { input_transformations: transformations } : {};
  const start = { ...envelope(call, memory.nextId("msg_")), ...transformed };
  const ending = { stop_reason: stop, stop_sequence: null };
  return {
    whole: { ...start, content, ...ending, usage, ...management },
    events: [
      named({ type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
      named({ type: "ping" }),
      ...content.flatMap((block, index) => blockEvents(block, index)),
      named({ type: "message_delta", delta: ending, usage, ...management }),
      named({ type: "message_stop" }),
    ],
  };
}

/** What a compaction took counts apart: the fields at the top are those of the answer. */
function totalUsage({ reply, usage, compaction }: Answer): JsonObject {
  if (compaction === undefined) return usageOf(usage);
  const compacting = { type: "compaction", ...usageOf(compaction.usage) };
  if (reply === undefined) return { ...usageOf(NOTHING), iterations: [compacting] };
  return { ...usageOf(usage), iterations: [compacting, { type: "message", ...usageOf(usage) }] };
}

function placeIn({ notes }: Reading): ThinkingPlace {
  const place = isObject(notes?.place) ? notes.place : {};
  return {
    prefix: stringOf(place.prefix) ?? "",
    before: stringOf(place.before) ?? "",
    seed: stringOf(place.seed) ?? "",
  };
}

/** Signed where it was asked for by itself, encrypted where the threshold brought it about. An attempt that failed leaves nothing, or an empty block. */
function compactionBlocks(summary: string, { kind }: ProviderCall, reading: Reading): readonly JsonObject[] {
  if (summary === "") return kind === "compact" ? [] : [{ type: "compaction", content: null }];
  const sealed = sealSummary(summary, placeIn(reading), stringOf(reading.notes?.lastRole) ?? "");
  const block = { type: "compaction", content: summary };
  return [kind === "compact" ? { ...block, signature: sealed } : { ...block, encrypted_content: sealed }];
}

interface Context {
  readonly call: ProviderCall;
  readonly reading: Reading;
  readonly place: ThinkingPlace;
}

function replyBlocks(
  reply: ScriptedReply,
  { call, reading, place }: Context,
  memory: ServerMemory,
): readonly JsonObject[] {
  const { reasoning = "", text = "", toolCalls = [] } = reply;
  const { thinking } = call.body;
  const isAsked = isObject(thinking) ? thinking.type !== "disabled" : bindsThinking(reading.conversation, call.model);
  const shown = isObject(thinking) && thinking.display === "omitted" ? "" : reasoning;
  return [
    ...(reasoning === "" || !isAsked ? [] : [thinkingBlock(reasoning, shown, { place, model: call.model })]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...toolCalls.map(({ id = memory.nextId("toolu_"), name, input }) => ({ type: "tool_use", id, name, input })),
  ];
}

function named(data: JsonObject): StreamEvent {
  return { name: stringOf(data.type) ?? "", data };
}

function blockEvents(block: JsonObject, index: number): readonly StreamEvent[] {
  const delta = (change: JsonObject): StreamEvent => named({ type: "content_block_delta", index, delta: change });
  const around = (start: JsonObject, deltas: readonly StreamEvent[]): readonly StreamEvent[] => [
    named({ type: "content_block_start", index, content_block: start }),
    ...deltas,
    named({ type: "content_block_stop", index }),
  ];
  const { text, thinking, signature, input, content } = block;
  switch (block.type) {
    case "text":
      return around(
        { ...block, text: "" },
        textPieces(stringOf(text) ?? "").map((piece) => delta({ type: "text_delta", text: piece })),
      );
    case "thinking": {
      const pieces = textPieces(stringOf(thinking) ?? "").map((piece) =>
        delta({ type: "thinking_delta", thinking: piece }),
      );
      return around({ ...block, thinking: "", signature: "" }, [
        ...pieces,
        delta({ type: "signature_delta", signature }),
      ]);
    }
    case "tool_use": {
      const pieces = textPieces(JSON.stringify(input)).map((piece) =>
        delta({ type: "input_json_delta", partial_json: piece }),
      );
      // No delta stands for an empty input.
      return around({ ...block, input: {} }, JSON.stringify(input) === "{}" ? [] : pieces);
    }
    case "compaction": {
      // A signed block comes whole; an encrypted one in a single delta.
      if (signature !== undefined) return around(block, []);
      const { encrypted_content } = block;
      return around({ type: "compaction", content: null }, [
        delta({ type: "compaction_delta", content, encrypted_content }),
      ]);
    }
    default:
      return around(block, []);
  }
}
