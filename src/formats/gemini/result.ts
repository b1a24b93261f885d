/**
 * Function responses, and the files that parts and responses hold. What a tool said stands in `response` under `output`, `result` or
 * `error`, or is the whole object. It is read as text and written back to the same place; an unchanged response keeps its JSON.
 */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type MediaPart, type Part, type ToolResultPart, text, textsOf } from "../../core/message.ts";
import { overlay, sameOr } from "../body.ts";

/** For a result whose tool is not known; the provider refuses an empty name. */
const UNKNOWN_NAME = "unknown";

export function decodeResult(wire: JsonObject): ToolResultPart | undefined {
  const result = objectOf(wire, "functionResponse");
  if (result === undefined) return undefined;
  const name = stringOf(result.name);
  const { said, isError } = readResponse(result.response);
  return {
    type: "tool-result",
    ...(typeof result.id === "string" && result.id !== "" && { callId: result.id }),
    ...(name !== undefined && name !== "" && { name }),
    content: [...(said === undefined ? [] : [text(said)]), ...(listOf(result.parts) ?? []).flatMap(decodeAttachment)],
    isError,
    wire,
  };
}

export function encodeResult(part: ToolResultPart): JsonObject {
  const before = part.wire === undefined ? undefined : objectOf(part.wire, "functionResponse");
  const wire = before === undefined ? undefined : part.wire;
  const attachments = part.content.flatMap(encodeAttachment);
  const fields = {
    id: part.callId ?? ifUnread(before?.id),
    name: part.name ?? (before === undefined ? UNKNOWN_NAME : ifUnread(before.name)),
    response: encodeResponse(part, before),
    parts: attachments.length === 0 ? ifUnread(before?.parts) : sameOr(listOf(before?.parts), attachments),
  };
  return overlay(wire, { [keyOf(wire, "functionResponse")]: overlay(before, fields) });
}

interface ReadResponse {
  /** The key that holds the text; undefined when the whole object is the text. */
  readonly key: string | undefined;
  readonly said: string | undefined;
  readonly isError: boolean;
}

function readResponse(response: JsonValue | undefined): ReadResponse {
  if (!isObject(response)) return { key: undefined, said: asText(response ?? undefined), isError: false };
  const isError = !NO_ERROR.has(response.error);
  const keys = Object.keys(response);
  const key = (isError ? ["error"] : ["output", "result"]).find((name) => response[name] !== undefined);
  const isAlone = keys.every((other) => other === key || isSmall(response[other]));
  if (key !== undefined && isAlone) return { key, said: asText(response[key]), isError };
  return { key: undefined, said: keys.length === 0 ? undefined : asText(response), isError };
}

/** Many clients state `error: null` beside an output. */
const NO_ERROR: ReadonlySet<JsonValue | undefined> = new Set([undefined, null, false, ""]);

/** Beside the text only what weighs nothing may be left unread, such as an exit code; else content would hide from us. */
function isSmall(value: JsonValue | undefined): boolean {
  return value === "" || (typeof value !== "string" && typeof value !== "object") || value === null;
}

function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" || value === undefined ? value : JSON.stringify(value);
}

function encodeResponse(part: ToolResultPart, before: JsonObject | undefined): JsonValue | undefined {
  const texts = textsOf(part.content);
  const said = texts.length > 0 ? texts.join("\n") : part.content.some(isText) ? "" : undefined;
  const key = part.isError ? "error" : "output";
  if (before === undefined) return { [key]: said ?? "" };
  const read = readResponse(before.response);
  if (part.isError !== read.isError) return { [key]: said ?? "" };
  if (said === read.said) return before.response;
  if (read.key === undefined || !isObject(before.response)) return { [key]: said ?? "" };
  return overlay(before.response, { [read.key]: said ?? "" });
}

function isText(part: Part): boolean {
  return part.type === "text";
}

function listOf(value: JsonValue | undefined): JsonArray | undefined {
  return isArray(value) ? value : undefined;
}

function decodeAttachment(wire: JsonValue): readonly Part[] {
  if (!isObject(wire)) return [];
  return [decodeMedia(wire) ?? { type: "opaque", kind: Object.keys(wire)[0] ?? "", wire }];
}

