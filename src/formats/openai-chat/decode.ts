/**
 * Chat Completions messages to canonical messages. A content block becomes one part and is kept in it; a field that says
 * something of its own (`refusal`, `audio`, `function_call`, reasoning of compatible servers) becomes a part whose wire holds
 * that field. Everything else in a message is carried by the message's own wire.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type Message, type Part, type Role, text } from "../../core/message.ts";
import { invalid, kindOf } from "../body.ts";
import { decodeArguments, decodeFreeText, decodeName } from "../openai-call-fields.ts";
import { mediaOfAudio, mediaOfFile, mediaOfUrl } from "../openai-media.ts";
import { decodeReasoning } from "./reasoning.ts";

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
  const role = ROLES.get(json.role);
  if (role === undefined) {
    const roles = [...ROLES.keys()].map((name) => JSON.stringify(name)).join(", ");
    throw invalid(`${path}.role must be one of ${roles}, not ${JSON.stringify(json.role)}.`);
  }
  const parts = decodeParts(json, role, path);
  return { id: `m${index}`, role, parts, wire: { json, role, parts } };
}

function decodeParts(json: JsonObject, role: Role, path: string): readonly Part[] {
  const content = decodeContent(json.content, `${path}.content`);
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

/** A bare string is shorthand for one text block; its part has no block of its own. */
function decodeContent(content: JsonValue | undefined, path: string): readonly Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [text(content)];
  if (!isArray(content)) throw invalid(`${path} must be a string or an array of parts, not ${kindOf(content)}.`);
  return content.map((block, position) => {
    if (!isObject(block)) throw invalid(`${path}.${position} must be an object, not ${kindOf(block)}.`);
    return decodeBlock(block);
  });
}

/** A block that lacks what it needs stays opaque; `validate` says so. */
function decodeBlock(block: JsonObject): Part {
  const kind = stringOf(block.type) ?? "";
  return readBlock(block, kind) ?? { type: "opaque", kind, wire: block };
}

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

/** `{ url }` by the book; some clients write the bare URL. */
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
  if (isObject(call.custom)) return { name: decodeName(call.custom), input: decodeFreeText(call.custom.input) };
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
