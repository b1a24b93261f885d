/**
 * What a plan owes to limits on messages rather than tokens: old tool turns go whole where the settings say so, and the
 * number of messages is limited in every pass. A summary that is made in this pass stands for what the limit takes.
 */

import { formatRules } from "../format-rules.ts";
import { missingStart } from "../repair/roles.ts";
import { historyHolder } from "../server-history.ts";
import { isTextStep, removedBy } from "./apply-plan.ts";
import type { DropStep, NativeStep, Plan, Step, SummarizeStep } from "./plan.ts";
import { type PlanInput, partitionByCount } from "./plan-input.ts";
import { freedTokens } from "./prune.ts";
import { frameMessages } from "./render.ts";
import { excessMessages } from "./trigger.ts";
import { userVoice } from "./user-voice.ts";

export function withBackstop(plan: Plan, input: PlanInput): Plan {
  return withOpening(withinLimits(plan, input), input);
}

function withinLimits(plan: Plan, input: PlanInput): Plan {
  const turned = withoutOldTurns(plan, input);
  const leaving = removedBy(turned);
  const messageIds = overLimit(input, { leaving, added: addedMessages(turned, input) });
  if (messageIds.length === 0) return turned;
  const taking = turned.steps.find(isTaking);
  if (taking !== undefined) return withMore(turned, taking, { messageIds, input });
  const reason = `more than ${input.settings.maxMessages} messages`;
  return withDrop(turned, { type: "drop", messageIds, reason }, input);
}

/** In a pass that takes messages anyway, they go with those: the next one would drop them, and change the prefix again. */
function withoutOldTurns(plan: Plan, input: PlanInput): Plan {
  const drop = dropTurns(input);
  const taking = plan.steps.find(isTaking);
  if (drop === undefined || taking === undefined) return withDrop(plan, drop, input);
  const leaving = removedBy(plan);
  const messageIds = drop.messageIds.filter((id) => !leaving.has(id));
  return messageIds.length === 0 ? plan : withMore(plan, taking, { messageIds, input });
}

type TakingStep = SummarizeStep | NativeStep | DropStep;

function isTaking(step: Step): step is TakingStep {
  return !isTextStep(step);
}

/** At most; how many there are is known only when the summary stands in its place. */
function addedMessages({ steps }: Plan, { settings, conversation }: PlanInput): number {
  if (steps.some(({ type }) => type === "native")) return 1;
  if (!steps.some(({ type }) => type === "summarize")) return 0;
  // Where neighbours of one role are refused, a line stands between what was put in and what follows.
  const bridges = formatRules(conversation.format).sameRole === "refused" ? 1 : 0;
  return bridges + frameMessages(settings.render, true).length;
}

function withDrop(plan: Plan, drop: DropStep | undefined, input: PlanInput): Plan {
  if (drop === undefined) return plan;
  const { because: _, ...rest } = withoutTexts(plan, new Set(drop.messageIds));
  const tokensAfter = rest.tokensAfter - tokensIn(drop.messageIds, input);
  return { ...rest, steps: [...rest.steps, drop], tokensAfter };
}

/** Where the beginning goes and no summary takes its place, a line says so before an assistant's message, and is counted. */
function withOpening(plan: Plan, { conversation, tokensOf }: PlanInput): Plan {
  if (!plan.steps.some(({ type }) => type === "drop") || plan.steps.some(isReplacing)) return plan;
  if (historyHolder(conversation) !== "list") return plan;
  const leaving = removedBy(plan);
  const first = conversation.messages.find(({ id, role }) => role !== "system" && !leaving.has(id));
  const start = missingStart(first, formatRules(conversation.format));
  if (start === undefined) return plan;
  // Whatever is put in, a pass that would make the list larger is given up when it is measured.
  return { ...plan, tokensAfter: Math.min(plan.tokensBefore, plan.tokensAfter + tokensOf(start)) };
}

function isReplacing({ type }: Step): boolean {
  return type === "summarize" || type === "native";
}

/** What leaves is not shortened before. */
function withoutTexts(plan: Plan, leaving: ReadonlySet<string>): Plan {
  const needless = plan.steps.filter(isTextStep).filter(({ messageId }) => leaving.has(messageId));
  if (needless.length === 0) return plan;
  const left = new Set<Step>(needless);
  const tokensAfter = plan.tokensAfter + freedTokens(needless);
  return { ...plan, steps: plan.steps.filter((step) => !left.has(step)), tokensAfter };
}

