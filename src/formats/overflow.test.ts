import { describe, expect, test } from "vitest";
import { cpuMs } from "../../test/cpu-time.ts";
import type { Overflow } from "../core/ports.ts";
import { readOverflow } from "./overflow.ts";

/** What is an overflow, what is not, and the numbers read from it: one row per provider wording or error shape. */

type Row = readonly [
  provider: string,
  error: unknown,
  actualTokens?: number | undefined,
  maximumTokens?: number | undefined,
  outputTokens?: number,
];

function check([, error, actualTokens, maximumTokens, outputTokens]: Row): void {
  const expected: Overflow = {
    ...(actualTokens !== undefined && { actualTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(maximumTokens !== undefined && { maximumTokens }),
  };
  expect(readOverflow(error)).toEqual(expected);
}

const none = undefined;
const chatMessage =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens. Please reduce the length of the messages.";
const anthropicMessage = "prompt is too long: 213462 tokens > 200000 maximum";
const anthropicBody = {
  type: "error",
  error: { type: "invalid_request_error", message: anthropicMessage },
  request_id: "req_1",
};
const responsesError = {
  code: "context_length_exceeded",
  message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
};
const geminiMessage = "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).";

/** As SDKs throw: an `Error` with a status and the parsed body on it. */
function thrown(message: string, fields: object): Error {
  return Object.assign(new Error(message), fields);
}

const WORDINGS: readonly Row[] = [
  ["Anthropic", anthropicMessage, 213_462, 200_000],
  ["Anthropic, separators", "prompt is too long: 213,462 tokens > 200,000 maximum", 213_462, 200_000],
  ["Anthropic, bare", "Prompt is too long"],
  [
    "Anthropic, with max_tokens",
    "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    207_951,
    200_000,
    8192,
  ],
  ["OpenAI Chat", chatMessage, 130_512, 128_000],
  [
    "OpenAI Chat, with completion",
    "This model's maximum context length is 8192 tokens. However, you requested 10243 tokens (6147 in the messages, 4096 in the completion).",
    10_243,
    8192,
    4096,
  ],
  ["OpenAI Chat, maximum only", "This model's maximum context length is 16385 tokens.", none, 16_385],
  [
    "OpenAI Chat, input limit",
    "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 290114 tokens. Please reduce the length of the messages.",
    290_114,
    272_000,
  ],
  ["OpenAI, code alone", "context_length_exceeded"],
  ["OpenAI Responses", responsesError.message],
  ["Codex", "Codex ran out of room in the model's context window. Start a new thread."],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 150311 tokens (146215 of text input, 4096 in the output).",
    150_311,
    131_072,
    4096,
  ],
  [
    "vLLM",
    "This model's maximum context length is 4096 tokens. However, your request has 5120 input tokens. Please reduce the length of the input messages.",
    5120,
    4096,
  ],
  [
    "vLLM, answer too long",
    "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30000 input tokens (8192 > 32768 - 30000).",
    38_192,
    32_768,
    8192,
  ],
  [
    "SGLang",
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40960 tokens: 36864 tokens from the input messages and 4096 tokens for the completion.",
    40_960,
    32_768,
    4096,
  ],
  ["window in k", "This model's maximum context length is 128k tokens."],
  ["window in M", "The prompt exceeds the limit of 1.05M and exceeds the context window"],
  ["Gemini", geminiMessage, 1_200_293, 1_048_576],
  ["Gemini, no numbers", "The input token count exceeds the maximum number of tokens allowed."],
  [
    "Vertex",
    "Unable to submit request because the input token count is 1300000 but the model only supports up to 1048576. Reduce the input token count and try again.",
    1_300_000,
    1_048_576,
  ],
  ["Bedrock", "ValidationException: Input is too long for requested model."],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
  [
    "Bedrock, numbers",
    "Too many input tokens. Max input tokens: 128000, request input token count: 131900",
    131_900,
    128_000,
  ],
  ["Bedrock, Nova", "Input Tokens Exceeded: Number of input tokens exceeds maximum length."],
  ["xAI, maximum only", "maximum prompt length is 131072", none, 131_072],
  ["Groq", "Please reduce the length of the messages or completion."],
  [
    "Together",
    "The input (131,080 tokens) is longer than the model's context length (131,072 tokens).",
    131_080,
    131_072,
  ],
  ["Together, no numbers", "The input is longer than the model's context length"],
  ["Copilot", "prompt token count of 135417 exceeds the limit of 128000", 135_417, 128_000],
  ["Copilot, maximum only", "Prompt exceeds the limit of 64000 tokens", none, 64_000],
  [
    "llama.cpp",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
  ],
  [
    "llama.cpp, numbers",
    "request (9012 tokens) exceeds the available context size (8192 tokens), try increasing it",
    9012,
    8192,
  ],
  ["llama.cpp, full", "Context size has been exceeded."],
  ["configured size", "prompt has 12345 tokens, but the configured context size is 8192 tokens", 12_345, 8192],
  ["LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length"],
  [
    "LM Studio, numbers",
    "Trying to keep the first 5120 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens.",
    5120,
    4096,
  ],
  ["MiniMax, a code and no count", "invalid params, context window exceeds limit (2013)"],
  ["Kimi", "Invalid request: Your request exceeded model token limit: 262144 (requested: 270001)", 270_001, 262_144],
  ["Kimi, maximum only", "Your request exceeded model token limit: 131072", none, 131_072],
  [
    "Mistral",
    "Prompt contains 40113 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    40_113,
    32_768,
  ],
  ["Mistral, maximum only", "Prompt too large for model with 32768 maximum context length", none, 32_768],
  ["Kimi, no numbers", "Your request exceeded model token limit"],
  ["z.ai, code", { error: { code: "model_context_window_exceeded", message: "request failed" } }],
  ["Ollama, by how much", "prompt too long; exceeded max context length by 1204 tokens"],
  ["Ollama", "prompt too long; exceeded context length"],
  ["DashScope", "InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", none, 98_304],
  [
    "Cohere",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5217. Try using a shorter prompt",
    5217,
    4081,
  ],
  [
    "text-generation-inference",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3900 `inputs` tokens and 512 `max_new_tokens`",
    4412,
    4096,
    512,
  ],
  ["Fireworks", "The prompt is too long: 140219, model maximum context length: 131071", 140_219, 131_071],
  ["input length", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131_393, 131_040],
  ["input length, no numbers", "Request exceeds maximum allowed input length"],
  ["Chinese", "错误：上下文长度超过模型限制，请压缩上下文后重试"],
  ["Cerebras", "400 status code (no body)"],
  ["Cerebras, 413", "413 (no body)"],
];

const loop: { message: string; cause?: unknown } = { message: "wrapped" };
loop.cause = { cause: loop, error: anthropicBody };

const SHAPES: readonly Row[] = [
  ["Anthropic body", anthropicBody, 213_462, 200_000],
  [
    "Anthropic SDK error",
    thrown(`400 ${JSON.stringify(anthropicBody)}`, { status: 400, error: anthropicBody }),
    213_462,
    200_000,
  ],
  [
    "OpenAI body",
    { error: { message: chatMessage, type: "invalid_request_error", param: "messages" } },
    130_512,
    128_000,
  ],
  [
    "OpenAI SDK error",
    thrown("400 Bad request", { status: 400, code: "context_length_exceeded", error: { message: chatMessage } }),
    130_512,
    128_000,
  ],
  ["Responses, response.failed", { type: "response.failed", response: { status: "failed", error: responsesError } }],
  ["Responses, flat error event", { type: "error", ...responsesError, sequence_number: 3 }],
  ["Responses, nested error event", { type: "error", error: { type: "invalid_request_error", ...responsesError } }],
  [
    "Gemini body",
    { error: { code: 400, message: geminiMessage, status: "INVALID_ARGUMENT", details: [] } },
    1_200_293,
    1_048_576,
  ],
  ["Gemini body in a list", [{ error: { code: 400, message: geminiMessage } }], 1_200_293, 1_048_576],
  [
    "Gemini SDK error, body as text",
    thrown(JSON.stringify({ error: { message: geminiMessage } }), { status: 400, name: "ApiError" }),
    1_200_293,
    1_048_576,
  ],
  ["cause", new Error("The step failed.", { cause: new Error(anthropicMessage) }), 213_462, 200_000],
  ["circular causes", loop, 213_462, 200_000],
  [
    "llama.cpp body with fields",
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9012,
        n_ctx: 8192,
      },
    },
    9012,
    8192,
  ],
  [
    "HTTP client",
    thrown("Request failed with status code 400", { response: { data: anthropicBody } }),
    213_462,
    200_000,
  ],
  ["response body as text", { statusCode: 400, responseBody: JSON.stringify(anthropicBody) }, 213_462, 200_000],
  [
    "AWS SDK error",
    thrown("Input is too long for requested model.", {
      name: "ValidationException",
      $metadata: { httpStatusCode: 400 },
    }),
  ],
];

