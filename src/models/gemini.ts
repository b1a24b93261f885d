/** Gemini through `@google/genai`, or a client of the same shape. Retries are the client's own, which has to be asked for them. */

import { errorText } from "../core/error-text.ts";
import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { ModelDelta } from "../core/model.ts";
import { gemini as format, type GeminiRequest } from "../formats/gemini.ts";
import { type CompactingModel, createModel, type ModelOptions } from "./model.ts";

/** The part of the client that is used. The bodies are the format's, so the client's own parameter types are not asked. */
export interface GeminiClient {
  readonly models: {
    generateContent(request: never): Promise<unknown>;
    generateContentStream(request: never): Promise<AsyncIterable<unknown>>;
    countTokens(request: never): Promise<{ readonly totalTokens?: number }>;
  };
}

/**
 * A Gemini model. It has no compaction of its own: `compact` makes a summary.
 *
 * @example
 * const model = gemini(new GoogleGenAI({}), "gemini-3.5-flash");
 * const { text } = await model.complete({ contents: [{ role: "user", parts: [{ text: "Fix the build" }] }] });
 */
export function gemini(
  client: GeminiClient,
  model: string,
  options: ModelOptions = {},
): CompactingModel<GeminiRequest> {
  const { models } = client;
  return createModel({
    id: model,
    format,
    options,
    send: (body, signal) => models.generateContent(params(body, signal)),
    stream: (body, signal) => streamed(models.generateContentStream(params(body, signal))),
    count: async (body, signal) => {
      const { totalTokens } = await models.countTokens(counted(body, signal));
      if (totalTokens === undefined) throw new TypeError("the count is missing");
      return totalTokens;
    },
    stopOf,
    question: ({ system, prompt, maxOutputTokens }) => ({
      model,
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      // Reasoning counts as output.
      config: { systemInstruction: system, maxOutputTokens: maxOutputTokens + REASONING_TOKENS },
    }),
  });
}

const REASONING_TOKENS = 8_192;

/** As often as the clients of the other providers by default. */
const RETRIES = { attempts: 3, initialDelay: 0.5, maxDelay: 8 };

/** The client takes everything beside model and contents in `config`; a REST body has it at the top. */
function params({ model, contents, config, generationConfig, ...rest }: JsonObject, signal: AbortSignal): never {
  const stated = { ...objectOr(generationConfig), ...rest, ...objectOr(config) };
  const httpOptions = { retryOptions: RETRIES, ...objectOr(stated.httpOptions) };
  // The client's parameter type knows fewer fields than the API.
  return { model, contents, config: { ...stated, httpOptions, abortSignal: signal } } as never;
}

/** The client counts only contents: instructions and tools are counted as the texts that they are. */
function counted(body: JsonObject, signal: AbortSignal): never {
  const system = format.decode(body).system.flatMap((part) => (part.type === "text" ? [{ text: part.text }] : []));
  const tools = body.tools ?? objectOr(body.config).tools;
  const parts = [...system, ...(tools === undefined ? [] : [{ text: JSON.stringify(tools) }])];
  const contents = isArray(body.contents) ? body.contents : [{ role: "user", parts: [{ text: body.contents ?? "" }] }];
  const all = parts.length === 0 ? contents : [{ role: "user", parts }, ...contents];
  return { model: body.model, contents: all, config: { abortSignal: signal } } as never;
}

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function stopOf(response: JsonObject): string | undefined {
  const { promptFeedback } = response;
  if (isObject(promptFeedback) && stringOf(promptFeedback.blockReason)) return "SAFETY";
  return stringOf(candidateOf(response)?.finishReason);
}

function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  const first = isArray(candidates) ? candidates[0] : undefined;
  return isObject(first) ? first : undefined;
}

/** Each chunk is a response with the new parts: the whole has all parts, and of everything else the newest. */
async function* streamed(opened: Promise<AsyncIterable<unknown>>): AsyncGenerator<ModelDelta, unknown, undefined> {
  let whole: JsonObject = {};
  let candidate: JsonObject | undefined;
  const parts: JsonValue[] = [];
  for await (const chunk of begun(await opened)) {
    if (!isObject(chunk)) continue;
    const { candidates: _, sdkHttpResponse: _http, ...rest } = chunk;
    const { content, ...said } = candidateOf(chunk) ?? {};
    const added = isObject(content) && isArray(content.parts) ? content.parts : [];
    whole = { ...whole, ...rest };
    if (candidateOf(chunk) !== undefined) candidate = { ...candidate, ...said };
    for (const part of added) {
      addPart(parts, part);
      yield* deltasOf(part);
    }
  }
  const content = parts.length === 0 ? {} : { content: { role: "model", parts } };
  return candidate === undefined ? whole : { ...whole, candidates: [{ ...content, ...candidate }] };
}

/** An error in a stream that has begun names a status too. The client retried none, so it is told without: a loop asks again. */
async function* begun(chunks: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* chunks;
  } catch (cause) {
    throw new Error(errorText(cause), { cause });
  }
}

function* deltasOf(part: JsonValue): Generator<ModelDelta> {
  if (isObject(part) && typeof part.text === "string") {
    yield { type: part.thought === true ? "reasoning" : "text", text: part.text };
  }
}

/** Pieces of one text become one part. A signed part stays as it is, because its signature belongs to it alone. */
function addPart(parts: JsonValue[], part: JsonValue): void {
  const last = parts.at(-1);
  const isSame = isPiece(last) && isPiece(part) && (last.thought === true) === (part.thought === true);
  if (isSame) parts[parts.length - 1] = { ...last, text: `${String(last.text)}${String(part.text)}` };
  else parts.push(part);
}

function isPiece(part: JsonValue | undefined): part is JsonObject {
  return isObject(part) && typeof part.text === "string" && part.thoughtSignature === undefined;
}
