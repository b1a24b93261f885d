/** One session in figures: its context over time, its compactions, what it is known by. From recorded requests, else from the log. */

import type { JsonObject } from "../core/json.ts";
import type { CompactionEvent, SessionState, StoredMessage } from "../core/store/store.ts";
import { sequenceOf } from "../core/store/store-rules.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { hasTraffic, type RequestRecord } from "../core/store/traffic.ts";
import { headOf } from "../core/text.ts";
import { formatNamed } from "../formats.ts";
import { frameOf } from "../session/session-view.ts";
import { counterOf, decoded } from "./message-rows.ts";
import type { CompactionRow, Series, SessionReport, SessionRow } from "./wire.ts";

export async function sessionReport(store: FullStore, state: SessionState, row: SessionRow): Promise<SessionReport> {
  const events = await Array.fromAsync(store.events(state.id));
  const requests = hasTraffic(store) ? await Array.fromAsync(store.requests(state.id)) : [];
  const frame = frameOf(formatNamed(state.format), state);
  const counter = counterOf(state);
  const systemTokens = counter.countParts(frame.system);
  const toolsTokens = counter.countTools(frame.tools);
  const { archived } = await store.counts(state.id);
  const log = requests.length > 0 ? [] : await Array.fromAsync(store.log(state.id));
  const series =
    requests.length > 0
      ? seriesOfRequests(requests, events)
      : seriesOfMessages({ state, log, events, outside: systemTokens + toolsTokens }, row);
  const now = series.tokens.at(-1);
  const isUnknown = requests.length === 0 && (row.context.isEstimate || row.context.tokens === null);
  return {
    row: isUnknown && now !== undefined ? { ...row, context: { ...row.context, tokens: now, isEstimate: true } } : row,
    format: state.format,
    createdAt: state.createdAt,
    parentId: state.parentId,
    facts: factsIn(state.metadata),
    systemTokens,
    toolsTokens,
    archived,
    series,
    compactions: events.map((event) => compactionRow(event, events)),
  };
}

const FACTS_MAX = 40;
const FACT_CHARACTERS = 400;

function factsIn(metadata: JsonObject): readonly (readonly [string, string])[] {
  return Object.entries(metadata)
    .flatMap(([name, value]) =>
      typeof value === "string" || typeof value === "number" ? [[name, `${value}`] as const] : [],
    )
    .map((fact) => [headOf(fact[0], FACT_CHARACTERS), headOf(fact[1], FACT_CHARACTERS)] as const)
    .slice(0, FACTS_MAX);
}

export function compactionRow(event: CompactionEvent, events: readonly CompactionEvent[]): CompactionRow {
  const { id, number, createdAt, trigger, strategy, profile, originalTokens, compactedTokens, messagesRemoved } = event;
  const { isCompaction, modelUsed, calls, costUsd, durationMs, undoneAt, purgedAt, instructions } = event;
  const later = events.filter((each) => each.number > number && each.undoneAt === null).length;
  return {
    ...{
      id,
      number,
      at: createdAt,
      trigger,
      strategy,
      profile,
      removed: messagesRemoved,
      isCompaction,
      calls,
      costUsd,
    },
    ...{ durationMs, undoneAt, purgedAt, instructions, model: modelUsed, later },
    ...{ tokensBefore: originalTokens, tokensAfter: compactedTokens },
  };
}

