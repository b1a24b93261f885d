/** Gemini's API: generateContent, its stream, countTokens. It has no compaction. */

import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Conversation } from "../../core/message.ts";
import { formatNamed } from "../../formats.ts";
import {
  type Answer,
  type AnswerUsage,
  type ProviderApi,
  type ProviderCall,
  type Reading,
  type Refusal,
  refusalOf,
  type ScriptedReply,
  type ScriptedStop,
  type ServerMemory,
  textPieces,
  type WrittenAnswer,
} from "./provider-api.ts";
import { seal, unseal } from "./seal.ts";

const format = formatNamed("gemini");

const FIELDS: ReadonlySet<string> = new Set([
  ...["contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig", "cachedContent"],
  ...["labels", "model", "store", "serviceTier"],
]);

export const geminiApi: ProviderApi = {
  read,
  compacted: ({ conversation }) => conversation,
  write,
  writeCount: (totalTokens) => ({ totalTokens }),
  writeError,
  errorEvents: (refusal) => [{ data: writeError(refusal) }],
  overflow: (_, inputTokens, windowTokens) =>
    inputTokens <= windowTokens
      ? undefined
      : bad(`The input token count (${inputTokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`),
  failures: {
    "rate-limit": { status: 429, message: "Resource has been exhausted (e.g. check quota)." },
    "server-error": { status: 500, message: "An internal error has occurred. Please retry or report." },
    overloaded: { status: 503, message: "The model is overloaded. Please try again later." },
    "body-too-large": bad("Request payload size exceeds the limit: 20971520 bytes."),
    "invalid-json": bad("Invalid JSON payload received. Unexpected end of string."),
  },
  unknownModel: (model) => ({
    status: 404,
    message: `models/${model} is not found for API version v1beta, or is not supported for generateContent.`,
  }),
  cachePolicy: (model) => ({
    minimumTokens: model.includes("gemini-2") ? 2_048 : 4_096,
    entries: "everywhere",
    reportsWrites: false,
    lifetimeMs: 300_000,
  }),
};

function bad(message: string): Refusal {
  return { status: 400, message };
}

const STATUSES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

function writeError({ status, message, headers }: Refusal): JsonObject {
  const seconds = headers?.["retry-after"];
  const retry = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` };
  const details = seconds === undefined ? {} : { details: [retry] };
  return { error: { code: status, message, status: STATUSES[status] ?? "UNKNOWN", ...details } };
}

function read(call: ProviderCall): Reading | Refusal {
  const { headers, kind, model } = call;
  if (headers["x-goog-api-key"] === undefined && headers.authorization === undefined) {
    const message = "Method doesn't allow unregistered callers (callers without established identity).";
    return { status: 403, message };
  }
  const inner = call.body.generateContentRequest ?? call.body.generate_content_request;
  const body = kind === "count" && isObject(inner) ? inner : call.body;
  const unknown = Object.keys(body).find((key) => !FIELDS.has(camelCase(key)));
  if (unknown !== undefined) {
    return bad(`Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`);
  }
  if ((body.cachedContent ?? body.cached_content) !== undefined) {
    return { status: 403, message: "CachedContent not found (or permission denied)" };
  }
  const invalid = refusalOf(format.validate(body, { sending: kind === "answer", model }));
  if (invalid !== undefined) return invalid;
  const conversation = format.decode(body);
  return checkSignatures(conversation, model) ?? { conversation, summaries: [] };
}

/** The API takes both spellings of a field. */
function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Documented for calls that no model made. */
const DUMMY_SIGNATURES: readonly string[] = [
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
];

/** Of the current turn; what is older is not read. */
function checkSignatures({ messages }: Conversation, model: string): Refusal | undefined {
  if (!signs(model)) return undefined;
  const turnStart = messages.findLastIndex(
    ({ role, parts }) => role !== "assistant" && parts.some(({ type }) => type !== "tool-result"),
  );
  for (const { parts } of messages.slice(turnStart + 1)) {
    for (const part of parts) {
      if (part.type !== "tool-call" || part.signature === undefined) continue;
      if (DUMMY_SIGNATURES.includes(part.signature)) continue;
      const sealed = unseal("thought", part.signature);
      if (sealed === undefined) return bad("Corrupted thought signature.");
      if (sealed.model !== model) return bad("Invalid thought signature.");
    }
  }
  return undefined;
}

function signs(model: string): boolean {
  return Number(/gemini-(\d+)/.exec(model)?.[1] ?? 0) >= 3;
}

const FINISH_REASONS: Readonly<Record<ScriptedStop, string>> = {
  end: "STOP",
  "tool-calls": "STOP",
  "output-limit": "MAX_TOKENS",
  "window-full": "MAX_TOKENS",
  refusal: "SAFETY",
};

function write({ call, reply = {}, usage }: Answer, memory: ServerMemory): WrittenAnswer {
  const envelope = { modelVersion: call.model, responseId: memory.nextId("response-") };
  const metadata = usageOf(usage);
  const respond = (parts: readonly JsonValue[], end: JsonObject): JsonObject => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...end }],
    ...envelope,
    usageMetadata: metadata,
  });
  const end = { finishReason: FINISH_REASONS[reply.stop ?? "end"] };
  const parts = partsOf(reply, call, memory);
  const pieces = parts.flatMap(inPieces);
  return {
    whole: respond(parts, end),
    events: pieces.map((part, index) => ({ data: respond([part], index === pieces.length - 1 ? end : {}) })),
  };
}

/** Thoughts are shown where they are asked for; the signature stands on the first call, or on the text. */
function partsOf(reply: ScriptedReply, { model, body }: ProviderCall, memory: ServerMemory): readonly JsonObject[] {
  const { reasoning = "", text = "", toolCalls = [] } = reply;
  const { generationConfig: config } = body;
  const thinking = isObject(config) && isObject(config.thinkingConfig) ? config.thinkingConfig : {};
  const isShown = thinking.includeThoughts === true && reasoning !== "";
  const signature = signs(model) ? { thoughtSignature: seal("thought", { model }) } : {};
  const calls = toolCalls.map(({ id = memory.nextId("call_"), name, input }, index) => {
    return { functionCall: { id, name, args: input }, ...(index === 0 && signature) };
  });
  const isTextSigned = calls.length === 0 && reasoning !== "";
  return [
    ...(isShown ? [{ text: reasoning, thought: true }] : []),
    ...(text === "" && calls.length > 0 ? [] : [{ text, ...(isTextSigned && signature) }]),
    ...calls,
  ];
}

/** A signature comes with the last piece of its text. */
function inPieces(part: JsonObject): readonly JsonObject[] {
  const { text, thoughtSignature, ...rest } = part;
  const pieces = typeof text === "string" ? textPieces(text) : [];
  if (pieces.length === 0) return [part];
  return pieces.map((piece, index) => {
    const isSigned = index === pieces.length - 1 && thoughtSignature !== undefined;
    return { text: piece, ...rest, ...(isSigned && { thoughtSignature }) };
  });
}

/** Gemini counts thoughts beside the answer. */
function usageOf(usage: AnswerUsage): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage;
  return {
    promptTokenCount: inputTokens,
    ...(cacheReadTokens > 0 && { cachedContentTokenCount: cacheReadTokens }),
    candidatesTokenCount: outputTokens - reasoningTokens,
    ...(reasoningTokens > 0 && { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: inputTokens + outputTokens,
  };
}
