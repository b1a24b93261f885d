/**
 * Canonical messages to Chat Completions JSON. Each tool result is a message of its own, so one message may become several. A part that
 * kept its wire form is laid over it; a part that did not change comes out as it was.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { MediaPart, Message, MessageWire, Part, Role, ToolCallPart, ToolResultPart } from "../../core/message.ts";
import { encodeContent, overlay, sameOr } from "../body.ts";
import {
  describeMedia,
  encodeArguments,
  encodeFreeText,
  encodeName,
  isSpeech,
  toAudioBlock,
  toDataUrl,
  toSegments,
  withErrorText,
} from "../openai.ts";
import { reasoningFields } from "./decode.ts";

export function encodeMessage(message: Message): readonly JsonValue[] {
  const { wire, role, parts } = message;
  if (parts.length === 0) return wire?.parts.length === 0 ? [wire.json] : [];
  // Only the first segment is laid over the original wire message.
  let speechWire = wire?.role === "tool" ? undefined : wire;
  // Results answer the message before, so they come first; in an assistant message they follow its own calls, in order.
  const ordered =
    role === "assistant" ? parts : [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
  return toSegments(ordered, isResult).flatMap((segment) => {
    if (!isSpeech(segment)) return isResult(segment) ? [encodeResult(segment)] : [];
    const speech = encodeSpeech(role, segment, speechWire);
    speechWire = undefined;
    return speech === undefined ? [] : [speech];
  });
}

/** A system prompt kept apart by another format, as the first message of the list. */
export function encodeSystemMessages(system: readonly Part[]): readonly JsonValue[] {
  return encodeMessage({ id: "system", role: "system", parts: system });
}

function isResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result";
}

function encodeSpeech(role: Role, parts: readonly Part[], wire: MessageWire | undefined): JsonObject | undefined {
  const json = isObject(wire?.json) ? wire.json : undefined;
  const fields = fieldsOf(parts, json);
  const before = wire === undefined ? {} : fieldsOf(wire.parts, json);
  const removed = Object.keys(before).filter((key) => !(key in fields));
  const contentParts = parts.filter(isContentPart);
  if (json === undefined && contentParts.length === 0 && Object.keys(fields).length === 0) return undefined;
  return overlay(json, {
    role: wire?.role === role && json !== undefined ? json.role : wireRole(role),
    content: contentField(role, contentParts, {
      wire,
      json,
      hasCalls: "tool_calls" in fields || "function_call" in fields,
    }),
    ...Object.fromEntries(removed.map((key) => [key, undefined])),
    ...fields,
  });
}

/** Text beside tool results can only have come from the user. */
function wireRole(role: Role): string {
  return role === "tool" ? "user" : role;
}

interface PriorForm {
  readonly wire: MessageWire | undefined;
  readonly json: JsonObject | undefined;
  readonly hasCalls: boolean;
}

function contentField(role: Role, parts: readonly Part[], { wire, json, hasCalls }: PriorForm): JsonValue | undefined {
  if (parts.length > 0) return encodeBlocks(parts, json?.content, role === "tool" ? "user" : role);
  if (wire !== undefined && !wire.parts.some(isContentPart)) return json?.content;
  return hasCalls ? null : "";
}

/** A result by name (the deprecated `function` role) that was given an id is written in the current form. */
function encodeResult(part: ToolResultPart): JsonObject {
  const role = part.wire?.role;
  const isByName = role === "function" && part.callId === undefined;
  const wire = role === "tool" || isByName ? part.wire : undefined;
  const parts = part.isError ? withErrorText(part.content) : part.content;
  const isStillEmpty = parts.length === 0 && wire !== undefined && isEmptyContent(wire.content);
  const content = isStillEmpty ? wire.content : encodeBlocks(parts, wire?.content, "tool");
  if (isByName) return overlay(wire, { name: part.name ?? wire?.name, content });
  return overlay(wire, { role: "tool", tool_call_id: part.callId ?? wire?.tool_call_id, content });
}

function isEmptyContent(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || (Array.isArray(content) && content.length === 0);
}

function isContentPart(part: Part): boolean {
  return (part.type === "text" || part.type === "media" || part.type === "opaque") && !isFieldPart(part);
}

function encodeBlocks(parts: readonly Part[], before: JsonValue | undefined, role: Role): JsonValue {
  if (parts.length === 0) return "";
  const isEmptyList = isArray(before) && before.length === 0;
  return encodeContent(parts, isEmptyList ? undefined : before, (part) => encodeBlock(part, role));
}

