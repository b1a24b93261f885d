/** All events of a pass: hooks, log lines and telemetry are made from them. A listener can neither change a pass nor make it fail. */

import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";
import {
  type Attributes,
  type HookContext,
  type HookEvent,
  sessionIdOf,
  snapshotOf,
  type Telemetry,
} from "../core/hooks/hook-events.ts";
import {
  createHooks,
  type FileOperations,
  type HookLists,
  type Hooks,
  notifyAll,
  type OnHook,
} from "../core/hooks/hooks.ts";
import { fieldsOf, type LogEvent, type LogFields, type Logger, lineFor, type Remark } from "../core/hooks/log-lines.ts";
import { present } from "../core/json.ts";
import type { Message } from "../core/message.ts";
import { isCompaction, leavingIds, removedBy } from "../core/plan/apply-plan.ts";
import type { NativeStep } from "../core/plan/plan.ts";
import { sumTokens } from "../core/plan/plan-input.ts";
import { setBounded } from "../core/remember.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type AppliedPass, strategyOf } from "./apply.ts";
import type { DecideInput, Decision } from "./decide.ts";
import type { StoredEvent } from "./options.ts";
import { nativeFallback, type Report } from "./report.ts";
import { PROVIDED_NAME } from "./summarize.ts";

export interface WatchOptions {
  /** Gates, listeners and providers; the hook names of the systems we adapt work too. */
  readonly hooks?: Hooks;
  /** Passed to every hook; a call may add to it. */
  readonly hookContext?: HookContext;
  /** Without a logger nothing is logged. Pino fits. */
  readonly logger?: Logger;
  /** A clock for durations, in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

export interface Watch {
  /** The hooks in force now. */
  readonly hooks: HookLists;
  readonly on: OnHook;
  readonly context: HookContext;
  readonly logger: Logger | undefined;
  readonly telemetry: Telemetry;
  /** The profile's name, or `own`. */
  readonly profile: string;
  readonly counts: CompactionCounts;
  now(): number;
  filesOf(messages: readonly Message[]): FileOperations;
}

export function createWatch(options: WatchOptions, rest: Pick<Watch, "telemetry" | "filesOf" | "profile">): Watch {
  const register = createHooks(options.hooks);
  return {
    ...rest,
    get hooks(): HookLists {
      return register.lists();
    },
    on: register.on,
    context: options.hookContext ?? {},
    logger: options.logger,
    counts: createCounts(),
    now: options.now ?? (() => performance.now()),
  };
}

/** Compactions so far, per session id; calls without an id count as one session. */
interface CompactionCounts {
  of(context: HookContext): number;
  raise(context: HookContext): void;
}

const SESSIONS_MAX = 1_000;

function createCounts(): CompactionCounts {
  const counts = new Map<string, number>();
  const of = (context: HookContext): number => context.compactionCount ?? counts.get(sessionIdOf(context)) ?? 0;
  return {
    of,
    raise: (context) => setBounded(counts, [sessionIdOf(context), of(context) + 1], SESSIONS_MAX),
  };
}

export interface Teller {
  readonly context: HookContext;
  tell(event: HookEvent): void;
  remark(remark: Remark): void;
  /** Reports a hook that threw. The pass goes on. */
  hookFailed(kind: "notify" | "provide", error: unknown): void;
  /** Remarks and hook failures so far, for the report. */
  readonly notes: string[];
}

/** How a step reports a call to a model or provider: an event, and a span around the wait. */
export interface Observer extends Pick<Teller, "tell"> {
  readonly span: Telemetry["span"];
}

