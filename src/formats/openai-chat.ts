/** The OpenAI Chat Completions format: bodies of `POST /v1/chat/completions`, or their bare `messages` list. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { Format, ReadTools, ToolDefinition } from "../core/ports.ts";
import { type BodyShape, createFormat, readToolList } from "./body.ts";
import { readFunction } from "./openai.ts";
import { decodeMessage, encodeMessage, encodeSystemMessages } from "./openai-chat/messages.ts";
import { validateMessages } from "./openai-chat/validate.ts";
import {
  onlyOne,
  refuseBlocked,
  refuseError,
  refuseFailed,
  refuseForeign,
  refusePiece,
  refuseUnfinished,
} from "./response.ts";

const SHAPE: BodyShape = {
  format: "openai-chat",
  decodeMessage,
  encodeMessage,
  // Its system prompt is a message among the others.
  decodeSystem: () => [],
  systemMessages: encodeSystemMessages,
  encodeSystem: (body) => body,
  check: ({ messages }) => validateMessages(messages),
};

/** OpenAI's Chat Completions, and what speaks them. */
export const openaiChat: Format<OpenaiChatRequest> = createFormat(SHAPE, {
  readReply,
  readTools,
  writeTools,
});

/** A body of `POST /v1/chat/completions` to the compiler: what most conversations have. Whatever else it holds is carried all the same. */
export interface OpenaiChatRequest {
  model: string;
  messages: ChatMessage[];
}

type ChatMessage =
  | { role: "system"; content: string | ChatText[]; name?: string }
  | { role: "developer"; content: string | ChatText[]; name?: string }
  | { role: "user"; content: string | ChatContent[]; name?: string }
  | ChatAnswer
  | { role: "tool"; tool_call_id: string; content: string | ChatText[] };

interface ChatAnswer {
  role: "assistant";
  content?: string | (ChatText | { type: "refusal"; refusal: string })[] | null;
  refusal?: string | null;
  tool_calls?: ChatCall[];
}

type ChatCall =
  | { type: "function"; id: string; function: { name: string; arguments: string } }
  | { type: "custom"; id: string; custom: { name: string; input: string } };

interface ChatText {
  type: "text";
  text: string;
}

type ChatContent =
  | ChatText
  | { type: "image_url"; image_url: { url: string; detail?: "auto" | "low" | "high" } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_data?: string; file_id?: string; filename?: string } };

function readReply(response: unknown): readonly JsonValue[] | undefined {
  if (!isObject(response)) return undefined;
  const { object, choices } = response;
  if (object === "chat.completion.chunk") refusePiece("a chat.completion.chunk");
  if (object === "text_completion") refuseForeign("a text_completion");
  if (!isArray(choices)) {
    refuseError(response);
    return undefined;
  }
  const choice = onlyOne(choices, "choices");
  if (!isObject(choice)) {
    refuseError(response);
    return refuseBlocked(undefined);
  }
  const message = messageOf(choice);
  // A filtered answer may say nothing at all, and a message without content would be refused.
  return decodeMessage(message, 0).parts.length === 0 ? [] : [message];
}

function messageOf(choice: JsonObject): JsonObject {
  const { message, delta, text, error, finish_reason: finishReason } = choice;
  // Routers report errors of the model behind them like this.
  if (finishReason === "error" || isObject(error)) refuseFailed(choice);
  // Null while the answer is still streamed; compatible servers may leave the field out.
  if (isObject(message) && finishReason === null) refuseUnfinished("finish_reason is null");
  if (isObject(message)) return message.role === undefined ? { ...message, role: "assistant" } : message;
  if (delta !== undefined) refusePiece("a chunk");
  if (text !== undefined) refuseForeign("a text_completion");
  return refuseBlocked(undefined);
}

function readTools(tools: JsonValue | undefined): ReadTools {
  return readToolList(tools, (tool) => {
    const definition = isObject(tool.function) ? readFunction(tool.function) : undefined;
    const customName = isObject(tool.custom) ? stringOf(tool.custom.name) : undefined;
    return definition ?? customName ?? stringOf(tool.type) ?? "";
  });
}

function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map((definition) => ({ type: "function", function: { ...definition } }));
}
