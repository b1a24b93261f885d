/** The OpenAI Chat Completions format: bodies of `POST /v1/chat/completions`, or their bare `messages` list. */

import { formatRules } from "../core/format-rules.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { type BodyShape, decodeBody, encodeBody } from "./body.ts";
import { decodeMessage } from "./openai-chat/decode.ts";
import { encodeMessage, encodeSystemMessages } from "./openai-chat/encode.ts";
import { readTools, writeTools } from "./openai-chat/tools.ts";
import { readUsage } from "./openai-chat/usage.ts";
import { validateMessages } from "./openai-chat/validate.ts";
import { readOverflow } from "./overflow.ts";
import { onlyOne, refuseError, refusePiece } from "./reply.ts";
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

function readReply(response: unknown): readonly JsonValue[] | undefined {
  if (!isObject(response)) return undefined;
  if (response.object === "chat.completion.chunk") refusePiece("a chat.completion.chunk");
  if (!isArray(response.choices)) {
    refuseError(response);
    return undefined;
  }
  const choice = onlyOne(response.choices, "choices");
  return isObject(choice) && isObject(choice.message) ? [choice.message] : [];
}