export function createTeller(watch: Watch, context: HookContext): Teller {
  const notes: string[] = [];
  const attributes = { "palimpsest.profile": watch.profile };
  const log = (event: LogEvent): void => {
    try {
      writeLine(watch, event, context);
    } catch (error) {
      notes.push(`The logger failed: ${errorText(error)}`);
    }
  };
  const hookFailed: Teller["hookFailed"] = (kind, error) => {
    const because = errorText(error);
    notes.push(`A ${kind} hook failed: ${because}`);
    log({ type: "hook-failed", kind, because });
  };
  return {
    context,
    notes,
    hookFailed,
    tell: (event) => {
      log(event);
      watch.telemetry.record(event, attributes);
      notifyAll(watch.hooks.notifies, { event, context }, (error) => hookFailed("notify", error));
    },
    remark: (event) => {
      const line = lineFor(watch.profile, event);
      if (line !== undefined) notes.push(`${line.message.replace(/^Compaction: /, "")}.`);
      log(event);
    },
  };
}

function writeLine({ logger, profile }: Watch, event: LogEvent, context: HookContext): void {
  if (logger === undefined) return;
  const line = lineFor(profile, event);
  if (line === undefined) return;
  const { sessionId, sessionKey, agentId } = context;
  const fields: LogFields = {
    ...fieldsOf(event),
    profile,
    ...present({ sessionId, sessionKey, agentId }),
  };
  logger[line.level](fields, line.message);
}

export interface PassFacts {
  readonly decision: Decision;
  readonly input: DecideInput;
  readonly counter: TokenCounter;
  /** True when a trigger fired, the caller asked, or the provider refused; false when only pruning or a limit on messages applies. */
  readonly isCalledFor: boolean;
  readonly tokensBefore: number;
  readonly compactionNumber: number;
  durationMs(): number;
}

export function decisionEvents({ decision, isCalledFor }: PassFacts): readonly HookEvent[] {
  const { plan, input, measured, refused, strategy } = decision;
  if (!isCalledFor && plan.steps.length === 0) return [];
  const { size: _, ...compared } = measured;
  const why = { reason: input.reason, ...compared };
  return [
    ...(isCalledFor ? [{ type: "trigger-fired", ...why } as const] : []),
    ...(refused === undefined ? [] : [{ type: "strategy-failed", because: refused, fallback: strategy } as const]),
    { type: "plan-made", plan, ...why, messagesLeaving: leavingIds(plan).size },
  ];
}

export function startEvent(facts: PassFacts, hasListeners: boolean): HookEvent {
  const { decision, input, tokensBefore, compactionNumber } = facts;
  const leaving = hasListeners ? leavingIds(decision.plan) : new Set<string>();
  return {
    type: "compaction-started",
    reason: decision.plan.reason,
    messageCount: input.view.messages.length,
    tokenCount: tokensBefore,
    compactionNumber,
    messages: input.view.messages.filter(({ id }) => leaving.has(id)).map(snapshotOf),
  };
}

/** The end of a pass. `isStarted`: its start was told, so its end is told too. */
export interface PassOutcome {
  readonly carried: AppliedPass;
  readonly report: Report;
  readonly stored: StoredEvent | undefined;
}

export function outcomeEvents(facts: PassFacts, outcome: PassOutcome, isStarted: boolean): readonly HookEvent[] {
  const { carried, report } = outcome;
  const compactedCount = report.compacted ? leavingIds(carried.plan).size : 0;
  const end = { messageCount: report.messagesAfter, tokenCount: report.tokensAfter, compactedCount };
  return [
    ...summaryEvents(facts, carried),
    ...(report.compacted ? compactedEvents(facts, outcome) : [nothingEvent(facts, report)]),
    ...(isStarted ? [{ type: "compaction-ended", ...end } as const] : []),
  ];
}

/** The only event of a pass in which nothing was due. */
export function nothingEvent(
  facts: { readonly decision: { readonly input: Pick<Decision["input"], "reason"> }; durationMs(): number },
  report: Report,
): HookEvent {
  return {
    type: "nothing-done",
    because: report.reason,
    ok: report.ok,
    reason: facts.decision.input.reason,
    tokens: report.tokensAfter,
    durationMs: facts.durationMs(),
  };
}

/** The attributes of a pass's span at its end. */
export function outcomeAttributes({ reason, compacted, tokensAfter, calls, steps }: Report): Attributes {
  return {
    "palimpsest.outcome": reason,
    "palimpsest.compacted": compacted,
    "palimpsest.tokens.after": tokensAfter,
    "palimpsest.calls": calls,
    "palimpsest.steps": Object.values(steps).reduce((sum, count) => sum + count, 0),
  };
}

