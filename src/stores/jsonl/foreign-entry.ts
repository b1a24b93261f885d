/** What an entry of pi or OpenClaw does to a session: one message an entry, their compactions and edits as events like ours. Pure. */

import { isObject, type JsonObject, numberOf, stringOf } from "../../core/json.ts";
import { piContent, piSummary, withReplacement } from "../../core/pi-entries.ts";
import type { UsageCounts } from "../../core/store/counters.ts";
import type { NewEvent } from "../../core/store/store.ts";
import { NO_SUMMARY, ordersBetween } from "../../core/store/store-rules.ts";
import type { CommitRecord, LogMessage, LogRecord } from "../log/records.ts";
import type { Row, SessionLog } from "../log/session-log.ts";

export interface ForeignContext {
  readonly log: SessionLog;
  readonly at: string;
  /** The number of the first message at or behind an entry; undefined when there is no such entry. */
  markOf(entry: JsonObject): number | undefined;
}

/** Undefined for entries that say nothing to the model. */
export function foreignRecord(entry: JsonObject, context: ForeignContext): LogRecord | undefined {
  if (entry.type === "compaction") return compactionRecord(entry, context);
  if (entry.type === "context_edit") return editRecord(entry, context);
  const message = foreignMessage(entry, context.log);
  if (message === undefined) return undefined;
  const said = isObject(entry.message) ? entry.message : {};
  const usage = usageIn(said);
  const turns = said.role === "user" ? 1 : 0;
  return { type: "appended", at: context.at, messages: [message], turns, ...(usage !== undefined && { usage }) };
}

/** As the next message of the log. */
export function foreignMessage(entry: JsonObject, log: SessionLog): LogMessage | undefined {
  const body = foreignBody(entry);
  if (body === undefined) return undefined;
  const sequence = log.sequence + 1;
  const own = stringOf(entry.id) ?? "";
  const id = own === "" || log.rows.has(own) ? `m${sequence}` : own;
  return { id, sequence, order: sequence, role: body.role, body: { ...body }, isPinned: false };
}

/** What answers of one entry say, as Anthropic messages; thinking alone is nothing that could be sent. */
export function foreignBody(
  entry: JsonObject,
): { role: "user" | "assistant"; content: readonly JsonObject[] } | undefined {
  const content = piContent(entry);
  if (content === undefined || content.blocks.every(isThinking)) return undefined;
  return { role: content.role, content: content.blocks };
}

function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function usageIn({ role, usage }: JsonObject): UsageCounts | undefined {
  if (role !== "assistant" || !isObject(usage)) return undefined;
  const { input, cacheRead, cacheWrite, output } = usage;
  const [inputTokens, outputTokens] = [
    [input, cacheRead, cacheWrite].reduce<number>((sum, each) => sum + (numberOf(each) ?? 0), 0),
    numberOf(output) ?? 0,
  ];
  return inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : undefined;
}

function compactionRecord(entry: JsonObject, context: ForeignContext): CommitRecord {
  const { log } = context;
  const mark = context.markOf(entry);
  const firstKept =
    mark === undefined ? undefined : log.view.find((row) => row.sequence >= mark && row.madeBy === null);
  const archived = firstKept === undefined ? log.view : log.view.filter(({ order }) => order < firstKept.order);
  const content = piSummary(entry, "compaction");
  const [order = 0] = ordersBetween(undefined, firstKept?.order, 1);
  const sequence = log.sequence + 1;
  const inserted: readonly LogMessage[] =
    content === undefined
      ? []
      : [
          {
            id: `m${sequence}`,
            sequence,
            order,
            role: "user",
            body: { role: "user", content: content.blocks },
            isPinned: false,
          },
        ];
  const tokensAfter = numberOf(entry.tokensAfter);
  const event = {
    ...eventOf(entry, archived),
    strategy: "summarize",
    compactedTokens: tokensAfter ?? 0,
    isCompaction: true,
    summary: stringOf(entry.summary) ?? "",
    firstKeptId: firstKept?.id ?? null,
  };
  return { ...committed(entry, context, { event, archived }), inserted, totalTokens: tokensAfter ?? null };
}

/** An edit of pi's: another content for an entry, or none. */
function editRecord(entry: JsonObject, context: ForeignContext): CommitRecord | undefined {
  const row = context.log.rows.get(stringOf(entry.targetId) ?? "");
  if (row === undefined || row.archivedBy !== null) return undefined;
  const { replacement = null } = entry;
  if (replacement === null) return committed(entry, context, { event: eventOf(entry, [row]), archived: [row] });
  const shown = { type: "message", message: { role: row.role === "assistant" ? "assistant" : "user" } };
  const body = foreignBody(withReplacement(shown, isObject(replacement) ? (replacement.content ?? null) : replacement));
  if (body === undefined) return undefined;
  const edit = { messageId: row.id, kind: "reshape" as const, body: { ...body } };
  return { ...committed(entry, context, { event: eventOf(entry, []), archived: [] }), edits: [edit] };
}

function committed(
  entry: JsonObject,
  { log, at }: ForeignContext,
  { event, archived }: { readonly event: NewEvent; readonly archived: readonly Row[] },
): CommitRecord {
  return {
    type: "committed",
    at,
    eventId: stringOf(entry.id) ?? `p${log.revision + 1}`,
    event,
    archivedIds: archived.map(({ id }) => id),
    edits: [],
    inserted: [],
    system: log.system,
    passes: { weak: 0, tokensAfter: 0 },
    totalTokens: null,
    isOvertaken: false,
  };
}

/** What a foreign entry says of an event; unknown facts get neutral values. */
function eventOf(entry: JsonObject, archived: readonly Row[]): NewEvent {
  return {
    ...NO_SUMMARY,
    strategy: "prune",
    profile: "pi",
    trigger: "recorded",
    originalTokens: numberOf(entry.tokensBefore) ?? 0,
    compactedTokens: 0,
    messagesRemoved: archived.length,
    preservedMessageIds: [],
    wholeRatio: 1,
    plan: null,
    details: entry.details ?? null,
  };
}
