/** `palimpsest/models`: the official clients as models, for the summarizer, for the provider's own compaction and for loops. */

export type { Model, ModelCall, ModelDelta, ModelEvent, ModelReply, Question, StopReason } from "./core/model.ts";
export { type AiSdkModel, aiSdk } from "./models/ai-sdk.ts";
export { type AnthropicClient, anthropic } from "./models/anthropic.ts";
export { type GeminiClient, gemini } from "./models/gemini.ts";
export type { CompactingModel, ModelOptions } from "./models/model.ts";
export { type ChatClient, openaiChat } from "./models/openai-chat.ts";
export { openaiResponses, type ResponsesClient, type ResponsesOptions } from "./models/openai-responses.ts";
