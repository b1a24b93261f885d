/** Anthropic message JSON to canonical messages and back. A changed part is laid over its block; an untouched one comes out as it was. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import {
  type MediaPart,
  type MediaSource,
  type Message,
  type Part,
  type ReasoningPart,
  type Role,
  type ToolCallPart,
  type ToolResultPart,
  text,
} from "../../core/message.ts";
import { encodeContent, invalid, kindOf, overlay } from "../body.ts";

const ROLES: ReadonlySet<string> = new Set<Role>(["user", "assistant", "system"]);

export function decodeMessage(json: JsonValue, index: number): Message {
  const path = `messages.${index}`;
  if (!isObject(json)) throw invalid(`${path} must be an object, not ${kindOf(json)}.`);
  const { role } = json;
  if (typeof role !== "string" || !ROLES.has(role)) {
    throw invalid(`${path}.role must be "user", "assistant" or "system", not ${JSON.stringify(role)}.`);
  }
  // A system message that only steers what follows may do without content.
  const isMute = role === "system" && json.content === undefined && isObject(json.output_config);
  const parts = isMute ? [] : decodeContent(json.content, `${path}.content`);
  // The set above holds exactly these roles.
  const known = role as Role;
  return { id: `m${index}`, role: known, parts, wire: { json, role: known, parts } };
}

/** A bare string is shorthand for one text block; its part has no block of its own. */
export function decodeContent(content: unknown, path: string): readonly Part[] {
  if (typeof content === "string") return [text(content)];
  if (!isArray(content)) throw invalid(`${path} must be a string or an array of blocks, not ${kindOf(content)}.`);
  return content.map((block, position) => decodeBlock(block, `${path}.${position}`));
}

function decodeBlock(block: JsonValue, path: string): Part {
  if (typeof block === "string") throw invalid(`${path} must be a block, not a string.`);
  if (!isObject(block)) throw invalid(`${path} must be a block, not ${kindOf(block)}.`);
  const type = stringOf(block.type) ?? "";
  return (
    DECODERS.get(type)?.(block, path) ?? serverPart(block, type, path) ?? { type: "opaque", kind: type, wire: block }
  );
}

type Decoder = (block: JsonObject, path: string) => Part | undefined;

/** A decoder that does not find what it needs leaves the block opaque; `validate` then says what is missing. */
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>(
  Object.entries({
    text: (block) => (typeof block.text === "string" ? { type: "text", text: block.text, wire: block } : undefined),
    image: (block) => media("image", block),
    document: (block) => media("document", block),
    thinking: (block) => ({
      type: "reasoning",
      text: stringOf(block.thinking) ?? "",
      ...(typeof block.signature === "string" && { signature: block.signature }),
      wire: block,
    }),
    redacted_thinking: (block) => ({
      type: "reasoning",
      text: "",
      ...(typeof block.data === "string" && { encrypted: block.data }),
      wire: block,
    }),
    tool_use: (block) => call(block),
    tool_result: (block, path) => result(block, path),
  } satisfies Record<string, Decoder>),
);

function call(block: JsonObject): Part {
  const { id } = block;
  const name = stringOf(block.name) ?? "";
  const input = block.input ?? {};
  if (typeof id !== "string") return { type: "tool-call", name, input, wire: block };
  return { type: "tool-call", callId: id, name, input, wire: block };
}

/** Of a result, which may do without (`null` is refused, and said by `validate`): whatever else stands there, no call is made in it and none is answered. */
function decodeInner(content: JsonValue | undefined, path: string): readonly Part[] {
  if (content === undefined || content === null) return [];
  if (!isArray(content)) return decodeContent(content, path);
  return content.map((block, position) => {
    const type = isObject(block) ? stringOf(block.type) : undefined;
    const isRead = !isObject(block) || type === undefined || INNER_TYPES.has(type);
    return isRead ? decodeBlock(block, `${path}.${position}`) : { type: "opaque", kind: type, wire: block };
  });
}

const INNER_TYPES: ReadonlySet<string> = new Set(["text", "image", "document"]);

function result(block: JsonObject, path: string): Part {
  const { tool_use_id: id } = block;
  const content = decodeInner(block.content, `${path}.content`);
  const isError = block.is_error === true;
  if (typeof id !== "string") return { type: "tool-result", content, isError, wire: block };
  return { type: "tool-result", callId: id, content, isError, wire: block };
}

/** Tools that the provider runs: `server_tool_use`, `mcp_tool_use`, and results such as `web_search_tool_result`. */
function serverPart(block: JsonObject, type: string, path: string): Part | undefined {
  if (type.endsWith("_tool_use")) return { ...call(block), server: true } as Part;
  if (!type.endsWith("_tool_result")) return undefined;
  const content = serverContent(block.content, path);
  return { ...result({ ...block, content: [] }, path), content, wire: block, server: true } as Part;
}

/** Their content is the provider's own shape: kept whole as one opaque part unless it is made of ordinary blocks. */
function serverContent(content: JsonValue | undefined, path: string): readonly Part[] {
  if (typeof content === "string") return [text(content)];
  if (isArray(content)) return decodeInner(content, `${path}.content`);
  return isObject(content) ? [{ type: "opaque", kind: stringOf(content.type) ?? "", wire: content }] : [];
}

function media(kind: MediaPart["kind"], block: JsonObject): Part | undefined {
  const source = decodeSource(block.source);
  if (source === undefined) return undefined;
  const mediaType = isObject(block.source) ? stringOf(block.source.media_type) : undefined;
  const name = stringOf(block.title);
  return {
    type: "media",
    kind,
    source,
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
    wire: block,
  };
}

function decodeSource(source: unknown): MediaSource | undefined {
  if (!isObject(source)) return undefined;
  if (source.type === "base64" && typeof source.data === "string") return { type: "base64", data: source.data };
  if (source.type === "url" && typeof source.url === "string") return { type: "url", url: source.url };
  if (source.type === "file" && typeof source.file_id === "string") return { type: "file", fileId: source.file_id };
  if (source.type === "text" && typeof source.data === "string") return { type: "text", text: source.data };
  return undefined;
}

export function encodeMessage(message: Message): readonly JsonValue[] {
  const wire = isObject(message.wire?.json) ? message.wire.json : undefined;
  const role = message.role === "tool" ? "user" : message.role;
  // A system message that only steers what follows may do without content.
  const isMute = message.parts.length === 0 && wire !== undefined && wire.content === undefined;
  return [overlay(wire, { role, content: isMute ? undefined : encodeBlocks(message.parts, wire?.content) })];
}

export function encodeBlocks(parts: readonly Part[], before: JsonValue | undefined): JsonValue {
  return encodeContent(parts, before, (part) => [encodeBlock(part)]);
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
  const content = part.content.length === 0 ? noContent(wire?.content) : encodeBlocks(part.content, wire?.content);
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
