/**
 * The hooks that can change a decision. When a gate refuses or a provider cancels, the conversation stays as it was. A provider may
 * hand in its own summary: it is checked like any plan, and the decision stands where that summary would break a promise.
 */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import {
  askGates,
  askProvides,
  type CompactionDetails,
  type FileOperations,
  type Proposal,
  type ProvidedCompaction,
} from "../core/hooks/hooks.ts";
import type { Message } from "../core/message.ts";
import { checkPlan, isTextStep, leavingIds, removedBy, removedIds } from "../core/plan/apply-plan.ts";
import { withBackstop } from "../core/plan/backstop.ts";
import type { Plan, SummarizeStep } from "../core/plan/plan.ts";
import { type PlanInput, partitionByCount, sumTokens } from "../core/plan/plan-input.ts";
import { freedTokens } from "../core/plan/prune.ts";
import { asReturned } from "../core/plan/pruned-texts.ts";
import { reserveTokensOf, thresholdTokens } from "../core/plan/trigger.ts";
import { redactSecrets } from "../core/secrets/secrets.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type Decision, fallbacksOf, withoutSteps } from "./decide.ts";
import { type PassFacts, startEvent, type Teller, type Watch } from "./events.ts";
import { PROVIDED_NAME } from "./summarize.ts";

/** The decision to carry out after the hooks were asked, and its summarizer. */
export interface HookVerdict {
  readonly decision: Decision;
  readonly summarizer: Summarizer;
  /** What a hook adds to the compaction that it provided. */
  readonly details?: CompactionDetails | undefined;
}

export interface HookQuestion {
  readonly facts: PassFacts;
  readonly watch: Watch;
  readonly teller: Teller;
  readonly summarizer: Summarizer;
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
  /** Called once the start of the compaction was told, before a hook answers. */
  started(): void;
}

export async function askHooks(question: HookQuestion): Promise<HookVerdict> {
  const { facts, watch, teller, summarizer, signal } = question;
  const { decision, input } = facts;
  const { gates, notifies } = watch.hooks;
  const { plan } = decision;
  if (plan.steps.length > 0 && gates.length > 0) {
    const { isCalledFor, compactionNumber, tokensBefore: tokenCount } = facts;
    const messageCount = input.view.messages.length;
    const event = { reason: plan.reason, plan, messageCount, tokenCount, compactionNumber, isCalledFor, signal };
    const closed = await askGates(gates, event, teller.context);
    if (closed !== undefined) {
      teller.notes.push(`Stopped by a gate: ${closed}`);
      teller.tell({ type: "gate-closed", because: closed });
      return { decision: withoutSteps(decision, input, "gate"), summarizer };
    }
  }
  if (!facts.isCalledFor) return { decision, summarizer };
  question.started();
  teller.tell(startEvent(facts, notifies.length > 0));
  return leavingIds(decision.rest).size === 0 ? { decision, summarizer } : askForSummary(question);
}

async function askForSummary(question: HookQuestion): Promise<HookVerdict> {
  const { facts, watch, teller, summarizer, instructions, signal } = question;
  const { decision, input, counter, tokensBefore } = facts;
  const own = { decision, summarizer };
  if (watch.hooks.provides.length === 0) return own;
  const proposal = proposalOf({ decision, tokensBefore, instructions, signal, filesOf: watch.filesOf });
  const failed = (error: unknown): void => teller.hookFailed("provide", error);
  const answer = await askProvides(watch.hooks.provides, { proposal, context: teller.context, failed });
  if (answer === undefined) return own;
  if ("cancel" in answer) {
    teller.notes.push(`Cancelled by a hook${answer.message === undefined ? "." : `: ${errorText(answer.message)}`}`);
    return { decision: withoutSteps(decision, input, "cancelled"), summarizer };
  }
  const provided = withoutSecrets(answer.compaction);
  const taken = takeProvided(decision, provided, counter);
  if (taken.type === "refused") {
    failed(new Error(taken.because));
    return own;
  }
  const { summary, firstKeptEntryId = proposal.firstKeptEntryId, details } = provided;
  const summaryTokens = counter.countText(summary);
  const kept = firstKeptEntryId === undefined ? {} : { firstKeptEntryId };
  teller.tell({ type: "compaction-provided", summary, summaryTokens, ...kept });
  return { decision: taken.decision, summarizer: taken.summarizer, details };
}

/** The hook's text is checked later. Listeners must not see a credential in it before that. */
function withoutSecrets(provided: ProvidedCompaction): ProvidedCompaction {
  const { summary } = provided;
  return typeof summary === "string" ? { ...provided, summary: redactSecrets(summary) } : provided;
}

interface ProposalInput {
  readonly decision: Decision;
  readonly tokensBefore: number;
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
  filesOf(messages: readonly Message[]): FileOperations;
}

function proposalOf(given: ProposalInput): Proposal {
  const { decision, tokensBefore, instructions, signal, filesOf } = given;
  const { input, rest, plan } = decision;
  const step = rest.steps.find((candidate) => candidate.type === "summarize");
  const leaving = leavingIds(rest);
  const prefix = new Set(step?.turnPrefixIds ?? []);
  const zone = input.conversation.messages
    .filter(({ id }) => leaving.has(id))
    .map((message) => asReturned(message, decision.originals));
  const firstKeptEntryId = firstKeptId(decision);
  return {
    reason: plan.reason,
    plan,
    messages: zone.filter(({ id }) => !prefix.has(id)),
    turnPrefix: zone.filter(({ id }) => prefix.has(id)),
    ...(firstKeptEntryId !== undefined && { firstKeptEntryId }),
    tokensBefore,
    ...(step !== undefined && { budgetTokens: step.budgetTokens }),
    ...(input.found !== undefined && { previousSummary: input.found.text }),
    fileOps: shownFiles(filesOf(zone)),
    reserveTokens: reserveOf(input.settings),
    ...(instructions !== undefined && { instructions }),
    signal,
  };
}

