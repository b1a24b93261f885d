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
export const openaiChat: Format = {
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
