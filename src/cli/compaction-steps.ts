/** The steps that were carried out, with message numbers instead of ids, in the order of the conversation. Reads only. */

import { isTextStep, removedIds } from "../core/plan/apply-plan.ts";
import type { Plan, Step } from "../core/plan/plan.ts";
import type { DiffEntry } from "./message-diff.ts";
import type { Subject } from "./subject.ts";

export interface CompactionStep {
  readonly type: Step["type"];
  /** How many messages it is about, the first and the last of them. */
  readonly messages: number;
  readonly first: number;
  readonly last: number;
  /** What these messages had. */
  readonly tokens: number;
  /** Of a text that was shortened: what that freed. Of a summary: what it may take. */
  readonly freesTokens?: number;
  readonly budgetTokens?: number;
}

export interface StepsInput {
  readonly subject: Subject;
  readonly plan: Plan;
  /** Steps by type as the report has them: the failure ladder may have taken another than was planned. */
  readonly done: Readonly<Record<string, number>>;
  readonly diff: readonly DiffEntry[];
}

export function stepsOf({ subject, plan, done, diff }: StepsInput): readonly CompactionStep[] {
  const { messages } = subject.conversation;
  const indexOf = new Map(messages.map(({ id }, index) => [id, index]));
  const about = (indices: readonly number[]): Omit<CompactionStep, "type"> => ({
    messages: indices.length,
    first: indices[0] ?? -1,
    last: indices.at(-1) ?? -1,
    tokens: indices.reduce((sum, index) => {
      const message = messages[index];
      return message === undefined ? sum : sum + subject.counter.count(message);
    }, 0),
  });
  const indicesOf = (step: Step): readonly number[] =>
    (isTextStep(step) ? [step.messageId] : removedIds(step))
      .flatMap((id) => indexOf.get(id) ?? [])
      .sort((a, b) => a - b);
  const planned = plan.steps
    .filter(({ type }) => done[type] !== undefined)
    .map(
      (step): CompactionStep => ({
        type: step.type,
        ...about(indicesOf(step)),
        ...(isTextStep(step) && { freesTokens: step.freesTokens }),
        ...(step.type === "summarize" && { budgetTokens: step.budgetTokens }),
      }),
    );
  const isFallback = done.drop !== undefined && !plan.steps.some(({ type }) => type === "drop");
  const gone = diff.flatMap((entry) => (entry.mark === "-" ? [entry.before] : []));
  const fallback: readonly CompactionStep[] = isFallback ? [{ type: "drop", ...about(gone) }] : [];
  return [...planned, ...fallback].sort((a, b) => a.first - b.first);
}
