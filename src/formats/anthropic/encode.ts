/** Canonical messages to Anthropic JSON. A part that kept its block is laid over it; untouched ones come out as they were. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { MediaPart, Message, Part, ReasoningPart, ToolCallPart, ToolResultPart } from "../../core/message.ts";
import { overlay, sameOr } from "../overlay.ts";

export function encodeMessage(message: Message): readonly JsonValue[] {
  const wire = isObject(message.wire?.json) ? message.wire.json : undefined;
  const role = message.role === "tool" ? "user" : message.role;
  // A system message that only steers what follows may do without content.
  const isMute = message.parts.length === 0 && wire !== undefined && wire.content === undefined;
  return [overlay(wire, { role, content: isMute ? undefined : encodeContent(message.parts, wire?.content) })];
}

/** A string stays a string while it is one text; what had blocks keeps blocks. */
export function encodeContent(parts: readonly Part[], before: JsonValue | undefined): JsonValue {
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.type === "text" && first.wire === undefined;
  if (isPlain && !isArray(before)) return first.text;
  const blocks = parts.map(encodeBlock);
  return isArray(before) ? sameOr(before, blocks) : blocks;
}

function encodeBlock(part: Part): JsonObject {
  switch (part.type) {
    case "text":
      return overlay(part.wire, { type: "text", text: part.text });
    case "media":
      return part.wire ?? encodeMedia(part);
    case "tool-call":
      if (part.server && part.wire !== undefined) return encodeServerCall(part, part.wire);
      return overlay(part.wire, { type: "tool_use", id: part.callId, name: part.name, input: encodeInput(part) });
    case "tool-result":
      if (part.server && part.wire !== undefined) {
        return overlay(part.wire, { tool_use_id: part.callId ?? part.wire.tool_use_id });
      }
      return encodeResult(part);
    case "reasoning":
      return part.wire ?? encodeReasoning(part);
    case "opaque":
      return part.wire;
    default:
      return part satisfies never;
  }
}

/** Its type stays what the provider called it. */
function encodeServerCall(part: ToolCallPart, wire: JsonObject): JsonObject {
  return overlay(wire, { id: part.callId ?? wire.id, name: part.name || wire.name, input: encodeInput(part) });
}

/** A call that came without input is not given one. */
function encodeInput({ input, wire }: ToolCallPart): JsonValue | undefined {
  const isEmpty = isObject(input) && Object.keys(input).length === 0;
  return isEmpty && wire !== undefined && wire.input === undefined ? undefined : input;
}

function encodeResult(part: ToolResultPart): JsonObject {
  const { wire } = part;
  const content = part.content.length === 0 ? noContent(wire?.content) : encodeContent(part.content, wire?.content);
  const wasError = wire?.is_error === true;
  const isError = part.isError === wasError ? wire?.is_error : part.isError;
  return overlay(wire, { type: "tool_result", tool_use_id: part.callId, content, is_error: isError });
}

/** A result may do without content; what was an empty list stays one. */
function noContent(before: JsonValue | undefined): JsonValue | undefined {
  return isArray(before) && before.length === 0 ? before : undefined;
}

function encodeReasoning(part: ReasoningPart): JsonObject {
  if (part.encrypted !== undefined) return { type: "redacted_thinking", data: part.encrypted };
  return { type: "thinking", thinking: part.text, signature: part.signature ?? "" };
}

function encodeMedia(part: MediaPart): JsonObject {
  const title = part.kind === "document" && part.name !== undefined ? { title: part.name } : {};
  const mediaType = part.mediaType ?? (part.kind === "image" ? "image/png" : "application/pdf");
  return { type: part.kind, source: encodeSource(part, mediaType), ...title };
}

function encodeSource({ source }: MediaPart, mediaType: string): JsonObject {
  switch (source.type) {
    case "base64":
      return { type: "base64", media_type: mediaType, data: source.data };
    case "url":
      return { type: "url", url: source.url };
    case "file":
      return { type: "file", file_id: source.fileId };
    case "text":
      return { type: "text", media_type: "text/plain", data: source.text };
    default:
      return source satisfies never;
  }
}
