/**
 * pi and OpenClaw sessions (a tree of entries, or the older flat list) as Anthropic messages. The live branch runs from
 * the last entry to the root; the last compaction on it rules. Aborted answers keep what they said.
 */

import { isObject, type JsonObject, type JsonValue, numberOf, present, stringOf } from "../core/json.ts";
import { isPiHeader, livePath, piContent, piSummary, withReplacement } from "../core/pi-entries.ts";
import { assembleMessages, type Entry } from "./assemble-messages.ts";
import {
  type Counter,
  distinct,
  type RecordedCompaction,
  type RecordedConversation,
  recordedUsage,
} from "./transcript.ts";

export function readPi(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[] {
  const session = readSession(records, counter);
  const path = livePath(session.records).map((index) => session.records[index] ?? {});
  const compactionAt = path.flatMap((record, index) => (record.type === "compaction" ? [index] : []));
  const ends = [...compactionAt, path.length];
  const assembled = ends.map((end, index) => {
    return assembleMessages(entriesBetween(path, compactionAt[index - 1], { end, all: session.records }));
  });
  const last = assembled.at(-1);
  if (last === undefined || assembled.every(({ messages }) => messages.length === 0)) return [];
  const answeredBy = path.map((record) => (isObject(record.message) ? stringOf(record.message.model) : undefined));
  const model = answeredBy.findLast((name) => name !== undefined);
  return [
    {
      id: session.id ?? "session",
      label: "main",
      format: "anthropic-messages",
      body: { ...present({ model }), messages: last.messages },
      models: distinct(answeredBy),
      calls: assembled.flatMap(({ calls }, segment) => calls.map((call) => ({ segment, ...call }))),
      segments: assembled.map(({ messages }) => ({ messages })),
      compactions: compactionAt.map((at, index) => compactionOf(path[at] ?? {}, index)),
    },
  ];
}

interface Session {
  readonly id: string | undefined;
  /** Header included, at its place in the file. */
  readonly records: readonly JsonObject[];
}

/** Entries that tell the model nothing by themselves. */
const SETTINGS: ReadonlySet<string> = new Set([
  "branch_summary",
  "compaction",
  "context_edit",
  "custom",
  "custom_message",
  "label",
  "leaf",
  "model_change",
  "session_info",
  "thinking_level_change",
]);

function readSession(records: Iterable<JsonObject>, counter: Counter): Session {
  const kept: JsonObject[] = [];
  let id: string | undefined;
  for (const record of records) {
    const type = stringOf(record.type) ?? "(none)";
    const role = isObject(record.message) ? stringOf(record.message.role) : undefined;
    if (isPiHeader(record)) id ??= stringOf(record.id);
    else if (type === "message" && !PI_ROLES.has(role ?? "")) counter.unknown(`message ${role ?? "(none)"}`);
    else if (type !== "message" && !SETTINGS.has(type)) counter.unknown(type);
    kept.push(record);
  }
  return { id, records: kept };
}

/** What the model saw between one compaction (none at the beginning) and `end`. */
function entriesBetween(
  path: readonly JsonObject[],
  opening: number | undefined,
  options: { readonly end: number; readonly all: readonly JsonObject[] },
): readonly Entry[] {
  const { end, all } = options;
  const edits = editsUpTo(path, end);
  const compaction = opening === undefined ? undefined : path[opening];
  const start = opening === undefined ? 0 : opening + 1;
  const carriedFrom = compaction === undefined ? start : firstKept(path, compaction, all);
  const summary = compaction === undefined ? undefined : piSummary(compaction, "compaction");
  const carried = path.slice(carriedFrom, opening ?? carriedFrom).map((record) => edited(record, edits, true));
  const own = path.slice(start, end).map((record) => edited(record, edits, false));
  return [summary, ...carried, ...own].filter((entry) => entry !== undefined);
}

/** Older files name the first kept entry by its place in the file. */
function firstKept(path: readonly JsonObject[], compaction: JsonObject, all: readonly JsonObject[]): number {
  const id = stringOf(compaction.firstKeptEntryId);
  const place = numberOf(compaction.firstKeptEntryIndex);
  const named = place === undefined ? undefined : all[place];
  const index = path.findIndex((record) => (id === undefined ? record === named : record.id === id));
  return index === -1 ? path.length : index;
}

function editsUpTo(path: readonly JsonObject[], end: number): ReadonlyMap<string, JsonValue> {
  const edits = new Map<string, JsonValue>();
  for (const record of path.slice(0, end)) {
    const target = record.type === "context_edit" ? stringOf(record.targetId) : undefined;
    if (target !== undefined) edits.set(target, record.replacement ?? null);
  }
  return edits;
}

function edited(record: JsonObject, edits: ReadonlyMap<string, JsonValue>, carried: boolean): Entry | undefined {
  const replacement = edits.get(stringOf(record.id) ?? "");
  if (replacement === undefined) return entryOf(record, carried);
  return replacement === null ? undefined : entryOf(withReplacement(record, replacement), carried);
}

function compactionOf(record: JsonObject, afterSegment: number): RecordedCompaction {
  return {
    afterSegment,
    ...present({ tokensBefore: numberOf(record.tokensBefore), summary: stringOf(record.summary) }),
  };
}

const PI_ROLES: ReadonlySet<string> = new Set([
  "user",
  "assistant",
  "toolResult",
  "bashExecution",
  "custom",
  "branchSummary",
  "compactionSummary",
]);

/** What an entry of the session says to the model; nothing for entries that only record settings. */
function entryOf(record: JsonObject, carried: boolean): Entry | undefined {
  const content = piContent(record);
  if (content?.role !== "assistant" || !isObject(record.message)) return content;
  const { model, usage } = record.message;
  return { ...content, carried, model: stringOf(model), usage: recordedUsage(usage) };
}
