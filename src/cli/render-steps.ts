/** Steps of a pass as lines: one per kind in a report, one per step in a plan. */

import type { CompactionStep } from "./compaction-steps.ts";
import { count } from "./numbers.ts";
import { RIGHT, tableLines } from "./table.ts";
import { ellipsisOf, paint, type Terminal } from "./terminal.ts";
import { heading } from "./text-blocks.ts";

export interface StepLinesOptions {
  readonly terminal: Terminal;
  readonly isPlan: boolean;
}

const STEPS_SHOWN = 40;

export function stepLines(steps: readonly CompactionStep[], { terminal, isPlan }: StepLinesOptions): readonly string[] {
  if (steps.length === 0) return [];
  const entries = isPlan ? steps : grouped(steps);
  const rows = [
    ["step", "messages", "which", "tokens", ""],
    ...entries
      .slice(0, STEPS_SHOWN)
      .map((step) => [step.type, count(step.messages), whichText(step), count(amount(step)), effectText(step)]),
  ];
  const [titles = "", ...lines] = tableLines(rows, {
    columns: [{ align: "left" }, RIGHT, { align: "left" }, RIGHT, { align: "left", isElastic: true }],
    widthMax: terminal.columns,
    ellipsis: ellipsisOf(terminal),
  });
  const more = entries.length - STEPS_SHOWN;
  return [
    heading("Steps", terminal),
    paint(terminal, "gray", titles),
    ...lines,
    ...(more > 0 ? [`  ${ellipsisOf(terminal)} and ${count(more)} more; --json lists them all`] : []),
  ];
}

/** Shortened results of one kind together; what removes messages is one step anyway. */
function grouped(steps: readonly CompactionStep[]): readonly CompactionStep[] {
  const sum = (same: readonly CompactionStep[], of: (step: CompactionStep) => number | undefined): number =>
    same.reduce((total, step) => total + (of(step) ?? 0), 0);
  return Object.values(Object.groupBy(steps, ({ type }) => type)).flatMap((same) => {
    const [one] = same;
    if (one === undefined || same.length === 1) return same;
    return {
      type: one.type,
      messages: new Set(same.map(({ first }) => first)).size,
      first: Math.min(...same.map(({ first }) => first)),
      last: Math.max(...same.map(({ last }) => last)),
      tokens: sum(same, ({ tokens }) => tokens),
      freesTokens: sum(same, ({ freesTokens }) => freesTokens),
    };
  });
}

function whichText({ first, last, messages }: CompactionStep): string {
  if (messages <= 1) return String(first);
  return last - first + 1 === messages ? `${first} to ${last}` : `in ${first} to ${last}`;
}

/** What a shortened text freed; of messages that left, all they had. */
function amount({ tokens, freesTokens }: CompactionStep): number {
  return freesTokens ?? tokens;
}

function effectText({ type, budgetTokens }: CompactionStep): string {
  switch (type) {
    case "summarize":
      return `become a summary of at most ${count(budgetTokens ?? 0)}`;
    case "drop":
      return "left out without a summary";
    case "cap":
    case "trim":
      return "freed: results shortened";
    case "stub":
      return "freed: a note of what the result was";
    case "clear":
      return "freed: results cleared";
    case "native":
      return "compacted by the provider";
    default:
      return type satisfies never;
  }
}
