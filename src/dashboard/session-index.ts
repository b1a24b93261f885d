/**
 * All sessions of a store, kept in memory for a list that is sorted, searched and asked for again and again. The store tells newest first, so
 * looking again reads what changed since. What costs more than that is read for the rows of the asked page alone.
 */

import { windowOfModel } from "../compactor/model-facts.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { sessionIdIn } from "../core/store/store-rules.ts";
import type { FullStore, SessionSummary } from "../core/store/store-upkeep.ts";
import { hasTraffic, type RequestTotals } from "../core/store/traffic.ts";
import { headOf } from "../core/text.ts";
import { formatNamed } from "../formats.ts";
import { decoded } from "./message-rows.ts";
import { moneyOf } from "./money.ts";
import type { ContextUse, Money, SessionRow, SessionSort, SessionsPage } from "./wire.ts";

export interface IndexOptions {
  readonly store: FullStore;
  /** Only the sessions with this in their metadata. */
  readonly tenant?: string | undefined;
  readonly now: () => number;
}

export interface PageRequest {
  readonly query: string;
  readonly sort: SessionSort;
  readonly offset: number;
  readonly limit: number;
}

export interface SessionIndex {
  page(request: PageRequest): Promise<SessionsPage>;
  /** Undefined for a session that is not there, or not this tenant's. */
  row(key: string): Promise<SessionRow | undefined>;
  /** The store was changed from here: the next question reads it again. */
  outdated(): void;
}

/** Deleted sessions are noticed only when everything is read again. */
const READ_ALL_MS = 60_000;
/** Several viewers ask at once. */
const READ_AGAIN_MS = 500;
/** A session is active while its prompt cache is warm. */
const ACTIVE_MS = 5 * 60_000;
const TITLE_CHARACTERS = 160;

export function createSessionIndex({ store, tenant, now }: IndexOptions): SessionIndex {
  const known = new Map<string, SessionSummary>();
  const details = createDetails(store);
  const times = { whole: -Infinity, last: -Infinity };
  let reading: Promise<void> | undefined;
  const isSeen = ({ metadata }: SessionSummary): boolean => tenant === undefined || metadata.tenant === tenant;

  const readAgain = async (): Promise<void> => {
    const at = now();
    const isWhole = at - times.whole > READ_ALL_MS || at < times.whole;
    const newest = isWhole ? "" : ([...known.values()][0]?.updatedAt ?? "");
    const fresh = new Map<string, SessionSummary>();
    for await (const summary of store.sessions()) {
      if (summary.updatedAt < newest) break;
      fresh.set(summary.id, summary);
    }
    const older = isWhole ? [] : [...known.values()].filter(({ id }) => !fresh.has(id));
    known.clear();
    for (const summary of [...fresh.values(), ...older]) known.set(summary.id, summary);
    if (isWhole) times.whole = at;
    times.last = at;
  };
  const refresh = async (): Promise<void> => {
    const since = now() - times.last;
    if (since >= 0 && since < READ_AGAIN_MS) return;
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    await reading;
  };
  const rowsOf = async (summaries: readonly SessionSummary[]): Promise<readonly SessionRow[]> => {
    const keys = summaries.map(({ id }) => id);
    const totals = new Map(hasTraffic(store) ? (await store.totals(keys)).map((each) => [each.sessionId, each]) : []);
    const rows: SessionRow[] = [];
    for (const summary of summaries) rows.push(await details.rowOf(summary, totals.get(summary.id), now()));
    return rows;
  };
  return {
    page: async ({ query, sort, offset, limit }) => {
      await refresh();
      const seen = [...known.values()].filter(isSeen);
      const words = query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== "");
      const matching = words.length === 0 ? seen : seen.filter((summary) => holds(summary, words));
      const sorted = sort === "changed" ? matching : matching.toSorted((a, b) => SORTS[sort](b) - SORTS[sort](a));
      const rows = await rowsOf(sorted.slice(offset, offset + limit));
      return { store: store.url, total: seen.length, matching: matching.length, rows };
    },
    row: async (key) => {
      // One that was made a moment ago is looked for at once.
      if (!known.has(key)) times.last = -Infinity;
      await refresh();
      const summary = known.get(key);
      return summary === undefined || !isSeen(summary) ? undefined : (await rowsOf([summary]))[0];
    },
    outdated: () => {
      times.last = -Infinity;
    },
  };
}

