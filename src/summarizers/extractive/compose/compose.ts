/**
 * Fits everything into the budget: the essentials first, then identifiers by their worth per token, then more of what was said
 * and done until the budget is full. The result never counts more than the budget, by the counter it is given.
 */

import {
  type Checkpoint,
  EMPTY_CHECKPOINT,
  OUTCOME_MARK,
  renderCheckpoint,
} from "../../../core/checkpoint/checkpoint.ts";
import { byKind } from "../../../core/checkpoint/identifier-list.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import type { RankedFact } from "../../../core/facts/facts.ts";
import type { TokenCounter } from "../../../core/tokens/tokens.ts";
import { type ArgumentNames, callForms } from "../calls/argument-names.ts";
import type { ChooseContext } from "./context-sentences.ts";
import { essentials, HEADING_TOKENS, ITEM_TOKENS, type Quote } from "./essentials.ts";
import { type Covered, chooseIdentifiers, coveredBy, type Offers, offerIdentifiers } from "./identifiers.ts";
import { withGoal, withoutSeen, withSeenCut } from "./seen-requests.ts";
import {
  ESSENTIAL_TOKENS,
  FIRST_SHARE,
  focusShare,
  LIKELIHOOD_LISTED_MIN,
  likelihoodMin,
  listShare,
  proseShare,
  SMALL_BUDGET_TOKENS,
} from "./shares.ts";

/** Candidates for each section, the most important first. */
export interface Draft extends Checkpoint {
  readonly facts: readonly RankedFact[];
  /** No tool was called: words matter more than names. */
  readonly isTalk: boolean;
  /** A request cut to so many characters, by what it asks. */
  readonly quote: Quote;
  /** The characters below which a quote would break off in what it asks. */
  readonly charsNeeded?: (text: string) => number;
  /** What of the goal is quoted before its last, and in little room what stands for it where that stays in the view. */
  readonly leading?: readonly string[];
  /** What of the done was changed by calls since the newest request, or answers it; what must not be missing first. */
  readonly turnDone?: readonly string[];
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
/** As long as nothing fits at all. */
const ROUNDS_EMPTY_MAX = 12;
/** What may stay unused: the next round would cost more than it brings. */
const SLACK_SHARE = 0.02;
/** Work of which so much of the budget is left has nothing more to say, whatever the aim. Of talk a higher aim finds more. */
const UNUSED_SHARE = 0.25;
const SLACK_TOKENS = 4;
/** The whole counts a little more than its pieces: a first aim just below the budget mostly hits it. */
const FIRST_AIM_SHARE = 0.99;
/** How far below what was over the next round aims. */
const MISS_SHARE = 0.005;

export function compose(draft: Draft, options: ComposeOptions): Composed {
  if (options.budgetTokens > SEEN_BUDGET_TOKENS) return fittedWithDecisions(draft, options);
  const unseen = fitted(withoutSeen(draft, options.kept), options);
  return unseen.text === "" ? fitted(draft, options) : withGoal(unseen, draft, options);
}

/** Of a small budget, a request that the reader has in the view gives its room to decisions that nothing else tells; it keeps what it asks. */
function fittedWithDecisions(draft: Draft, options: ComposeOptions): Composed {
  const whole = fitted(draft, options);
  const told = whole.checkpoint.decisions.length;
  // What the instructions name comes before decisions.
  if (options.budgetTokens > SMALL_BUDGET_TOKENS || told === draft.decisions.length || draft.focused !== undefined)
    return whole;
  const cut = withSeenCut(draft, options.kept);
  const other = cut === draft ? whole : fitted(cut, options);
  const isMore =
    other.checkpoint.decisions.length > told && other.checkpoint.done.length >= whole.checkpoint.done.length;
  return isMore ? other : whole;
}

function fitted(draft: Draft, options: ComposeOptions): Composed {
  const { budgetTokens, counter, language } = options;
  const files = new Set([...draft.filesModified, ...draft.filesRead]);
  const costOf = (text: string): number => counter.countText(` ${text}`) + (files.has(text) ? ITEM_TOKENS : 0);
  const offers = offerIdentifiers(draft.facts, { budgetTokens, costOf });
  const keptCovered = coveredBy(options.kept, offers);
  const sortFacts = factSorter(draft);
  const pieces = { ...counter, countText: remembered(counter.countText) };
  const charsNeeded = remembered(draft.charsNeeded ?? (() => 0));
  const slackMax = Math.max(SLACK_TOKENS, budgetTokens * SLACK_SHARE);
  let best: Composed = { checkpoint: EMPTY_CHECKPOINT, text: "" };
  let bestTokens = 0;
  let lastTokens = 0;
  // Pieces do not count exactly what the whole counts; what was over or under is corrected in the next round.
  let aimTokens = budgetTokens > SMALL_BUDGET_TOKENS ? Math.floor(budgetTokens * FIRST_AIM_SHARE) : budgetTokens;
  for (let round = 0; round < (bestTokens > 0 ? ROUNDS_MAX : ROUNDS_EMPTY_MAX) && aimTokens > 0; round++) {
    const { checkpoint, leftTokens } = fill(
      { ...draft, charsNeeded },
      {
        ...options,
        counter: pieces,
        aimTokens,
        offers,
        keptCovered,
        hasFiles: files.size > 0,
        sortFacts,
      },
    );
    const text = renderCheckpoint(checkpoint, { language });
    const tokens = counter.countText(text);
    if (
      tokens <= budgetTokens &&
      isBetter({ checkpoint, tokens }, { checkpoint: best.checkpoint, tokens: bestTokens })
    ) {
      best = { checkpoint, text };
      bestTokens = tokens;
    }
    const slack = budgetTokens - tokens;
    // What had a little room left and says no more with a higher aim has nothing more to say either.
    const isUnused = !draft.isTalk && leftTokens > budgetTokens * UNUSED_SHARE;
    const isExhausted = isUnused || (leftTokens > slackMax && tokens <= lastTokens);
    if (slack >= 0 && (slack <= slackMax || isExhausted)) break;
    lastTokens = tokens;
    aimTokens = Math.floor(
      slack < 0
        ? aimTokens - Math.max(0, leftTokens) + slack - Math.max(1, budgetTokens * MISS_SHARE)
        : aimTokens + slack * 0.9,
    );
  }
  return best;
}

/** Most pieces are the same in every round. */
function remembered(count: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let tokens = known.get(text);
    if (tokens === undefined) {
      tokens = count(text);
      known.set(text, tokens);
    }
    return tokens;
  };
}

