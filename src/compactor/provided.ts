/**
 * What a `provide` hook is shown, and what it gives back made into a decision like any other: checked by the same rules,
 * applied by the same code. A compaction that would break a promise is refused; the built-in one goes on then.
 */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import type { FileOperations, Proposal, ProvidedCompaction } from "../core/hooks/hooks.ts";
import type { Message } from "../core/message.ts";
import { checkPlan, isTextStep, removedBy, removedIds } from "../core/plan/apply-plan.ts";
import { withBackstop } from "../core/plan/backstop.ts";
import type { Plan, SummarizeStep } from "../core/plan/plan.ts";
import { type PlanInput, partitionByCount, sumTokens } from "../core/plan/plan-input.ts";
import { asReturned } from "../core/plan/pruned-texts.ts";
import { reserveTokensOf, thresholdTokens } from "../core/plan/trigger.ts";
import { redactSecrets } from "../core/secrets/secrets.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { Decision } from "./decide.ts";

/** The name under which a hook's text stands where a summarizer's would. */
export const PROVIDED_NAME = "provided";

/** What leaves the view, without an earlier summary that is replaced. */
export function leavingIds(plan: Plan): ReadonlySet<string> {
  const replaces = plan.steps.some((step) => "replacesIds" in step && step.replacesIds.length > 0);
  if (!replaces) return removedBy(plan);
  const known = LEAVING.get(plan.steps);
  if (known !== undefined) return known;
  const leaving = new Set<string>();
  for (const step of plan.steps) if (!isTextStep(step)) for (const id of step.messageIds) leaving.add(id);
  LEAVING.set(plan.steps, leaving);
  return leaving;
}

/** Asked several times in a pass; steps are never changed. */
const LEAVING = new WeakMap<Plan["steps"], ReadonlySet<string>>();

export interface ProposalInput {
  readonly decision: Decision;
  readonly tokensBefore: number;
  readonly instructions: string | undefined;
  readonly signal: AbortSignal;
  filesOf(messages: readonly Message[]): FileOperations;
}

export function proposalOf(given: ProposalInput): Proposal {
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

/** A name may be an address with a password in it. */
function shownFiles({ read, modified }: FileOperations): FileOperations {
  const shown = (names: readonly string[]): readonly string[] => names.map((name) => redactSecrets(name));
  return { read: shown(read), modified: shown(modified) };
}

function firstKeptId({ input, rest }: Decision): string | undefined {
  const leaving = leavingIds(rest);
  const { messages } = input.conversation;
  return messages[messages.findLastIndex(({ id }) => leaving.has(id)) + 1]?.id;
}

/** What the settings keep free: the reserve trigger's, or whatever the lowest threshold leaves. */
function reserveOf(settings: Settings): number {
  const trigger = settings.compact.triggers.find(({ type }) => type === "reserve");
  if (trigger !== undefined) return reserveTokensOf(trigger);
  return Math.max(0, settings.windowTokens - (thresholdTokens(settings) ?? settings.windowTokens));
}

export type Taken =
  | { readonly type: "taken"; readonly decision: Decision; readonly summarizer: Summarizer }
  | { readonly type: "refused"; readonly because: string };

/** The decision with the provided summary in the place of the built-in one. */
export function takeProvided(decision: Decision, provided: ProvidedCompaction, counter: TokenCounter): Taken {
  const { input, rest } = decision;
  if (typeof provided.summary !== "string" || provided.summary.trim() === "") {
    return { type: "refused", because: "The provided compaction has no summary." };
  }
  const summaryTokens = counter.countText(provided.summary);
  const step = stepFor(decision, provided, summaryTokens);
  if (typeof step === "string") return { type: "refused", because: step };
  const stepRemoves = new Set(removedIds(step));
  const texts = rest.steps.filter((other) => isTextStep(other) && !stepRemoves.has(other.messageId));
  const kept = input.conversation.messages.filter(({ id }) => !stepRemoves.has(id));
  const { because: _, ...before } = rest;
  const expected = input.baseTokens + sumTokens(kept, input.tokensOf) + summaryTokens;
  const freedTokens = texts.reduce((sum, step) => sum + (isTextStep(step) ? step.freesTokens : 0), 0);
  const tooLong = overBudget(decision, { summaryTokens, expectedTokens: expected - freedTokens });
  if (tooLong !== undefined) return { type: "refused", because: tooLong };
  const next = withBackstop({ ...before, steps: [...texts, step], tokensAfter: expected }, input);
  const problems = checkPlan(next, input);
  if (problems.length > 0) return { type: "refused", because: problems.join(" ") };
  const removed = removedBy(next);
  const earlier = decision.plan.steps.filter(
    (other) => isTextStep(other) && !rest.steps.includes(other) && !removed.has(other.messageId),
  );
  const plan: Plan = { ...decision.plan, steps: [...earlier, ...next.steps], tokensAfter: next.tokensAfter };
  return { type: "taken", decision: { ...decision, plan, rest: next }, summarizer: saying(provided.summary) };
}

/** A hook may take more room than the built-in summary would, unless that is what keeps the view above its target. */
function overBudget(
  { input, rest }: Decision,
  { summaryTokens, expectedTokens }: { readonly summaryTokens: number; readonly expectedTokens: number },
): string | undefined {
  const own = rest.steps.find((step) => step.type === "summarize");
  const limitTokens = input.targetTokens ?? input.settings.windowTokens;
  if (own === undefined || summaryTokens <= own.budgetTokens || expectedTokens <= limitTokens) return undefined;
  return `The provided summary counts ${summaryTokens} tokens, and ${own.budgetTokens} were allowed.`;
}

/** A sentence when the hook asks for a cut that is none. */
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

/** What leaves when the tail begins at this message; undefined where no legal cut is. */
function zoneBefore(input: PlanInput, firstKeptEntryId: string): readonly string[] | undefined {
  const { messages } = input.conversation;
  const cut = messages.findIndex(({ id }) => id === firstKeptEntryId);
  const parts = partitionByCount(input, messages.length - cut);
  if (cut <= 0 || parts.cut !== cut || parts.zone.length === 0) return undefined;
  return parts.zone.flatMap((index) => messages[index]?.id ?? []);
}

/** The hook's text, where the summarizer's would be. */
function saying(text: string): Summarizer {
  return {
    name: PROVIDED_NAME,
    version: "1",
    planCalls: () => 0,
    summarize: () => Promise.resolve({ text, calls: 0, notes: [] }),
  };
}
