/** Gemini contents to canonical messages. Every wire part becomes exactly one part and is kept in it. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import {
  type Message,
  type Part,
  type ReasoningPart,
  type Role,
  type TextPart,
  type ToolCallPart,
  text,
} from "../../core/message.ts";
import { invalid, kindOf, overlay, sameOr } from "../body.ts";
import {
  decodeMedia,
  decodeResult,
  encodeMedia,
  encodeResult,
  type Field,
  fieldOf,
  ifUnread,
  keyOf,
  objectOf,
} from "./result.ts";

/** `function` and `tool` are what older clients call the user turn that carries function responses. */
const ROLES: ReadonlyMap<JsonValue, Role> = new Map<JsonValue, Role>([
  ["user", "user"],
  ["model", "assistant"],
  ["function", "user"],
  ["tool", "user"],
  ["", "user"],
]);

/** A content, or one of the SDK's short forms of a user's content: a string, one part, a list of strings and parts. */
export function decodeMessage(json: JsonValue, index: number): Message {
  const path = `contents.${index}`;
  const role = isContent(json) ? decodeRole(json.role, path) : "user";
  const parts = decodeInstruction(json, path);
  return { id: `m${index}`, role, parts, wire: { json, role, parts } };
}

/** The parts of a content or of one of its short forms; system instructions have the same forms. */
export function decodeInstruction(json: JsonValue, path: string): readonly Part[] {
  if (isContent(json)) return json.parts === undefined ? [] : decodeParts(json.parts, `${path}.parts`);
  if (isArray(json)) return json.map((part, position) => decodePartOrText(part, `${path}.${position}`));
  return [decodePartOrText(json, path)];
}

export function decodeRole(role: JsonValue | undefined, path: string): Role {
  const known = ROLES.get(role ?? "");
  if (known !== undefined) return known;
  throw invalid(`${path}.role: Please use a valid role: user, model. Found ${JSON.stringify(role)}.`);
}

/** A content has `parts` or, where the model's answer was empty, only a `role`. */
export function isContent(json: JsonValue | undefined): json is JsonObject {
  return isObject(json) && (json.parts !== undefined || json.role !== undefined);
}

/** False for anything else, which may still be a part of a newer kind. */
export function isKnownPart(json: JsonObject): boolean {
  return typeof json.text === "string" || PART_FIELDS.some((field) => fieldOf(json, field) !== undefined);
}

const PART_FIELDS: readonly Field[] = [
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
  "toolCall",
  "toolResponse",
  "thoughtSignature",
];

/** True for the SDK's list of strings and parts, which together are one content of the user. */
export function isPartList(list: JsonArray): boolean {
  return list.length > 0 && list.every((element) => !isContent(element) && !isArray(element));
}

/** One part may stand without its list, as in protobuf JSON. */
function decodeParts(parts: JsonValue, path: string): readonly Part[] {
  if (isArray(parts)) return parts.map((part, position) => decodePart(part, `${path}.${position}`));
  return [decodePart(parts, path)];
}

function decodePartOrText(json: JsonValue, path: string): Part {
  return typeof json === "string" ? text(json) : decodePart(json, path);
}

function decodePart(json: JsonValue, path: string): Part {
  if (!isObject(json)) throw invalid(`${path} must be a part, not ${kindOf(json)}.`);
  return decodeCall(json) ?? decodeResult(json) ?? decodeMedia(json) ?? decodeText(json) ?? decodeOpaque(json, path);
}

function decodeCall(wire: JsonObject): Part | undefined {
  const call = objectOf(wire, "functionCall");
  if (call === undefined) return undefined;
  return {
    type: "tool-call",
    ...(typeof call.id === "string" && call.id !== "" && { callId: call.id }),
    name: stringOf(call.name) ?? "",
    input: call.args ?? {},
    ...signatureOf(wire),
    wire,
  };
}

function decodeText(wire: JsonObject): Part | undefined {
  if (typeof wire.text !== "string") return undefined;
  const type = wire.thought === true ? "reasoning" : "text";
  return { type, text: wire.text, ...signatureOf(wire), wire };
}

/** Named by the field that carries the data: `executableCode`, `toolCall`, … One of a kind that we read lacks what it needs. */
function decodeOpaque(wire: JsonObject, path: string): Part {
  if (isContent(wire)) throw invalid(`${path} must be a part, not a content.`);
  const kind = Object.keys(wire).find((key) => wire[key] !== undefined && wire[key] !== null && !NOT_DATA.has(key));
  return { type: "opaque", kind: kind ?? "", wire };
}

/** Fields that describe a part's data and hold none themselves. */
const NOT_DATA: ReadonlySet<string> = new Set([
  "thought",
  "thoughtSignature",
  "thought_signature",
  "mediaResolution",
  "media_resolution",
  "videoMetadata",
  "video_metadata",
  "partMetadata",
  "part_metadata",
]);

function signatureOf(wire: JsonObject): { readonly signature?: string } {
  const signature = fieldOf(wire, "thoughtSignature");
  return typeof signature === "string" && signature !== "" ? { signature } : {};
}

