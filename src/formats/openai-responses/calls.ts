/**
 * Call and output items. Functions and free-text tools are read in full, the provider's own tools (shell, computer, …) by their `call_id`.
 * Each of those wants its output in a form of its own; functions take text or blocks.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import {
  type MediaPart,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  text,
  textsOf,
} from "../../core/message.ts";
import { overlay, sameOr } from "../body.ts";
import {
  decodeArguments,
  decodeBlock,
  decodeContent,
  decodeName,
  encodeArguments,
  encodeFreeText,
  encodeName,
  toDataUrl,
  withErrorText,
} from "../openai.ts";
import { encodeBlocks, readBlock } from "./content.ts";

/** Fields of a call item that are not part of its input. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["type", "id", "call_id", "status", "caller"]);

export function decodeCall(item: JsonObject, type: string): ToolCallPart {
  const id = type === "mcp_approval_request" ? item.id : item.call_id;
  return {
    type: "tool-call",
    ...(typeof id === "string" && { callId: id }),
    ...readCall(item, type),
    ...(isServerRun(item, type) && { server: true }),
    wire: item,
  };
}

function readCall(item: JsonObject, type: string): { readonly name: string; readonly input: JsonValue } {
  if (type === "function_call") return { name: decodeName(item), input: decodeArguments(item.arguments) };
  if (type === "custom_tool_call") return { name: decodeName(item), input: item.input ?? "" };
  const said = Object.entries(item).filter(([key]) => !BOOKKEEPING.has(key));
  return { name: type, input: Object.fromEntries(said) };
}

export function encodeCall(part: ToolCallPart): JsonObject {
  const { wire } = part;
  const callId = part.callId ?? wire?.call_id;
  switch (wire?.type) {
    case undefined:
    case "function_call": {
      const name = encodeName(part.name, wire);
      return overlay(wire, {
        type: "function_call",
        call_id: callId,
        name,
        arguments: encodeArguments(part.input, wire),
      });
    }
    case "custom_tool_call":
      return overlay(wire, {
        call_id: callId,
        name: encodeName(part.name, wire),
        input: encodeFreeText(part.input, wire),
      });
    case "mcp_approval_request":
      return overlay(wire, { id: part.callId ?? wire.id });
    default:
      return overlay(wire, { call_id: callId });
  }
}

/** The smallest possible picture. A computer call must be answered by a screenshot, even after its own was cleared. */
const EMPTY_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export function decodeOutput(item: JsonObject, type: string, path: string): ToolResultPart {
  const id = callIdOf(item, type);
  const name = stringOf(item.name);
  return {
    type: "tool-result",
    ...(id !== undefined && { callId: id }),
    ...(name !== undefined && { name }),
    content: contentOf(item, type, path),
    isError: false,
    ...(isServerRun(item, type) && { server: true }),
    wire: item,
  };
}

/** The provider runs programs itself, and any item marked `execution: "server"`. */
function isServerRun(item: JsonObject, type: string): boolean {
  return type === "program" || type === "program_output" || item.execution === "server";
}

/** The id is in `call_id`, except for two item types that use other fields. */
function callIdOf(item: JsonObject, type: string): string | undefined {
  if (type === "mcp_approval_response") return stringOf(item.approval_request_id);
  return stringOf(item.call_id) ?? (type === "local_shell_call_output" ? stringOf(item.id) : undefined);
}

function contentOf(item: JsonObject, type: string, path: string): readonly Part[] {
  if (type === "program_output") return typeof item.result === "string" ? [text(item.result)] : [];
  if (type === "tool_search_output") return [{ type: "opaque", kind: "tools", wire: { tools: item.tools } }];
  if (type === "mcp_approval_response") return typeof item.reason === "string" ? [text(item.reason)] : [];
  const { output } = item;
  if (isArray(output) && output.every(isShellChunk)) {
    return output.map((chunk) => ({ type: "text", text: chunkText(chunk), wire: chunk }));
  }
  return isObject(output) ? [decodeBlock(output, readBlock)] : decodeContent(output, `${path}.output`, readBlock);
}

/** Chunk by chunk: what a command wrote, and how it ended. */
function isShellChunk(chunk: JsonValue): chunk is JsonObject {
  return isObject(chunk) && chunk.type === undefined && typeof chunk.stdout === "string";
}

function chunkText(chunk: JsonObject): string {
  return [stringOf(chunk.stdout), stringOf(chunk.stderr)].filter(Boolean).join("\n");
}