const SORTS: Readonly<Record<Exclude<SessionSort, "changed">, (summary: SessionSummary) => number>> = {
  context: ({ totalTokens }) => totalTokens,
  turns: ({ turnCount }) => turnCount,
  compactions: ({ compactionCount }) => compactionCount,
};

function holds({ id, agentId, format, model, metadata }: SessionSummary, words: readonly string[]): boolean {
  const told = Object.values(metadata).filter((value) => typeof value === "string");
  const text = [id, agentId, format, model ?? "", ...told].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** What is read for a row that is shown, and kept until it changes. */
function createDetails(store: FullStore) {
  const titles = new Map<string, string>();
  const money = new Map<string, { readonly requests: number; readonly compactions: number; readonly money: Money }>();
  const titleOf = async ({ id, format }: SessionSummary): Promise<string> => {
    const title = titles.get(id) ?? (await firstWords(store, id, format));
    return title === "" ? title : remember(titles, id, title);
  };
  const spentBy = async ({ id, compactionCount }: SessionSummary, { requests }: RequestTotals): Promise<Money> => {
    const before = money.get(id);
    if (before?.requests === requests && before.compactions === compactionCount) return before.money;
    const records = hasTraffic(store) ? await Array.fromAsync(store.requests(id)) : [];
    const events = await Array.fromAsync(store.events(id));
    return remember(money, id, { requests, compactions: compactionCount, money: moneyOf(records, events) }).money;
  };
  const rowOf = async (
    summary: SessionSummary,
    totals: RequestTotals | undefined,
    nowMs: number,
  ): Promise<SessionRow> => {
    const { id, agentId, metadata, turnCount, messageCount, viewCount, compactionCount, updatedAt } = summary;
    const newest = totals?.newest;
    const changedAt = newest !== undefined && newest.at > updatedAt ? newest.at : updatedAt;
    const isActive = nowMs - Date.parse(changedAt) <= ACTIVE_MS;
    return {
      key: id,
      id: sessionIdIn(id, agentId),
      agentId,
      client: nameOf(metadata.client),
      model: nameOf(newest?.model ?? summary.model ?? metadata.model),
      title: await titleOf(summary),
      state: newest !== undefined && newest.status >= 400 ? "refused" : isActive ? "active" : "idle",
      turns: turnCount,
      messages: messageCount,
      inView: viewCount,
      compactions: compactionCount,
      context: contextOf(summary, totals),
      requests: totals?.requests ?? 0,
      cachedShare:
        totals === undefined || totals.inputTokens === 0 ? null : totals.cacheReadTokens / totals.inputTokens,
      money: totals === undefined ? null : await spentBy(summary, totals),
      changedAt,
    };
  };
  return { rowOf };
}

/** What callers call themselves may be of any length. */
function nameOf(value: unknown): string | null {
  return typeof value === "string" ? headOf(value, TITLE_CHARACTERS) : null;
}

const REMEMBERED_MAX = 2_000;

function remember<Value>(values: Map<string, Value>, key: string, value: Value): Value {
  values.delete(key);
  values.set(key, value);
  const [oldest] = values.keys();
  if (values.size > REMEMBERED_MAX && oldest !== undefined) values.delete(oldest);
  return value;
}

function contextOf(summary: SessionSummary, totals: RequestTotals | undefined): ContextUse {
  const { totalTokens, isTotalStale, contextTokens, model } = summary;
  const newest = totals?.newest;
  if (newest !== undefined) {
    const { inputTokens, viewTokens, windowTokens, triggerTokens } = newest;
    return { tokens: inputTokens ?? viewTokens, isEstimate: inputTokens === null, windowTokens, triggerTokens };
  }
  const windowTokens = contextTokens > 0 ? contextTokens : (windowOfModel(model ?? "") ?? null);
  return { tokens: totalTokens > 0 ? totalTokens : null, isEstimate: isTotalStale, windowTokens, triggerTokens: null };
}

/** Instructions and notes of the client may stand before what the user says. */
const FIRST_IDS = ["m1", "m2", "m3", "m4", "m5", "m6"];

async function firstWords(store: FullStore, id: string, format: SessionSummary["format"]): Promise<string> {
  const messages = decoded(formatNamed(format), await store.messages(id, FIRST_IDS));
  const users = messages.filter(({ role }) => role === "user");
  const voice = userVoice(messages);
  const [said = ""] = users.flatMap((message) => voice.wordsIn(message));
  // Where there is only a client's note; what a tool returned is no title.
  const [told = ""] = users.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text] : [])));
  return headOf((said || told).trim(), TITLE_CHARACTERS);
}
