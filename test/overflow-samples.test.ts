/**
 * Refusals as the exchange reads them, status and body: those that say that the window is full, in the forms of providers, servers and the
 * services between them, and those that speak of something else. None of these stands beside the wordings; they were written to try them.
 */

import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../src/core/json.ts";
import { formatNamed, formatNames } from "../src/formats.ts";

type Sample = readonly [of: string, status: number, body: JsonValue];

const anthropicError = (message: string, type = "invalid_request_error"): JsonObject => ({
  type: "error",
  error: { type, message },
  request_id: "req_011",
});
const openaiError = (message: string, rest: JsonObject = {}): JsonObject => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...rest },
});
const googleError = (message: string, status = "INVALID_ARGUMENT", code = 400): JsonObject => ({
  error: { code, message, status },
});
const awsError = (message: string, type = "ValidationException"): JsonObject => ({ __type: type, message });

const FULL: readonly Sample[] = [
  ["Anthropic", 400, anthropicError("prompt is too long: 204138 tokens > 200000 maximum")],
  [
    "Anthropic, with the answer",
    400,
    anthropicError(
      "input length and `max_tokens` exceed context limit: 190217 + 16000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  ],
  ["Anthropic, without numbers", 400, anthropicError("Prompt is too long")],
  ["Anthropic, the body", 413, anthropicError("Request exceeds the maximum size", "request_too_large")],
  [
    "Anthropic at Google Cloud",
    400,
    [
      {
        error: {
          code: 400,
          message:
            '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1000422 tokens > 1000000 maximum"}}',
          status: "INVALID_ARGUMENT",
        },
      },
    ],
  ],
  [
    "Anthropic at Bedrock",
    400,
    awsError("The model returned the following errors: prompt is too long: 200251 tokens > 200000 maximum"),
  ],
  ["Anthropic at Bedrock, bare", 400, awsError("Input is too long for requested model.")],
  [
    "Nova at Bedrock",
    400,
    awsError(
      "The model returned the following errors: Too many input tokens. Max input tokens: 300000, request input token count: 301044 ",
    ),
  ],
  [
    "Llama at Bedrock",
    400,
    awsError("This model's maximum context length is 131072 tokens. Please reduce the length of the prompt"),
  ],
  [
    "OpenAI, Chat",
    400,
    openaiError(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 140211 tokens (139010 in the messages, 1201 in the functions). Please reduce the length of the messages or functions.",
      { param: "messages", code: "context_length_exceeded" },
    ),
  ],
  [
    "OpenAI, with the answer",
    400,
    openaiError(
      "This model's maximum context length is 8192 tokens. However, you requested 9021 tokens (7997 in the messages, 1024 in the completion). Please reduce the length of the messages or completion.",
      { code: "context_length_exceeded" },
    ),
  ],
  [
    "OpenAI, Responses",
    400,
    openaiError("Your input exceeds the context window of this model. Please adjust your input and try again.", {
      param: "input",
      code: "context_length_exceeded",
    }),
  ],
  ["OpenAI, only the code", 400, openaiError("Invalid request.", { code: "context_length_exceeded" })],
  [
    "OpenAI, a failed response",
    200,
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "context_length_exceeded", message: "Too much." } },
    },
  ],
  [
    "OpenAI, the newer limit",
    400,
    openaiError(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 289112 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded" },
    ),
  ],
  [
    "Azure",
    400,
    {
      error: {
        code: "context_length_exceeded",
        message:
          "This model's maximum context length is 16385 tokens, however you requested 17102 tokens (16102 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
      },
    },
  ],
  [
    "Gemini",
    400,
    googleError("The input token count (1063210) exceeds the maximum number of tokens allowed (1048576)."),
  ],
  ["Gemini, older", 400, googleError("The input token count exceeds the maximum number of tokens allowed 1048576.")],
  [
    "Vertex",
    400,
    [
      googleError(
        "Unable to submit request because the input token count is 1204410 but the model only supports up to 1048576. Reduce the input token count and try again.",
      ),
    ],
  ],
  [
    "OpenRouter",
    400,
    {
      error: {
        message:
          'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 150432 tokens (142240 of text input, 8192 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
      },
    },
  ],
  [
    "OpenRouter, another's words",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210333 tokens > 200000 maximum"}}',
          provider_name: "Anthropic",
        },
      },
    },
  ],
  [
    "LiteLLM",
    400,
    {
      error: {
        message:
          "litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicError - prompt is too long: 201122 tokens > 200000 maximum",
        type: null,
        param: null,
        code: "400",
      },
    },
  ],
  [
    "xAI",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 131072 but the request contains 140998 tokens.",
    },
  ],
  [
    "Groq",
    400,
    openaiError("Please reduce the length of the messages or completion.", { code: "context_length_exceeded" }),
  ],
  [
    "Groq, without the code",
    400,
    openaiError(
      "Please reduce the length of the messages or completion. Current length is 133120 while limit is 131072",
    ),
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 40211 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051",
    },
  ],
  [
    "Together",
    422,
    openaiError(
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32769. Given: 33120 `inputs` tokens and 512 `max_new_tokens`",
    ),
  ],
  [
    "Together, newer",
    400,
    openaiError("The input (133201 tokens) is longer than the model's context length (131072 tokens)."),
  ],
  ["Fireworks", 400, openaiError("The prompt is too long: 140112, model maximum context length: 131071")],
  [
    "DeepSeek",
    400,
    openaiError(
      "This model's maximum context length is 131072 tokens. However, you requested 140022 tokens (131830 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
    ),
  ],
  ["Kimi", 400, openaiError("Invalid request: Your request exceeded model token limit: 262144 (requested: 270311)")],
  ["MiniMax", 400, openaiError("invalid params, context window exceeds limit (2013)", { code: "2013" })],
  ["z.ai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  [
    "DashScope",
    400,
    openaiError("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", {
      code: "invalid_parameter_error",
    }),
  ],
  [
    "Cohere",
    400,
    {
      message:
        "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 131410. Try using a shorter prompt.",
    },
  ],
  [
    "GitHub Copilot",
    400,
    openaiError("prompt token count of 131400 exceeds the limit of 128000", {
      code: "model_max_prompt_tokens_exceeded",
    }),
  ],
  ["Cerebras", 400, "400 (no body)"],
  ["Cerebras, too many bytes", 413, "413 (no body)"],
  [
    "vLLM",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 32768 tokens. However, your request has 33127 input tokens. Please reduce the length of the input messages.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  ],
  [
    "vLLM, with the answer",
    400,
    {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 32768 tokens and your request has 30112 input tokens (8192 > 32768 - 30112).",
        type: "BadRequestError",
        code: 400,
      },
    },
  ],
  [
    "vLLM, the decoder",
    400,
    {
      object: "error",
      message:
        "The decoder prompt (length 41220) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens.",
      code: 400,
    },
  ],
  [
    "SGLang",
    400,
    {
      object: "error",
      message: "The input (40021 tokens) is longer than the model's context length (32768 tokens).",
      type: "BadRequest",
      code: 400,
    },
  ],
  [
    "SGLang, with the answer",
    400,
    {
      object: "error",
      message:
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 36021 tokens: 31925 tokens from the input messages and 4096 tokens for the completion.",
      code: 400,
    },
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9120,
        n_ctx: 8192,
      },
    },
  ],
  [
    "llama.cpp, in words",
    400,
    {
      error: {
        code: 400,
        message: "request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it",
        type: "exceed_context_size_error",
      },
    },
  ],
  [
    "llama.cpp, in the course",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
  ],
  [
    "LM Studio",
    400,
    {
      error:
        "Trying to keep the first 9013 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
  ],
  [
    "LM Studio, shorter",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    },
  ],
  [
    "Ollama",
    400,
    { error: { message: "prompt too long; exceeded max context length by 1204 tokens", type: "api_error" } },
  ],
  [
    "text-generation-inference",
    422,
    {
      error: "Input validation error: `inputs` must have less than 4096 tokens. Given: 5012",
      error_type: "validation",
    },
  ],
  [
    "Databricks",
    400,
    {
      error_code: "BAD_REQUEST",
      message:
        '{"error_code":"BAD_REQUEST","message":"Input is too long for requested model. prompt is too long: 200431 tokens > 200000 maximum"}',
    },
  ],
  ["Snowflake", 400, { message: "max tokens of 32000 exceeded: too many tokens in the prompt", code: "100" }],
  [
    "watsonx",
    400,
    {
      errors: [
        {
          code: "invalid_input_argument",
          message: "the number of input tokens 140300 cannot exceed the total tokens limit 131072 for this model",
        },
      ],
      status_code: 400,
    },
  ],
  [
    "an error inside a stream",
    200,
    { error: { message: "Context window exceeded: the conversation no longer fits.", type: "server_error" } },
  ],
  ["Chinese", 400, openaiError("输入内容的上下文长度超出模型限制，请压缩上下文后重试")],
];

