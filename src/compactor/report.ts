/** What a pass did, for people and machines: tokens and messages before and after, both ratios, what it cost and what fell back. */

import type { Checkpoint, ToolFailure } from "../core/checkpoint/checkpoint.ts";
import { failuresIn } from "../core/checkpoint/failed-calls.ts";
import type { CompactionDetails } from "../core/hooks/hooks.ts";
import type { NothingToDo, Obstacle, Plan, Reason } from "../core/plan/plan.ts";
import type { Usage } from "../core/ports.ts";
import type { Repair } from "../core/repair/repair.ts";
import { totalUsage } from "../core/usage.ts";
import { type Bill, costUsd, type Prices } from "./cost.ts";
import type { MadeSummary } from "./make-summary.ts";
import type { NativeOutcome } from "./native.ts";
import type { OverflowReport } from "./overflow.ts";

export interface Report {
  /** False only when a pass was needed and could not be carried out; the request is then the one that was given. */
  readonly ok: boolean;
  readonly compacted: boolean;
  readonly reason: Reason | NothingToDo;
  readonly tokensBefore: number;
  /** Counted on the result, not expected. */
  readonly tokensAfter: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly targetTokens?: number;
  /** Whether the result is at or below the target, or the window where there is none. */
  readonly fits: boolean;
  /** Protected content that keeps it from fitting, largest first. */
  readonly inTheWay: readonly Obstacle[];
  /** Before ÷ after: of the whole context, and of what was replaced alone. */
  readonly ratios: { readonly whole: number; readonly zone?: number };
  /** Steps that were carried out, by type. */
  readonly steps: Readonly<Record<string, number>>;
  /** Model calls of this pass, what they used and, where prices are stated or published for whoever answered, cost. */
  readonly calls: number;
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** The model that answered, or the one that was asked for; absent where none was, or nobody said. */
  readonly model?: string;
  /** Steps of the failure ladder that were really taken, and why. */
  readonly fallbacks: readonly Fallback[];
  readonly notes: readonly string[];
  /** What had to be mended in the conversation as it came. */
  readonly repairs: readonly Repair[];
  readonly result?: CompactionRecord;
  /** Where the provider had refused it as too long: what was learned, and whether sending it again makes sense. */
  readonly overflow?: OverflowReport;
}

export interface Fallback {
  readonly step: string;
  readonly because: string;
}

/** What a store keeps of a compaction. */
export interface CompactionRecord {
  readonly summary?: string;
  readonly checkpoint?: Checkpoint;
  readonly summarizer?: string;
  readonly firstKeptEntryId?: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly details?: RecordDetails;
}

/** Files read and modified so far, and calls that failed, oldest first. */
export interface RecordDetails {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
}

export interface ReportInput {
  readonly plan: Plan;
  readonly made: MadeSummary | undefined;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly messages: { readonly before: number; readonly after: number };
  readonly zoneTokens: number;
  readonly summaryTokens: number;
  readonly firstKept: string | undefined;
  readonly windowTokens: number;
  /** The conversation's own, which the provider's own compaction asks. */
  readonly model: string | undefined;
  /** What came of asking the provider to compact; undefined where it was not asked. */
  readonly native: NativeOutcome | undefined;
  /** What a hook adds to its compaction stands in the record. */
  readonly details: CompactionDetails | undefined;
  /** Why the host's own strategy did not decide, and the settings' did. */
  readonly refused: { readonly strategy: string; readonly because: string } | undefined;
  /** Why the settings' `native` was a summary from the start. */
  readonly nativeMissing: string | undefined;
  readonly notes: readonly string[];
  readonly repairs: readonly Repair[];
  readonly prices: Prices | undefined;
}

