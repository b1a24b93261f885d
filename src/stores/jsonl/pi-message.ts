/**
 * A wire message of any format as pi would show it: text, thinking, pictures, calls, and results as messages of their own. It is for
 * reading: what cannot be shown in pi's form is shown as text, and the exact message is kept elsewhere. Pure.
 */

import { isArray, isObject, isTooDeep, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { Role } from "../../core/message.ts";
import { bodyText } from "../../core/search/body-text.ts";
import { WRAPPING_DEPTH_MAX } from "../../core/store/stored-json.ts";

export interface PiMeta {
  readonly api: string;
  readonly provider: string;
  readonly model: string;
  readonly timestampMs: number;
  readonly usage: JsonObject;
  /** What a call was to; most formats do not repeat it in the result. */
  toolName(callId: string): string | undefined;
}

/** At least one; results come first, as the providers want them. */
export function piMessages(body: JsonValue, role: Role, meta: PiMeta): readonly JsonObject[] {
  const shown = blocksIn(body);
  const results = shown.flatMap((each) => (each.type === "result" ? [each] : []));
  const blocks = shown.flatMap((each) => (each.type === "block" ? [each.block] : []));
  const timestamp = meta.timestampMs;
  const messages = results.map(({ callId, name, content, isError }) => {
    const toolName = name ?? meta.toolName(callId) ?? "unknown";
    return { role: "toolResult", toolCallId: callId, toolName, content, isError, timestamp };
  });
  if (blocks.length === 0 && messages.length > 0) return messages;
  return [...messages, ownMessage(blocks, speaker(role, body, blocks), meta)];
}

/** The name of the tool that a message calls under an id. */
export function calledTool(body: JsonValue, callId: string): string | undefined {
  for (const each of blocksIn(body)) {
    if (each.type === "block" && each.block.type === "toolCall" && each.block.id === callId)
      return stringOf(each.block.name);
  }
  return undefined;
}

interface Result {
  readonly type: "result";
  readonly callId: string;
  readonly name: string | undefined;
  readonly content: readonly JsonObject[];
  readonly isError: boolean;
}

type Shown = { readonly type: "block"; readonly block: JsonObject } | Result;

function ownMessage(blocks: readonly JsonObject[], role: Role, meta: PiMeta): JsonObject {
  const { api, provider, model, usage, timestampMs: timestamp } = meta;
  if (role !== "assistant") return { role, content: blocks, timestamp };
  const stopReason = blocks.some(({ type }) => type === "toolCall") ? "toolUse" : "stop";
  return { role, content: blocks, api, provider, model, usage, stopReason, timestamp };
}

/** A call is the assistant's whatever the item's role says; pi has no role for a tool that said no result. */
function speaker(role: Role, body: JsonValue, blocks: readonly JsonObject[]): Role {
  if (blocks.some(({ type }) => type === "toolCall" || type === "thinking")) return "assistant";
  if (isObject(body) && body.role === "developer") return "system";
  return role === "tool" ? "user" : role;
}

function blocksIn(body: JsonValue): readonly Shown[] {
  if (!isObject(body)) return [shownText(bodyText(body))];
  if (isArray(body.parts)) return body.parts.filter(isObject).flatMap(geminiPart);
  if (body.role === "tool") return [result(body.tool_call_id, body.name, body.content)];
  if (typeof body.type === "string" && body.type !== "message") return item(body);
  const reasoning = stringOf(body.reasoning_content) ?? "";
  const calls = isArray(body.tool_calls) ? body.tool_calls.filter(isObject) : [];
  return [
    ...(reasoning === "" ? [] : [thinking(reasoning)]),
    ...contentBlocks(body.content),
    ...calls.map((call) => {
      const named = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
      return toolCall(call.id, named.name, named.arguments ?? named.input);
    }),
  ];
}

/** One item of the Responses format. */
function item(body: JsonObject): readonly Shown[] {
  const type = stringOf(body.type) ?? "";
  if (type.endsWith("_output")) return [result(body.call_id, body.name, body.output)];
  if (type === "function_call" || type === "custom_tool_call") {
    return [toolCall(body.call_id, body.name, body.arguments ?? body.input)];
  }
  return type === "reasoning" ? [thinking(bodyText(body))] : [block(body)].flat();
}

function contentBlocks(content: JsonValue | undefined): readonly Shown[] {
  if (typeof content === "string") return content === "" ? [] : [shownText(content)];
  return isArray(content) ? content.filter(isObject).flatMap(block) : [];
}

function block(value: JsonObject): readonly Shown[] {
  switch (value.type) {
    case "thinking":
      return [thinking(stringOf(value.thinking) ?? "", stringOf(value.signature))];
    case "redacted_thinking":
      return [shown({ type: "thinking", thinking: "", thinkingSignature: value.data, redacted: true })];
    case "tool_use":
      return [toolCall(value.id, value.name, value.input)];
    case "tool_result":
      return [result(value.tool_use_id, value.name, value.content, value.is_error === true)];
    default: {
      const image = imageIn(value);
      if (image !== undefined) return [shown(image)];
      const readable = bodyText(value);
      return [shownText(readable === "" ? `[${stringOf(value.type) ?? "unknown"}]` : readable)];
    }
  }
}

function geminiPart(part: JsonObject): readonly Shown[] {
  const { functionCall, functionResponse } = part;
  if (isObject(functionCall))
    return [toolCall(functionCall.id ?? functionCall.name, functionCall.name, functionCall.args)];
  if (isObject(functionResponse)) {
    const { id, name, response } = functionResponse;
    return [result(id ?? name, name, JSON.stringify(response ?? null))];
  }
  if (part.thought === true) return [thinking(stringOf(part.text) ?? "")];
  const image = imageIn(part);
  return [image === undefined ? shownText(stringOf(part.text) ?? bodyText(part)) : shown(image)];
}

const DATA_URL = /^data:(image\/[\w.+-]+);base64,/;

/** pi's form of a picture whose bytes stand in the message. */
function imageIn(value: JsonObject): JsonObject | undefined {
  const source = isObject(value.source) ? value.source : isObject(value.inlineData) ? value.inlineData : {};
  const mimeType = stringOf(source.media_type) ?? stringOf(source.mimeType) ?? "";
  if (mimeType.startsWith("image/") && typeof source.data === "string") {
    return { type: "image", data: source.data, mimeType };
  }
  const url = stringOf(isObject(value.image_url) ? value.image_url.url : value.image_url) ?? "";
  const head = DATA_URL.exec(url);
  return head?.[1] === undefined ? undefined : { type: "image", data: url.slice(head[0].length), mimeType: head[1] };
}

function result(
  callId: JsonValue | undefined,
  name: JsonValue | undefined,
  content: JsonValue | undefined,
  isError = false,
): Result {
  const said = contentBlocks(content).flatMap((each) => (each.type === "block" ? [each.block] : []));
  return { type: "result", callId: stringOf(callId) ?? "", name: stringOf(name), content: said, isError };
}

function toolCall(id: JsonValue | undefined, name: JsonValue | undefined, input: JsonValue | undefined): Shown {
  const given = argumentsOf(input);
  return shown({ type: "toolCall", id: stringOf(id) ?? "", name: stringOf(name) ?? "unknown", arguments: given });
}

const WRAPPING = "[".repeat(WRAPPING_DEPTH_MAX);

function argumentsOf(input: JsonValue | undefined): JsonObject {
  if (isObject(input)) return input;
  if (typeof input !== "string") return {};
  // A line that nests too deep is read by nobody.
  if (isTooDeep(WRAPPING + input)) return { input };
  try {
    const parsed: unknown = JSON.parse(input);
    return isObject(parsed) ? parsed : { input };
  } catch {
    return { input };
  }
}

function thinking(text: string, signature?: string): Shown {
  return shown({
    type: "thinking",
    thinking: text,
    ...(signature === undefined ? {} : { thinkingSignature: signature }),
  });
}

function shownText(text: string): Shown {
  return shown({ type: "text", text });
}

function shown(each: JsonObject): Shown {
  return { type: "block", block: each };
}
