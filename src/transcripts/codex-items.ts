/** Which records are Responses items, and which of them the model wrote. Types only, by the names the API gives them. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";

const MODEL_ITEMS: ReadonlySet<string> = new Set([
  "apply_patch_call",
  "code_interpreter_call",
  "compaction",
  "computer_call",
  "custom_tool_call",
  "file_search_call",
  "function_call",
  "image_generation_call",
  "local_shell_call",
  "mcp_approval_request",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "reasoning",
  "shell_call",
  "tool_search_call",
  "web_search_call",
]);

const CLIENT_ITEMS: ReadonlySet<string> = new Set([
  "additional_tools",
  "apply_patch_call_output",
  "computer_call_output",
  "configuration_update",
  "custom_tool_call_output",
  "function_call_output",
  "item_reference",
  "local_shell_call_output",
  "mcp_approval_response",
  "program_output",
  "shell_call_output",
  "tool_search_output",
]);

const MESSAGE_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "system", "developer"]);

export function isResponsesItem(item: JsonObject): boolean {
  const type = stringOf(item.type);
  if (type === undefined || type === "message") {
    return MESSAGE_ROLES.has(stringOf(item.role) ?? "") && isReadable(item.content);
  }
  if (isArray(item.output) && !item.output.every(isObject)) return false;
  if ((type === "function_call" || type.endsWith("_call_output")) && stringOf(item.call_id) === undefined) return false;
  return MODEL_ITEMS.has(type) || CLIENT_ITEMS.has(type);
}

/** What a format can decode; a list may hold nothing but parts. */
function isReadable(content: JsonValue | undefined): boolean {
  return content === null || typeof content === "string" || (isArray(content) && content.every(isObject));
}

/** True for item types that exist in this format only; a plain message does not tell. */
export function isTypedResponsesItem(item: JsonObject): boolean {
  return item.type !== undefined && item.type !== "message" && isResponsesItem(item);
}

export function isModelItem(item: JsonValue | undefined): boolean {
  if (!isObject(item)) return false;
  return item.role === "assistant" || MODEL_ITEMS.has(stringOf(item.type) ?? "");
}
