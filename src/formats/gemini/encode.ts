/** Canonical messages to Gemini contents. A part that kept its wire is laid over it, under the keys that were there. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Message, Part, ReasoningPart, Role, TextPart, ToolCallPart } from "../../core/message.ts";
import { overlay, sameOr } from "../body.ts";
import { decodeRole, isContent } from "./decode.ts";
import { encodeMedia, encodeResult } from "./result.ts";
import { ifUnread, keyOf, objectOf } from "./spelling.ts";

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
