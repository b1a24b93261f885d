/**
 * A `native` step carried out: the provider is asked, and what it returns is judged as any edit is before it takes the zone's
 * place. An answer that the validator, the repair or the count speaks against is refused; a summary is made then.
 */

import type { Conversation } from "../core/message.ts";
import { applyPlan, removedIds } from "../core/plan/apply-plan.ts";
import type { NativeStep } from "../core/plan/plan.ts";
import { sumTokens } from "../core/plan/plan-input.ts";
import type { Format } from "../core/ports.ts";
import type { Decision } from "./decide.ts";
import { askNative, type NativeCompaction, type NativeOutcome } from "./native.ts";
import { markedForSending, type Settled, settle } from "./settle.ts";

export interface CarryOutNativeInput {
  readonly decision: Decision;
  /** The view as the provider saw it last, before this pass shortened anything. */
  readonly seen: Conversation;
  readonly native: NativeCompaction | undefined;
  readonly format: Format;
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  readonly context: { readonly signal: AbortSignal };
}

export interface CarriedOutNative {
  readonly outcome: NativeOutcome;
  /** Only where the answer took the zone's place. */
  readonly settled?: Settled;
}

/** Undefined where the plan has no such step. */
export async function carryOutNative(given: CarryOutNativeInput): Promise<CarriedOutNative | undefined> {
  const { input, rest } = given.decision;
  const step = rest.steps.find((candidate) => candidate.type === "native");
  if (step === undefined || given.native === undefined) return undefined;
  const { conversation, settings } = input;
  const outcome = await askNative({
    native: given.native,
    format: given.format,
    conversation: forAsking(given, conversation),
    step,
    model: given.model,
    instructions: given.instructions,
    timeoutMs: settings.summary.timeoutMs,
    signal: given.context.signal,
  });
  if (outcome.type === "refused") return { outcome };
  const applied = applyPlan({
    conversation,
    plan: rest,
    summary: undefined,
    native: outcome.messages,
    render: settings.render,
  });
  // What was shortened on the way is another prefix than the one that the kept thinking was signed with.
  const keepsThinking = conversation === given.seen && standsForPrefix(conversation, step);
  const settled = settle(given.seen, applied, { settings, model: given.model, keepsThinking });
  const because = objection(given, outcome.messages, settled.conversation);
  if (because === undefined) return { outcome, settled };
  const { kind, usage } = outcome;
  return { outcome: { type: "refused", kind, because, ...(usage !== undefined && { usage }) } };
}

/** Thinking behind what was shortened on the way would be refused here too. */
function forAsking({ seen, decision, model }: CarryOutNativeInput, shortened: Conversation): Conversation {
  const options = { settings: decision.input.settings, model };
  return markedForSending(settle(seen, shortened, options).conversation, options);
}

/**
 * Thinking in the kept messages stays valid when exactly the messages before them were compacted and the speaker changes
 * there: the provider's item then stands for the very prefix that the thinking was signed with.
 */
function standsForPrefix({ messages }: Conversation, step: NativeStep): boolean {
  const leaving = new Set(removedIds(step));
  const cut = messages.findIndex(({ id }) => !leaving.has(id));
  const [last, first] = [messages[cut - 1], messages[cut]];
  if (last === undefined || first === undefined || cut !== leaving.size) return false;
  return first.role !== last.role && first.role !== "system";
}

/** Why the result cannot be handed out; undefined when it can. */
function objection(
  { decision, format, model }: CarryOutNativeInput,
  returned: Conversation["messages"],
  after: Conversation,
): string | undefined {
  const { conversation: before, tokensOf } = decision.input;
  const standing = new Set(after.messages);
  if (!returned.every((message) => standing.has(message))) return "its answer cannot stand in the list as it is";
  const options = { sending: true, ...(model !== undefined && { model }) };
  const known = new Set(format.validate(format.encode(before), options).map(({ rule }) => rule));
  const violation = format.validate(format.encode(after), options).find(({ rule }) => !known.has(rule));
  if (violation !== undefined) return `its answer would be refused (${violation.rule} at ${violation.path})`;
  const isSmaller = sumTokens(after.messages, tokensOf) < sumTokens(before.messages, tokensOf);
  return isSmaller ? undefined : "its answer is no smaller than what it stands for";
}
