/**
 * The sections that make a summary a summary: goal and request in the user's words, what is going on, what was decided and done.
 * Every section gets its most important item before any gets a second; then each its share, then what is left goes round. An item
 * is taken whole or not at all; only quotes may be cut, at a word, and the next step where there is hardly any room.
 */

import {
  type Checkpoint,
  type Decision,
  EMPTY_CHECKPOINT,
  type ListSection,
  OUTCOME_MARK,
  RANKED_SECTIONS,
  rankOf,
  SECTION_TABLE,
  STATE_RANK_END,
  type ToolFailure,
} from "../../../core/checkpoint/checkpoint.ts";
import type { TokenCounter } from "../../../core/tokens/tokens.ts";
import { firstCut } from "./first-step.ts";
import { isKnown } from "./known-quote.ts";
import { isMissing, type Shelf, takenFrom } from "./shelf.ts";

/** About what a heading and an item's marks cost. */
export const HEADING_TOKENS = 5;
export const ITEM_TOKENS = 2;
/** Fewer say nothing. */
const QUOTE_TOKENS_MIN = 4;
/** What a quote may take of a small budget, whatever its share. */
const QUOTE_TOKENS_LEAST = 40;
/** Up to here a request is rather quoted whole than by what it asks alone. */
const QUOTE_TOKENS_WHOLE = 56;
/** Beside another quote fewer say nothing: "My name is…". */
const QUOTE_TOKENS_BESIDE = 12;

export interface Essentials {
  readonly checkpoint: Checkpoint;
  readonly usedTokens: number;
}

export interface FirstEssentials extends Essentials {
  /** The same with what fits into so many tokens more. */
  withMore(moreTokens: number): Essentials;
}

/** What comes next goes before all else where it is short: a goal alone does not tell whether anything is left to do. */
const STEP_SHARE = 0.4;
/** One that tells why a call failed stands for the line of what is stuck as well. */
const CAUSE_SHARE = 0.55;
const GOAL_SHARE = SECTION_TABLE.goal.quoteShare ?? 0;
const LATEST_REQUEST_SHARE = SECTION_TABLE.latestRequest.quoteShare ?? 0;

/** Lists that tell where the work stands: none of them may be missing because another one is long. */
const FIRST_SECTIONS = RANKED_SECTIONS.filter((section) => rankOf(section) < STATE_RANK_END);

/** Of what is left a section's first item takes the first of these at most; where that leaves some with nothing, all. */
const FIRST_SHARES: readonly number[] = [0.6, 1];

export type Quote = (text: string, charsMax: number) => string;

export interface EssentialsOptions {
  readonly counter: TokenCounter;
  readonly quote: Quote;
  /** The characters below which a quote would break off in what it asks. */
  readonly charsNeeded?: (text: string) => number;
  /** Tokens beyond the budget for a first item where a section would have none. */
  readonly firstTokens?: number;
  /** What of the goal is quoted before its last, which says little without it. */
  readonly leading?: readonly string[];
  /** What of the done came of the newest request: without it somebody does it twice. */
  readonly turnDone?: readonly string[];
}

export function essentials(draft: Checkpoint, budgetTokens: number, options: EssentialsOptions): FirstEssentials {
  const purse = createPurse(budgetTokens, options);
  const stepShare = draft.nextSteps[0]?.includes(OUTCOME_MARK) === true ? CAUSE_SHARE : STEP_SHARE;
  const stepTokens = budgetTokens * stepShare - HEADING_TOKENS - ITEM_TOKENS;
  const nextSteps = firstCut(draft.nextSteps, stepTokens, options.counter);
  const shelves = shelvesOf({ ...draft, nextSteps }, options);
  purse.takeFirst(shelves.nextSteps, stepShare, FIRST_TRIES);
  purse.takeOwed(shelves.done, options.turnDone ?? []);
  const goal = quotedGoal(draft.goal, purse, options);
  const takeFirst = (section: ListSection, share: number): void =>
    purse.takeFirst(shelves[section], share, section === "decisions" ? DECISION_TRIES : FIRST_TRIES);
  for (const share of FIRST_SHARES) for (const section of FIRST_SECTIONS) takeFirst(section, share);
  const [latestRequest] =
    draft.latestRequest === undefined ? [] : purse.quote(draft.latestRequest, LATEST_REQUEST_SHARE, goal.join("\n"));
  for (const section of RANKED_SECTIONS) purse.takeShare(shelves[section], SECTION_TABLE[section].room?.share ?? 0);
  purse.takeInTurn(RANKED_SECTIONS.map((section) => shelves[section]));
  // What tells where the work stands goes before any list of names.
  if (FIRST_SECTIONS.some((section) => isMissing(shelves[section]))) {
    // What was lent spared as much of the budget itself, where that is left.
    const sparedTokens = Math.min(purse.lentTokens(), purse.leftTokens());
    purse.fillUp(Math.max(0, (options.firstTokens ?? 0) - purse.lentTokens() + sparedTokens));
    for (const section of FIRST_SECTIONS) takeFirst(section, 1);
  }
  const checkpointOf = (): Checkpoint => ({
    ...EMPTY_CHECKPOINT,
    goal,
    ...(latestRequest === undefined ? {} : { latestRequest }),
    ...Object.fromEntries(RANKED_SECTIONS.map((section) => [section, takenInOrder(section, shelves[section])])),
  });
  return {
    checkpoint: checkpointOf(),
    usedTokens: purse.usedTokens(),
    withMore(moreTokens) {
      purse.fillUp(moreTokens);
      purse.takeInTurn(RANKED_SECTIONS.map((section) => shelves[section]));
      return { checkpoint: checkpointOf(), usedTokens: purse.usedTokens() };
    },
  };
}