const OTHER: readonly Sample[] = [
  [
    "Anthropic, requests per minute",
    429,
    anthropicError(
      "This request would exceed your organization's rate limit of 50 requests per minute.",
      "rate_limit_error",
    ),
  ],
  [
    "Anthropic, input tokens per minute",
    429,
    anthropicError(
      "This request would exceed your organization's rate limit of 40,000 input tokens per minute (org: 1, model: claude-opus-5-5). Reduce the prompt length or the maximum tokens requested.",
      "rate_limit_error",
    ),
  ],
  [
    "Anthropic, long context not allowed",
    400,
    anthropicError("The long context beta is not yet available for this subscription."),
  ],
  [
    "Anthropic, credit",
    400,
    anthropicError(
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
  ],
  [
    "Anthropic, the answer's limit",
    400,
    anthropicError(
      "max_tokens: 256000 > 128000, which is the maximum allowed number of output tokens for claude-opus-5-5",
    ),
  ],
  [
    "Anthropic, thinking budget",
    400,
    anthropicError("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation"),
  ],
  [
    "Anthropic, image size",
    400,
    anthropicError(
      "messages.4.content.0.image.source.base64.data: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes",
    ),
  ],
  [
    "Anthropic, many images",
    400,
    anthropicError(
      "messages.12.content.3.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ),
  ],
  ["Anthropic, PDF pages", 400, anthropicError("A maximum of 100 PDF pages may be provided.")],
  [
    "Anthropic, too many marks",
    400,
    anthropicError("A maximum of 4 blocks with cache_control may be provided. Found 5."),
  ],
  ["Anthropic, tool name", 400, anthropicError("tools.0.custom.name: String should have at most 128 characters")],
  [
    "Anthropic, pairing",
    400,
    anthropicError(
      "messages.8: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ),
  ],
  [
    "Anthropic, empty",
    400,
    anthropicError(
      "messages.2: all messages must have non-empty content except for the optional final assistant message",
    ),
  ],
  ["Anthropic, overloaded", 529, anthropicError("Overloaded", "overloaded_error")],
  [
    "OpenAI, tokens per minute",
    429,
    openaiError(
      "Request too large for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 36021. The input or output tokens must be reduced in order to run successfully.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  ],
  [
    "OpenAI, quota",
    429,
    openaiError("You exceeded your current quota, please check your plan and billing details.", {
      code: "insufficient_quota",
    }),
  ],
  [
    "OpenAI, too many tools",
    400,
    openaiError(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.",
      { code: "array_above_max_length" },
    ),
  ],
  [
    "OpenAI, a long string",
    400,
    openaiError(
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 10485999 instead.",
      { code: "string_above_max_length" },
    ),
  ],
  [
    "OpenAI, the answer's limit",
    400,
    openaiError(
      "max_tokens is too large: 200000. This model supports at most 128000 completion tokens, whereas you provided 200000.",
      { param: "max_tokens", code: "invalid_value" },
    ),
  ],
  [
    "OpenAI, no answer in the limit",
    400,
    openaiError(
      "Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.",
    ),
  ],
  [
    "OpenAI, tool results",
    400,
    openaiError(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
    ),
  ],
  [
    "OpenAI, no such item",
    404,
    openaiError("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
  ],
  [
    "OpenAI, name of a function",
    400,
    openaiError(
      "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 81 instead.",
    ),
  ],
  [
    "OpenAI, unknown parameter",
    400,
    openaiError("Unknown parameter: 'context_window'.", { code: "unknown_parameter" }),
  ],
  [
    "OpenAI, batch",
    400,
    openaiError(
      "Enqueued token limit reached for gpt-5 in organization org-1. Limit: 900,000 enqueued tokens. Please try again once some in_progress batches have been completed.",
      { code: "token_limit_exceeded_for_batches" },
    ),
  ],
  [
    "Gemini, quota",
    429,
    googleError(
      "You exceeded your current quota. * Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000",
      "RESOURCE_EXHAUSTED",
      429,
    ),
  ],
  ["Gemini, bytes of the request", 400, googleError("Request payload size exceeds the limit: 20971520 bytes.")],
  ["Gemini, tools", 400, googleError("The number of function declarations exceeds the limit of 512.")],
  [
    "Gemini, turns",
    400,
    googleError(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    ),
  ],
  [
    "Gemini, the answer's limit",
    400,
    googleError(
      "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.",
    ),
  ],
  ["Gemini, busy", 503, googleError("The model is overloaded. Please try again later.", "UNAVAILABLE", 503)],
  ["Vertex, images", 400, googleError("The number of images in the request exceeds the limit of 3000 images.")],
  ["Bedrock, throttled", 429, awsError("Too many tokens, please wait before trying again.", "ThrottlingException")],
  [
    "Bedrock, throttled without its status",
    400,
    awsError("Too many tokens per day, please wait before trying again.", "ThrottlingException"),
  ],
  [
    "Bedrock, identifier",
    400,
    awsError(
      "Invocation of model ID with on-demand throughput isn't supported. Retry your request with the ID or ARN of an inference profile.",
    ),
  ],
  [
    "Groq, tokens per minute",
    413,
    openaiError(
      "Request too large for model `llama-4` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 14021, please reduce your message size and try again.",
      { type: "tokens", code: "rate_limit_exceeded" },
    ),
  ],
  [
    "Mistral, service tier",
    429,
    {
      object: "error",
      message: "Service tier capacity exceeded for this model.",
      type: "service_tier_capacity_exceeded",
      code: "3505",
    },
  ],
  [
    "OpenRouter, credit",
    402,
    {
      error: {
        message:
          "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1201.",
        code: 402,
      },
    },
  ],
  [
    "a proxy, time",
    504,
    { error: { message: "Gateway timeout: the upstream did not answer within the limit of 60 seconds" } },
  ],
  ["a proxy, headers", 431, { error: "Request Header Fields Too Large" }],
  ["a proxy, URI", 414, { error: "URI too long" }],
  ["a login", 401, openaiError("Your authentication token has expired and its length is invalid.")],
  [
    "no such model",
    404,
    openaiError("The model `gpt-5-context-window` does not exist or you do not have access to it.", {
      code: "model_not_found",
    }),
  ],
  [
    "a policy",
    400,
    openaiError("The response was filtered due to the prompt triggering Azure OpenAI's content management policy.", {
      code: "content_filter",
    }),
  ],
  [
    "a schema",
    400,
    openaiError("Invalid schema for response_format 'plan': schema exceeds the maximum nesting depth of 10 levels."),
  ],
  [
    "metadata",
    400,
    openaiError("Invalid 'metadata.note': string too long. Expected a string with maximum length 512, but got 600."),
  ],
  ["stop words", 400, openaiError("Too many stop sequences: the maximum is 4.")],
  ["embeddings", 400, openaiError("Invalid 'input': maximum 2048 inputs allowed per request.")],
];

test("there are as many as are promised", () => {
  expect(FULL.length).toBeGreaterThanOrEqual(46);
  expect(OTHER.length).toBeGreaterThanOrEqual(30);
});

/** As the exchange hands them over; every format reads the words of all, because servers mix them. */
function isOverflow(status: number, body: JsonValue): boolean {
  const error = status === 200 ? body : { status, body };
  const found = formatNames.map((name) => formatNamed(name).readOverflow(error) !== undefined);
  expect(new Set(found).size).toBe(1);
  return found[0] === true;
}

test.each(FULL)("the window is full: %s", (_, status, body) => expect(isOverflow(status, body)).toBe(true));

test.each(OTHER)("it is something else: %s", (_, status, body) => expect(isOverflow(status, body)).toBe(false));