export function encodeMessage(message: Message): readonly JsonValue[] {
  const json = message.wire?.json;
  if (json === undefined) return encodeNew(message);
  if (!isContent(json)) return [encodeShort(message, json)];
  const role = decodeRole(json.role, "contents") === message.role ? json.role : wireRole(message.role);
  return [overlay(json, { role, parts: encodeParts(message.parts, json.parts) })];
}

/** A system instruction in the form it had; a new one is a content without a role. */
export function encodeInstruction(parts: readonly Part[], before: JsonValue | undefined): JsonValue {
  if (before === undefined) return { parts: parts.flatMap(encodePart) };
  if (isContent(before)) return overlay(before, { parts: encodeParts(parts, before.parts) });
  return encodeShortParts(parts, before);
}

/** A short form that now has company, or another role, is written out as a content. */
export function toContent(json: JsonValue): JsonValue {
  if (isContent(json)) return json;
  const parts = isArray(json) ? json : [json];
  return { role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : part)) };
}

/** One message may need several contents: calls belong to the model, results to the user. */
function encodeNew(message: Message): readonly JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  for (const part of message.parts) {
    const wire = encodePart(part);
    if (wire.length === 0) continue;
    const role = roleOf(part, message.role);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...wire);
    else contents.push({ role, parts: [...wire] });
  }
  return message.parts.length === 0 ? [{ role: wireRole(message.role), parts: [] }] : contents;
}

function roleOf(part: Part, role: Role): string {
  if (part.type === "tool-call" || part.type === "reasoning") return "model";
  return part.type === "tool-result" ? "user" : wireRole(role);
}

function wireRole(role: Role): string {
  return role === "assistant" ? "model" : "user";
}

function encodeShort(message: Message, before: JsonValue): JsonValue {
  const short = encodeShortParts(message.parts, before);
  if (message.role === "user") return short;
  return { role: wireRole(message.role), parts: message.parts.flatMap(encodePart) };
}

/** Strings stay strings and one part stays one part while nothing else was made of them. */
function encodeShortParts(parts: readonly Part[], before: JsonValue): JsonValue {
  if (isArray(before)) return sameOr(before, parts.flatMap(encodePartOrText(before)));
  const [first] = parts;
  if (parts.length !== 1 || first === undefined) return { parts: parts.flatMap(encodePart) };
  if (typeof before === "string" && first.type === "text" && first.wire === undefined) return first.text;
  return encodePart(first)[0] ?? before;
}

/** In a list that mixes strings and parts, a text that came as a string goes out as one. */
function encodePartOrText(before: JsonArray): (part: Part) => readonly JsonValue[] {
  const strings = new Set(before.filter((element) => typeof element === "string"));
  return (part) => {
    const wasString = part.type === "text" && part.wire === undefined && strings.has(part.text);
    return wasString ? [part.text] : encodePart(part);
  };
}

function encodeParts(parts: readonly Part[], before: JsonValue | undefined): JsonValue | undefined {
  if (before === undefined && parts.length === 0) return undefined;
  const after = parts.flatMap(encodePart);
  if (isArray(before)) return sameOr(before, after);
  return isObject(before) && after.length === 1 ? after[0] : after;
}

function encodePart(part: Part): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [encodeText(part, {})];
    case "reasoning":
      // Reasoning that only its own provider can read has no form here.
      return part.wire === undefined && part.text === "" && !part.signature
        ? []
        : [encodeText(part, { thought: true })];
    case "media":
      return [encodeMedia(part)];
    case "tool-call":
      return [encodeCall(part)];
    case "tool-result":
      return [encodeResult(part)];
    case "opaque":
      return [part.wire];
    default:
      return part satisfies never;
  }
}

function encodeText(part: TextPart | ReasoningPart, fields: JsonObject): JsonObject {
  return overlay(part.wire, { text: part.text, ...fields, ...signatureField(part) });
}

function encodeCall(part: ToolCallPart): JsonObject {
  const { wire } = part;
  const before = wire === undefined ? undefined : objectOf(wire, "functionCall");
  const hasArguments = before === undefined || isObject(before.args) || !isEmptyObject(part.input);
  const call = overlay(before, {
    id: part.callId ?? ifUnread(before?.id),
    name: part.name === "" ? ifUnread(before?.name) : part.name,
    args: hasArguments ? argumentsOf(part.input, before?.args) : before.args,
  });
  return overlay(wire, { [keyOf(wire, "functionCall")]: call, ...signatureField(part) });
}

/** Arguments are an object here; free text or a list from another format is wrapped. */
function argumentsOf(input: JsonValue, before: JsonValue | undefined): JsonValue {
  return isObject(input) || input === before ? input : { input };
}

function isEmptyObject(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function signatureField({ wire, signature }: TextPart | ReasoningPart | ToolCallPart): JsonObject {
  const key = keyOf(wire, "thoughtSignature");
  return { [key]: signature ?? ifUnread(wire?.[key]) };
}