export function encodeOutput(part: ToolResultPart): JsonObject {
  const { wire } = part;
  const callId = part.callId ?? wire?.call_id;
  const content = part.isError ? withErrorText(part.content) : part.content;
  switch (wire?.type) {
    case "tool_search_output":
      return overlay(wire, { call_id: callId, tools: wire.tools ?? [] });
    case "mcp_approval_response":
      // Without an approval the request is refused.
      return overlay(wire, { approval_request_id: part.callId, approve: wire.approve ?? false });
    case "program_output":
      return overlay(wire, { call_id: callId, result: stringField(content, wire.result) });
    case "apply_patch_call_output": {
      const status = wire.status ?? (part.isError ? "failed" : "completed");
      return overlay(wire, { call_id: callId, status, output: stringField(content, wire.output) });
    }
    case "local_shell_call_output": {
      const id = typeof wire.call_id === "string" ? { call_id: callId } : { id: part.callId ?? wire.id };
      return overlay(wire, { ...id, output: stringField(content, wire.output) });
    }
    case "shell_call_output":
      return overlay(wire, { call_id: callId, output: shellOutput(content, wire.output, part.isError ? 1 : 0) });
    case "computer_call_output":
      return overlay(wire, { call_id: callId, output: screenshot(content) });
    default:
      return overlay(wire, {
        type: wire?.type ?? "function_call_output",
        call_id: callId,
        output: outputField(content, wire),
      });
  }
}

function outputField(content: readonly Part[], wire: JsonObject | undefined): JsonValue | undefined {
  const before = wire?.output;
  if (content.length === 0 && wire !== undefined && isEmpty(before)) return before;
  if (!isObject(before)) return encodeBlocks(content, before, "tool");
  // Recordings show a single block in place of a list; an unchanged one is written back as it was.
  const blocks = encodeBlocks(content, [], "tool");
  return JSON.stringify(blocks) === JSON.stringify([before]) ? before : blocks;
}

/** For tools whose output is one text. */
function stringField(content: readonly Part[], before: JsonValue | undefined): JsonValue | undefined {
  if (isArray(before) || isObject(before)) return outputField(content, { output: before });
  return content.length === 0 && isEmpty(before) ? before : textsOf(content).join("\n");
}

/** True where nothing was decoded from the field, whether it was present or not. */
function isEmpty(before: JsonValue | undefined): boolean {
  return before === undefined || before === null || (isArray(before) && before.length === 0);
}

function shellOutput(content: readonly Part[], before: JsonValue | undefined, exitCode: number): JsonValue {
  const chunks = isArray(before) ? before : [];
  const first = chunks[0];
  const outcome = (isObject(first) ? first.outcome : undefined) ?? { type: "exit", exit_code: exitCode };
  const after = content.map((part): JsonObject => {
    const said = textsOf([part]).join("\n");
    const { wire } = part;
    if (!isShellChunk(wire ?? null)) return { stdout: said, stderr: "", outcome };
    return wire !== undefined && said === chunkText(wire) ? wire : overlay(wire, { stdout: said, stderr: "" });
  });
  return sameOr(chunks, after);
}

function screenshot(content: readonly Part[]): JsonObject {
  const picture = content.find((part): part is MediaPart => part.type === "media" && part.kind === "image");
  const other = content.find((part) => part.type === "opaque");
  if (picture === undefined && other?.wire !== undefined) return other.wire;
  if (picture?.wire?.type === "computer_screenshot") return picture.wire;
  return { type: "computer_screenshot", image_url: urlOf(picture) };
}

function urlOf(picture: MediaPart | undefined): string {
  if (picture?.source.type === "url") return picture.source.url;
  if (picture?.source.type !== "base64") return toDataUrl(EMPTY_PNG, "image/png");
  return toDataUrl(picture.source.data, picture.mediaType ?? "image/png");
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["tool_search_call", "tool_search_output"],
  ["mcp_approval_request", "mcp_approval_response"],
]);

/** Gives new results the output type that belongs to their call. */
export function matchOutputs(messages: readonly Message[]): readonly Message[] {
  const types = outputTypes(messages);
  if (types.size === 0) return messages;
  const typeOf = (part: Part): string | undefined =>
    part.type === "tool-result" && part.wire === undefined ? types.get(part.callId ?? "") : undefined;
  return messages.map((message) => {
    if (!message.parts.some((part) => typeOf(part) !== undefined)) return message;
    const parts = message.parts.map((part): Part => {
      const type = typeOf(part);
      return type === undefined ? part : { ...part, wire: { type } };
    });
    return { ...message, parts };
  });
}

/** Output types by call id, where they are not the default. */
function outputTypes(messages: readonly Message[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      const type = part.type === "tool-call" ? stringOf(part.wire?.type) : undefined;
      if (part.type !== "tool-call" || type === undefined || type === "function_call") continue;
      if (part.callId !== undefined) types.set(part.callId, IRREGULAR.get(type) ?? `${type}_output`);
    }
  }
  return types;
}
