/**
 * Codex rollouts (`sessions/…/rollout-*.jsonl`, and the older files of bare items) as Responses items. Items that the
 * API does not know, such as ghost snapshots, are left out; user interface events tell usage and nothing else.
 */

import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  numberOf,
  present,
  stringOf,
} from "../core/json.ts";
import { isModelItem, isResponsesItem } from "./detect-format.ts";
import {
  type Counter,
  distinct,
  plainText,
  type RecordedCall,
  type RecordedCompaction,
  type RecordedConversation,
  recordedUsage,
} from "./transcript.ts";

export function readCodex(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[] {
  const rollout: Rollout = {
    id: undefined,
    instructions: undefined,
    items: [],
    closed: [],
    models: [],
    calls: [],
    compactions: [],
    countedItems: 0,
    lastTotal: "",
    lastInputTokens: undefined,
  };
  for (const record of records) readRecord(rollout, record, counter);
  const segments = [...rollout.closed, rollout.items];
  if (segments.every((items) => items.length === 0)) return [];
  const model = rollout.models.at(-1);
  return [
    {
      id: rollout.id ?? "session",
      label: "main",
      format: "openai-responses",
      body: {
        ...present({ model, instructions: rollout.instructions }),
        input: rollout.items,
      },
      models: distinct(rollout.models),
      calls: rollout.calls,
      segments: segments.map((messages) => ({ messages })),
      compactions: rollout.compactions,
    },
  ];
}

interface Rollout {
  id: string | undefined;
  instructions: string | undefined;
  items: JsonValue[];
  readonly closed: JsonArray[];
  readonly models: string[];
  calls: RecordedCall[];
  readonly compactions: RecordedCompaction[];
  /** Items up to here were the input or answer of calls already counted. */
  countedItems: number;
  lastTotal: string;
  /** Input size of the newest call, which is what a compaction found. */
  lastInputTokens: number | undefined;
}

function readRecord(rollout: Rollout, record: JsonObject, counter: Counter): void {
  const type = stringOf(record.type) ?? "(none)";
  const { payload } = record;
  if (!isObject(payload)) readBareRecord(rollout, record, counter);
  else if (type === "session_meta") readMeta(rollout, payload);
  else if (type === "turn_context") rollout.models.push(...distinct([stringOf(payload.model)]));
  else if (type === "response_item") addItem(rollout, payload, counter);
  else if (type === "compacted") compact(rollout, payload);
  else if (type === "event_msg") readEvent(rollout, payload);
  else if (!SIDE_RECORDS.has(type)) counter.unknown(type);
}

/** State of the client, never sent. */
const SIDE_RECORDS: ReadonlySet<string> = new Set(["world_state", "inter_agent_communication_metadata"]);

/** The older form: a header without a type, then the items themselves. */
function readBareRecord(rollout: Rollout, record: JsonObject, counter: Counter): void {
  if (record.record_type !== undefined) return;
  if (record.type !== undefined || record.role !== undefined) addItem(rollout, record, counter);
  else if (record.id !== undefined) readMeta(rollout, record);
  else counter.unknown("(none)");
}

function readMeta(rollout: Rollout, meta: JsonObject): void {
  const base = meta.base_instructions;
  rollout.id ??= stringOf(meta.id) ?? stringOf(meta.session_id);
  rollout.instructions ??= (isObject(base) ? stringOf(base.text) : stringOf(base)) ?? stringOf(meta.instructions);
}

function addItem(rollout: Rollout, item: JsonObject, counter: Counter): void {
  if (isResponsesItem(item)) rollout.items.push(asSent(item));
  else if (item.type !== "ghost_snapshot") counter.unknown(`response_item ${stringOf(item.type) ?? "(none)"}`);
}

/** Codex keeps notes of its own on items, which the API would refuse. */
function asSent(item: JsonObject): JsonObject {
  const notes = ["internal_chat_message_metadata_passthrough", "metadata", "timestamp"];
  if (!notes.some((key) => key in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([key]) => !notes.includes(key)));
}

function compact(rollout: Rollout, payload: JsonObject): void {
  const history = payload.replacement_history;
  const summary = stringOf(payload.message) ?? "";
  rollout.closed.push(rollout.items);
  rollout.compactions.push({
    afterSegment: rollout.closed.length - 1,
    ...present({ tokensBefore: rollout.lastInputTokens, summary: summary || undefined }),
  });
  rollout.items = isArray(history)
    ? history.filter(isObject).filter(isResponsesItem).map(asSent)
    : summaryItem(summary);
  rollout.countedItems = rollout.items.length;
  rollout.lastInputTokens = undefined;
}

function summaryItem(summary: string): JsonValue[] {
  if (summary === "") return [];
  return [{ type: "message", role: "user", content: [{ type: "input_text", text: summary }] }];
}

function readEvent(rollout: Rollout, event: JsonObject): void {
  if (event.type === "thread_rolled_back") rollBack(rollout, numberOf(event.num_turns) ?? 0);
  else if (event.type === "token_count" && isObject(event.info)) countCall(rollout, event.info);
}

/** The event is repeated when rate limits change: only a new total is a new call, and only items of its own answer it. */
function countCall(rollout: Rollout, info: JsonObject): void {
  const usage = recordedUsage(info.last_token_usage);
  const total = JSON.stringify(info.total_token_usage ?? info.last_token_usage ?? null);
  if (usage === undefined || total === rollout.lastTotal) return;
  rollout.lastTotal = total;
  rollout.lastInputTokens = usage.inputTokens;
  let answerStart = rollout.items.length;
  const isAnswer = () => answerStart > rollout.countedItems && isModelItem(rollout.items[answerStart - 1]);
  while (answerStart > rollout.countedItems && !isAnswer()) answerStart -= 1;
  if (!isAnswer()) return;
  while (isAnswer()) answerStart -= 1;
  const model = rollout.models.at(-1);
  rollout.calls.push({
    segment: rollout.closed.length,
    messageCount: answerStart,
    ...present({ model }),
    usage,
  });
  rollout.countedItems = rollout.items.length;
}

/** The user took back their last turns: everything from the first of them on is gone, and the calls that answered them. */
function rollBack(rollout: Rollout, turns: number): void {
  for (let left = turns; left > 0; left -= 1) {
    const start = rollout.items.findLastIndex(isUserTurn);
    if (start === -1) break;
    rollout.items.length = start;
  }
  const { closed, items } = rollout;
  rollout.calls = rollout.calls.filter((call) => call.segment < closed.length || call.messageCount < items.length);
  rollout.countedItems = Math.min(rollout.countedItems, items.length);
}

/** What Codex itself writes as the user (environment, project rules) opens with a tag or a heading. */
function isUserTurn(item: JsonValue): boolean {
  if (!isObject(item) || item.role !== "user") return false;
  return !/^\s*(<[a-z_]+>|# AGENTS\.md)/.test(plainText(item.content));
}
