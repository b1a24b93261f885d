/**
 * Makes a plan with its fallbacks from a view: cap, trigger, then the strategy or pruning alone, backstop. Pure: the result is
 * data, and the same input gives the same plan. `plan`, `fit` and `compact` all decide here; carrying out decides nothing more.
 */

import type { Conversation, Message } from "../core/message.ts";
import { applyPlan, removedBy } from "../core/plan/apply-plan.ts";
import { withBackstop } from "../core/plan/backstop.ts";
import type { NothingToDo, Plan, Reason, SummarizeStep, TextStep } from "../core/plan/plan.ts";
import { fullPartition, nothingToDo, type OwnStrategy, type PlanInput, totalTokens } from "../core/plan/plan-input.ts";
import { capSteps, freedTokens, pruneSteps, pruningPays, trimResults } from "../core/plan/prune.ts";
import type { Originals } from "../core/plan/pruned-texts.ts";
import { findSummary } from "../core/plan/summary-marks.ts";
import {
  answerableTokens,
  type ContextSize,
  countedTokens,
  excessMessages,
  findTrigger,
  prunesByItself,
  shareOf,
  sizeTokens,
  targetOfRequest,
  thresholdTokens,
} from "../core/plan/trigger.ts";
import { once } from "../core/remember.ts";
import type { CheckPoint, Settings } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";
import { trimUnanswered } from "../strategies/room.ts";
import { planOwn, planWith } from "../strategies.ts";
import type { CallOptions } from "./options.ts";

export interface DecideInput {
  readonly view: Conversation;
  readonly settings: Settings;
  readonly tokensOf: (message: Message) => number;
  /** Tokens of a list, rounded once; the trigger compares them. */
  readonly totalOf: (messages: readonly Message[]) => number;
  readonly systemTokens: number;
  readonly toolsTokens: number;
  /** The caller asked, or the provider refused: no trigger is needed. */
  readonly asked?: "manual" | "overflow";
  /** How often in a row the provider refused this conversation as too long, this time included. */
  readonly attempt?: number;
  /** The target of this call; otherwise the settings' own. */
  readonly targetTokens?: number;
  readonly isCacheCold?: boolean;
  /** The host's position in its loop; undefined means any. */
  readonly checkPoint?: CheckPoint;
  /** The kind of native compaction that this conversation can use; undefined for none. */
  readonly nativeKind?: string | undefined;
  /** The host's own strategy; it replaces the settings'. */
  readonly strategy?: OwnStrategy | undefined;
  /** Whether the view's ids are those of a store that a recall tool reads. */
  readonly hasStoredIds?: boolean;
  /** True when the last passes freed too little or failed, and little was added since. */
  readonly isThrashing?: boolean;
}

export interface Decision {
  /** All steps, on the given view. */
  readonly plan: Plan;
  /** The size that the triggers compared: after results were cut to the cap, before anything else was shortened. */
  readonly measured: Measure;
  /** The input that the compaction steps were made from, for `checkPlan`: the view after cap and prune. */
  readonly input: PlanInput;
  /** The part of the plan that is not yet applied to `input`. */
  readonly rest: Plan;
  /** The original form of messages that this pass or an earlier one shortened: a summary is written from it. */
  readonly originals: Originals;
  /** The steps that shortened them, whether or not the message leaves afterwards. */
  readonly texts: readonly TextStep[];
  /** The plans that replace `rest` when something fails. */
  readonly fallbacks: FallbackPlans;
  /** The name of the strategy that decided, and whether it is the host's own. */
  readonly strategy: string;
  readonly isOwn: boolean;
  /** Why the host's own strategy was not used. */
  readonly refused?: string;
}

/** The size that the triggers compared, and the limit in tokens that it passed: the lowest one where no trigger fired. */
export interface Measure {
  readonly size: ContextSize;
  readonly tokens: number;
  readonly thresholdTokens?: number;
}

/** Computed when read, which is seldom. */
export interface FallbackPlans {
  /** A summary of our own, in place of the provider's compaction; otherwise the plan itself. */
  readonly summary: Plan;
  /** Without a summary: the zone is dropped. */
  readonly truncation: Plan;
  /** Without a summary: nothing leaves except by a limit on messages. */
  readonly nothing: Plan;
  /** A plan that keeps more of the newest messages beside a short summary; undefined where there is no room for more. */
  longerTail(summaryTokens: number): Plan | undefined;
}

