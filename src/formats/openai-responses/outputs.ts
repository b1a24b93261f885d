/** Output items. Each tool of the provider wants its output in a form of its own; functions take text or blocks. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type MediaPart, type Part, type ToolResultPart, text, textsOf } from "../../core/message.ts";
import { withErrorText } from "../error-text.ts";
import { toDataUrl } from "../openai-media.ts";
import { overlay, sameOr } from "../overlay.ts";
import { decodeBlock, decodeContent, encodeContent } from "./content.ts";

/** The smallest picture there is: a computer call must be answered by a screenshot, even by one that was cleared. */
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

/** Programs run at the provider, and so does a tool search that says so. */
export function isServerRun(item: JsonObject, type: string): boolean {
  return type === "program" || type === "program_output" || item.execution === "server";
}

/** `call_id`, but for two items that name their call otherwise. */
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
  return isObject(output) ? [decodeBlock(output)] : decodeContent(output, `${path}.output`);
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
      // What nobody approved is refused.
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
  if (!isObject(before)) return encodeContent(content, before, "tool");
  // A lone block in place of a list is seen in recordings; it stays alone while it is what it was.
  const blocks = encodeContent(content, [], "tool");
  return JSON.stringify(blocks) === JSON.stringify([before]) ? before : blocks;
}

/** For tools whose output is one text. */
function stringField(content: readonly Part[], before: JsonValue | undefined): JsonValue | undefined {
  if (isArray(before) || isObject(before)) return outputField(content, { output: before });
  return content.length === 0 && isEmpty(before) ? before : textsOf(content).join("\n");
}

/** Present or not, it holds nothing that was decoded. */
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
