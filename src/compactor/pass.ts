/**
 * One pass over a view, step by step: decide, begin, ask the hooks, summarize, apply, encode, report, commit. Each step takes data and
 * returns data. A pass that fails changes nothing. Listeners are told of each stage; they can neither change the pass nor make it fail.
 */

import type { SummarizeContext, SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import type { Attributes, HookEvent } from "../core/hooks/hook-events.ts";
import { notifyAll } from "../core/hooks/hooks.ts";
import { historyHolder } from "../core/items.ts";
import { isCompaction } from "../core/plan/apply-plan.ts";
import { applyDecision, markedForSending, refuseBroken } from "./apply.ts";
import { askHooks, type HookVerdict } from "./ask-hooks.ts";
import {
  type Decision,
  decide,
  needsOriginals,
  recoveryFor,
  summaryStepOf,
  tokensIn,
  withOriginals,
  withoutSteps,
} from "./decide.ts";
import type { Reading } from "./decode.ts";
import { calibratedCounter, type Engine, remarksOn } from "./engine.ts";
import {
  createTeller,
  decisionEvents,
  failureEvents,
  type Observer,
  outcomeAttributes,
  outcomeEvents,
  type PassFacts,
  refusalEvent,
  type Teller,
} from "./events.ts";
import { finish, type PassResult } from "./finish.ts";
import { compactNatively, type NativeAttempt, unreadableStep } from "./native.ts";
import { type CallOptions, type StoredEvent, throwIfAborted, type ViewKeeper } from "./options.ts";
import { allowsReset, compactionFailure } from "./overflow.ts";
import { passesAfterFailure } from "./passes.ts";
import { pinScored } from "./retention.ts";
import { type MakeSummaryInput, makeSummary, type SummaryOutcome } from "./summarize.ts";

export interface PassOptions {
  readonly call: Omit<CallOptions, "pinned" | "overflow">;
  readonly keeper: ViewKeeper;
  readonly startedMs: number;
}

export interface ViewPass extends PassResult {
  readonly stored?: StoredEvent;
  /** True where the sums and the newest messages showed that nothing is due, and nothing else was read. */
  readonly isQuiet?: true;
}

export async function runPass(engine: Engine, read: Reading, options: PassOptions): Promise<ViewPass> {
  const { call, keeper, startedMs } = options;
  const pass = createPass(engine, await begun(decideOn(engine, read), keeper), call, startedMs);
  const { facts, reading } = pass;
  try {
    if (!facts.isCalledFor && facts.decision.plan.steps.length === 0)
      return await carryOut(engine, pass, options, () => {});
    const attributes = {
      "palimpsest.profile": engine.watch.profile,
      "palimpsest.reason": facts.decision.plan.reason,
      "palimpsest.tokens.before": facts.tokensBefore,
    };
    return await engine.watch.telemetry.span("palimpsest.compact", attributes, (note) =>
      carryOut(engine, pass, options, note),
    );
  } catch (error) {
    if (!(error instanceof CompactionError && error.code === "summary-failed")) throw error;
    const { settings, attempt } = reading.input;
    keeper.failed(passesAfterFailure(tokensIn(reading.input), settings));
    if (attempt === undefined) throw error;
    throw compactionFailure(error, { because: "compaction-failure", mayReset: allowsReset(settings) });
  }
}

export interface PassDecision {
  readonly reading: Reading;
  readonly decision: Decision;
}

/** The only decision: `plan` shows it; `fit`, `compact` and sessions carry it out. */
export function decideOn(engine: Engine, reading: Reading): PassDecision {
  const decided = decideScored(engine, reading);
  const { recalled, source } = reading;
  const { decision } = decided;
  // Where the provider holds the history, only new messages could be taken out of the list.
  const isElsewhere = decision.plan.steps.length > 0 && historyHolder(source) === "server";
  if (isElsewhere) return { ...decided, decision: withoutSteps(decision, decided.reading.input, "server-history") };
  // Remembered edits are applied to the list that came, which holds the original messages.
  const earlier = recalled.covered > 0 && needsOriginals(decision) ? source.messages.slice(0, recalled.covered) : [];
  return { ...decided, decision: withOriginals(decision, earlier) };
}

/** Asks for scores only once it is known that messages would leave. */
function decideScored({ retention }: Engine, reading: Reading): PassDecision {
  const { scoreMessage } = retention;
  const { input } = reading;
  const decision = decide(input);
  if (recoveryFor(input) === "none") return { reading, decision: withoutSteps(decision, input, "attempts-used-up") };
  if (scoreMessage === undefined || decision.plan.steps.length === 0) return { reading, decision };
  const view = pinScored(scoreMessage, { ...input, targetTokens: decision.plan.targetTokens });
  if (view === input.view) return { reading, decision };
  const scored = { ...input, view };
  return { reading: { ...reading, input: scored }, decision: decide(scored) };
}

/** Takes the lease for the view's keeper, and adds the original form of shortened messages. */
async function begun({ reading, decision }: PassDecision, keeper: ViewKeeper): Promise<PassDecision> {
  const { input } = reading;
  const mayBegin = decision.plan.steps.length === 0 || (await keeper.begin(decision.plan, input.settings));
  if (!mayBegin) return { reading, decision: withoutSteps(decision, input, "in-progress") };
  const earlier = needsOriginals(decision) ? await keeper.originals() : [];
  return { reading, decision: withOriginals(decision, earlier) };
}

interface Pass {
  readonly reading: Reading;
  readonly facts: PassFacts;
  readonly teller: Teller;
  readonly observer: Observer;
  readonly signal: AbortSignal;
  /** True once the start of a compaction was told: its end is then told exactly once. */
  isStarted: boolean;
}

function createPass(
  { watch, calibration }: Engine,
  { reading, decision }: PassDecision,
  { hookContext, signal }: PassOptions["call"],
  startedMs: number,
): Pass {
  const teller = createTeller(watch, { ...watch.context, ...hookContext });
  const { counting, model, input } = reading;
  const isCalledFor = decision.input.reason !== "prune";
  return {
    reading,
    teller,
    observer: { tell: teller.tell, span: watch.telemetry.span },
    signal: signal ?? new AbortController().signal,
    isStarted: false,
    facts: {
      decision,
      input,
      counter: calibratedCounter(counting.counter, calibration.ratio(model ?? "")),
      isCalledFor,
      tokensBefore: tokensIn(input),
      compactionNumber: watch.counts.of(teller.context) + 1,
      durationMs: () => watch.now() - startedMs,
    },
  };
}

async function carryOut(
  engine: Engine,
  pass: Pass,
  { call, keeper }: PassOptions,
  note: (attributes: Attributes) => void,
): Promise<ViewPass> {
  const { reading, facts, teller } = pass;
  const tellAll = (events: readonly HookEvent[]): void => events.forEach(teller.tell);
  for (const remark of remarksOn(engine, reading, call.settings)) teller.remark(remark);
  try {
    tellAll(decisionEvents(facts));
    const verdict = await ask(engine, pass, call);
    const { decision, details } = verdict;
    const { native, made, readable } = await replacementFor(engine, pass, verdict, call);
    const { input, model } = reading;
    const { counter } = facts;
    const applied = applyDecision({ decision, seen: input.view, model, counter, native, made });
    const carried = { ...applied, readable, notes: [...applied.notes, ...teller.notes], details };
    const result = finish(engine, { reading, decision, counter, carried });
    const { report } = result;
    const stored = await keeper.commit(result);
    tellAll(outcomeEvents({ ...facts, decision }, { carried, report, stored }, pass.isStarted));
    if (report.compacted && isCompaction(carried.plan)) engine.watch.counts.raise(teller.context);
    note(outcomeAttributes(report));
    return stored === undefined ? result : { ...result, stored };
  } catch (error) {
    tellAll(failureEvents(facts, error, pass.isStarted));
    throw error;
  }
}

/** Asks the hooks; an abort meanwhile is reported as an abort. */
async function ask(engine: Engine, pass: Pass, { instructions }: PassOptions["call"]): Promise<HookVerdict> {
  const { facts, reading, teller, signal } = pass;
  try {
    return await askHooks({
      facts,
      watch: engine.watch,
      teller,
      summarizer: engine.summarizer(reading.input.settings),
      instructions,
      signal,
      started: () => {
        pass.isStarted = true;
      },
    });
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  }
}

interface Replacement {
  readonly native: NativeAttempt | undefined;
  readonly made: SummaryOutcome | undefined;
  /** What leaves for an item that only the provider can read, in a form that everybody can: kept beside it, never sent. */
  readonly readable?: SummaryResult | undefined;
}

/** What replaces the messages that leave: the provider's own item, else a summary; neither where no summary is wanted. */
async function replacementFor(
  engine: Engine,
  pass: Pass,
  { decision, summarizer }: HookVerdict,
  call: PassOptions["call"],
): Promise<Replacement> {
  const { reading, facts, teller, observer, signal } = pass;
  const { input, model } = reading;
  const { format } = engine;
  const { instructions } = call;
  refuseBroken(decision.rest, decision.input);
  const asking = { decision, seen: input.view, format, model, instructions, signal, observer };
  const native = await compactNatively({ ...asking, native: engine.native });
  const { counter } = facts;
  const { summarizer: embedded, detailsOf, shorten } = engine.embedded;
  const { originals } = decision;
  const context = { signal, progress: progressOf(pass, call), ...(model !== undefined && { model }) };
  const own = {
    input: decision.input,
    originals,
    counter,
    instructions,
    context,
    observer,
    embedded,
    detailsOf,
    shorten,
  };
  const unread = native?.outcome.type === "refused" ? undefined : unreadableStep(decision, native?.outcome);
  if (native?.settled !== undefined || unread !== undefined) {
    const readable = unread === undefined ? undefined : await readableOf({ ...own, step: unread });
    return { native, made: undefined, readable };
  }
  const plan = decision.fallbacks.summary;
  if (native?.outcome.type === "refused") {
    teller.tell(refusalEvent(native.outcome));
    refuseBroken(plan, decision.input);
  }
  const step = summaryStepOf(plan);
  if (step === undefined) return { native, made: undefined };
  const live = { format, view: markedForSending(input.view, { settings: input.settings, model }), model, counter };
  return { native, made: await makeSummary({ ...own, step, summarizer, live }) };
}

/** Made without a model, so that it costs nothing and is always there. Nobody is told: the provider's item is the result. */
async function readableOf(given: Omit<MakeSummaryInput, "summarizer">): Promise<SummaryResult | undefined> {
  const observer: Observer = { ...given.observer, tell: () => {} };
  const made = await makeSummary({ ...given, summarizer: given.embedded, observer });
  return made.type === "summary" ? made.result : undefined;
}

/** A progress listener that throws does not fail the pass. Its error is reported once. */
function progressOf({ teller }: Pass, { onProgress }: PassOptions["call"]): SummarizeContext["progress"] {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (!hasFailed) teller.hookFailed("notify", error);
    hasFailed = true;
  };
  return (progress) => {
    const event = { type: "progress-made", ...progress } as const;
    notifyAll([() => onProgress?.({ ...progress })], { event, context: teller.context }, failed);
    teller.tell(event);
  };
}