export function reportOf(input: ReportInput): Report {
  const { plan, made, tokens, messages } = input;
  const compacted = plan.steps.length > 0 && tokens.after < tokens.before;
  const fits = tokens.after <= (plan.targetTokens ?? input.windowTokens);
  const usage = totalUsage([input.native?.usage, made?.usage]);
  const cost = costUsd([...nativeBills(input), ...(made?.bills ?? [])], input.prices);
  const model = made?.model ?? (input.native === undefined ? undefined : input.model);
  const zone = input.summaryTokens > 0 ? { zone: input.zoneTokens / input.summaryTokens } : {};
  return {
    ok: compacted || plan.because === undefined || QUIET.has(plan.because),
    compacted,
    reason: compacted ? plan.reason : (plan.because ?? "frees-nothing"),
    tokensBefore: tokens.before,
    tokensAfter: tokens.after,
    messagesBefore: messages.before,
    messagesAfter: messages.after,
    ...(plan.targetTokens !== undefined && { targetTokens: plan.targetTokens }),
    fits,
    inTheWay: fits ? [] : plan.inTheWay,
    ratios: { whole: tokens.after === 0 ? 1 : tokens.before / tokens.after, ...zone },
    steps: countSteps(plan),
    calls: callsOf(input),
    ...(usage !== undefined && { usage }),
    ...(cost !== undefined && { costUsd: cost }),
    ...(model !== undefined && { model }),
    fallbacks: [...strategyFallbacks(input), ...nativeFallbacks(input, compacted), ...(made?.fallbacks ?? [])],
    notes: [...(made?.type === "summary" ? made.result.notes : []), ...input.notes],
    repairs: input.repairs,
    ...(compacted && { result: recordOf(input) }),
  };
}

/** The provider compacts what it is sent, for the model that the request names, and may answer in the same breath. */
function nativeBills({ native, model }: ReportInput): readonly Bill[] {
  return native?.usage === undefined ? [] : [{ usage: native.usage, model, isOneRequest: false }];
}

function callsOf({ made, native }: ReportInput): number {
  return (made?.calls ?? 0) + (native === undefined ? 0 : 1);
}

function strategyFallbacks({ refused }: ReportInput): readonly Fallback[] {
  return refused === undefined ? [] : [{ step: refused.strategy, because: refused.because }];
}

function nativeFallbacks({ native, nativeMissing, plan }: ReportInput, compacted: boolean): readonly Fallback[] {
  if (native?.type === "refused") return [nativeFallback(native)];
  const isSummarized = compacted && plan.steps.some(({ type }) => type === "summarize");
  return nativeMissing !== undefined && isSummarized ? [{ step: "summarize", because: nativeMissing }] : [];
}

export function nativeFallback({ because }: { readonly because: string }): Fallback {
  return { step: "summarize", because: `The provider's own compaction failed: ${because}` };
}

/** Outcomes in which there was nothing to do, as opposed to nothing that could be done. */
const QUIET: ReadonlySet<NothingToDo> = new Set(["not-triggered", "auto-off", "no-check-point", "strategy-none"]);

function recordOf({ made, native, tokens, firstKept, details }: ReportInput): CompactionRecord {
  const summary = made?.type === "summary" ? made : undefined;
  const checkpoint = summary?.result.checkpoint;
  return {
    ...(summary !== undefined && {
      summary: summary.result.text,
      summarizer: `${summary.by.name} ${summary.by.version}`,
    }),
    ...(native?.type === "replaced" && {
      ...(native.text !== undefined && { summary: native.text }),
      summarizer: `native ${native.kind}`,
    }),
    ...(checkpoint !== undefined && { checkpoint }),
    ...(firstKept !== undefined && { firstKeptEntryId: firstKept }),
    tokensBefore: tokens.before,
    tokensAfter: tokens.after,
    ...(summary?.details !== undefined && { details: summary.details }),
    ...(checkpoint !== undefined && {
      details: {
        readFiles: checkpoint.filesRead,
        modifiedFiles: checkpoint.filesModified,
        toolFailures: failuresOf(checkpoint),
      },
    }),
    ...(details !== undefined && { details: { readFiles: [], modifiedFiles: [], toolFailures: [], ...details } }),
  };
}

const FAILURES_MAX = 8;

/** A call that still stands in the way is told as what blocks; it failed all the same, and is the newest that did. */
function failuresOf(checkpoint: Checkpoint): readonly ToolFailure[] {
  // What a model says about obstacles in its own words does not begin with the name of a tool.
  return failuresIn(checkpoint)
    .filter((failure) => checkpoint.toolFailures.includes(failure) || /^\S+$/.test(failure.toolName))
    .slice(-FAILURES_MAX);
}

function countSteps({ steps }: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of steps) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}
