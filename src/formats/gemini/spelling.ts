/**
 * Gemini JSON is protobuf JSON: every field may be spelled in camelCase or in snake_case. Both are read, and a field is
 * written back under the key that was there; only a new field gets the camelCase name.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** Every field of more than one word that we read or write. */
const SNAKE_CASE = {
  systemInstruction: "system_instruction",
  thoughtSignature: "thought_signature",
  inlineData: "inline_data",
  fileData: "file_data",
  fileUri: "file_uri",
  mimeType: "mime_type",
  displayName: "display_name",
  functionCall: "function_call",
  functionResponse: "function_response",
  executableCode: "executable_code",
  codeExecutionResult: "code_execution_result",
  toolCall: "tool_call",
  toolResponse: "tool_response",
  functionDeclarations: "function_declarations",
  parametersJsonSchema: "parameters_json_schema",
  promptFeedback: "prompt_feedback",
  blockReason: "block_reason",
  finishReason: "finish_reason",
  modelVersion: "model_version",
  responseId: "response_id",
  usageMetadata: "usage_metadata",
} as const;

export type Field = keyof typeof SNAKE_CASE;

export function fieldOf(object: JsonObject, field: Field): JsonValue | undefined {
  return object[field] ?? object[SNAKE_CASE[field]] ?? undefined;
}

export function objectOf(object: JsonObject, field: Field): JsonObject | undefined {
  const value = fieldOf(object, field);
  return isObject(value) ? value : undefined;
}

/** The key under which a field stands, or would stand. */
export function keyOf(object: JsonObject | undefined, field: Field): string {
  const snake = SNAKE_CASE[field];
  return object !== undefined && object[field] === undefined && object[snake] !== undefined ? snake : field;
}

/** The value itself where it was read as absent (null, an empty id, an empty list), so that it is written back; otherwise undefined. */
export function ifUnread(value: JsonValue | undefined): JsonValue | undefined {
  const isRead = (typeof value === "string" || isArray(value)) && value.length > 0;
  return isRead ? undefined : value;
}
