/**
 * Canonical messages to Chat Completions JSON. Each tool result is a message of its own, so one message of ours may become
 * several. What kept its wire is laid over it; what did not change comes out as it was.
 */

import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Message, MessageWire, Part, Role, ToolResultPart } from "../../core/message.ts";
import { withErrorText } from "../error-text.ts";
import { overlay } from "../overlay.ts";
import { encodeContent, isContentPart } from "./content.ts";
import { fieldsOf } from "./fields.ts";

export function encodeMessage(message: Message): readonly JsonValue[] {
  const { wire, role, parts } = message;
  if (parts.length === 0) return wire?.parts.length === 0 ? [wire.json] : [];
  // Only the first run of what the wire message held may take its place.
  let speechWire = wire?.role === "tool" ? undefined : wire;
  return toSegments(role, parts).flatMap((segment) => {
    if (!isSpeech(segment)) return [encodeResult(segment)];
    const speech = encodeSpeech(role, segment, speechWire);
    speechWire = undefined;
    return speech === undefined ? [] : [speech];
  });
}

/** A system prompt kept apart by another format, as the first message of the list. */
export function encodeSystemMessages(system: readonly Part[]): readonly JsonValue[] {
  return encodeMessage({ id: "system", role: "system", parts: system });
}

type Segment = ToolResultPart | readonly Part[];

function isSpeech(segment: Segment): segment is readonly Part[] {
  return Array.isArray(segment);
}

/** Results answer the message before, so they come first; in an assistant message they follow its own calls, in order. */
function toSegments(role: Role, parts: readonly Part[]): readonly Segment[] {
  const results = parts.filter((part) => part.type === "tool-result");
  const others = parts.filter((part) => part.type !== "tool-result");
  if (role !== "assistant" || results.length === 0) return others.length === 0 ? results : [...results, others];
  const segments: Segment[] = [];
  let speech: Part[] = [];
  for (const part of parts) {
    if (part.type !== "tool-result") {
      if (speech.length === 0) segments.push(speech);
      speech.push(part);
      continue;
    }
    segments.push(part);
    speech = [];
  }
  return segments;
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

interface Before {
  readonly wire: MessageWire | undefined;
  readonly json: JsonObject | undefined;
  readonly hasCalls: boolean;
}

function contentField(role: Role, parts: readonly Part[], { wire, json, hasCalls }: Before): JsonValue | undefined {
  if (parts.length > 0) return encodeContent(parts, json?.content, role === "tool" ? "user" : role);
  if (wire !== undefined && !wire.parts.some(isContentPart)) return json?.content;
  return hasCalls ? null : "";
}

/** A result by name (the deprecated role) that was given an id is written in today's form. */
function encodeResult(part: ToolResultPart): JsonObject {
  const role = part.wire?.role;
  const isByName = role === "function" && part.callId === undefined;
  const wire = role === "tool" || isByName ? part.wire : undefined;
  const parts = part.isError ? withErrorText(part.content) : part.content;
  const isStillEmpty = parts.length === 0 && wire !== undefined && isEmptyContent(wire.content);
  const content = isStillEmpty ? wire.content : encodeContent(parts, wire?.content, "tool");
  if (isByName) return overlay(wire, { name: part.name ?? wire?.name, content });
  return overlay(wire, { role: "tool", tool_call_id: part.callId ?? wire?.tool_call_id, content });
}

function isEmptyContent(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || (Array.isArray(content) && content.length === 0);
}