/** The current task stands last and must be there, unless it says little without another; what the work began with may take what is left. */
function quotedGoal(texts: readonly string[], purse: Purse, { leading = [] }: EssentialsOptions): readonly string[] {
  const order = new Set([...leading.filter((text) => texts.includes(text)), ...texts.toReversed()]);
  const quotes = new Map<string, readonly string[]>();
  for (const text of order)
    quotes.set(text, purse.quoteWhole(text, GOAL_SHARE / texts.length, quotes.size === 0 ? 0 : QUOTE_TOKENS_BESIDE));
  return [...new Set(texts)].flatMap((text) => quotes.get(text) ?? []);
}

type Entry = string | Decision | ToolFailure;
type Shelves = Readonly<Record<ListSection, Shelf<Entry>>>;

function shelvesOf(draft: Checkpoint, { counter }: EssentialsOptions): Shelves {
  const shelfOf = (items: readonly Entry[]): Shelf<Entry> => {
    const costs = items.map((item) => counter.countText(textOf(item)) + ITEM_TOKENS);
    return { items, costs, taken: new Set(), spentTokens: 0 };
  };
  // `Object.fromEntries` forgets the type of its keys: every list has a shelf.
  return Object.fromEntries(RANKED_SECTIONS.map((section) => [section, shelfOf(draft[section])])) as Shelves;
}

function textOf(entry: Entry): string {
  if (typeof entry === "string") return entry;
  if ("decision" in entry) return `**${entry.decision}** — ${entry.reason ?? ""}`;
  return `${entry.toolName}: ${entry.summary}`;
}

/** Candidates of a record come newest first; a reader wants them in the order in which they happened. */
function takenInOrder(section: ListSection, shelf: Shelf<Entry>): readonly Entry[] {
  const taken = takenFrom(shelf);
  return SECTION_TABLE[section].room?.merge === "join" ? taken.toReversed() : taken;
}

interface Purse {
  /** A text cut to what its share allows; nothing when that is too little to say anything, or no more than is known. */
  quote(text: string, share: number, known?: string): readonly string[];
  /** The same, with tokens beyond its share where it would break off in what it asks: a few names are worth less than that. */
  quoteWhole(text: string, share: number, cutTokensMin: number): readonly string[];
  /** What quotes took beyond the budget. */
  lentTokens(): number;
  /** Where nothing of it was taken yet: an item of at most this share of what is left. */
  takeFirst(shelf: Shelf<unknown>, share: number, tries: number): void;
  /** What must not be missing, on tokens beyond the budget as far as there are any: the first, and more within a share of them. */
  takeOwed<Item>(shelf: Shelf<Item>, owed: readonly Item[]): void;
  takeShare(shelf: Shelf<unknown>, share: number): void;
  /** One item from each in turn, until nothing fits. */
  takeInTurn(shelves: readonly Shelf<unknown>[]): void;
  fillUp(moreTokens: number): void;
  usedTokens(): number;
  leftTokens(): number;
}

/** One of its first few may be short enough. */
const FIRST_TRIES = 3;
/** An answer stands with what was asked and may be long; each decision holds by itself, whichever came before it. */
const DECISION_TRIES = 8;
/** A beginning may count more per character than the whole. */
const CUT_SAFETY = 0.95;

/** What a goal may take of the other sections' room when it would break off. */
const GOAL_SHARE_MORE = 0.3;

