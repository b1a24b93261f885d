/**
 * One pass with everybody who looks on: gates first, then providers, then the work, each stage told as it happens. A closed gate
 * or a cancelled compaction leaves the conversation as it was; nobody who is merely told can change or fail anything.
 */

import type { SummarizeContext, Summarizer } from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import type { Attributes, HookContext } from "../core/hooks/hook-events.ts";
import { snapshotOf } from "../core/hooks/hook-events.ts";
import {
  askGates,
  askProvides,
  type CompactionDetails,
  notifyAll,
  type ProvidedCompaction,
} from "../core/hooks/hooks.ts";
import type { Remark } from "../core/hooks/log-lines.ts";
import { countedTokens, findTrigger, thresholdTokens } from "../core/plan/trigger.ts";
import { redactSecrets } from "../core/secrets/secrets.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type DecideInput, type Decision, sizeAtTrigger, tokensIn, withoutSteps } from "./decide.ts";
import { throwIfAborted } from "./make-summary.ts";
import type { NativeCompaction, RefusedNative } from "./native.ts";
import { leavingIds, proposalOf, takeProvided } from "./provided.ts";
import { type PassOutcome, tellFailure, tellOutcome, tellRefusal } from "./tell-outcome.ts";
import { createTeller, type Teller, type Watch } from "./watch.ts";
import { watchedNative, watchedSummarizer } from "./watched.ts";

export interface PassInput {
  readonly decision: Decision;
  readonly given: DecideInput;
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  readonly native: NativeCompaction | undefined;
  readonly signal: AbortSignal;
  readonly startedMs: number;
  readonly call: PassCall;
  /** What is to be said whatever comes of the pass. */
  readonly remarks: readonly Remark[];
}

export interface PassCall {
  readonly instructions?: string;
  readonly hookContext?: HookContext;
  readonly onProgress?: SummarizeContext["progress"];
}

/** What is to be carried out, and by whom. */
export interface Allowed {
  readonly decision: Decision;
  readonly summarizer: Summarizer;
  readonly native: NativeCompaction | undefined;
  onNativeRefused(refused: RefusedNative): void;
  readonly context: SummarizeContext;
  /** Grows until the pass is over. */
  readonly notes: readonly string[];
  /** What a hook adds to the compaction that it provided. */
  readonly details: CompactionDetails | undefined;
}

export interface Pass extends PassInput {
  readonly watch: Watch;
  readonly teller: Teller;
  /**
   * A trigger fired, or somebody asked, as opposed to tool results pruned, tool turns dropped and messages over a limit left out
   * on the way. Whether it came to a compaction is known when it is over.
   */
  readonly isCalledFor: boolean;
  readonly tokensBefore: number;
  readonly compactionNumber: number;
  /** True from `compaction-started` on, so that its end is told exactly once. */
  readonly state: { isStarted: boolean };
}

export function performPass<Outcome extends PassOutcome>(
  watch: Watch,
  input: PassInput,
  body: (allowed: Allowed) => Promise<Outcome>,
): Promise<Outcome> {
  const pass = passOf(watch, input);
  const { plan } = pass.decision;
  if (!pass.isCalledFor && plan.steps.length === 0) return perform(pass, body, () => {});
  const attributes = {
    "palimpsest.profile": watch.profile,
    "palimpsest.reason": plan.reason,
    "palimpsest.tokens.before": pass.tokensBefore,
  };
  return watch.telemetry.span("palimpsest.compact", attributes, (note) => perform(pass, body, note));
}

function passOf(watch: Watch, input: PassInput): Pass {
  const context = { ...watch.context, ...input.call.hookContext };
  const isCalledFor = input.decision.input.reason !== "prune";
  const { plan } = input.decision;
  return {
    ...input,
    watch,
    teller: createTeller(watch, context),
    isCalledFor,
    // A request that is let through is not counted again for nobody's sake.
    tokensBefore: isCalledFor || plan.steps.length > 0 ? tokensIn(input.given) : plan.tokensBefore,
    compactionNumber: watch.counts.of(context) + 1,
    state: { isStarted: false },
  };
}

async function perform<Outcome extends PassOutcome>(
  pass: Pass,
  body: (allowed: Allowed) => Promise<Outcome>,
  note: (attributes: Attributes) => void,
): Promise<Outcome> {
  const { signal, teller, remarks } = pass;
  for (const remark of remarks) teller.remark(remark);
  try {
    tellDecision(pass);
    const asked = await ask(pass).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
    const progress = progressOf(pass);
    const outcome = await body({
      decision: asked.decision,
      summarizer: watchedSummarizer(asked.summarizer, pass),
      native: watchedNative(asked.decision, pass),
      onNativeRefused: (refused) => tellRefusal(pass, refused),
      context: { signal, progress },
      notes: teller.notes,
      details: asked.provided?.details,
    });
    note(tellOutcome(pass, outcome));
    return outcome;
  } catch (error) {
    tellFailure(pass, error);
    throw error;
  }
}

