/** What a Chat Completions response says, as messages. What is no answer is refused. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  onlyOne,
  refuseBlocked,
  refuseError,
  refuseFailed,
  refuseForeign,
  refusePiece,
  refuseUnfinished,
} from "../reply.ts";
import { decodeMessage } from "./decode.ts";

export function readReply(response: unknown): readonly JsonValue[] | undefined {
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
  // Routers report so what went wrong behind them.
  if (finishReason === "error" || isObject(error)) refuseFailed(choice);
  // What a stream has brought so far; compatible servers may leave the reason out.
  if (isObject(message) && finishReason === null) refuseUnfinished("finish_reason is null");
  if (isObject(message)) return message.role === undefined ? { ...message, role: "assistant" } : message;
  if (delta !== undefined) refusePiece("a chunk");
  if (text !== undefined) refuseForeign("a text_completion");
  return refuseBlocked(undefined);
}
