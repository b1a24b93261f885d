/** The report of a pass, for people and machines: tokens and messages before and after, both ratios, cost, and fallbacks. */

import { type Checkpoint, failuresIn, type ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { SummaryResult } from "../core/checkpoint/summary.ts";
import type { CompactionDetails } from "../core/hooks/hooks.ts";
import { present } from "../core/json.ts";
import type { Prices } from "../core/model.ts";
import type { NothingToDo, Obstacle, Plan, Reason } from "../core/plan/plan.ts";
import { UNTRIED } from "../core/plan/plan-input.ts";
import type { Usage, Violation } from "../core/ports.ts";
import type { Repair } from "../core/repair/repair.ts";
import { totalUsage } from "../core/usage.ts";
import { costOf, type Tariff, tariffOf } from "./model-facts.ts";
import type { NativeOutcome } from "./native.ts";
import type { OverflowReport } from "./overflow.ts";
import type { SummaryOutcome } from "./summarize.ts";

export interface Report {
  /** False only when a pass was needed and failed; the request is then the given one. */
  readonly ok: boolean;
  readonly compacted: boolean;
  readonly reason: Reason | NothingToDo;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly targetTokens?: number;
  /** Whether the result is at or below the target, or the window where there is no target. */
  readonly fits: boolean;
  /** Protected content that prevents fitting, largest first. */
  readonly inTheWay: readonly Obstacle[];
  /** Before ÷ after: of the whole context, and of the replaced messages alone. */
  readonly ratios: { readonly whole: number; readonly zone?: number };
  /** Number of steps that were carried out, by type. */
  readonly steps: Readonly<Record<string, number>>;
  /** Model calls of this pass and their usage; their cost where prices are stated, or published for the model that answered. */
  readonly calls: number;
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** The model that answered, else the one that was asked; absent where none was asked, or its name is unknown. */
  readonly model?: string;
  /** Steps of the failure ladder that were taken, and why. */
  readonly fallbacks: readonly Fallback[];
  readonly notes: readonly string[];
  readonly repairs: readonly Repair[];
  readonly result?: CompactionRecord;
  /** After a refusal as too long: what was learned, and whether to send the request again. */
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

/** Files read and modified so far, and failed calls, oldest first. */
export interface RecordDetails {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
}

/** An absent field means that it did not happen. */
export interface ReportInput {
  readonly plan: Plan;
  readonly tokens: { readonly before: number; readonly after: number };
  readonly messages: { readonly before: number; readonly after: number };
  readonly windowTokens: number;
  /** The conversation's own model; the provider's own compaction runs on it. */
  readonly model: string | undefined;
  readonly notes: readonly string[];
  readonly repairs: readonly Repair[];
  readonly prices: Prices | undefined;
  readonly made?: SummaryOutcome | undefined;
  readonly native?: NativeOutcome | undefined;
  /** What an unreadable item of the provider's stands for. */
  readonly readable?: SummaryResult | undefined;
  readonly zoneTokens?: number;
  readonly summaryTokens?: number;
  readonly firstKept?: string | undefined;
  /** What a hook adds to its compaction; part of the record. */
  readonly details?: CompactionDetails | undefined;
  /** Why the settings' strategy decided instead of the host's own. */
  readonly refused?: { readonly strategy: string; readonly because: string } | undefined;
  /** Why strategy `native` was a summary from the start. */
  readonly nativeMissing?: string | undefined;
}

export function reportOf(input: ReportInput): Report {
  const { plan, made, tokens, messages, zoneTokens = 0, summaryTokens = 0 } = input;
  const compacted = plan.steps.length > 0 && tokens.after < tokens.before;
  const fits = tokens.after <= (plan.targetTokens ?? input.windowTokens);
  const wasAsked = made !== undefined || input.native !== undefined;
  const usage = wasAsked ? totalUsage([input.native?.usage, made?.usage]) : undefined;
  const cost = costUsd([...nativeBills(input), ...(made?.bills ?? [])], input.prices);
  const model = made?.model ?? (input.native === undefined ? undefined : input.model);
  const zone = summaryTokens > 0 ? { zone: zoneTokens / summaryTokens } : {};
  return {
    ok: compacted || plan.because === undefined || UNTRIED.has(plan.because),
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
    calls: (made?.calls ?? 0) + (input.native === undefined ? 0 : 1),
    ...present({ usage, costUsd: cost, model }),
    fallbacks: [...strategyFallbacks(input), ...nativeFallbacks(input, compacted), ...(made?.fallbacks ?? [])],
    notes: [...(made?.type === "summary" ? made.result.notes : []), ...input.notes],
    repairs: input.repairs,
    ...(compacted && { result: recordOf(input) }),
  };
}

export function violationNote({ rule, path }: Violation): string {
  return `The provider may refuse this: ${rule} at ${path}.`;
}

/** The provider's own compaction uses the request's model, and the same reply may include an answer. */
function nativeBills({ native, model }: ReportInput): readonly Bill[] {
  return native?.usage === undefined ? [] : [{ usage: native.usage, model, isOneRequest: false }];
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

function recordOf({ made, native, readable, tokens, firstKept, details }: ReportInput): CompactionRecord {
  const summary = made?.type === "summary" ? made : undefined;
  const checkpoint = summary?.result.checkpoint ?? readable?.checkpoint;
  return {
    ...(summary !== undefined && {
      summary: summary.result.text,
      summarizer: `${summary.by.name} ${summary.by.version}`,
    }),
    ...(readable !== undefined && { summary: readable.text }),
    ...(native?.type === "replaced" && {
      ...(native.text !== undefined && { summary: native.text }),
      summarizer: `native ${native.kind}`,
    }),
    ...present({ checkpoint, firstKeptEntryId: firstKept }),
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

/** Includes failed calls that the checkpoint lists as blockers: those are the newest. */
function failuresOf(checkpoint: Checkpoint): readonly ToolFailure[] {
  // An obstacle in a model's own words does not begin with the name of a tool.
  return failuresIn(checkpoint)
    .filter((failure) => checkpoint.toolFailures.includes(failure) || /^\S+$/.test(failure.toolName))
    .slice(-FAILURES_MAX);
}

function countSteps({ steps }: Plan): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of steps) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

export type { Prices };

/** Usage, and its model: absent where the reply does not name it, since it need not be the one that was asked. */
export interface Bill {
  readonly usage: Usage;
  readonly model: string | undefined;
  /** False where the usage may be of several requests: the length of each is then unknown. */
  readonly isOneRequest: boolean;
}

/** Undefined where nothing was used, or any price is unknown: a partial sum would look like the whole. */
export function costUsd(bills: readonly Bill[], prices: Prices | undefined): number | undefined {
  const costs = bills.map((bill) => costOf(bill.usage, prices ?? publishedPrices(bill)));
  if (costs.length === 0) return undefined;
  return costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost));
}

function publishedPrices({ usage, model, isOneRequest }: Bill): Prices | undefined {
  const tariff: Tariff | undefined = model === undefined ? undefined : tariffOf(model);
  if (tariff?.above === undefined || usage.inputTokens <= tariff.above.inputTokens) return tariff?.prices;
  return isOneRequest ? tariff.above.prices : undefined;
}