/** Whoever is told of progress can no more fail the pass than a listener can; what goes wrong every time is said once. */
function progressOf({ call, teller }: Pass): SummarizeContext["progress"] {
  let hasFailed = false;
  const failed = (error: unknown): void => {
    if (!hasFailed) teller.hookFailed("notify", error);
    hasFailed = true;
  };
  return (progress) => {
    const event = { type: "progress-made", ...progress } as const;
    notifyAll([() => call.onProgress?.({ ...progress })], { event, context: teller.context }, failed);
    teller.tell(event);
  };
}

function tellDecision(pass: Pass): void {
  const { decision, given, isCalledFor, teller } = pass;
  const { plan, input } = decision;
  if (!isCalledFor && plan.steps.length === 0) return;
  const { settings, isCacheCold = false } = given;
  const size = sizeAtTrigger(given);
  const fired = given.asked === undefined ? findTrigger(settings, { size, isCacheCold }) : undefined;
  const threshold = fired?.thresholdTokens ?? thresholdTokens(settings);
  const measured = {
    reason: input.reason,
    tokens: fired?.tokens ?? countedTokens(settings, size),
    ...(threshold !== undefined && { thresholdTokens: threshold }),
  };
  if (isCalledFor) teller.tell({ type: "trigger-fired", ...measured });
  const { refused, strategy } = decision;
  if (refused !== undefined) teller.tell({ type: "strategy-failed", because: refused, fallback: strategy });
  teller.tell({ type: "plan-made", plan, ...measured, messagesLeaving: leavingIds(plan).size });
}

interface Asked {
  readonly decision: Decision;
  readonly summarizer: Summarizer;
  readonly provided?: ProvidedCompaction;
}

async function ask(pass: Pass): Promise<Asked> {
  const { decision, summarizer, teller, watch } = pass;
  const { gates } = watch.hooks;
  const isAsked = decision.plan.steps.length > 0 && gates.length > 0;
  const closed = isAsked ? await askGates(gates, ...gateEvent(pass)) : undefined;
  if (closed !== undefined) {
    teller.notes.push(`Stopped by a gate: ${closed}`);
    teller.tell({ type: "gate-closed", because: closed });
    return { decision: withoutSteps(decision, pass.given, "gate"), summarizer };
  }
  if (!pass.isCalledFor) return { decision, summarizer };
  tellStart(pass);
  return leavingIds(decision.rest).size === 0 ? { decision, summarizer } : askForProvided(pass);
}

function gateEvent({ decision, given, isCalledFor, tokensBefore, compactionNumber, signal, teller }: Pass) {
  const { plan } = decision;
  const messageCount = given.view.messages.length;
  const numbers = { messageCount, tokenCount: tokensBefore, compactionNumber };
  return [{ reason: plan.reason, plan, ...numbers, isCalledFor, signal }, teller.context] as const;
}

function tellStart({ decision, given, tokensBefore, compactionNumber, teller, state, watch }: Pass): void {
  const leaving = watch.hooks.notifies.length === 0 ? NO_IDS : leavingIds(decision.plan);
  const messages = leaving.size === 0 ? [] : given.view.messages.filter(({ id }) => leaving.has(id));
  state.isStarted = true;
  teller.tell({
    type: "compaction-started",
    reason: decision.plan.reason,
    messageCount: given.view.messages.length,
    tokenCount: tokensBefore,
    compactionNumber,
    messages: messages.map(snapshotOf),
  });
}

const NO_IDS: ReadonlySet<string> = new Set();

/** What a hook wrote is checked later; here it is only not told on with a credential in it. */
function withoutSecrets(provided: ProvidedCompaction): ProvidedCompaction {
  const { summary } = provided;
  return typeof summary === "string" ? { ...provided, summary: redactSecrets(summary) } : provided;
}

async function askForProvided(pass: Pass): Promise<Asked> {
  const { decision, summarizer, teller, watch, tokensBefore, signal, counter, call } = pass;
  const own: Asked = { decision, summarizer };
  if (watch.hooks.provides.length === 0) return own;
  const { instructions } = call;
  const proposal = proposalOf({ decision, tokensBefore, instructions, signal, filesOf: watch.filesOf });
  const failed = (error: unknown): void => teller.hookFailed("provide", error);
  const answer = await askProvides(watch.hooks.provides, { proposal, context: teller.context, failed });
  if (answer === undefined) return own;
  if ("cancel" in answer) {
    teller.notes.push(`Cancelled by a hook${answer.message === undefined ? "." : `: ${errorText(answer.message)}`}`);
    return { decision: withoutSteps(decision, pass.given, "cancelled"), summarizer };
  }
  const provided = withoutSecrets(answer.compaction);
  const taken = takeProvided(decision, provided, counter);
  if (taken.type === "refused") {
    failed(new Error(taken.because));
    return own;
  }
  const { summary, firstKeptEntryId = proposal.firstKeptEntryId } = provided;
  teller.tell({
    type: "compaction-provided",
    summary,
    summaryTokens: counter.countText(summary),
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
  });
  return { decision: taken.decision, summarizer: taken.summarizer, provided };
}
