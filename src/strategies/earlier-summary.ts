/** What the summary of an earlier pass takes of the view, and what is left of that when the next one takes its place. Numbers alone. */

import { type Message, type Part, text } from "../core/message.ts";
import type { Partition } from "../core/plan/partition.ts";
import { keptTokens, type PlanInput, sumTokens } from "../core/plan/plan-input.ts";
import { stripParts, withoutSummary } from "../core/plan/summary-marks.ts";

/** Of the messages that hold an earlier summary, beside what is kept: a truncation leaves them where they are. */
export function foundTokens({ conversation, found, settings, tokensOf }: PlanInput): number {
  const ids = new Set(found?.messageIds ?? []);
  // System messages are among what is kept already.
  const isBeside = (message: Message): boolean => !(settings.protect.system && message.role === "system");
  return sumTokens(
    conversation.messages.filter((message) => ids.has(message.id) && isBeside(message)),
    tokensOf,
  );
}

/** Of what an earlier summary says, which the next one is to say too. */
export function saidBefore({ found, tokensOf }: PlanInput): number {
  return found === undefined ? 0 : tokensOf({ id: "", role: "user", parts: [text(found.text)] });
}

/** Of what stays beside a new summary: what is kept, but for the earlier one, wherever that stands. */
export function stayingTokens(input: PlanInput, parts: Partition): number {
  const kept = keptTokens(input, parts);
  return input.found === undefined ? kept : kept - outdatedTokens(input, parts);
}

function outdatedTokens({ conversation, found, settings, tokensOf }: PlanInput, { protectedBy }: Partition): number {
  const ids = new Set(found?.messageIds ?? []);
  const of = (parts: readonly Part[]): number => tokensOf({ id: "", role: "system", parts });
  const { system, messages } = conversation;
  let tokens = of(system) - of(stripParts(system, settings.render));
  for (const index of protectedBy.keys()) {
    const message = messages[index];
    if (message === undefined) continue;
    const bare = ids.has(message.id) ? undefined : withoutSummary(message, settings.render);
    if (bare !== message) tokens += tokensOf(message) - (bare === undefined ? 0 : tokensOf(bare));
  }
  return tokens;
}