interface Counted {
  readonly checkpoint: Checkpoint;
  readonly tokens: number;
}

/** Whatever else there is room for, a summary without its goal is worse than a shorter one with it. */
function isBetter(next: Counted, best: Counted): boolean {
  const hasGoal = next.checkpoint.goal.length > 0;
  return hasGoal === best.checkpoint.goal.length > 0 ? next.tokens > best.tokens : hasGoal;
}

/** So few tokens repeat nothing that the reader has before them anyway. */
const SEEN_BUDGET_TOKENS = 60;

interface FillOptions extends ComposeOptions {
  /** What to fill; the shares are of the budget. */
  readonly aimTokens: number;
  readonly offers: Offers;
  readonly keptCovered: Covered;
  readonly hasFiles: boolean;
  readonly sortFacts: (facts: readonly string[]) => SortedFacts;
}

interface Filled {
  readonly checkpoint: Checkpoint;
  /** What it found no use for. */
  readonly leftTokens: number;
}

function fill(draft: Draft, options: FillOptions): Filled {
  const { aimTokens: budgetTokens, counter, kept, offers, keptCovered, hasFiles, sortFacts } = options;
  const proseTokens = Math.max(budgetTokens * proseShare(budgetTokens), Math.min(ESSENTIAL_TOKENS, budgetTokens));
  const focusTokens = draft.focused === undefined ? 0 : budgetTokens * focusShare(budgetTokens);
  const essentialTokens = Math.min(proseTokens, budgetTokens - focusTokens);
  const firstTokens = Math.min(budgetTokens * FIRST_SHARE, budgetTokens - focusTokens - essentialTokens);
  const { quote, charsNeeded, leading = [], turnDone } = draft;
  const first = essentials(draft, essentialTokens, {
    counter,
    quote,
    firstTokens,
    leading,
    ...(charsNeeded !== undefined && { charsNeeded }),
    ...(turnDone !== undefined && { turnDone }),
  });
  let left = budgetTokens - first.usedTokens;
  const proseText = renderCheckpoint(first.checkpoint);
  const focused = draft.focused?.()(focusTokens - HEADING_TOKENS, [proseText, ...kept]) ?? [];
  for (const line of focused) left -= counter.countText(line) + ITEM_TOKENS;
  const covered = coveredBy([proseText, ...focused], offers, keptCovered);
  const headings = HEADING_TOKENS * (hasFiles ? 3 : 1) + LABELS_TOKENS;
  const listMax = options.budgetTokens * listShare(options.budgetTokens, draft.isTalk);
  const listedMax = Math.min(left - headings, listMax);
  const listed = chooseIdentifiers(offers, {
    budgetTokens: listedMax,
    likelihoodMin: likelihoodMin(options.budgetTokens),
    covered,
  });
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
  const prose = first.withMore(Math.max(left * MORE_SHARE, Math.min(left, SMALL_BUDGET_TOKENS)));
  left -= prose.usedTokens - first.usedTokens;
  const hasMore = prose.usedTokens > first.usedTokens;
  const known = [hasMore ? renderCheckpoint(prose.checkpoint) : proseText, ...focused, ...kept];
  const said = left > ROOM_TOKENS_MIN ? takeFitting(draft.context()(left - HEADING_TOKENS, known)) : [];
  const log = left > ROOM_TOKENS_MIN ? takeFitting(untold(draft.log(), prose.checkpoint.done)).toReversed() : [];
  const read = left > ROOM_TOKENS_MIN ? takeFitting(draft.resultContext()(left, [...known, ...said])) : [];
  const rest = chooseIdentifiers(offers, {
    budgetTokens: Math.min(left, listMax - listed.usedTokens),
    likelihoodMin: LIKELIHOOD_LISTED_MIN,
    covered: coveredBy([...said, ...log, ...read], offers, covered),
  });
  const facts = sortFacts([...listed.texts, ...rest.texts]);
  const lines = [...new Set([...prose.checkpoint.criticalContext, ...focused, ...said, ...log, ...read])];
  return {
    checkpoint: { ...prose.checkpoint, criticalContext: lines, ...facts },
    leftTokens: left - rest.usedTokens,
  };
}

