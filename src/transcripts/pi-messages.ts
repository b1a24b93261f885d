/**
 * One pi or OpenClaw entry as Anthropic content. Reasoning signed by another provider becomes text, call ids are
 * brought to the characters Anthropic allows, and records that pi shows the model as user text are rendered as such.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { blocksOf, type Entry } from "./assemble-messages.ts";
import { plainText, textBlock } from "./recorded-text.ts";
import { piUsage } from "./recorded-usage.ts";

export const PI_ROLES: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "toolResult",
  "bashExecution",
  "custom",
  "branchSummary",
  "compactionSummary",
]);

/** What an entry of the session says to the model; nothing for entries that only record settings. */
export function entryOf(record: JsonObject, carried: boolean): Entry | undefined {
  switch (record.type) {
    case "message":
      return isObject(record.message) ? messageEntry(record.message, carried) : undefined;
    case "custom_message":
      return userEntry(record.content);
    case "branch_summary":
      return summaryEntry(record, "Summary of a branch that was left");
    default:
      return undefined;
  }
}

export function summaryEntry(record: JsonObject, heading: string): Entry | undefined {
  const summary = stringOf(record.summary) ?? "";
  return summary.trim() === "" ? undefined : userEntry(`${heading}:\n\n<summary>\n${summary}\n</summary>`);
}

function messageEntry(message: JsonObject, carried: boolean): Entry | undefined {
  switch (message.role) {
    case "user":
    case "custom":
      return userEntry(message.content);
    case "assistant":
      return assistantEntry(message, carried);
    case "toolResult":
      return { role: "user", blocks: [toolResult(message)] };
    case "bashExecution":
      return message.excludeFromContext === true ? undefined : userEntry(bashText(message));
    case "branchSummary":
      return summaryEntry(message, "Summary of a branch that was left");
    case "compactionSummary":
      return summaryEntry(message, "Summary of the conversation so far");
    default:
      return undefined;
  }
}

function userEntry(content: JsonValue | undefined): Entry {
  return { role: "user", blocks: blocksOf(content).map(contentBlock) };
}

function assistantEntry(message: JsonObject, carried: boolean): Entry {
  const model = stringOf(message.model);
  const usage = piUsage(message.usage);
  const isAnthropic = (message.api ?? "anthropic-messages") === "anthropic-messages";
  return {
    role: "assistant",
    blocks: blocksOf(message.content).flatMap((block) => assistantBlock(block, isAnthropic)),
    carried,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  };
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
  return thinking.trim() === "" ? [] : [textBlock(thinking)];
}

/** Text and images; blocks that are Anthropic's own already pass as they are. */
function contentBlock(block: JsonObject): JsonObject {
  if (block.type === "text") return textBlock(stringOf(block.text) ?? "");
  if (block.type !== "image" || block.source !== undefined) return block;
  const mediaType = stringOf(block.mimeType) ?? "image/png";
  return { type: "image", source: { type: "base64", media_type: mediaType, data: stringOf(block.data) ?? "" } };
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
  const output = plainText(message.output);
  const exitCode = message.exitCode;
  const ending =
    message.cancelled === true
      ? "\n(cancelled)"
      : typeof exitCode === "number" && exitCode !== 0
        ? `\n(exit code ${exitCode})`
        : "";
  return `The user ran \`${stringOf(message.command) ?? ""}\`:\n\n${output === "" ? "(no output)" : output}${ending}`;
}

/** Anthropic's rule for ids: letters, digits, `_` and `-`, at most this many. */
const CALL_ID_LENGTH_MAX = 64;

function callId(id: JsonValue | undefined): string {
  return (stringOf(id) ?? "").replaceAll(/[^\w-]/g, "_").slice(0, CALL_ID_LENGTH_MAX);
}

/** The entry with its content replaced, as a `context_edit` asks. */
export function withReplacement(record: JsonObject, replacement: JsonValue): JsonObject {
  if (isObject(replacement) && replacement.type === record.type) return replacement;
  if (isObject(replacement) && replacement.role !== undefined) return { ...record, message: replacement };
  if (!isObject(record.message)) return { ...record, content: replacement };
  const content = isObject(replacement) && isArray(replacement.content) ? replacement.content : replacement;
  return { ...record, message: { ...record.message, content } };
}