function encodeBlock(part: Part, role: Role): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      if (part.wire?.type === "refusal") return [overlay(part.wire, { refusal: part.text })];
      return [overlay(part.wire, { type: "text", text: part.text })];
    case "media":
      return [part.wire ?? encodeMedia(part, role)];
    case "opaque":
      return [part.wire];
    case "reasoning":
    case "tool-call":
    case "tool-result":
      return []; // fields or messages of their own
    default:
      return part satisfies never;
  }
}

/** Only user messages may hold media, and only images may be remote. All other media become a text note. */
function encodeMedia(part: MediaPart, role: Role): JsonObject {
  const note: JsonObject = { type: "text", text: describeMedia(part) };
  return role === "user" ? (encodeUserMedia(part) ?? note) : note;
}

function encodeUserMedia({ kind, source, mediaType, name }: MediaPart): JsonObject | undefined {
  if (source.type === "file") return { type: "file", file: { file_id: source.fileId } };
  if (source.type === "text" || kind === "video") return undefined;
  if (kind === "image") {
    const url = source.type === "url" ? source.url : toDataUrl(source.data, mediaType ?? "image/png");
    return { type: "image_url", image_url: { url } };
  }
  if (source.type === "url") return undefined;
  if (kind === "audio") return toAudioBlock(source.data, mediaType);
  const fileData = toDataUrl(source.data, mediaType ?? "application/pdf");
  return { type: "file", file: { filename: name ?? "document", file_data: fileData } };
}

/** A text or opaque part that came from a field and not from `content`: its wire is no block, so it has no `type`. */
function isFieldPart(part: Part): boolean {
  const { wire } = part;
  if (wire === undefined || wire.type !== undefined) return false;
  return part.type === "text" ? "refusal" in wire : part.type === "opaque" && "audio" in wire;
}

/** `json` is the message they came from, so that an unchanged list of calls is recognised. */
function fieldsOf(parts: readonly Part[], json: JsonObject | undefined): JsonObject {
  let fields: JsonObject = {};
  const calls: JsonObject[] = [];
  for (const part of parts) {
    if (part.type === "tool-call" && !isFunctionCall(part)) calls.push(encodeCall(part));
    else fields = { ...fields, ...fieldOf(part) };
  }
  if (calls.length === 0) return fields;
  const before = json?.tool_calls;
  return { ...fields, tool_calls: isArray(before) ? sameOr(before, calls) : calls };
}

function fieldOf(part: Part): JsonObject {
  if (part.type === "reasoning") return reasoningFields(part);
  if (part.type === "tool-call") return encodeFunctionCall(part);
  if (!isFieldPart(part)) return {};
  return part.type === "text" ? { refusal: part.text } : (part.wire ?? {});
}

/** True for the deprecated form: one call, without an id. Once it has an id, it is written in the current form. */
function isFunctionCall({ wire, callId }: ToolCallPart): boolean {
  return wire?.function_call !== undefined && callId === undefined;
}

function encodeCall(part: ToolCallPart): JsonObject {
  const wire = part.wire?.function_call === undefined ? part.wire : undefined;
  const id = part.callId ?? wire?.id;
  if (wire === undefined || isNewlyNamed(part, wire))
    return { ...(id !== undefined && { id }), type: "function", function: encodeFunction(part, undefined) };
  if (isObject(wire.function)) return overlay(wire, { id, function: encodeFunction(part, wire.function) });
  if (!isObject(wire.custom)) return overlay(wire, { id });
  const fields = { name: encodeName(part.name, wire.custom), input: encodeFreeText(part.input, wire.custom) };
  return overlay(wire, { id, custom: overlay(wire.custom, fields) });
}

/** True for a call whose wire form named neither a tool nor a type, and that was given a name since: there is no form to keep. */
function isNewlyNamed({ name }: ToolCallPart, { type, function: called, custom }: JsonObject): boolean {
  return name !== "" && (typeof type !== "string" || type === "") && !isObject(called) && !isObject(custom);
}

function encodeFunctionCall(part: ToolCallPart): JsonObject {
  const before = part.wire?.function_call;
  return { function_call: encodeFunction(part, isObject(before) ? before : undefined) };
}

function encodeFunction({ name, input }: ToolCallPart, before: JsonObject | undefined): JsonObject {
  return overlay(before, { name: encodeName(name, before), arguments: encodeArguments(input, before) });
}
