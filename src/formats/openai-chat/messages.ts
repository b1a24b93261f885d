/**
 * Chat Completions messages to canonical messages. A content block becomes one part and is kept in it; a field that says
 * something of its own (`refusal`, `audio`, `function_call`, reasoning of compatible servers) becomes a part whose wire holds
 * that field. Everything else in a message is carried by the message's own wire.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type {
  MediaPart,
  Message,
  MessageWire,
  Part,
  ReasoningPart,
  Role,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message.ts";
import { encodeContent, invalid, kindOf, overlay, sameOr } from "../body.ts";
import {
  decodeArguments,
  decodeContent,
  decodeName,
  decodeRole,
  describeMedia,
  encodeArguments,
  encodeFreeText,
  encodeName,
  isSpeech,
  mediaOfAudio,
  mediaOfFile,
  mediaOfUrl,
  speakerOf,
  toAudioBlock,
  toDataUrl,
  toSegments,
  withErrorText,
} from "../openai.ts";

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ["developer", "system"],
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

export function decodeMessage(json: JsonValue, index: number): Message {
  const path = `messages.${index}`;
  if (!isObject(json)) throw invalid(`${path} must be an object, not ${kindOf(json)}.`);
  const role = decodeRole(ROLES, json.role, path);
  const parts = decodeParts(json, role, path);
  return { id: `m${index}`, role, parts, wire: { json, role, parts } };
}

function decodeParts(json: JsonObject, role: Role, path: string): readonly Part[] {
  const content = decodeContent(json.content, `${path}.content`, readBlock);
  if (role === "tool") return [decodeResult(json, content)];
  return role === "assistant" ? decodeAssistant(json, content, path) : content;
}

function decodeAssistant(json: JsonObject, content: readonly Part[], path: string): readonly Part[] {
  const { refusal, audio, function_call: functionCall } = json;
  const parts: Part[] = [...decodeReasoning(json), ...content];
  if (typeof refusal === "string" && refusal !== "") parts.push({ type: "text", text: refusal, wire: { refusal } });
  if (isObject(audio)) parts.push({ type: "opaque", kind: "audio", wire: { audio } });
  if (isObject(functionCall)) {
    const name = decodeName(functionCall);
    const input = decodeArguments(functionCall.arguments);
    parts.push({ type: "tool-call", name, input, wire: { function_call: functionCall } });
  }
  return [...parts, ...decodeCalls(json.tool_calls, `${path}.tool_calls`)];
}

/** Undefined for a block that lacks what it needs; `validate` says so. */
function readBlock(block: JsonObject, kind: string): Part | undefined {
  switch (kind) {
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, wire: block } : undefined;
    case "refusal":
      return typeof block.refusal === "string" ? { type: "text", text: block.refusal, wire: block } : undefined;
    case "image_url":
      return mediaOfField("image", block.image_url, block);
    case "video_url":
      return mediaOfField("video", block.video_url, block);
    case "input_audio":
      return mediaOfAudio(block);
    case "file":
      return isObject(block.file) ? mediaOfFile(block.file, block) : undefined;
    default:
      return undefined;
  }
}

/** The documented form is `{ url }`; some clients write the bare URL. */
function mediaOfField(kind: "image" | "video", field: JsonValue | undefined, block: JsonObject): Part | undefined {
  const url = isObject(field) ? field.url : field;
  return typeof url === "string" ? mediaOfUrl(kind, url, block) : undefined;
}

function decodeCalls(calls: JsonValue | undefined, path: string): readonly Part[] {
  if (calls === undefined || calls === null) return [];
  if (!isArray(calls)) throw invalid(`${path} must be an array, not ${kindOf(calls)}.`);
  return calls.map((call, position) => {
    if (!isObject(call)) throw invalid(`${path}.${position} must be an object, not ${kindOf(call)}.`);
    return {
      type: "tool-call",
      ...(typeof call.id === "string" && { callId: call.id }),
      ...readCall(call),
      wire: call,
    };
  });
}

function readCall(call: JsonObject): { readonly name: string; readonly input: JsonValue } {
  if (isObject(call.function)) {
    return { name: decodeName(call.function), input: decodeArguments(call.function.arguments) };
  }
  if (isObject(call.custom)) return { name: decodeName(call.custom), input: call.custom.input ?? "" };
  const type = stringOf(call.type) ?? "";
  return { name: type, input: call[type] ?? {} };
}

/** The whole message is the result's block. The deprecated `function` role answers by name: the provider reads no id there. */
function decodeResult(json: JsonObject, content: readonly Part[]): Part {
  const name = stringOf(json.name);
  return {
    type: "tool-result",
    ...(json.role === "tool" && typeof json.tool_call_id === "string" && { callId: json.tool_call_id }),
    ...(name !== undefined && { name }),
    content,
    isError: false,
    wire: json,
  };
}

/** Reasoning that compatible servers put beside `content`. The fields repeat one text in several ways, so one part holds all of them. */
const FIELDS = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"] as const;

function decodeReasoning(json: JsonObject): readonly ReasoningPart[] {
  const present = FIELDS.filter((field) => saysSomething(json[field]));
  if (present.length === 0) return [];
  const details = present.flatMap((field) => detailsOf(json[field]));
  const encrypted = details.map((detail) => stringOf(detail.data)).find((data) => data !== undefined);
  const signature = details.map((detail) => stringOf(detail.signature)).find((value) => value !== undefined);
  return [
    {
      type: "reasoning",
      text: textOf(json),
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
      wire: Object.fromEntries(present.map((field) => [field, json[field]])),
    },
  ];
}

/** The fields to write; none for reasoning that did not come from Chat, which has nowhere to put it. */
export function reasoningFields({ text, wire }: ReasoningPart): JsonObject {
  const present = FIELDS.filter((field) => wire?.[field] !== undefined);
  if (wire === undefined || present.length === 0) return {};
  const kept = Object.fromEntries(present.map((field) => [field, wire[field]]));
  if (text === textOf(wire)) return kept;
  // Details are signed or mirror the text, so an edit leaves only the plain text.
  const plain = present.filter((field) => typeof wire[field] === "string");
  return Object.fromEntries(plain.map((field) => [field, text]));
}

function saysSomething(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "";
}

function textOf(json: JsonObject): string {
  for (const field of FIELDS) {
    const value = json[field];
    if (typeof value === "string" && value !== "") return value;
    const texts = detailsOf(value).map(
      ({ text, summary, thinking }) => stringOf(text) ?? stringOf(summary) ?? stringOf(thinking) ?? "",
    );
    const joined = texts.filter((text) => text !== "").join("\n");
    if (joined !== "") return joined;
  }
  return "";
}

function detailsOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : [];
}

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
    role: wire?.role === role && json !== undefined ? json.role : speakerOf(role),
    content: contentField(role, contentParts, {
      wire,
      json,
      hasCalls: "tool_calls" in fields || "function_call" in fields,
    }),
    ...Object.fromEntries(removed.map((key) => [key, undefined])),
    ...fields,
  });
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
