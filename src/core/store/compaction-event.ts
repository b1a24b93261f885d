/** The record of a compaction: what was done, why, by which strategy and model, and at what cost. */

import type { JsonValue } from "../json.ts";

export interface CompactionEvent extends NewEvent {
  readonly id: string;
  readonly sessionId: string;
  /** Counts up within its session. */
  readonly number: number;
  /** The newest event in force before this one. */
  readonly previousId: string | null;
  readonly createdAt: string;
  /** Set by a rollback. */
  readonly undoneAt: string | null;
  /** Set when messages that it archived were purged: it cannot be undone any more. */
  readonly purgedAt: string | null;
}

export interface NewEvent {
  readonly strategy: string;
  readonly profile: string;
  /** The trigger that fired, or the demand. */
  readonly trigger: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly messagesRemoved: number;
  /** False where results were only pruned. */
  readonly isCompaction: boolean;
  readonly summary: string | null;
  readonly preservedMessageIds: readonly string[];
  /** Null when no model was asked. */
  readonly modelUsed: string | null;
  /** Name and version of the summarizer. */
  readonly promptVersion: string | null;
  readonly calls: number;
  readonly costUsd: number | null;
  readonly wholeRatio: number;
  readonly zoneRatio: number | null;
  readonly durationMs: number;
  readonly firstKeptId: string | null;
  readonly instructions: string | null;
  /** The plan as it was carried out. */
  readonly plan: JsonValue;
  /** Files read and modified, and failed calls. */
  readonly details: JsonValue;
}