export function decide(given: DecideInput): Decision {
  const start: Stage = { given, input: planInput(given), steps: [] };
  const { view, settings, tokensOf } = given;
  const capped = withTexts(start, capSteps({ messages: view.messages, settings, tokensOf }));
  const { fired, because, measured } = reasonFor(capped.given, sizeOf(capped.given));
  // A strategy prunes too; pruning runs beside it only where results are pruned at every request.
  const pruned = fired !== undefined && settings.prune.sparesTail ? capped : waterStage(capped);
  const isLast = recoveryFor(given) === "truncate-tools";
  const trims = isLast ? trimAll(pruned.input) : trimUnanswered(pruned.input);
  const stage = fired === undefined ? pruned : withTexts(pruned, trims);
  const input = { ...stage.input, reason: fired ?? "prune" };
  const isDone = fired === undefined || (isLast && totalTokens(input) <= lastAim(input));
  const { plan: decided, ...by } = isDone
    ? { plan: nothingToDo(input, because), strategy: settings.compact.strategy, isOwn: false }
    : planBy(given, input);
  const rest = withBackstop(decided, input);
  return {
    plan: asCounted(combine(totalTokens(start.input), stage.steps, rest), given),
    measured,
    input,
    rest,
    originals: originalsIn(view, stage),
    texts: stage.steps,
    fallbacks: fallbacksOf(rest, input),
    ...by,
  };
}

export interface QuietInput extends Pick<DecideInput, "settings" | "isCacheCold" | "checkPoint"> {
  readonly size: ContextSize;
  readonly targetTokens: number | undefined;
}

/** The empty plan, where the sums show that nothing is due; undefined where the messages must be read. */
export function quietPlan(input: QuietInput): Plan | undefined {
  const { settings, size } = input;
  const tokens = sizeTokens(size);
  const { prune } = settings;
  const dropsTurns = prune.enabled && prune.dropTurnsKeep > 0;
  if (dropsTurns || excessMessages(settings, size.messageCount) > 0 || isAboveHighWater(settings, tokens))
    return undefined;
  const { fired, because } = reasonFor(input, size);
  if (fired !== undefined || tokens > settings.windowTokens) return undefined;
  const { targetTokens } = input;
  // Only the messages show what prevents an explicit target.
  if (targetTokens !== undefined && tokens > targetTokens) return undefined;
  return { ...EMPTY_PLAN, tokensBefore: tokens, tokensAfter: tokens, targetTokens, because };
}

/** The target that a call asks for, at most the window: a provider refuses anything larger. */
export function targetFor(
  { target }: Pick<CallOptions, "target">,
  tokens: number,
  windowTokens: number,
): number | undefined {
  if (target === undefined) return undefined;
  return Math.min("tokens" in target ? target.tokens : Math.floor(shareOf(tokens, target.ratio)), windowTokens);
}

/** The response to a refusal: compactions as often as the settings say, then their last step, then nothing. */
export function recoveryFor({ attempt, settings }: DecideInput): "compact" | "truncate-tools" | "none" | undefined {
  if (attempt === undefined) return undefined;
  const { maxAttempts, finalStep } = settings.overflow;
  if (attempt <= maxAttempts) return "compact";
  return attempt === maxAttempts + 1 && finalStep === "truncate-tools" ? "truncate-tools" : "none";
}

/** The last step: cuts results anywhere, the newest round's too, as far as the window demands. */
function trimAll(input: PlanInput): readonly TextStep[] {
  const { conversation, structure, settings, tokensOf } = input;
  const freeTokens = totalTokens(input) - lastAim(input);
  if (freeTokens <= 0) return [];
  const results = { messages: conversation.messages, pairing: structure.pairing, settings, tokensOf };
  return trimResults({ ...results, mayTrim: () => true }, freeTokens);
}

function lastAim({ targetTokens, settings }: PlanInput): number {
  return targetTokens ?? answerableTokens(settings);
}

/** Plans with the host's own strategy, or with the settings' where the host has none or its plan is invalid. */
function planBy(
  { strategy: own, settings }: DecideInput,
  input: PlanInput,
): Pick<Decision, "plan" | "strategy" | "isOwn" | "refused"> {
  const { strategy } = settings.compact;
  if (own === undefined) return { plan: planWith(strategy, input), strategy, isOwn: false };
  const made = planOwn(own, input);
  if ("plan" in made) return { plan: made.plan, strategy: own.name, isOwn: true };
  const refused = `The strategy ${own.name} failed: ${made.refused}`;
  return { plan: planWith(strategy, input), strategy, isOwn: false, refused };
}

function originalsIn({ messages }: Conversation, { steps }: Stage): Originals {
  if (steps.length === 0) return NO_ORIGINALS;
  const ids = new Set(steps.map(({ messageId }) => messageId));
  return new Map(messages.flatMap((message) => (ids.has(message.id) ? [[message.id, message]] : [])));
}

