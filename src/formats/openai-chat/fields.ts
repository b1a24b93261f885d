/** The fields of an assistant message beside `content`, from the parts that came from them or belong in them. */

import { isArray, isObject, type JsonObject } from "../../core/json.ts";
import type { Part, ToolCallPart } from "../../core/message.ts";
import { encodeArguments, encodeFreeText, encodeName } from "../openai-call-fields.ts";
import { overlay, sameOr } from "../overlay.ts";
import { reasoningFields } from "./reasoning.ts";

/** A text or opaque part that came from a field and not from `content`: its wire is no block, so it has no `type`. */
export function isFieldPart(part: Part): boolean {
  const { wire } = part;
  if (wire === undefined || wire.type !== undefined) return false;
  return part.type === "text" ? "refusal" in wire : part.type === "opaque" && "audio" in wire;
}

/** `json` is the message they came from, so that an unchanged list of calls is recognised. */
export function fieldsOf(parts: readonly Part[], json: JsonObject | undefined): JsonObject {
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

/** The deprecated form: one call, without an id. Given an id since, it is written in today's form. */
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

/** It said nothing of what is called, not even the kind of tool, and was given a name since: there is no form of its own to keep. */
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
