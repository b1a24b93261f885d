/** Carries out a checked plan on a conversation. Pure: the summary's text was made before; untouched messages stay the same objects. */

import { formatRules } from "../format-rules.ts";
import type { Conversation, Message } from "../message.ts";
import type { RenderSettings } from "../settings/settings.ts";
import type { Plan, SummarizeStep, TextStep } from "./plan.ts";
import { withResultText } from "./prune.ts";
import { renderSummary } from "./render.ts";

export interface ApplyInput {
  readonly conversation: Conversation;
  readonly plan: Plan;
  /** For a `summarize` step; undefined when there is none. */
  readonly summary: string | undefined;
  readonly render: RenderSettings;
}

export function applyPlan({ conversation, plan, summary, render }: ApplyInput): Conversation {
  const edited = applyTexts(conversation.messages, plan.steps.filter(isTextStep));
  const removed = new Set(plan.steps.flatMap(removedIds));
  const step = plan.steps.find((candidate) => candidate.type === "summarize");
  if (step === undefined || summary === undefined) {
    const messages = removed.size === 0 ? edited : edited.filter(({ id }) => !removed.has(id));
    return messages === conversation.messages ? conversation : { ...conversation, messages };
  }
  // The summary stands where the first message that it replaces stood.
  const at = edited.findIndex(({ id }) => removed.has(id));
  const rendered = renderSummary({
    conversation,
    head: edited.slice(0, at),
    tail: edited.slice(at).filter(({ id }) => !removed.has(id)),
    summary,
    settings: render,
    rules: formatRules(conversation.format),
  });
  return { ...conversation, system: rendered.system, messages: rendered.messages };
}

export function isTextStep(step: Plan["steps"][number]): step is TextStep {
  return step.type === "cap" || step.type === "trim" || step.type === "stub" || step.type === "clear";
}

export function removedIds(step: Plan["steps"][number]): readonly string[] {
  if (step.type === "summarize") return [...step.messageIds, ...(step satisfies SummarizeStep).replacesIds];
  return step.type === "drop" || step.type === "native" ? step.messageIds : [];
}

function applyTexts(messages: readonly Message[], steps: readonly TextStep[]): readonly Message[] {
  if (steps.length === 0) return messages;
  const stepsOf = Map.groupBy(steps, ({ messageId }) => messageId);
  return messages.map((message) =>
    (stepsOf.get(message.id) ?? []).reduce((edited, { part, text }) => withResultText(edited, part, text), message),
  );
}