/** Of the tokens beyond the budget, and of its own for what those lack. */
const OWED_SHARE = 0.6;
const OWED_SHARE_SMALL = 0.3;

function createPurse(ownTokens: number, options: EssentialsOptions): Purse {
  const { counter, quote, firstTokens = 0 } = options;
  let budgetTokens = ownTokens;
  let used = 0;
  let lent = 0;
  const limitOf = (share: number): number => Math.min(budgetTokens - used, budgetTokens * share);
  const take = (shelf: Shelf<unknown>, position: number, limitTokens: number): void => {
    if (shelf.taken.has(position) || position >= shelf.items.length) return;
    const cost = (shelf.costs[position] ?? 0) + (shelf.taken.size === 0 ? HEADING_TOKENS : 0);
    if (cost > limitTokens || used + cost > budgetTokens) return;
    shelf.taken.add(position);
    shelf.spentTokens += cost;
    used += cost;
  };
  const limitOfQuote = (share: number): number => {
    const least = Math.min(budgetTokens - used, QUOTE_TOKENS_LEAST + HEADING_TOKENS + ITEM_TOKENS);
    return Math.max(limitOf(share), least) - HEADING_TOKENS - ITEM_TOKENS;
  };
  const quoteIn = (limit: number, text: string, known: string): readonly string[] => {
    if (limit < QUOTE_TOKENS_MIN) return [];
    const tokens = counter.countText(text);
    const cut = tokens <= limit ? text : quote(text, Math.floor((text.length * limit * CUT_SAFETY) / tokens));
    if (isKnown(cut, known)) return [];
    used += Math.min(tokens, limit) + HEADING_TOKENS + ITEM_TOKENS;
    return [cut];
  };
  return {
    usedTokens: () => used,
    leftTokens: () => budgetTokens - used,
    lentTokens: () => lent,
    fillUp(moreTokens) {
      budgetTokens = used + moreTokens;
    },
    takeFirst(shelf, share, tries) {
      const limitTokens = (budgetTokens - used) * share;
      for (let position = 0; position < tries && shelf.taken.size === 0; position++) take(shelf, position, limitTokens);
    },
    takeOwed(shelf, owed) {
      for (const position of owed.map((item) => shelf.items.indexOf(item))) {
        const isFirst = shelf.taken.size === 0;
        const cost = (shelf.costs[position] ?? Infinity) + (isFirst ? HEADING_TOKENS : 0);
        const lendable = Math.min(cost, firstTokens * (isFirst ? 1 : OWED_SHARE) - lent);
        if (cost - lendable > (isFirst ? ownTokens * OWED_SHARE_SMALL : 0)) continue;
        lent += lendable;
        budgetTokens += lendable;
        take(shelf, position, cost);
      }
    },
    takeShare(shelf, share) {
      const limitTokens = budgetTokens * share;
      for (let position = 0; position < shelf.items.length; position++)
        take(shelf, position, limitTokens - shelf.spentTokens);
    },
    takeInTurn(shelves) {
      const longest = Math.max(...shelves.map(({ items }) => items.length));
      for (let position = 0; position < longest; position++) {
        for (const shelf of shelves) take(shelf, position, Infinity);
      }
    },
    quote(text, share, known = "") {
      return quoteIn(limitOfQuote(share), text, known);
    },
    quoteWhole(text, share, cutTokensMin) {
      const limit = limitOfQuote(share);
      const missing = tokensMissing(text, limit, options);
      const lendable = Math.min(missing, firstTokens - lent);
      const own = (budgetTokens - used - limit - HEADING_TOKENS - ITEM_TOKENS) * GOAL_SHARE_MORE;
      if (missing === 0 || missing - lendable > own)
        return limit < cutTokensMin && counter.countText(text) > limit ? [] : quoteIn(limit, text, "");
      lent += lendable;
      budgetTokens += lendable;
      return quoteIn(limit + missing, text, "");
    },
  };
}

/** What a quote lacks of the tokens that it needs to hold what it asks. */
function tokensMissing(text: string, limitTokens: number, { counter, charsNeeded }: EssentialsOptions): number {
  if (charsNeeded === undefined) return 0;
  const tokens = counter.countText(text);
  if (tokens <= limitTokens) return 0;
  const asked = Math.ceil((charsNeeded(text) * tokens) / (text.length * CUT_SAFETY));
  const needed = tokens <= QUOTE_TOKENS_WHOLE ? tokens : Math.min(tokens, asked);
  return needed < QUOTE_TOKENS_MIN ? 0 : Math.max(0, needed - limitTokens);
}
