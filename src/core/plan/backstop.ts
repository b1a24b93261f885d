/** Adds to a plan what limits demand: old tool turns leave as wholes, and the number of messages is limited in every pass. */

import { formatRules } from "../format-rules.ts";
import { historyHolder } from "../items.ts";
import { missingStart } from "../repair/roles.ts";
import { isTextStep, removedBy } from "./apply-plan.ts";
import type { DropStep, NativeStep, Plan, Step, SummarizeStep } from "./plan.ts";
import { type PlanInput, partitionByCount, tokensAmong } from "./plan-input.ts";
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

/** In a pass that removes messages, old turns leave with them: otherwise the next pass would drop them and change the prefix again. */
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

/** An upper bound; the exact number is known only when the summary is in place. */
function addedMessages({ steps }: Plan, { settings, conversation }: PlanInput): number {
  if (steps.some(({ type }) => type === "native")) return 1;
  if (!steps.some(({ type }) => type === "summarize")) return 0;
  // Where neighbours of one role are refused, a line separates the summary from the next message.
  const bridges = formatRules(conversation.format).sameRole === "refused" ? 1 : 0;
  return bridges + frameMessages(settings.render, true).length;
}

function withDrop(plan: Plan, drop: DropStep | undefined, input: PlanInput): Plan {
  if (drop === undefined) return plan;
  const leaving = new Set(drop.messageIds);
  const { because: _, ...rest } = withoutTexts(plan, leaving);
  const tokensAfter = rest.tokensAfter - tokensAmong(leaving, input);
  return { ...rest, steps: [...rest.steps, drop], tokensAfter };
}

/** Where the beginning leaves without a summary, a line before an assistant's message says so; this counts that line. */
function withOpening(plan: Plan, { conversation, tokensOf }: PlanInput): Plan {
  if (!plan.steps.some(({ type }) => type === "drop") || plan.steps.some(isReplacing)) return plan;
  if (historyHolder(conversation) !== "list") return plan;
  const leaving = removedBy(plan);
  const first = conversation.messages.find(({ id, role }) => role !== "system" && !leaving.has(id));
  const start = missingStart(first, formatRules(conversation.format));
  if (start === undefined) return plan;
  // A pass that would make the list larger is undone after it is measured.
  return { ...plan, tokensAfter: Math.min(plan.tokensBefore, plan.tokensAfter + tokensOf(start)) };
}

function isReplacing({ type }: Step): boolean {
  return type === "summarize" || type === "native";
}

/** Removes steps that shorten messages which leave anyway. */
function withoutTexts(plan: Plan, leaving: ReadonlySet<string>): Plan {
  const needless = plan.steps.filter(isTextStep).filter(({ messageId }) => leaving.has(messageId));
  if (needless.length === 0) return plan;
  const left = new Set<Step>(needless);
  const tokensAfter = plan.tokensAfter + freedTokens(needless);
  return { ...plan, steps: plan.steps.filter((step) => !left.has(step)), tokensAfter };
}

/** The same step for these messages too, in the order of the list. */
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
    tokensAfter: tokensAfter - tokensAmong(new Set(messageIds), input),
  };
}

/** Ids of further messages to remove for the limit: oldest first, whole pairs. `leaving` leave anyway; the plan inserts `added`. */
function overLimit(
  input: PlanInput,
  { leaving, added }: { readonly leaving: ReadonlySet<string>; readonly added: number },
): readonly string[] {
  const { conversation, settings, structure, found } = input;
  const { messages } = conversation;
  let excess = excessMessages(settings, messages.length - leaving.size + added);
  if (excess <= 0) return [];
  // The limit on messages outweighs a tail in tokens: the tail keeps only `tailMessages`.
  const { protectedBy: kept } = partitionByCount(input, settings.protect.tailMessages);
  const cuts = structure.cutPoints("pair-safe");
  const ids: string[] = [];
  // Where a list must begin with a user message, one is inserted in front: it counts too.
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

/** Drops the oldest whole tool turns, calls and results together. A turn with a protected message, or a user's words, stays. */
function dropTurns(input: PlanInput): DropStep | undefined {
  const { structure, settings } = input;
  const { messages } = input.conversation;
  const keep = settings.prune.dropTurnsKeep;
  if (!settings.prune.enabled || keep <= 0) return undefined;
  // The newest tool turns have a limit of their own, so the tail keeps no older ones; pins in it do.
  const { protectedBy } = partitionByCount(input, 0);
  const cuts = new Set(structure.cutPoints("pair-safe"));
  const rounds = structure.rounds();
  const old = rounds.slice(0, -keep);
  const newest = rounds.slice(-keep);
  const { speaksIn } = userVoice(messages, settings.userTools);
  const messageIds = old.flatMap(({ start, end }) => {
    // Only a round between two legal cuts can leave without dividing another.
    if (!cuts.has(start) || !(cuts.has(end) || end === messages.length)) return [];
    const round = messages.slice(start, end);
    // Where results may come late, a user's words may stand inside the round, and no summary replaces them.
    const isKept = round.some((message, offset) => speaksIn(message) || protectedBy.has(start + offset));
    // A newer round may begin inside it too.
    const holdsNewest = newest.some((other) => other.start >= start && other.start < end);
    return isKept || holdsNewest ? [] : round.map(({ id }) => id);
  });
  return messageIds.length === 0
    ? undefined
    : { type: "drop", messageIds, reason: `older than the newest ${keep} tool turns` };
}