/** The same step, for these messages too, in the order of the list. */
function withMore(
  plan: Plan,
  step: TakingStep,
  { messageIds, input }: { readonly messageIds: readonly string[]; readonly input: PlanInput },
): Plan {
  const taken = new Set([...step.messageIds, ...messageIds]);
  const ordered = input.conversation.messages.flatMap(({ id }) => (taken.has(id) ? [id] : []));
  const wider = { ...step, messageIds: ordered };
  const { steps, tokensAfter } = withoutTexts(plan, taken);
  return {
    ...plan,
    steps: steps.map((other) => (other === step ? wider : other)),
    tokensAfter: tokensAfter - tokensIn(messageIds, input),
  };
}

function tokensIn(messageIds: readonly string[], { conversation, tokensOf }: PlanInput): number {
  const ids = new Set(messageIds);
  return conversation.messages.reduce((sum, message) => sum + (ids.has(message.id) ? tokensOf(message) : 0), 0);
}

/**
 * Ids of what has to go too, so that the hard limit on messages is kept; oldest first, pairs whole, protections honoured. `leaving`
 * leave anyway, `added` are put in by the plan.
 */
function overLimit(
  input: PlanInput,
  { leaving, added }: { readonly leaving: ReadonlySet<string>; readonly added: number },
): readonly string[] {
  const { conversation, settings, structure, found } = input;
  const { messages } = conversation;
  let excess = excessMessages(settings, messages.length - leaving.size + added);
  if (excess <= 0) return [];
  // A limit on messages is stronger than a tail of tokens: only so many of the newest stay for its sake.
  const { protectedBy: kept } = partitionByCount(input, settings.protect.tailMessages);
  const cuts = structure.cutPoints("pair-safe");
  const ids: string[] = [];
  // Where a provider refuses a list that does not begin with a user, a message is put in front: it counts too.
  const mayNeedOpening = added === 0 && formatRules(conversation.format).startsWithUser;
  const gone = new Set(leaving);
  let first = 0;
  const openings = (): number => {
    while (first < messages.length && gone.has(messages[first]?.id ?? "")) first++;
    return mayNeedOpening && messages[first]?.role !== "user" ? 1 : 0;
  };
  for (let at = 0; at < cuts.length && excess + openings() > 0; at++) {
    const start = cuts[at] ?? 0;
    const block = messages.slice(start, cuts[at + 1] ?? messages.length);
    const isKept = block.some(
      ({ id }, offset) => kept.has(start + offset) || found?.messageIds.includes(id) || leaving.has(id),
    );
    if (isKept) continue;
    for (const { id } of block) {
      ids.push(id);
      gone.add(id);
    }
    excess -= block.length;
  }
  return ids;
}

/** Drops the oldest whole tool turns, calls and results together. A turn that holds something protected, or a user's words, stays. */
function dropTurns(input: PlanInput): DropStep | undefined {
  const { structure, settings } = input;
  const { messages } = input.conversation;
  const keep = settings.prune.dropTurnsKeep;
  if (!settings.prune.enabled || keep <= 0) return undefined;
  // The newest tool turns have a limit of their own, so the tail does not keep older ones; pins in it do.
  const { protectedBy } = partitionByCount(input, 0);
  const cuts = new Set(structure.cutPoints("pair-safe"));
  const rounds = structure.rounds();
  const old = rounds.slice(0, -keep);
  const newest = rounds.slice(-keep);
  const { speaksIn } = userVoice(messages, settings.userTools);
  const messageIds = old.flatMap(({ start, end }) => {
    // Only rounds that legal cuts set apart can go without dividing another.
    if (!cuts.has(start) || !(cuts.has(end) || end === messages.length)) return [];
    const round = messages.slice(start, end);
    // What a user says while a tool runs stands inside of the round where results may come late: nobody else would say it.
    const isKept = round.some((message, offset) => speaksIn(message) || protectedBy.has(start + offset));
    // So may a newer round that began meanwhile.
    const holdsNewest = newest.some((other) => other.start >= start && other.start < end);
    return isKept || holdsNewest ? [] : round.map(({ id }) => id);
  });
  return messageIds.length === 0
    ? undefined
    : { type: "drop", messageIds, reason: `older than the newest ${keep} tool turns` };
}
