/** The OpenAI Chat Completions format: bodies of `POST /v1/chat/completions`, or their bare `messages` list. */

import { formatRules } from "../core/format-rules.ts";
import type { Format } from "../core/ports.ts";
import { type BodyShape, decodeBody, encodeBody } from "./body.ts";
import { decodeMessage } from "./openai-chat/decode.ts";
import { encodeMessage, encodeSystemMessages } from "./openai-chat/encode.ts";
import { readReply } from "./openai-chat/reply.ts";
import { readTools, writeTools } from "./openai-chat/tools.ts";
import { readUsage } from "./openai-chat/usage.ts";
import { validateMessages } from "./openai-chat/validate.ts";
import { readOverflow } from "./overflow.ts";
import { validateDecoded } from "./validation.ts";

const SHAPE: BodyShape = {
  format: "openai-chat",
  listKey: "messages",
  decodeMessage,
  encodeMessage,
  // Its system prompt is a message among the others.
  decodeSystem: () => [],
  systemMessages: encodeSystemMessages,
  encodeSystem: (body) => body,
  tools: (body) => body.tools,
  encodeTools: (body, tools) => ({ ...body, tools }),
};

/** OpenAI's Chat Completions, and what speaks them. */
export const openaiChat: Format<OpenaiChatRequest> = {
  name: "openai-chat",
  listKey: "messages",
  decode: (body) => decodeBody(SHAPE, body),
  encode: (conversation) => encodeBody(SHAPE, conversation),
  validate: (body) => validateDecoded(SHAPE, body, ({ messages }) => validateMessages(messages)),
  rules: () => formatRules("openai-chat"),
  nativeWire: () => undefined,
  readReply,
  readUsage,
  readOverflow,
  readTools,
  writeTools,
};

/**
 * A body of `POST /v1/chat/completions` to the compiler: what every request needs, and the messages that most conversations have.
 * Whatever else a body or a message holds is carried all the same.
 */
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