const NO_ORIGINALS: Originals = new Map();

export function withOriginals(decision: Decision, earlier: readonly Message[]): Decision {
  if (earlier.length === 0) return decision;
  return {
    ...decision,
    originals: new Map([...decision.originals, ...earlier.map((each) => [each.id, each] as const)]),
  };
}

/** Whether a summary may be needed, also in place of the provider's own compaction. */
export function needsOriginals({ rest }: Decision): boolean {
  return rest.steps.some(({ type }) => type === "summarize" || type === "native");
}

/** The view so far, the strategy's input for it, and the steps that shortened texts. */
interface Stage {
  readonly given: DecideInput;
  readonly input: PlanInput;
  readonly steps: readonly TextStep[];
}

function withTexts(before: Stage, steps: readonly TextStep[]): Stage {
  if (steps.length === 0) return before;
  const { view: conversation, settings } = before.given;
  const view = applyPlan({ conversation, plan: { steps }, summary: undefined, render: settings.render });
  const given = { ...before.given, view };
  return { given, input: planInput(given), steps: [...before.steps, ...steps] };
}

const EMPTY_PLAN: Plan = {
  reason: "prune",
  steps: [],
  tokensBefore: 0,
  tokensAfter: 0,
  targetTokens: undefined,
  fits: true,
  inTheWay: [],
};

/** Pruning alone: above the high mark prune down to the low one, in between leave the prefix unchanged. */
function waterStage(before: Stage): Stage {
  const { given, input } = before;
  const { settings, view, tokensOf } = given;
  const { prune } = settings;
  const tokens = totalTokens(input);
  if (!isAboveHighWater(settings, tokens)) return before;
  const { protectedBy } = fullPartition(input);
  // Even where the tail is not spared, keep what the model has not read yet.
  const mayPrune = (index: number): boolean =>
    prune.sparesTail ? !protectedBy.has(index) : protectedBy.get(index) !== "open-round";
  const freeTokens = tokens - shareOf(settings.windowTokens, prune.lowWaterRatio);
  const { pairing } = input.structure;
  const pruneInput = { messages: view.messages, pairing, settings, tokensOf, mayPrune, namesRecall: input.namesRecall };
  const steps = pruneSteps(pruneInput, { freeTokens });
  const freed = freedTokens(steps);
  // A batch that frees little would run again with every request, and change the prefix each time.
  const isMuch = freed >= shareOf(tokens, settings.antiThrash.minFreedRatio);
  const isWorthIt = prune.highWaterRatio === 0 || (isMuch && paysByItself(given, { input, steps }));
  return isWorthIt ? withTexts(before, steps) : before;
}

/** Pruning pays at once where no automatic compaction would follow, or where no cached prefix is lost. */
function paysByItself({ isCacheCold = false }: DecideInput, { input, steps }: Omit<Stage, "given">): boolean {
  const { prune, compact } = input.settings;
  if (!prune.mustPay || isCacheCold || !compact.auto || compact.strategy === "none") return true;
  const strategy = compact.strategy === "hybrid" ? "summarize" : compact.strategy;
  return pruningPays(input, steps, planWith(strategy, input));
}

function isAboveHighWater(settings: Settings, tokens: number): boolean {
  return prunesByItself(settings) && tokens > shareOf(settings.windowTokens, settings.prune.highWaterRatio);
}

type ReasonInput = Pick<DecideInput, "settings" | "asked" | "isThrashing" | "checkPoint" | "isCacheCold">;

interface TriggerResult {
  readonly fired?: Reason;
  readonly because: NothingToDo;
  readonly measured: Measure;
}

/** The only place that asks the triggers. */
function reasonFor(given: ReasonInput, size: ContextSize): TriggerResult {
  const { settings, asked, isThrashing, checkPoint, isCacheCold = false } = given;
  const lowest = thresholdTokens(settings);
  const measured = {
    size,
    tokens: countedTokens(settings, size),
    ...(lowest !== undefined && { thresholdTokens: lowest }),
  };
  const because = "not-triggered";
  if (asked !== undefined) return { fired: asked, because, measured };
  if (!settings.compact.auto) return { because: "auto-off", measured };
  if (checkPoint !== undefined && !settings.compact.checkPoints.includes(checkPoint))
    return { because: "no-check-point", measured };
  // The provider said that the request is too long, and its word outweighs our estimate.
  if (checkPoint === "onOverflow") return { fired: "overflow", because, measured };
  const fired = findTrigger(settings, { size, isCacheCold });
  if (fired === undefined) return { because, measured };
  const { trigger, ...compared } = fired;
  const passed = { size, ...compared };
  return isThrashing ? { because: "thrashing", measured: passed } : { fired: trigger, because, measured: passed };
}

