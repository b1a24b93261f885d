/** The record of a compaction that was carried out: what was done, why, by whom, and at what cost. */

import type { JsonValue } from "../json.ts";

export interface CompactionEvent extends NewEvent {
  readonly id: string;
  readonly sessionId: string;
  /** Counts up within its session. */
  readonly number: number;
  /** The event that was newest in force before it. */
  readonly previousId: string | null;
  readonly createdAt: string;
  /** Set by a rollback. */
  readonly undoneAt: string | null;
  /** Set when messages that it archived were purged: it can no longer be undone. */
  readonly purgedAt: string | null;
}

export interface NewEvent {
  readonly strategy: string;
  readonly profile: string;
  /** Which trigger fired, or who asked. */
  readonly trigger: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly messagesRemoved: number;
  /** False for results that were pruned on the way, which the sources do not call a compaction. */
  readonly isCompaction: boolean;
  readonly summary: string | null;
  readonly preservedMessageIds: readonly string[];
  /** Null when no model was asked. */
  readonly modelUsed: string | null;
  /** Name and version of what made the summary. */
  readonly promptVersion: string | null;
  readonly calls: number;
  readonly costUsd: number | null;
  readonly wholeRatio: number;
  readonly zoneRatio: number | null;
  readonly durationMs: number;
  readonly firstKeptId: string | null;
  readonly instructions: string | null;
  /** As it was carried out. */
  readonly plan: JsonValue;
  /** Files read and modified, failed calls. */
  readonly details: JsonValue;
}