/** A file name may be an address with a password in it. */
function shownFiles({ read, modified }: FileOperations): FileOperations {
  const shown = (names: readonly string[]): readonly string[] => names.map((name) => redactSecrets(name));
  return { read: shown(read), modified: shown(modified) };
}

function firstKeptId({ input, rest }: Decision): string | undefined {
  const leaving = leavingIds(rest);
  const { messages } = input.conversation;
  return messages[messages.findLastIndex(({ id }) => leaving.has(id)) + 1]?.id;
}

/** What the settings keep free: the reserve of a trigger, or the room above the lowest threshold. */
function reserveOf(settings: Settings): number {
  const reserve = settings.compact.triggers.map(reserveTokensOf).find((tokens) => tokens > 0);
  if (reserve !== undefined) return reserve;
  return Math.max(0, settings.windowTokens - (thresholdTokens(settings) ?? settings.windowTokens));
}

type ProvidedDecision =
  | { readonly type: "taken"; readonly decision: Decision; readonly summarizer: Summarizer }
  | { readonly type: "refused"; readonly because: string };

/** The decision with the provided summary in place of the built-in one. */
function takeProvided(decision: Decision, provided: ProvidedCompaction, counter: TokenCounter): ProvidedDecision {
  const { input, rest } = decision;
  if (typeof provided.summary !== "string" || provided.summary.trim() === "") {
    return { type: "refused", because: "The provided compaction has no summary." };
  }
  const summaryTokens = counter.countText(provided.summary);
  const step = stepFor(decision, provided, summaryTokens);
  if (typeof step === "string") return { type: "refused", because: step };
  const stepRemoves = new Set(removedIds(step));
  const texts = rest.steps.filter(isTextStep).filter(({ messageId }) => !stepRemoves.has(messageId));
  const kept = input.conversation.messages.filter(({ id }) => !stepRemoves.has(id));
  const { because: _, ...before } = rest;
  const expected = input.baseTokens + sumTokens(kept, input.tokensOf) + summaryTokens;
  const tooLong = overBudget(decision, { summaryTokens, expectedTokens: expected - freedTokens(texts) });
  if (tooLong !== undefined) return { type: "refused", because: tooLong };
  const next = withBackstop({ ...before, steps: [...texts, step], tokensAfter: expected }, input);
  const problems = checkPlan(next, input);
  if (problems.length > 0) return { type: "refused", because: problems.join(" ") };
  const removed = removedBy(next);
  const earlier = decision.plan.steps.filter(
    (other) => isTextStep(other) && !rest.steps.includes(other) && !removed.has(other.messageId),
  );
  const plan: Plan = { ...decision.plan, steps: [...earlier, ...next.steps], tokensAfter: next.tokensAfter };
  const own = { ...decision, plan, rest: next, fallbacks: fallbacksOf(next, input) };
  return { type: "taken", decision: own, summarizer: saying(provided.summary) };
}

/** A hook's summary may be longer than the budget, unless it would keep the view above its target. */
function overBudget(
  { input, rest }: Decision,
  { summaryTokens, expectedTokens }: { readonly summaryTokens: number; readonly expectedTokens: number },
): string | undefined {
  const own = rest.steps.find((step) => step.type === "summarize");
  const limitTokens = input.targetTokens ?? input.settings.windowTokens;
  if (own === undefined || summaryTokens <= own.budgetTokens || expectedTokens <= limitTokens) return undefined;
  return `The provided summary counts ${summaryTokens} tokens, and ${own.budgetTokens} were allowed.`;
}

/** Returns a sentence when the hook asks for an illegal cut. */
function stepFor(decision: Decision, { firstKeptEntryId }: ProvidedCompaction, budgetTokens: number) {
  const { input, rest } = decision;
  const own = rest.steps.find((step) => step.type === "summarize");
  const isOwnCut = firstKeptEntryId === undefined || firstKeptEntryId === (firstKeptId(decision) ?? "");
  const messageIds = isOwnCut ? [...leavingIds(rest)] : zoneBefore(input, firstKeptEntryId);
  if (messageIds === undefined) return `Nothing can be cut before ${firstKeptEntryId}.`;
  return {
    type: "summarize",
    messageIds,
    turnPrefixIds: isOwnCut ? (own?.turnPrefixIds ?? []) : [],
    replacesIds: input.found?.messageIds ?? [],
    budgetTokens,
  } satisfies SummarizeStep;
}

/** What leaves when the tail begins at this message; undefined where no legal cut is possible. */
function zoneBefore(input: PlanInput, firstKeptEntryId: string): readonly string[] | undefined {
  const { messages } = input.conversation;
  const cut = messages.findIndex(({ id }) => id === firstKeptEntryId);
  const parts = partitionByCount(input, messages.length - cut);
  if (cut <= 0 || parts.cut !== cut || parts.zone.length === 0) return undefined;
  return parts.zone.flatMap((index) => messages[index]?.id ?? []);
}

function saying(text: string): Summarizer {
  return {
    name: PROVIDED_NAME,
    version: "1",
    planCalls: () => 0,
    summarize: () => Promise.resolve({ text, calls: 0, notes: [] }),
  };
}
