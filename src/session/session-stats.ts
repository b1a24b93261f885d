/** How full a session is, in numbers: what a status bar shows and a host decides by. Pure. */

import { isCompaction } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { Counters } from "../core/store/counters.ts";

export interface SessionStats extends Counters {
  /** Of the view, as it would be sent now. */
  readonly currentTokens: number;
  readonly windowTokens: number;
  /** 0 to 1, and above where it does not fit. */
  readonly usedRatio: number;
  readonly viewMessages: number;
  readonly archivedMessages: number;
  /** Whether the next request would compact, and what for. */
  readonly shouldCompact: boolean;
  readonly reason: string;
}

export interface StatsInput {
  readonly plan: Plan;
  readonly windowTokens: number;
  readonly counters: Counters;
  readonly viewMessages: number;
  readonly archivedMessages: number;
}

export function sessionStats({
  plan,
  windowTokens,
  counters,
  viewMessages,
  archivedMessages,
}: StatsInput): SessionStats {
  return {
    ...counters,
    currentTokens: plan.tokensBefore,
    windowTokens,
    usedRatio: plan.tokensBefore / windowTokens,
    viewMessages,
    archivedMessages,
    shouldCompact: isCompaction(plan),
    reason: plan.because ?? plan.reason,
  };
}
