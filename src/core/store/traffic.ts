/** What passes through an exchange: which session a request continues, and what it cost. Never holds a key, a header or a message. */

import type { Store } from "./store.ts";

/** A conversation up to one of its messages. */
export interface KnownPrefix {
  /** The hash chain over the caller's fingerprint and the canonical messages up to here. */
  readonly hash: string;
  readonly sessionId: string;
  /** The stored message that the prefix ends with. */
  readonly messageId: string;
}

/** One request that was answered, or refused. */
export interface RequestRecord {
  readonly sessionId: string;
  /** When it came: an ISO date. */
  readonly at: string;
  readonly model: string;
  readonly status: number;
  /** As the provider counted them; null where it did not say. */
  readonly inputTokens: number | null;
  readonly cacheReadTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly outputTokens: number | null;
  /** The calibrated estimate of what was sent, and of what the client sent. */
  readonly viewTokens: number;
  readonly fullTokens: number;
  readonly windowTokens: number;
  /** Where the next compaction begins; null where nothing triggers one. */
  readonly triggerTokens: number | null;
  /** The compaction that this request brought about. */
  readonly eventId: string | null;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

/** The sums over a session's requests. */
export interface RequestTotals {
  readonly sessionId: string;
  readonly requests: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** What the requests would have held, had everything been sent. */
  readonly fullTokens: number;
  readonly newest: RequestRecord;
}

export interface TrafficStore {
  /** The prefix among these that stands last; the hashes are those of one list, shortest prefix first. */
  findPrefix(hashes: readonly string[]): Promise<KnownPrefix | undefined>;
  /** The first one to say what a hash stands for is believed. Prefixes of a session that is not there are left out. */
  addPrefixes(prefixes: readonly KnownPrefix[]): Promise<void>;
  /** Throws `session-missing`. */
  addRequest(record: RequestRecord): Promise<void>;
  /** Oldest first. */
  requests(sessionId: string): AsyncIterable<RequestRecord>;
  /** Of the sessions that have any. */
  totals(sessionIds: readonly string[]): Promise<readonly RequestTotals[]>;
}

const METHODS = [
  "findPrefix",
  "addPrefixes",
  "addRequest",
  "requests",
  "totals",
] as const satisfies readonly (keyof TrafficStore)[];

export function hasTraffic<Port extends Store>(store: Port): store is Port & TrafficStore {
  const methods: Store & Partial<TrafficStore> = store;
  return METHODS.every((name) => typeof methods[name] === "function");
}
