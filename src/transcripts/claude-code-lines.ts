/**
 * One Claude Code record reduced to what a conversation needs; copies such as `toolUseResult` are let go at once.
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
  readonly responseId?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The line that a prompt which waited has of its own, where the file holds one. */
  readonly waitedAs?: string;
  readonly isSummary: boolean;
  readonly boundary?: Boundary;
  readonly isSidechain: boolean;
  readonly agentId?: string;
  readonly sessionId?: string;
}

export interface Boundary {
  readonly logicalParent?: string;
  readonly trigger?: string;
  readonly tokensBefore?: number;
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
  const agentId = stringOf(record.agentId) ?? stringOf(record.parent_tool_use_id);
  const sessionId = stringOf(record.sessionId) ?? stringOf(record.session_id);
  const line: Line = {
    index,
    uuid: stringOf(record.uuid) ?? `line-${index}`,
    parent: record.parentUuid === null ? null : stringOf(record.parentUuid),
    blocks: [],
    isSummary: record.isCompactSummary === true,
    isSidechain: record.isSidechain === true || typeof record.parent_tool_use_id === "string",
    ...(agentId === undefined ? {} : { agentId }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  if (isMessage) return { ...line, ...(type === "user" ? userFields(message) : assistantFields(record, message)) };
  if (type === "attachment") return { ...line, ...queuedPrompt(record.attachment) };
  if (type !== "system") return line;
  if (record.subtype === "compact_boundary") return { ...line, boundary: readBoundary(record) };
  // Commands that the user ran inside the client are sent along as user text.
  if (record.subtype === "local_command") return { ...line, role: "user", blocks: blocksOf(record.content) };
  return line;
}

/** `isMeta` user lines (skill texts, hook output, caveats) are hidden from the user and sent to the model: they stay. */
function userFields(message: JsonObject): Partial<Line> {
  return { role: "user", blocks: blocksOf(message.content) };
}

/** What the user typed while the model was at work is sent with the next results, and seldom stands in a line of its own. */
function queuedPrompt(attachment: JsonValue | undefined): Partial<Line> {
  if (!isObject(attachment) || attachment.type !== "queued_command") return {};
  const blocks = blocksOf(attachment.prompt);
  const waitedAs = stringOf(attachment.source_uuid);
  if (blocks.length === 0) return {};
  return { role: "user", blocks, ...(waitedAs === undefined ? {} : { waitedAs }) };
}

function assistantFields(record: JsonObject, message: JsonObject): Partial<Line> {
  const model = stringOf(message.model);
  // Error notices and fillers that the client wrote itself are never sent to the model.
  if (record.isApiErrorMessage === true || model === "<synthetic>") return {};
  const responseId = stringOf(message.id);
  const usage = recordedUsage(message.usage);
  return {
    role: "assistant",
    blocks: blocksOf(message.content),
    ...(responseId === undefined ? {} : { responseId }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function readBoundary(record: JsonObject): Boundary {
  const metadata = [record.compactMetadata, record.compact_metadata].find(isObject) ?? {};
  const logicalParent = stringOf(record.logicalParentUuid);
  const trigger = stringOf(metadata.trigger);
  const tokensBefore = numberOf(metadata.preTokens ?? metadata.pre_tokens);
  return {
    ...(logicalParent === undefined ? {} : { logicalParent }),
    ...(trigger === undefined ? {} : { trigger }),
    ...(tokensBefore === undefined ? {} : { tokensBefore }),
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
