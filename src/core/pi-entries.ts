/**
 * Entries of a pi or OpenClaw session: which of them count, and their content for the model, in Anthropic's form.
 * Reasoning signed by another provider becomes text, call ids get the characters that Anthropic allows, and records
 * that pi shows the model as user text become user text.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "./json.ts";

interface PiContent {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
}

/** Undefined for entries that only record settings. */
export function piContent(record: JsonObject): PiContent | undefined {
  switch (record.type) {
    case "message":
      return isObject(record.message) ? messageContent(record.message) : undefined;
    case "custom_message":
      return userContent(record.content);
    case "branch_summary":
      return piSummary(record, "branch");
    default:
      return undefined;
  }
}

/** pi's own wording, so that a provider's cached prefix stays the same, and a summary is recognised. */
const HEADINGS = {
  compaction: "The conversation history before this point was compacted into the following summary",
  branch: "Summary of a branch that was left",
} as const;

export function piSummary(record: JsonObject, kind: keyof typeof HEADINGS): PiContent | undefined {
  const summary = stringOf(record.summary) ?? "";
  return summary.trim() === "" ? undefined : userContent(`${HEADINGS[kind]}:\n\n<summary>\n${summary}\n</summary>`);
}

function messageContent(message: JsonObject): PiContent | undefined {
  switch (message.role) {
    case "user":
    case "custom":
      return userContent(message.content);
    case "assistant":
      return assistantContent(message);
    case "toolResult":
      return { role: "user", blocks: [toolResult(message)] };
    case "bashExecution":
      return message.excludeFromContext === true ? undefined : userContent(bashText(message));
    case "branchSummary":
      return piSummary(message, "branch");
    case "compactionSummary":
      return piSummary(message, "compaction");
    default:
      return undefined;
  }
}

function userContent(content: JsonValue | undefined): PiContent {
  return { role: "user", blocks: blocksOf(content).map(contentBlock) };
}

function assistantContent(message: JsonObject): PiContent {
  const isAnthropic = (message.api ?? "anthropic-messages") === "anthropic-messages";
  const blocks = blocksOf(message.content).flatMap((block) => assistantBlock(block, isAnthropic));
  return { role: "assistant", blocks };
}

function assistantBlock(block: JsonObject, isAnthropic: boolean): readonly JsonObject[] {
  if (block.type === "toolCall") {
    const input = isObject(block.arguments) ? block.arguments : {};
    return [{ type: "tool_use", id: callId(block.id), name: stringOf(block.name) ?? "unknown", input }];
  }
  if (block.type !== "thinking") return [contentBlock(block)];
  const thinking = stringOf(block.thinking) ?? "";
  const signature = stringOf(block.thinkingSignature) ?? stringOf(block.signature);
  if (isAnthropic && signature !== undefined) {
    return [
      block.redacted === true
        ? { type: "redacted_thinking", data: signature }
        : { type: "thinking", thinking, signature },
    ];
  }
  return thinking.trim() === "" ? [] : [{ type: "text", text: thinking }];
}

/** Text and images; blocks in Anthropic's form pass unchanged, except a result in another form. */
function contentBlock(block: JsonObject): JsonObject {
  if (block.type === "tool_result" && typeof block.content !== "string") return ownResult(block);
  if (block.type === "text") return { type: "text", text: stringOf(block.text) ?? "" };
  if (block.type !== "image" || block.source !== undefined) return block;
  const mediaType = stringOf(block.mimeType) ?? "image/png";
  return { type: "image", source: { type: "base64", media_type: mediaType, data: stringOf(block.data) ?? "" } };
}

function ownResult({ content: before, ...block }: JsonObject): JsonObject {
  const content = blocksOf(before).map(contentBlock);
  return content.length === 0 ? block : { ...block, content };
}

function toolResult(message: JsonObject): JsonObject {
  const content = blocksOf(message.content).map(contentBlock);
  return {
    type: "tool_result",
    tool_use_id: callId(message.toolCallId),
    ...(content.length === 0 ? {} : { content }),
    ...(message.isError === true ? { is_error: true } : {}),
  };
}

function bashText(message: JsonObject): string {
  const output = textIn(message.output);
  const exitCode = message.exitCode;
  const ending =
    message.cancelled === true
      ? "\n(cancelled)"
      : typeof exitCode === "number" && exitCode !== 0
        ? `\n(exit code ${exitCode})`
        : "";
  return `The user ran \`${stringOf(message.command) ?? ""}\`:\n\n${output === "" ? "(no output)" : output}${ending}`;
}

/** The most characters of an Anthropic id, which has letters, digits, `_` and `-`. */
const CALL_ID_LENGTH_MAX = 64;

function callId(id: JsonValue | undefined): string {
  return (stringOf(id) ?? "").replaceAll(/[^\w-]/g, "_").slice(0, CALL_ID_LENGTH_MAX);
}

/** A string is one text block; blank text is left out, because the provider refuses it. */
function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  if (content === undefined || content === null) return [];
  // A tool may return any JSON.
  if (!isArray(content)) return [{ type: "text", text: JSON.stringify(content) }];
  return content
    .filter(isObject)
    .filter((block) => block.type !== "text" || (stringOf(block.text) ?? "").trim() !== "");
}

function textIn(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return blocksOf(content)
    .flatMap((block) => stringOf(block.text) ?? [])
    .join("\n");
}

/** The entry with its content replaced, as a `context_edit` asks. */
export function withReplacement(record: JsonObject, replacement: JsonValue): JsonObject {
  if (isObject(replacement) && replacement.type === record.type) return replacement;
  if (isObject(replacement) && replacement.role !== undefined) return { ...record, message: replacement };
  if (!isObject(record.message)) return { ...record, content: replacement };
  const content = isObject(replacement) && isArray(replacement.content) ? replacement.content : replacement;
  return { ...record, message: { ...record.message, content } };
}

const HEADERS: ReadonlySet<string> = new Set(["session", "session_start"]);

export function isPiHeader(record: JsonObject): boolean {
  return HEADERS.has(stringOf(record.type) ?? "");
}

/** The positions of the entries in force among the records, oldest first: the path from the last entry to the root. */
export function livePath(records: readonly JsonObject[]): readonly number[] {
  const position = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const id = stringOf(record.id);
    if (id !== undefined) position.set(id, index);
  }
  const path: number[] = [];
  const seen = new Set<number>();
  let index = records.length - 1;
  while (index >= 0 && !seen.has(index)) {
    seen.add(index);
    const record = records[index];
    if (record === undefined || isPiHeader(record)) break;
    path.push(index);
    if (record.parentId === null) break;
    // An entry without a parent in the file follows the one before it.
    index = position.get(stringOf(record.parentId) ?? "") ?? index - 1;
  }
  return path.reverse();
}
