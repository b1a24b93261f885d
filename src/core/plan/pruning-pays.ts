/**
 * Whether shortening results is worth the cached prefix that it breaks. Each call reads what the provider has cached, and
 * writes the rest: a shortened result makes everything behind it be written again. What is freed keeps the next compaction
 * away for some calls more, and these calls have to be cheaper than those of an ordinary cycle from compaction to compaction.
 * What a model costs that summarises is the same either way: it reads what was said once, sooner or later. Numbers alone.
 */

import type { Plan, TextStep } from "./plan.ts";
import { type PlanInput, sumTokens, totalTokens } from "./plan-input.ts";
import { quietTokens } from "./trigger.ts";

/** All in tokens; what they cost, in tokens at the price of plain input. */
export interface PruningFigures {
  /** What the request counts now. */
  readonly tokens: number;
  readonly freedTokens: number;
  /** Behind the first shortened result: written again instead of read. */
  readonly rewrittenTokens: number;
  /** What each call adds. */
  readonly growthTokens: number;
  /** Where the next compaction comes, what it leaves, and how much of that it writes again. */
  readonly thresholdTokens: number;
  readonly compactedTokens: number;
  readonly compactionRewrites: number;
}

/** Of what plain input costs, at the providers that publish such prices. */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
const REWRITE_PRICE = WRITE_PRICE - READ_PRICE;
/** What a break costs is certain, and what it saves is an estimate: it has to save so many times as much. */
const CERTAINTY = 1.25;

export function isCheaperPruned(figures: PruningFigures): boolean {
  const { tokens, freedTokens, rewrittenTokens, thresholdTokens, compactedTokens } = figures;
  const growthTokens = Math.max(1, figures.growthTokens);
  const callsBetween = Math.max(1, (thresholdTokens - compactedTokens) / growthTokens);
  const rewritesPerCall = figures.compactionRewrites / callsBetween;
  const costPerCall = rewritesPerCall * REWRITE_PRICE + ((compactedTokens + thresholdTokens) / 2) * READ_PRICE;
  const callsGained = freedTokens / growthTokens;
  const readCost = callsGained * (tokens - freedTokens / 2) * READ_PRICE;
  return (rewrittenTokens * REWRITE_PRICE + readCost) * CERTAINTY < callsGained * costPerCall;
}

/** Whether the steps pay, where a compaction would come to that plan otherwise. */
export function pruningPays(input: PlanInput, steps: readonly TextStep[], compaction: Plan): boolean {
  const { settings, conversation, tokensOf, baseTokens, toolsTokens } = input;
  const tokens = totalTokens(input);
  const freedTokens = steps.reduce((sum, step) => sum + step.freesTokens, 0);
  const shortened = new Set(steps.map(({ messageId }) => messageId));
  const first = conversation.messages.findIndex(({ id }) => shortened.has(id));
  const behind = sumTokens(conversation.messages.slice(Math.max(0, first)), tokensOf);
  const compactedTokens = compaction.tokensAfter;
  return isCheaperPruned({
    tokens,
    freedTokens,
    rewrittenTokens: Math.max(0, behind - freedTokens),
    growthTokens: growthOf(input),
    thresholdTokens: quietTokens(settings, { systemTokens: baseTokens - toolsTokens, toolsTokens }),
    compactedTokens,
    compactionRewrites: Math.max(0, compactedTokens - baseTokens),
  });
}

/** So many of the newest answers say how fast a conversation grows. */
const CALLS_READ = 20;

/** Tokens for each call: an answer, and what came back to it. */
function growthOf({ conversation: { messages }, tokensOf }: PlanInput): number {
  let [calls, tokens] = [0, 0];
  for (let index = messages.length - 1; index >= 0 && calls < CALLS_READ; index--) {
    const message = messages[index];
    if (message === undefined) break;
    tokens += tokensOf(message);
    // Items of one answer stand one behind the other.
    if (message.role === "assistant" && messages[index - 1]?.role !== "assistant") calls++;
  }
  return tokens / Math.max(1, calls);
}