export function failureEvents(facts: PassFacts, error: unknown, isStarted: boolean): readonly HookEvent[] {
  const { input, tokensBefore, decision } = facts;
  const because = errorText(error);
  const isSummary = error instanceof CompactionError && error.code === "summary-failed";
  const end = { messageCount: input.view.messages.length, tokenCount: tokensBefore, compactedCount: 0 };
  const { reason } = decision.plan;
  return [
    ...(isSummary ? [{ type: "summary-failed", because, fallback: "throw" } as const] : []),
    { type: "pass-failed", reason, because, error, durationMs: facts.durationMs() },
    ...(isStarted ? [{ type: "compaction-ended", ...end } as const] : []),
  ];
}

/** The provider did not compact; told before a summary is asked for in its place. */
export function refusalEvent(refused: { readonly because: string }): HookEvent {
  const { because, step } = nativeFallback(refused);
  return { type: "summary-failed", because, fallback: step };
}

/** A model, or the provider, is about to be asked to replace the messages that leave. */
export function nativeStartEvent(step: NativeStep): HookEvent {
  return {
    type: "summary-started",
    summarizer: `native ${step.kind}`,
    messageCount: step.messageIds.length,
    callsMax: 1,
  };
}

function summaryEvents(facts: PassFacts, { made, native }: AppliedPass): readonly HookEvent[] {
  const { counter, input } = facts;
  const events: HookEvent[] = [];
  if (native?.type === "replaced") {
    const { kind, text: summary = "", messages, usage } = native;
    const summaryTokens = sumTokens(messages, input.tokensOf);
    const told = { summarizer: `native ${kind}`, summary, summaryTokens, calls: 1 };
    events.push({ type: "summary-made", ...told, ...(usage !== undefined && { usage }) });
  }
  const fallback = made?.fallbacks.at(-1);
  if (fallback !== undefined)
    events.push({ type: "summary-failed", because: fallback.because, fallback: fallback.step });
  if (made?.type !== "summary" || made.by.name === PROVIDED_NAME) return events;
  const { calls, usage, by, result } = made;
  events.push({
    type: "summary-made",
    summarizer: `${by.name} ${by.version}`,
    summary: result.text,
    summaryTokens: counter.countText(result.text),
    calls,
    ...(usage !== undefined && { usage }),
  });
  return events;
}

function compactedEvents(facts: PassFacts, { carried, report, stored }: PassOutcome): readonly HookEvent[] {
  const { input, compactionNumber, counter, decision } = facts;
  const { cap = 0, trim = 0, stub = 0, clear = 0 } = report.steps;
  const [soft, hard] = [cap + trim, stub + clear];
  const removed = removedBy(carried.plan);
  const { summary, summarizer } = report.result ?? {};
  const { tokensBefore, tokensAfter, ratios } = report;
  const compacted: HookEvent = {
    type: "conversation-compacted",
    ...(stored ?? { createdAt: new Date().toISOString() }),
    reason: carried.plan.reason,
    strategy: strategyOf(decision, carried),
    tokensBefore,
    tokensAfter,
    tokensFreed: tokensBefore - tokensAfter,
    ratio: ratios.whole,
    messagesBefore: report.messagesBefore,
    messagesAfter: report.messagesAfter,
    messagesRemoved: leavingIds(carried.plan).size,
    preservedMessageIds: input.view.messages.flatMap(({ id }) => (removed.has(id) ? [] : [id])),
    ...(summary !== undefined && { summary, summaryTokens: counter.countText(summary) }),
    ...present({ summarizer, model: report.model }),
    calls: report.calls,
    fits: report.fits,
    steps: report.steps,
    durationMs: facts.durationMs(),
    ...(isCompaction(carried.plan) && { compactionNumber }),
  };
  return soft + hard > 0 ? [{ type: "results-pruned", soft, hard }, compacted] : [compacted];
}