const openAiTpm =
  "Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 35120. The input or output tokens must be reduced in order to run successfully.";

const NOT_OVERFLOW: readonly Row[] = [
  ["Anthropic rate limit", { type: "error", error: { type: "rate_limit_error", message: "too many tokens" } }],
  ["429 with an overflow text", { status: 429, message: anthropicMessage }],
  ["429 in the text", `429 ${JSON.stringify(anthropicBody)}`],
  ["OpenAI TPM", { error: { message: openAiTpm, type: "tokens", code: "rate_limit_exceeded" } }],
  ["OpenAI TPM, text", openAiTpm],
  ["Groq TPM as 413", { status: 413, error: { message: "Request too large on tokens per minute (TPM): Limit 6000" } }],
  ["Gemini quota", { error: { code: 429, message: "input token count exceeds quota", status: "RESOURCE_EXHAUSTED" } }],
  ["RESOURCE_EXHAUSTED, text", "RESOURCE_EXHAUSTED: too many tokens"],
  ["Bedrock throttling", "ThrottlingException: Too many tokens, please wait before trying again."],
  ["Throttling error", "Throttling error: Too many tokens"],
  ["Anthropic overloaded", { status: 529, error: { type: "overloaded_error", message: "Overloaded" } }],
  ["503", { status: 503, message: "token limit exceeded" }],
  ["Service unavailable", "Service unavailable: prompt is too long to be queued"],
  ["too many requests", "Too many requests, reduce the length of the messages queue"],
  ["daily allowance", "Daily token limit exceeded for your plan"],
  [
    "output cap, Anthropic",
    "max_tokens: 300000 > 128000, which is the maximum allowed number of output tokens for claude-opus-5-5",
  ],
  ["output cap, OpenAI", "max_tokens is too large: 200000. This model supports at most 16384 completion tokens."],
  ["image size", "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"],
  ["image count", "The number of images in the prompt exceeds the limit of 100 images"],
  ["pairing", "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01."],
  ["authentication", { status: 401, error: { type: "authentication_error", message: "invalid x-api-key" } }],
  ["server error", thrown("500 Internal server error", { status: 500 })],
  ["network", thrown("fetch failed", { cause: { code: "ECONNRESET" } })],
  ["a request that hangs on the error", { status: 400, message: "bad", requestBody: anthropicMessage }],
  [
    "a plain response",
    { type: "message", stop_reason: "end_turn", content: [{ type: "text", text: anthropicMessage }] },
  ],
  ["nothing", undefined],
  ["null", null],
  ["another status", 400],
];

