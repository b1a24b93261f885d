/**
 * Fits everything into the budget: the essentials first, then identifiers by their worth per token, then more of what was said
 * and done until the budget is full. The result never counts more than the budget, by the counter it is given.
 */

import { type Checkpoint, EMPTY_CHECKPOINT } from "../../core/checkpoint/checkpoint.ts";
import { renderCheckpoint } from "../../core/checkpoint/checkpoint-text.ts";
import type { Language } from "../../core/checkpoint/language.ts";
import type { RankedFact } from "../../core/facts/facts.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";
import type { ChooseContext } from "./context-sentences.ts";
import { essentials, HEADING_TOKENS, ITEM_TOKENS } from "./essentials.ts";
import { type Covered, chooseIdentifiers, coveredBy, type Offers, offerIdentifiers } from "./identifiers.ts";

/** Candidates for each section, the most important first. */
export interface Draft extends Checkpoint {
  readonly facts: readonly RankedFact[];
  /** Lines of what was called and what came of it, newest first. */
  readonly log: () => readonly string[];
  readonly context: () => ChooseContext;
  /** The same over what tools returned: for the room that nothing else wants. */
  readonly resultContext: () => ChooseContext;
}

export interface ComposeOptions {
  readonly budgetTokens: number;
  readonly counter: TokenCounter;
  readonly language: Language;
  /** Texts that stay in the view beside the summary. */
  readonly kept: readonly string[];
}

export interface Composed {
  readonly checkpoint: Checkpoint;
  readonly text: string;
}

const ROUNDS_MAX = 4;
/** What may stay unused: the next round would cost more than it brings. */
const SLACK_SHARE = 0.01;
const SLACK_TOKENS = 4;

export function compose(draft: Draft, options: ComposeOptions): Composed {
  const { budgetTokens, counter, language } = options;
  const files = new Set([...draft.filesModified, ...draft.filesRead]);
  const costOf = (text: string): number => counter.countText(` ${text}`) + (files.has(text) ? ITEM_TOKENS : 0);
  const offers = offerIdentifiers(draft.facts, { budgetTokens, costOf });
  const keptCovered = coveredBy(options.kept, offers);
  let best: Composed = { checkpoint: EMPTY_CHECKPOINT, text: "" };
  let bestTokens = 0;
  // Pieces do not count exactly what the whole counts; what was over or under is corrected in the next round.
  let aim = budgetTokens;
  for (let round = 0; round < ROUNDS_MAX && aim > 0; round++) {
    const checkpoint = fill(draft, { ...options, budgetTokens: aim, offers, keptCovered, hasFiles: files.size > 0 });
    const text = renderCheckpoint(checkpoint, { language });
    const tokens = counter.countText(text);
    if (tokens <= budgetTokens && tokens > bestTokens) {
      best = { checkpoint, text };
      bestTokens = tokens;
    }
    const slack = budgetTokens - tokens;
    if (slack >= 0 && slack <= Math.max(SLACK_TOKENS, budgetTokens * SLACK_SHARE)) break;
    aim = Math.floor(slack < 0 ? Math.min(aim + slack, aim * 0.98) : aim + slack * 0.9);
  }
  return best;
}

/** Below this a fact takes no room from sentences. Many rarely needed facts together are needed often, so it is low. */
const LIKELIHOOD_MIN = 0.005;
/** Below this it is not listed at all, whatever room there is. */
const LIKELIHOOD_LISTED_MIN = 0.0005;
const PROSE_SHARE_SMALL = 0.3;
const PROSE_SHARE_LARGE = 0.6;
const SMALL_BUDGET_TOKENS = 200;
const LARGE_BUDGET_TOKENS = 4_000;

/** Share of the budget for words rather than identifiers: a small summary must carry what cannot be guessed. */
function proseShare(budgetTokens: number): number {
  const bounded = Math.max(SMALL_BUDGET_TOKENS, Math.min(LARGE_BUDGET_TOKENS, budgetTokens));
  const size = Math.log(bounded / SMALL_BUDGET_TOKENS) / Math.log(LARGE_BUDGET_TOKENS / SMALL_BUDGET_TOKENS);
  return PROSE_SHARE_SMALL + (PROSE_SHARE_LARGE - PROSE_SHARE_SMALL) * size;
}

interface FillOptions extends ComposeOptions {
  readonly offers: Offers;
  readonly keptCovered: Covered;
  readonly hasFiles: boolean;
}

function fill(draft: Draft, options: FillOptions): Checkpoint {
  const { budgetTokens, counter, kept, offers, keptCovered, hasFiles } = options;
  const prose = essentials(draft, budgetTokens * proseShare(budgetTokens), counter);
  let left = budgetTokens - prose.usedTokens;
  const proseText = renderCheckpoint(prose.checkpoint);
  const covered = coveredBy([proseText], offers, keptCovered);
  const headings = HEADING_TOKENS * (hasFiles ? 3 : 1);
  const listed = chooseIdentifiers(offers, { budgetTokens: left - headings, likelihoodMin: LIKELIHOOD_MIN, covered });
  if (listed.texts.length > 0) left -= listed.usedTokens + headings;
  const takeFitting = (more: readonly string[]): readonly string[] =>
    more.filter((line) => {
      const cost = counter.countText(line) + ITEM_TOKENS;
      if (cost > left) return false;
      left -= cost;
      return true;
    });
  const known = [proseText, ...kept];
  const said = left > ROOM_TOKENS_MIN ? takeFitting(draft.context()(left - HEADING_TOKENS, known)) : [];
  const log = left > ROOM_TOKENS_MIN ? takeFitting(draft.log()).toReversed() : [];
  const read = left > ROOM_TOKENS_MIN ? takeFitting(draft.resultContext()(left, [...known, ...said])) : [];
  const lines = [...new Set([...prose.checkpoint.criticalContext, ...said, ...log, ...read])];
  const rest = chooseIdentifiers(offers, {
    budgetTokens: left,
    likelihoodMin: LIKELIHOOD_LISTED_MIN,
    covered: coveredBy([...said, ...log, ...read], offers, covered),
  });
  return { ...prose.checkpoint, criticalContext: lines, ...sortFacts([...listed.texts, ...rest.texts], draft) };
}

/** Less room than this holds no sentence. */
const ROOM_TOKENS_MIN = 12;

/** Files stand in their own lists, sorted; the rest as ranked. */
function sortFacts(
  facts: readonly string[],
  draft: Draft,
): Pick<Checkpoint, "filesModified" | "filesRead" | "identifiers"> {
  const modified = new Set(draft.filesModified);
  const read = new Set(draft.filesRead);
  return {
    filesModified: facts.filter((text) => modified.has(text)).sort(),
    filesRead: facts.filter((text) => read.has(text)).sort(),
    identifiers: facts.filter((text) => !modified.has(text) && !read.has(text)),
  };
}
