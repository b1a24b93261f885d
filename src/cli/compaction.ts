/** One compaction as data: what `compact --json` prints, and what its text is made from. Writes nothing. Key names are a promise (docs/cli.md). */

import type { Decision } from "../compactor/decide.ts";
import { type CallOptions, type Compacted, type CompactorOptions, createCompactor } from "../compactor.ts";
import { present } from "../core/json.ts";
import { isTextStep, removedIds } from "../core/plan/apply-plan.ts";
import type { Plan, Obstacle as PlanObstacle, Step } from "../core/plan/plan.ts";
import { sumTokens } from "../core/plan/plan-input.ts";
import type { DiffEntry } from "../session/views-around.ts";
import type { TranscriptSource } from "../transcripts/index.ts";
import { sharesOf } from "./breakdown.ts";
import { leftOutOf } from "./load.ts";
import { diffMessages, shownDiff } from "./message-diff.ts";
import { messageShower, type ShownMessage } from "./message-label.ts";
import { protectedGroups, shrunkTail, usedPartition } from "./protections.ts";
import { calibratedTo, decisionAsked, type Subject } from "./subject.ts";

export interface Compaction extends Omit<ReturnType<typeof describeCompaction>, "source"> {
  readonly source: TranscriptSource | "session";
}

export interface Obstacle extends Omit<ShownMessage, "index"> {
  /** Null for what stands outside the message list. */
  readonly index: number | null;
  readonly why: PlanObstacle["why"];
}

export interface CompactionOptions {
  readonly target?: CallOptions["target"] | undefined;
  readonly instructions?: string | undefined;
  readonly withDiff: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: NonNullable<CallOptions["onProgress"]>;
  /** Default: the embedded one, which asks no model. */
  readonly summarizer?: CompactorOptions["summarizer"] | undefined;
}

export async function compactSubject(subject: Subject, options: CompactionOptions) {
  const { format, settings, model, recorded } = subject;
  const { summarizer } = options;
  const compactor = createCompactor({
    format,
    profile: settings,
    ...present({ model, summarizer }),
  });
  const compacted = await compactor.compact<unknown>(recorded.body, callOf(options));
  return { request: compacted.request, compaction: describeCompaction(subject, compacted, options) };
}

/** What a compactor is called with. */
export function callOf({ instructions, target, signal, onProgress }: CompactionOptions): CallOptions {
  return {
    signal,
    onProgress,
    ...present({ target, instructions }),
  };
}

export function describeCompaction(given: Subject, compacted: Compacted<unknown>, options: CompactionOptions) {
  const { report, plan, request } = compacted;
  const subject = calibratedTo(given, report.tokensBefore);
  // A named target is the pass's own: a share of what came, and never more than the window.
  const decision = decisionAsked(subject, options.target === undefined ? undefined : report.targetTokens);
  const { counter, settings, transcript, conversation } = subject;
  const after = subject.format.decode(request);
  const diff = diffMessages(conversation.messages, after.messages);
  const parts = usedPartition(decision);
  const { render, windowTokens } = settings;
  return {
    /** The file that was read, or the session's id. */
    file: subject.file,
    source: transcript.source,
    format: subject.format.name,
    profile: subject.profile,
    compacted: report.compacted,
    reason: report.reason,
    tokensBefore: report.tokensBefore,
    tokensAfter: report.tokensAfter,
    messagesBefore: report.messagesBefore,
    messagesAfter: report.messagesAfter,
    windowTokens,
    targetTokens: report.targetTokens,
    fits: report.fits,
    steps: report.compacted ? stepsOf({ subject, plan, done: report.steps, diff }) : [],
    calls: report.calls,
    model: report.model,
    costUsd: report.costUsd,
    summary: report.result?.summary,
    shares: {
      before: sharesOf(conversation, { counter, render, totalTokens: report.tokensBefore }),
      after: sharesOf(after, { counter, render, totalTokens: report.tokensAfter }),
    },
    /** Messages that were not up for compaction, by the reason why. */
    kept: protectedGroups(decision.input, parts),
    /** Where the target left no room for the tail that was asked for. */
    tailShrunk: report.compacted ? shrunkTail(decision, parts) : undefined,
    /** What does not fit, largest first; empty when everything does. */
    inTheWay: report.fits ? [] : obstaclesOf(subject, compacted, decision),
    fallbacks: report.fallbacks,
    notes: report.notes,
    /** What had to be mended in the file first. */
    repairs: report.repairs.map(({ messageIndex, rule, change }) => ({ messageIndex, rule, change })),
    leftOut: leftOutOf(transcript),
    diff: options.withDiff ? shownDiff(diff, conversation, after, counter.count) : undefined,
  };
}

/** What the report names, as it is shown. */
function obstaclesOf(subject: Subject, { report }: Compacted<unknown>, decision: Decision): readonly Obstacle[] {
  const shown = messageShower(decision.input.conversation, decision.input.tokensOf, decision.input.structure);
  const indexOf = new Map(subject.conversation.messages.map(({ id }, index) => [id, index]));
  return report.inTheWay.flatMap((obstacle): readonly Obstacle[] => {
    const { messageId, tokens, why } = obstacle;
    if (messageId === null) return [{ index: null, what: obstacle.what, tokens, begins: "", why }];
    const index = indexOf.get(messageId);
    // What the pass put in beside its summary stands in no file.
    return index === undefined ? [] : [{ ...shown(index), tokens, why }];
  });
}

export type CompactionStep = ReturnType<typeof stepsOf>[number];

interface StepsInput {
  readonly subject: Subject;
  readonly plan: Plan;
  /** Steps by type as the report has them: the failure ladder may have taken another than was planned. */
  readonly done: Readonly<Record<string, number>>;
  readonly diff: readonly DiffEntry[];
}

function stepsOf({ subject, plan, done, diff }: StepsInput) {
  const { messages } = subject.conversation;
  const indexOf = new Map(messages.map(({ id }, index) => [id, index]));
  const about = (type: Step["type"], indices: readonly number[], step?: Step) => ({
    type,
    /** How many messages it is about, the first and the last of them. */
    messages: indices.length,
    first: indices[0] ?? -1,
    last: indices.at(-1) ?? -1,
    tokens: sumTokens(
      indices.flatMap((index) => messages[index] ?? []),
      subject.counter.count,
    ),
    /** Of a text that was shortened: what that freed. */
    freesTokens: step !== undefined && isTextStep(step) ? step.freesTokens : undefined,
    budgetTokens: step?.type === "summarize" ? step.budgetTokens : undefined,
  });
  const indicesOf = (step: Step): readonly number[] =>
    (isTextStep(step) ? [step.messageId] : removedIds(step))
      .flatMap((id) => indexOf.get(id) ?? [])
      .sort((a, b) => a - b);
  const planned = plan.steps
    .filter(({ type }) => done[type] !== undefined)
    .map((step) => about(step.type, indicesOf(step), step));
  const isFallback = done.drop !== undefined && !plan.steps.some(({ type }) => type === "drop");
  const gone = diff.flatMap((entry) => (entry.mark === "-" ? [entry.before] : []));
  return [...planned, ...(isFallback ? [about("drop", gone)] : [])].sort((a, b) => a.first - b.first);
}
