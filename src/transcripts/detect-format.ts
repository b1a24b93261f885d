/** Detects the wire format of a list or body by its shape. A list of plain text messages counts as openai-chat. Never decodes. */

import { FORMAT_NAMES, type FormatName, type FormatRules, formatRules } from "../core/format-rules.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";

/** In order of preference where two show the same. */
const CANDIDATES: readonly FormatName[] = ["openai-chat", ...FORMAT_NAMES];

const LIST_KEYS = [...new Set(FORMAT_NAMES.map((name) => formatRules(name).listKey))];

/** A feature that only one format has outweighs those that others may share. */
const STRONG = 10;
const WEAK = 1;

/** The body's key for its message list. */
export function listKeyOf(body: JsonObject, format?: FormatName): string | undefined {
  const keys = format === undefined ? LIST_KEYS : [formatRules(format).listKey];
  return keys.find((key) => isMessageList(body[key]));
}

/** The message list of a body: under the format's own key, or under whichever key there is. */
export function listOf(body: JsonObject, format?: FormatName): JsonArray | undefined {
  const key = listKeyOf(body, format);
  const list = key === undefined ? undefined : body[key];
  if (isArray(list)) return list;
  // Responses takes a bare string for a single user message.
  const isString = typeof body.input === "string" && body.model !== undefined;
  const shortForm = format === undefined ? "any" : formatRules(format).shortForm;
  if (isString && (shortForm === "any" || shortForm === "list")) return [{ role: "user", content: body.input }];
  return shortForm === "any" || shortForm === "element" ? shortContents(body) : undefined;
}

/** Gemini's SDK takes one content or its pieces: a string, a part, a list of both. Pieces count only beside a `model`: other JSON has `contents` too. */
function shortContents({ contents, model }: JsonObject): JsonArray | undefined {
  if (isObject(contents) && isArray(contents.parts)) return isMessage(contents) ? [contents] : undefined;
  const parts = isArray(contents) ? contents : [contents];
  const isParts = parts.length > 0 && parts.every((part) => typeof part === "string" || isGeminiPart(part));
  if (!isParts || model === undefined) return undefined;
  return [{ role: "user", parts: parts.map((part) => (typeof part === "string" ? { text: part } : (part ?? null))) }];
}

/** A list that is made of messages; a few entries of other kinds, which recorders slip in, do not change that. */
export function isMessageList(value: JsonValue | undefined): value is JsonArray {
  if (!isArray(value) || value.length === 0) return false;
  const messageCount = value.reduce((count: number, item) => (isMessage(item) ? count + 1 : count), 0);
  return messageCount > 0 && messageCount * 2 >= value.length;
}

const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function", "model"]);

export function isMessage(value: JsonValue | undefined): value is JsonObject {
  if (!isObject(value)) return false;
  if (isArray(value.parts) && value.content === undefined) return isContent(value, value.parts);
  if (isTypedResponsesItem(value)) return true;
  const says = value.content !== undefined || value.tool_calls !== undefined || value.function_call !== undefined;
  return ROLES.has(stringOf(value.role) ?? "") && says && !isObject(value.content);
}

/** Gemini's own roles, then the names that recorders use for the model. */
const CONTENT_ROLES: ReadonlySet<string> = new Set(["user", "model", "function", "tool", "", "gemini", "assistant"]);

/** A Gemini content. Its role is optional, and its parts have no `type`, unlike those of other formats. */
function isContent({ role = null }: JsonObject, parts: JsonArray): boolean {
  if (parts.some((part) => isObject(part) && typeof part.type === "string")) return false;
  return role === null ? parts.length > 0 && parts.every(isGeminiPart) : CONTENT_ROLES.has(stringOf(role) ?? "?");
}

const PART_KEYS = ["text", "inlineData", "inline_data", "fileData", "file_data", "functionCall", "functionResponse"];

function isGeminiPart(part: JsonValue | undefined): boolean {
  return isObject(part) && part.type === undefined && PART_KEYS.some((key) => part[key] !== undefined);
}

export function detectFormat(body: JsonObject | JsonArray): FormatName {
  const scores = CANDIDATES.map((name) => ({ name, score: scoreOf(body, name) }));
  return scores.reduce((best, other) => (other.score > best.score ? other : best)).name;
}

/** Whether a body or list can be read as `format`: it has the list, and shows nothing that belongs to another alone. */
export function fitsFormat(body: JsonObject | JsonArray, format: FormatName): boolean {
  if (isObject(body) && listOf(body, format) === undefined) return false;
  const foreign = FORMAT_NAMES.some((name) => name !== format && scoreOf(body, name) >= STRONG);
  return !foreign || scoreOf(body, format) >= STRONG;
}

function scoreOf(body: JsonObject | JsonArray, format: FormatName): number {
  const rules = formatRules(format);
  const list = isObject(body) ? (listOf(body) ?? []) : body;
  let score = isObject(body) ? bodyScore(body, rules) : 0;
  for (const message of list) if (isObject(message)) score += messageScore(message, format);
  return score;
}

function bodyScore(body: JsonObject, { features, listKey, toolsKey }: FormatRules): number {
  const given = body[toolsKey];
  const tools = isArray(given) ? given.filter(isObject) : [];
  const toolHits = features.toolKeys.filter((key) => tools.some((tool) => tool[key] !== undefined)).length;
  const listKeyIsOwn = listKey !== "messages" && body[listKey] !== undefined;
  const keyHits = features.bodyKeys.filter((key) => body[key] !== undefined).length;
  const { modelPrefix } = features;
  const isOwnModel = modelPrefix !== undefined && stringOf(body.model)?.startsWith(modelPrefix) && isLikelyOwn(body);
  return (listKeyIsOwn ? STRONG : 0) + toolHits * STRONG + (keyHits + (isOwnModel ? 1 : 0)) * WEAK;
}

function isLikelyOwn(body: JsonObject): boolean {
  if (body.max_tokens !== undefined) return true;
  return (listOf(body) ?? []).some((item) => isObject(item) && isArray(item.content));
}

function messageScore(message: JsonObject, format: FormatName): number {
  const { features, granularity } = formatRules(format);
  let score = features.roles.includes(stringOf(message.role) ?? "") ? (message.role === "system" ? WEAK : STRONG) : 0;
  // Some keep the parts of another kind of list beside the content that providers take.
  const keys =
    message.content === undefined ? features.messageKeys : features.messageKeys.filter((key) => key !== "parts");
  score += keys.filter((key) => (message[key] ?? null) !== null).length * STRONG;
  if (granularity === "one" && isTypedResponsesItem(message)) score += STRONG;
  const blocks = isArray(message.content) ? message.content : [];
  for (const block of blocks) {
    if (isObject(block) && isOwnBlock(block, features)) score += STRONG;
  }
  return score;
}

function isOwnBlock(block: JsonObject, { blockTypes, blockKeys = [] }: FormatRules["features"]): boolean {
  if (block.type !== undefined) return blockTypes.includes(stringOf(block.type) ?? "");
  return blockKeys.some((key) => block[key] !== undefined);
}

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
function isTypedResponsesItem(item: JsonObject): boolean {
  return item.type !== undefined && item.type !== "message" && isResponsesItem(item);
}

export function isModelItem(item: JsonValue | undefined): boolean {
  if (!isObject(item)) return false;
  return item.role === "assistant" || MODEL_ITEMS.has(stringOf(item.type) ?? "");
}