/** Only files stand among a response's parts; readable text belongs into the response itself. */
function encodeAttachment(part: Part): readonly JsonValue[] {
  if (part.type === "media") return part.source.type === "text" ? [] : [encodeMedia(part)];
  return part.type === "opaque" ? [part.wire] : [];
}

export function decodeMedia(wire: JsonObject): MediaPart | undefined {
  const inline = objectOf(wire, "inlineData");
  if (typeof inline?.data === "string") return media(wire, inline, { type: "base64", data: inline.data });
  const file = objectOf(wire, "fileData");
  const url = file === undefined ? undefined : stringOf(fieldOf(file, "fileUri"));
  return file === undefined || url === undefined ? undefined : media(wire, file, { type: "url", url });
}

export function encodeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  switch (source.type) {
    case "base64":
      return encodeBlob(part, "inlineData", { data: source.data });
    case "url":
    case "file": {
      const file = part.wire === undefined ? undefined : objectOf(part.wire, "fileData");
      return encodeBlob(part, "fileData", {
        [keyOf(file, "fileUri")]: source.type === "url" ? source.url : source.fileId,
      });
    }
    case "text":
      return { text: source.text };
    default:
      return source satisfies never;
  }
}

/** Laid over the wire part while it is of the same sort; a type that was not stated there is not added. */
function encodeBlob(part: MediaPart, field: "inlineData" | "fileData", content: JsonObject): JsonObject {
  const blob = part.wire === undefined ? undefined : objectOf(part.wire, field);
  const wire = blob === undefined ? undefined : part.wire;
  const mimeType = part.mediaType ?? (blob === undefined ? DEFAULT_TYPES[part.kind] : undefined);
  return overlay(wire, { [keyOf(wire, field)]: overlay(blob, { [keyOf(blob, "mimeType")]: mimeType, ...content }) });
}

function media(wire: JsonObject, file: JsonObject, source: MediaPart["source"]): MediaPart {
  const mediaType = stringOf(fieldOf(file, "mimeType"));
  const name = stringOf(fieldOf(file, "displayName"));
  return {
    type: "media",
    kind: kindOfType(mediaType),
    source,
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
    wire,
  };
}

function kindOfType(mediaType = ""): MediaPart["kind"] {
  const family = mediaType.slice(0, mediaType.indexOf("/"));
  return family === "image" || family === "audio" || family === "video" ? family : "document";
}

const DEFAULT_TYPES: Readonly<Record<MediaPart["kind"], string>> = {
  image: "image/png",
  document: "application/pdf",
  audio: "audio/wav",
  video: "video/mp4",
};

/** Every field of more than one word that we read or write. */
const SNAKE_CASE = {
  systemInstruction: "system_instruction",
  thoughtSignature: "thought_signature",
  inlineData: "inline_data",
  fileData: "file_data",
  fileUri: "file_uri",
  mimeType: "mime_type",
  displayName: "display_name",
  functionCall: "function_call",
  functionResponse: "function_response",
  executableCode: "executable_code",
  codeExecutionResult: "code_execution_result",
  toolCall: "tool_call",
  toolResponse: "tool_response",
  functionDeclarations: "function_declarations",
  parametersJsonSchema: "parameters_json_schema",
  promptFeedback: "prompt_feedback",
  blockReason: "block_reason",
  finishReason: "finish_reason",
  modelVersion: "model_version",
  responseId: "response_id",
  usageMetadata: "usage_metadata",
} as const;

export type Field = keyof typeof SNAKE_CASE;

export function fieldOf(object: JsonObject, field: Field): JsonValue | undefined {
  return object[field] ?? object[SNAKE_CASE[field]] ?? undefined;
}

export function objectOf(object: JsonObject, field: Field): JsonObject | undefined {
  const value = fieldOf(object, field);
  return isObject(value) ? value : undefined;
}

/** The key under which a field stands, or would stand. */
export function keyOf(object: JsonObject | undefined, field: Field): string {
  const snake = SNAKE_CASE[field];
  return object !== undefined && object[field] === undefined && object[snake] !== undefined ? snake : field;
}

/** The value itself where it was read as absent (null, an empty id, an empty list), so that it is written back; otherwise undefined. */
export function ifUnread(value: JsonValue | undefined): JsonValue | undefined {
  const isRead = (typeof value === "string" || isArray(value)) && value.length > 0;
  return isRead ? undefined : value;
}