/** Without the calls that what was done tells of: both name the command. */
function* untold(log: Iterable<string>, done: readonly string[]): Iterable<string> {
  const commands = done.flatMap((item) => {
    const at = item.indexOf(OUTCOME_MARK);
    return at < 0 ? [] : [item.slice(0, at).replace(/…$/, "")];
  });
  for (const line of log) if (!commands.some((command) => line.includes(command))) yield line;
}

/** Of what the list leaves, this much may go to more of the essentials; where little is left, all. */
const MORE_SHARE = 0.5;
/** What the labels of the list cost. */
const LABELS_TOKENS = 10;
/** Less room than this holds no sentence. */
const ROOM_TOKENS_MIN = 12;

type SortedFacts = Pick<Checkpoint, "filesModified" | "filesRead" | "identifiers">;

/** Files stand in their own lists, sorted; the rest by kind, as ranked, names of arguments with their tools. */
function factSorter({ filesModified, filesRead, argumentNames }: Draft): (facts: readonly string[]) => SortedFacts {
  const modified = new Set(filesModified);
  const read = new Set(filesRead);
  return (facts) => {
    const sorted = { filesModified: [] as string[], filesRead: [] as string[] };
    const named: string[] = [];
    const args: string[] = [];
    for (const text of facts) {
      const isModified = modified.has(text);
      const isRead = read.has(text);
      if (isModified) sorted.filesModified.push(text);
      if (isRead) sorted.filesRead.push(text);
      if (isModified || isRead) continue;
      if (argumentNames.toolOf(text) === undefined) named.push(text);
      else args.push(text);
    }
    sorted.filesModified.sort();
    sorted.filesRead.sort();
    return { ...sorted, identifiers: byKind([...named, ...callForms(args, argumentNames)]) };
  };
}
