/**
 * One Claude Code record reduced to what a conversation needs; copies such as `toolUseResult` are not kept.
 * The format is undocumented, so every field may be absent. Reads the files and the `stream-json` output alike.
 */

import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";
import { blocksOf } from "./assemble-messages.ts";
import { type Counter, recordedUsage } from "./transcript.ts";

export interface Line {
  /** Position among the lines of the file. */
  readonly index: number;
  readonly uuid: string;
  /** Null at a root; undefined where the record does not say. */
  readonly parent: string | null | undefined;
  /** Absent on records that only link others together. */
  readonly role?: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** The id of the line that repeats a queued prompt, where the file holds one. */
  readonly waitedAs?: string | undefined;
  readonly isSummary: boolean;
  readonly boundary?: Boundary;
  readonly isSidechain: boolean;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
}

export interface Boundary {
  readonly logicalParent?: string | undefined;
  readonly trigger?: string | undefined;
  readonly tokensBefore?: number | undefined;
  readonly preserved: Preserved;
}

/** Messages carried over behind the summary: named one by one, or as a stretch of the tree. */
interface Preserved {
  readonly uuids: readonly string[];
  readonly head?: string;
  readonly tail?: string;
}

/** Written beside the conversation and no part of it. */
const SIDE_RECORDS: ReadonlySet<string> = new Set([
  "agent-color",
  "agent-name",
  "agent-setting",
  "ai-title",
  "attachment",
  "attribution-snapshot",
  "content-replacement",
  "custom-title",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "rate_limit_event",
  "result",
  "saved_hook_context",
  "stream_event",
  "summary",
  "system",
  "tag",
  "task-summary",
  "tool_use_summary",
  "worktree-state",
]);

export function readLine(record: JsonObject, index: number, counter: Counter): Line {
  const type = stringOf(record.type) ?? "(none)";
  const message = isObject(record.message) ? record.message : undefined;
  const isMessage = (type === "user" || type === "assistant") && message !== undefined;
  if (!isMessage && !SIDE_RECORDS.has(type)) counter.unknown(type);
  const line: Line = {
    index,
    uuid: stringOf(record.uuid) ?? `line-${index}`,
    parent: record.parentUuid === null ? null : stringOf(record.parentUuid),
    blocks: [],
    isSummary: record.isCompactSummary === true,
    isSidechain: record.isSidechain === true || typeof record.parent_tool_use_id === "string",
    agentId: stringOf(record.agentId) ?? stringOf(record.parent_tool_use_id),
    sessionId: stringOf(record.sessionId) ?? stringOf(record.session_id),
  };
  // `isMeta` user lines (skill texts, hook output, caveats) are hidden from the user and sent to the model: they stay.
  if (isMessage && type === "user") return { ...line, role: "user", blocks: blocksOf(message.content) };
  if (isMessage) return { ...line, ...assistantFields(record, message) };
  if (type === "attachment") return { ...line, ...queuedPrompt(record.attachment) };
  if (type !== "system") return line;
  if (record.subtype === "compact_boundary") return { ...line, boundary: readBoundary(record) };
  // Commands that the user ran inside the client are sent along as user text.
  if (record.subtype === "local_command") return { ...line, role: "user", blocks: blocksOf(record.content) };
  return line;
}

/** A prompt that the user typed while the model worked is sent with the next results. It rarely has a line of its own. */
function queuedPrompt(attachment: JsonValue | undefined): Partial<Line> {
  if (!isObject(attachment) || attachment.type !== "queued_command") return {};
  const blocks = blocksOf(attachment.prompt);
  return blocks.length === 0 ? {} : { role: "user", blocks, waitedAs: stringOf(attachment.source_uuid) };
}

function assistantFields(record: JsonObject, message: JsonObject): Partial<Line> {
  const model = stringOf(message.model);
  // Error notices and fillers that the client wrote itself are never sent to the model.
  if (record.isApiErrorMessage === true || model === "<synthetic>") return {};
  const usage = recordedUsage(message.usage);
  return { role: "assistant", blocks: blocksOf(message.content), responseId: stringOf(message.id), model, usage };
}

function readBoundary(record: JsonObject): Boundary {
  const metadata = [record.compactMetadata, record.compact_metadata].find(isObject) ?? {};
  return {
    logicalParent: stringOf(record.logicalParentUuid),
    trigger: stringOf(metadata.trigger),
    tokensBefore: numberOf(metadata.preTokens ?? metadata.pre_tokens),
    preserved: readPreserved(metadata),
  };
}

function readPreserved(metadata: JsonObject): Preserved {
  const messages = metadata.preservedMessages ?? metadata.preserved_messages;
  const segment = metadata.preservedSegment ?? metadata.preserved_segment;
  const uuids = isObject(messages) && isArray(messages.uuids) ? messages.uuids : [];
  const named = uuids.filter((uuid) => typeof uuid === "string");
  if (named.length > 0 || !isObject(segment)) return { uuids: named };
  const head = stringOf(segment.headUuid ?? segment.head_uuid);
  const tail = stringOf(segment.tailUuid ?? segment.tail_uuid);
  return head === undefined || tail === undefined ? { uuids: [] } : { uuids: [], head, tail };
}
