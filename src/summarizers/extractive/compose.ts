/**
 * Fits everything into the budget: the essentials first, then identifiers by their worth per token, then more of what was said
 * and done until the budget is full. The result never counts more than the budget, by the counter it is given.
 */

import { type Checkpoint, EMPTY_CHECKPOINT } from "../../core/checkpoint/checkpoint.ts";
import { renderCheckpoint } from "../../core/checkpoint/checkpoint-text.ts";
import { byKind } from "../../core/checkpoint/identifier-list.ts";
import type { Language } from "../../core/checkpoint/language.ts";
import type { RankedFact } from "../../core/facts/facts.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";
import { type ArgumentNames, callForms } from "./argument-names.ts";
import type { ChooseContext } from "./context-sentences.ts";
import { essentials, HEADING_TOKENS, ITEM_TOKENS, type Quote } from "./essentials.ts";
import { type Covered, chooseIdentifiers, coveredBy, type Offers, offerIdentifiers } from "./identifiers.ts";

/** Candidates for each section, the most important first. */
export interface Draft extends Checkpoint {
  readonly facts: readonly RankedFact[];
  /** No tool was called: words matter more than names. */
  readonly isTalk: boolean;
  /** A request cut to so many characters, by what it asks. */
  readonly quote: Quote;
  /** Names of arguments with the tools that take them: facts that stand in the form of a call. */
  readonly argumentNames: ArgumentNames;
  /** Lines of what was called and what came of it, newest first. */
  readonly log: () => Iterable<string>;
  readonly context: () => ChooseContext;
  /** The same over what tools returned: for the room that nothing else wants. */
  readonly resultContext: () => ChooseContext;
  /** The same over what the instructions name; absent where there are none. */
  readonly focused?: () => ChooseContext;
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
const SLACK_SHARE = 0.015;
const SLACK_TOKENS = 4;
/** The whole counts a little more than its pieces: a first aim just below the budget mostly hits it. */
const FIRST_AIM_SHARE = 0.99;

export function compose(draft: Draft, options: ComposeOptions): Composed {
  const { budgetTokens, counter, language } = options;
  const files = new Set([...draft.filesModified, ...draft.filesRead]);
  const costOf = (text: string): number => counter.countText(` ${text}`) + (files.has(text) ? ITEM_TOKENS : 0);
  const offers = offerIdentifiers(draft.facts, { budgetTokens, costOf });
  const keptCovered = coveredBy(options.kept, offers);
  let best: Composed = { checkpoint: EMPTY_CHECKPOINT, text: "" };
  let bestTokens = 0;
  // Pieces do not count exactly what the whole counts; what was over or under is corrected in the next round.
  let aim = budgetTokens > SMALL_BUDGET_TOKENS ? Math.floor(budgetTokens * FIRST_AIM_SHARE) : budgetTokens;
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
/** A summary this small says what it is all about, and nothing else before that. */
const GOAL_TOKENS = 60;
const SMALL_BUDGET_TOKENS = 200;
const LARGE_BUDGET_TOKENS = 4_000;

/** Share of the budget for words rather than identifiers: a small summary must carry what cannot be guessed. */
function proseShare(budgetTokens: number): number {
  return (
    PROSE_SHARE_SMALL +
    (PROSE_SHARE_LARGE - PROSE_SHARE_SMALL) * sizeBetween(budgetTokens, SMALL_BUDGET_TOKENS, LARGE_BUDGET_TOKENS)
  );
}

/** 0 for a small budget, 1 for a large one, by orders of magnitude between. */
function sizeBetween(budgetTokens: number, small: number, large: number): number {
  return Math.log(Math.max(small, Math.min(large, budgetTokens)) / small) / Math.log(large / small);
}

/** Up to the first the list may take all that the essentials leave; from the second on it may take this share. */
const LIST_FREE_TOKENS = 3_000;
const LIST_BOUND_TOKENS = 12_000;
const LIST_SHARE_LARGE = 0.45;
const LIST_SHARE_TALK = 0.2;

/** Share of the budget that identifiers may take before sentences; what sentences leave, they get in the end. */
function listShare(budgetTokens: number): number {
  return 1 + (LIST_SHARE_LARGE - 1) * sizeBetween(budgetTokens, LIST_FREE_TOKENS, LIST_BOUND_TOKENS);
}

/** What the instructions name may take of the budget; of a small one more, for a single sentence is long there. */
const FOCUS_SHARE_SMALL = 0.5;
const FOCUS_SHARE_LARGE = 0.25;

function focusShare(budgetTokens: number): number {
  return (
    FOCUS_SHARE_SMALL +
    (FOCUS_SHARE_LARGE - FOCUS_SHARE_SMALL) * sizeBetween(budgetTokens, SMALL_BUDGET_TOKENS, LARGE_BUDGET_TOKENS)
  );
}

interface FillOptions extends ComposeOptions {
  readonly offers: Offers;
  readonly keptCovered: Covered;
  readonly hasFiles: boolean;
}

function fill(draft: Draft, options: FillOptions): Checkpoint {
  const { budgetTokens, counter, kept, offers, keptCovered, hasFiles } = options;
  const proseTokens = Math.max(budgetTokens * proseShare(budgetTokens), Math.min(GOAL_TOKENS, budgetTokens));
  const focusTokens = draft.focused === undefined ? 0 : budgetTokens * focusShare(budgetTokens);
  const prose = essentials(draft, Math.min(proseTokens, budgetTokens - focusTokens), { counter, quote: draft.quote });
  let left = budgetTokens - prose.usedTokens;
  const proseText = renderCheckpoint(prose.checkpoint);
  const focused = draft.focused?.()(focusTokens - HEADING_TOKENS, [proseText, ...kept]) ?? [];
  for (const line of focused) left -= counter.countText(line) + ITEM_TOKENS;
  const covered = coveredBy([proseText, ...focused], offers, keptCovered);
  const headings = HEADING_TOKENS * (hasFiles ? 3 : 1) + LABELS_TOKENS;
  const listedMax = Math.min(
    left - headings,
    budgetTokens * (draft.isTalk ? LIST_SHARE_TALK : listShare(budgetTokens)),
  );
  const listed = chooseIdentifiers(offers, { budgetTokens: listedMax, likelihoodMin: LIKELIHOOD_MIN, covered });
  if (listed.texts.length > 0) left -= listed.usedTokens + headings;
  const takeFitting = (more: Iterable<string>): readonly string[] => {
    const taken: string[] = [];
    for (const line of more) {
      if (left <= ROOM_TOKENS_MIN) break;
      const cost = counter.countText(line) + ITEM_TOKENS;
      if (cost > left) continue;
      left -= cost;
      taken.push(line);
    }
    return taken;
  };
  const known = [proseText, ...focused, ...kept];
  const said = left > ROOM_TOKENS_MIN ? takeFitting(draft.context()(left - HEADING_TOKENS, known)) : [];
  const log = left > ROOM_TOKENS_MIN ? takeFitting(draft.log()).toReversed() : [];
  const read = left > ROOM_TOKENS_MIN ? takeFitting(draft.resultContext()(left, [...known, ...said])) : [];
  const rest = chooseIdentifiers(offers, {
    budgetTokens: left,
    likelihoodMin: LIKELIHOOD_LISTED_MIN,
    covered: coveredBy([...said, ...log, ...read], offers, covered),
  });
  const { forms, ...facts } = sortFacts([...listed.texts, ...rest.texts], draft);
  const lines = [...new Set([...prose.checkpoint.criticalContext, ...focused, ...said, ...log, ...read, ...forms])];
  return { ...prose.checkpoint, criticalContext: lines, ...facts };
}

/** What the labels of the list cost. */
const LABELS_TOKENS = 8;
/** Less room than this holds no sentence. */
const ROOM_TOKENS_MIN = 12;

interface SortedFacts extends Pick<Checkpoint, "filesModified" | "filesRead" | "identifiers"> {
  /** Names of arguments, as forms of calls. */
  readonly forms: readonly string[];
}

/** Files stand in their own lists, sorted; names of arguments with their tools; the rest by kind, as ranked. */
function sortFacts(facts: readonly string[], { filesModified, filesRead, argumentNames }: Draft): SortedFacts {
  const modified = new Set(filesModified);
  const read = new Set(filesRead);
  const isFile = (text: string): boolean => modified.has(text) || read.has(text);
  const named = facts.filter((text) => !isFile(text) && argumentNames.toolOf(text) === undefined);
  return {
    filesModified: facts.filter((text) => modified.has(text)).sort(),
    filesRead: facts.filter((text) => read.has(text)).sort(),
    identifiers: byKind(named),
    forms: callForms(
      facts.filter((text) => !isFile(text) && argumentNames.toolOf(text) !== undefined),
      argumentNames,
    ),
  };
}
