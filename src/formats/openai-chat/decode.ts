/**
 * Chat Completions messages to canonical messages. A content block becomes one part and is kept in it; a field that says
 * something of its own (`refusal`, `audio`, `function_call`, reasoning of compatible servers) becomes a part whose wire holds
 * that field. Everything else in a message is carried by the message's own wire.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { Message, Part, ReasoningPart, Role } from "../../core/message.ts";
import { invalid, kindOf } from "../body.ts";
import {
  decodeArguments,
  decodeContent,
  decodeName,
  decodeRole,
  mediaOfAudio,
  mediaOfFile,
  mediaOfUrl,
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