describe("wordings", () => test.each(WORDINGS.map((row) => [row[0], row] as const))("%s", (_, row) => check(row)));
describe("shapes", () => test.each(SHAPES.map((row) => [row[0], row] as const))("%s", (_, row) => check(row)));
describe("not overflow", () => {
  test.each(NOT_OVERFLOW)("%s", (_, error) => expect(readOverflow(error)).toBeUndefined());
});

test("the table holds what is promised", () => {
  expect(WORDINGS.length).toBeGreaterThanOrEqual(46);
  expect(NOT_OVERFLOW.length).toBeGreaterThanOrEqual(12);
});

test("a huge text and a knotted error are read in bounded time", () => {
  const text = `maximum context length is 5 tokens ${"exceeds the limit of prompt tokens ".repeat(60_000)}`;
  const huge: Record<string, unknown> = { message: text };
  for (const key of ["error", "cause", "response", "body", "data", "details", "lastError"]) huge[key] = huge;
  const startedMs = cpuMs();
  readOverflow(huge);
  expect(cpuMs() - startedMs).toBeLessThan(30_000);
});

/** The shortest forms of wordings, as compatible servers cut them, and what is like them but speaks of other limits. */

test.each([
  "400 The request exceeds the limit of 128000",
  "exceeds the limit of 64000",
  "Range of input length should be respected",
])("%s", (text) => {
  expect(readOverflow(text)).toEqual({});
  expect(readOverflow({ error: { message: text.toUpperCase() } })).toEqual({});
});

test.each([
  "The file you sent exceeds the limit of 20",
  "The body exceeds the limit of 20MB",
  "The request exceeds the limit of 128 tools",
  "Your account exceeds the limit of 50 requests",
])("no overflow: %s", (text) => expect(readOverflow(text)).toBeUndefined());

test.each([
  "The decoder prompt (length 30001) is longer than the maximum model length of 24576. Make sure that `max_model_len` is no smaller than the number of text tokens.",
  "The prompt (total length 30001) is too long to fit into the model (context length 24576).",
])("vLLM: %s", (text) => expect(readOverflow(text)).toEqual({ actualTokens: 30_001, maximumTokens: 24_576 }));

/** Too many bytes: less helps, but it says nothing about the window. */
test.each([
  ["Anthropic", "413 request_too_large: Request exceeds the maximum size"],
  ["status alone, number", 413],
  ["status alone, object", { status: 413 }],
  ["status alone, text", "413 Payload Too Large"],
  ["status in a sentence", "Request failed with status code 413"],
])("body size: %s", (_, error) => expect(readOverflow(error)).toEqual({ isBodySize: true }));

/** Every wording that other agents are known to look for. */
test.each([
  "input is too long for requested model",
  "exceeds the model's maximum context length",
  "maximum prompt length is 8192",
  "reduce the length of the messages",
  "exceeds the maximum allowed input length",
  "input (9000 tokens) is longer than the model's context length",
  "exceeds the available context size",
  "greater than the context length",
  "context window exceeds limit",
  "exceeded model token limit",
  "too large for model with 8192 maximum context length",
  "prompt has 9000 tokens, but the configured context size is 8192",
  "model_context_window_exceeded",
  "prompt exceeds max length",
  "prompt too long; exceeded max context length",
  "context length exceeded",
  "token limit exceeded",
  "context size has been exceeded",
  "tokens in request more than max tokens allowed",
  "ran out of space in the context window",
  "The decoder prompt is longer than the maximum model length",
  "请压缩上下文",
  "400 (no body)",
])("an overflow: %s", (text) => expect(readOverflow(text)).toBeDefined());
