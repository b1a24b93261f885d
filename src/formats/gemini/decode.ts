/** Gemini contents to canonical messages. Every wire part becomes exactly one part and is kept in it. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type Message, type Part, type Role, text } from "../../core/message.ts";
import { invalid, kindOf } from "../body.ts";
import { decodeMedia, decodeResult } from "./result.ts";
import { type Field, fieldOf, objectOf } from "./spelling.ts";

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

/**
 * Named by the field that carries the data: `executableCode`, `codeExecutionResult`, `toolCall`, `toolResponse`, … A null is no
 * data. One of a kind that we read lacks what it needs; `validate` says so.
 */
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
