/** A pass that changed a view, as the record that is kept of it. Pure. */

import type { Report } from "../compactor/report.ts";
import type { JsonValue } from "../core/json.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { NewEvent } from "../core/store/compaction-event.ts";
import { ownCopy } from "../core/store/stored-json.ts";

export interface EventInput {
  readonly plan: Plan;
  readonly report: Report;
  /** What was done, by name. */
  readonly strategy: string;
  readonly isCompaction: boolean;
  readonly profile: string;
  readonly durationMs: number;
  readonly instructions: string | undefined;
  readonly preservedMessageIds: readonly string[];
  readonly messagesRemoved: number;
}

export function eventRecord(input: EventInput): NewEvent {
  const { plan, report } = input;
  const { result } = report;
  return {
    strategy: input.strategy,
    profile: input.profile,
    trigger: plan.reason,
    originalTokens: report.tokensBefore,
    compactedTokens: report.tokensAfter,
    messagesRemoved: input.messagesRemoved,
    isCompaction: input.isCompaction,
    summary: result?.summary ?? null,
    preservedMessageIds: input.preservedMessageIds,
    modelUsed: report.model ?? null,
    promptVersion: result?.summarizer ?? null,
    calls: report.calls,
    costUsd: report.costUsd ?? null,
    wholeRatio: report.ratios.whole,
    zoneRatio: report.ratios.zone ?? null,
    durationMs: input.durationMs,
    firstKeptId: result?.firstKeptEntryId ?? null,
    instructions: input.instructions ?? null,
    plan: plainJson(plan),
    details: plainJson(result?.details ?? { readFiles: [], modifiedFiles: [], toolFailures: [] }),
  };
}

/** Undefined fields left out, as a store would leave them out. */
function plainJson(value: unknown): JsonValue {
  // Whatever it was, what comes back was read from JSON.
  return ownCopy(value) as JsonValue;
}
