/**
 * The sections that make a summary a summary, each within its share of the given tokens: goal and request in the user's words,
 * what is going on, what was decided and done. An item is taken whole or not at all; only quotes may be cut, at a word.
 */

import { type Checkpoint, type Decision, EMPTY_CHECKPOINT } from "../../core/checkpoint/checkpoint.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";

/** About what a heading and an item's marks cost. */
export const HEADING_TOKENS = 5;
export const ITEM_TOKENS = 2;
/** Fewer say nothing. */
const QUOTE_TOKENS_MIN = 8;
/** What a quote may take of a small budget, whatever its share. */
const QUOTE_TOKENS_LEAST = 24;

export interface Essentials {
  readonly checkpoint: Checkpoint;
  readonly usedTokens: number;
}

/** Shares of the tokens in the order in which they are given out; what one section leaves, the next may use up to its share. */
const SHARES = {
  goal: 0.35,
  latestRequest: 0.3,
  inProgress: 0.12,
  nextSteps: 0.18,
  blocked: 0.1,
  decisions: 0.2,
  done: 0.2,
  constraints: 0.14,
  toolFailures: 0.12,
  criticalContext: 0.3,
} as const;

export type Quote = (text: string, charsMax: number) => string;

export interface EssentialsOptions {
  readonly counter: TokenCounter;
  readonly quote: Quote;
}

export function essentials(draft: Checkpoint, budgetTokens: number, options: EssentialsOptions): Essentials {
  const purse = createPurse(budgetTokens, options);
  // The current task stands last and must be there; what the work began with may take what is left.
  const goal = draft.goal
    .toReversed()
    .flatMap((text) => purse.quote(text, SHARES.goal / draft.goal.length))
    .reverse();
  const [latestRequest] =
    draft.latestRequest === undefined ? [] : purse.quote(draft.latestRequest, SHARES.latestRequest);
  const lines = (
    section: "inProgress" | "blocked" | "done" | "constraints" | "nextSteps" | "criticalContext",
  ): readonly string[] => purse.take(draft[section], (item) => item, SHARES[section]);
  const inProgress = lines("inProgress");
  const nextSteps = lines("nextSteps");
  const blocked = lines("blocked");
  const decisions = purse.take(draft.decisions, decisionText, SHARES.decisions);
  const done = lines("done");
  const constraints = lines("constraints");
  const toolFailures = purse.take(
    draft.toolFailures,
    ({ toolName, summary }) => `${toolName}: ${summary}`,
    SHARES.toolFailures,
  );
  const criticalContext = lines("criticalContext");
  const checkpoint: Checkpoint = {
    ...EMPTY_CHECKPOINT,
    goal,
    ...(latestRequest === undefined ? {} : { latestRequest }),
    inProgress,
    nextSteps,
    // Candidates come newest first; a reader wants them in the order in which they happened.
    blocked: blocked.toReversed(),
    decisions: decisions.toReversed(),
    done: done.toReversed(),
    constraints: constraints.toReversed(),
    toolFailures: toolFailures.toReversed(),
    criticalContext: criticalContext.toReversed(),
  };
  return { checkpoint, usedTokens: purse.usedTokens() };
}

interface Purse {
  take<Item>(items: readonly Item[], textOf: (item: Item) => string, share: number): readonly Item[];
  /** A text cut to what its share allows; nothing when that is too little to say anything. */
  quote(text: string, share: number): readonly string[];
  usedTokens(): number;
}

function createPurse(budgetTokens: number, { counter, quote }: EssentialsOptions): Purse {
  let used = 0;
  const limitOf = (share: number): number => Math.min(budgetTokens - used, budgetTokens * share);
  return {
    usedTokens: () => used,
    take(items, textOf, share) {
      const limit = limitOf(share);
      const taken: (typeof items)[number][] = [];
      let spent = HEADING_TOKENS;
      for (const item of items) {
        const cost = counter.countText(textOf(item)) + ITEM_TOKENS;
        if (spent + cost > limit) continue;
        taken.push(item);
        spent += cost;
      }
      if (taken.length > 0) used += spent;
      return taken;
    },
    quote(text, share) {
      const least = Math.min(budgetTokens - used, QUOTE_TOKENS_LEAST + HEADING_TOKENS + ITEM_TOKENS);
      const limit = Math.max(limitOf(share), least) - HEADING_TOKENS - ITEM_TOKENS;
      if (limit < QUOTE_TOKENS_MIN) return [];
      const tokens = counter.countText(text);
      used += Math.min(tokens, limit) + HEADING_TOKENS + ITEM_TOKENS;
      return [tokens <= limit ? text : quote(text, Math.floor((text.length * limit * CUT_SAFETY) / tokens))];
    },
  };
}

/** A beginning may count more per character than the whole. */
const CUT_SAFETY = 0.95;

function decisionText({ decision, reason = "" }: Decision): string {
  return `**${decision}** — ${reason}`;
}