function seriesOfRequests(requests: readonly RequestRecord[], events: readonly CompactionEvent[]): Series {
  const numbers = new Map(events.map(({ id, number }) => [id, number]));
  const inputOf = ({ inputTokens, viewTokens }: RequestRecord): number => inputTokens ?? viewTokens;
  const read = requests.map(({ cacheReadTokens }) => cacheReadTokens ?? 0);
  const written = requests.map(({ cacheWriteTokens }) => cacheWriteTokens ?? 0);
  return {
    of: "requests",
    at: requests.map(({ at }) => at),
    tokens: requests.map(inputOf),
    full: requests.map((request) => Math.max(request.fullTokens, inputOf(request))),
    window: requests.map(({ windowTokens }) => windowTokens),
    trigger: requests.map(({ triggerTokens }) => triggerTokens),
    read,
    written,
    plain: requests.map((request, index) =>
      request.inputTokens === null ? 0 : Math.max(0, request.inputTokens - (read[index] ?? 0) - (written[index] ?? 0)),
    ),
    marks: requests.flatMap(({ eventId }, place) =>
      eventId === null ? [] : [{ place, eventId, label: String(numbers.get(eventId) ?? "?") }],
    ),
  };
}

interface Logged {
  readonly state: SessionState;
  readonly log: readonly StoredMessage[];
  readonly events: readonly CompactionEvent[];
  /** Tokens of the prompt and the tools. */
  readonly outside: number;
}

/** What changes the view beside an appended message: a compaction, or one that was undone. */
interface Turning {
  readonly after: number;
  readonly at: string;
  readonly event: CompactionEvent;
  readonly isUndoing: boolean;
}

/** An estimate: the view grows by each message, and falls to what each compaction said that it left. */
function seriesOfMessages({ state, log, events, outside }: Logged, row: SessionRow): Series {
  const counter = counterOf(state);
  const appended = log.filter(({ madeBy }) => madeBy === null);
  const sizes = decoded(formatNamed(state.format), appended).map(counter.count);
  const turnings = events.flatMap((event): readonly Turning[] => {
    const { createdAt, undoneAt } = event;
    const done = { after: lastSeen(event, log), at: createdAt, event, isUndoing: false };
    return undoneAt === null
      ? [done]
      : [done, { after: lastBefore(appended, undoneAt), at: undoneAt, event, isUndoing: true }];
  });
  const waiting = turnings.toSorted((a, b) => a.after - b.after || (a.at < b.at ? -1 : 1));
  const [at, tokens, full]: [string[], number[], number[]] = [[], [], []];
  const marks: Series["marks"][number][] = [];
  let [view, whole, next] = [outside, outside, 0];
  const put = (time: string): void => {
    at.push(time);
    tokens.push(Math.max(0, Math.round(view)));
    full.push(Math.round(whole));
  };
  const turn = (sequence: number): void => {
    for (let turning = waiting[next]; turning !== undefined && turning.after <= sequence; turning = waiting[++next]) {
      const { event, isUndoing } = turning;
      view = isUndoing ? view + event.originalTokens - event.compactedTokens : event.compactedTokens;
      put(turning.at);
      if (!isUndoing) marks.push({ place: at.length - 1, eventId: event.id, label: String(event.number) });
    }
  };
  for (const [index, { sequence, createdAt }] of appended.entries()) {
    turn(sequence - 1);
    view += sizes[index] ?? 0;
    whole += sizes[index] ?? 0;
    put(createdAt);
  }
  turn(Infinity);
  const none = at.map(() => 0);
  const window = at.map(() => row.context.windowTokens);
  const trigger = at.map(() => row.context.triggerTokens);
  return { of: "messages", at, tokens, full, window, trigger, read: none, written: none, plain: none, marks };
}

/** The last message that stood in the view when it was compacted. */
function lastSeen({ id, preservedMessageIds, createdAt }: CompactionEvent, log: readonly StoredMessage[]): number {
  const gone = log
    .filter(({ archivedBy, madeBy }) => archivedBy === id && madeBy !== id)
    .map(({ sequence }) => sequence);
  const kept = preservedMessageIds.map((messageId) => sequenceOf(messageId) ?? 0);
  const seen = [...gone, ...kept].reduce((most, sequence) => Math.max(most, sequence), 0);
  return seen > 0 ? seen : lastBefore(log, createdAt);
}

function lastBefore(log: readonly StoredMessage[], at: string): number {
  return log.findLast(({ createdAt }) => createdAt <= at)?.sequence ?? 0;
}