/** Does nothing: also undoes what was capped or pruned on the way to the decision. */
export function withoutSteps(decision: Decision, given: DecideInput, because: NothingToDo): Decision {
  const { plan, rest, input, ...by } = decision;
  const { windowTokens } = given.settings;
  const none = (from: Plan): Plan => ({
    ...from,
    steps: [],
    tokensAfter: from.tokensBefore,
    fits: from.tokensBefore <= (from.targetTokens ?? windowTokens),
    because,
  });
  const left = { ...input, conversation: given.view };
  const nothing = none(rest);
  const unedited = { originals: NO_ORIGINALS, texts: [], fallbacks: fallbacksOf(nothing, left) };
  return { ...by, plan: none(plan), rest: nothing, input: left, ...unedited };
}

export function sizeOf({ view, totalOf, systemTokens, toolsTokens }: DecideInput): ContextSize {
  return { systemTokens, toolsTokens, messagesTokens: totalOf(view.messages), messageCount: view.messages.length };
}

/** Counts as the report does. */
export function tokensIn(given: DecideInput): number {
  return sizeTokens(sizeOf(given));
}

/** What a strategy, or a check of its result, may know of a view. */
export function planInput(given: DecideInput): PlanInput {
  const { view, settings, tokensOf, systemTokens, toolsTokens } = given;
  return {
    reason: "prune",
    conversation: view,
    structure: structureOf(view.messages),
    settings,
    tokensOf,
    baseTokens: systemTokens + toolsTokens,
    toolsTokens,
    targetTokens: given.targetTokens ?? targetOfRequest(settings, { systemTokens, toolsTokens }),
    isTargetExplicit: given.targetTokens !== undefined,
    found: findSummary(view.messages, view.system, settings.render),
    nativeKind: given.nativeKind,
    namesRecall: given.hasStoredIds === true && settings.render.mentionsRecall,
  };
}

/** One plan over the given view; leaves out steps on messages that leave anyway. */
function combine(tokensBefore: number, texts: readonly TextStep[], rest: Plan): Plan {
  const removed = removedBy(rest);
  const kept = texts.filter(({ messageId }) => !removed.has(messageId));
  if (kept.length === 0) return { ...rest, tokensBefore };
  const { because: _, ...plan } = rest;
  return { ...plan, steps: [...kept, ...rest.steps], tokensBefore };
}

/** Steps count message by message; an unchanged view is counted as a whole, like in the report. */
function asCounted(plan: Plan, given: DecideInput): Plan {
  if (plan.steps.length > 0) return plan;
  const tokens = tokensIn(given);
  const fits = tokens <= (plan.targetTokens ?? given.settings.windowTokens);
  return { ...plan, tokensBefore: tokens, tokensAfter: tokens, fits };
}

/** A share of the target: less unused room than this is left unused. */
const UNUSED_SHARE_MIN = 0.1;

export function fallbacksOf(rest: Plan, input: PlanInput): FallbackPlans {
  const summarized = (saidTokens?: number): Plan =>
    withBackstop(planWith("summarize", saidTokens === undefined ? input : { ...input, saidTokens }), input);
  const summary = once(() => (rest.steps.some(({ type }) => type === "native") ? summarized() : rest));
  return {
    get summary(): Plan {
      return summary();
    },
    get truncation(): Plan {
      return withBackstop(planWith("truncate", input), input);
    },
    get nothing(): Plan {
      const { tokensBefore: tokensAfter, ...plan } = summary();
      const steps = plan.steps.filter(({ type }) => type !== "summarize");
      return withBackstop({ ...plan, steps, tokensBefore: tokensAfter, tokensAfter, because: "frees-nothing" }, input);
    },
    longerTail: (summaryTokens) => {
      const plan = summary();
      const before = summaryStepOf(plan);
      const { isTargetExplicit, targetTokens } = input;
      if (before === undefined || !isTargetExplicit || targetTokens === undefined || !plan.fits) return undefined;
      if (before.budgetTokens - summaryTokens < targetTokens * UNUSED_SHARE_MIN) return undefined;
      const longer = summarized(summaryTokens);
      const after = summaryStepOf(longer);
      if (after === undefined || !longer.fits || after.budgetTokens < summaryTokens) return undefined;
      return after.messageIds.length < before.messageIds.length ? longer : undefined;
    },
  };
}

export function summaryStepOf({ steps }: Plan): SummarizeStep | undefined {
  return steps.find((step) => step.type === "summarize");
}
