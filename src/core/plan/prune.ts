/**
 * Shortens tool results without a model: results over the cap when they arrive, old ones in tiers, unread ones for lack of room.
 * Changes only the text of results, never a call, a user's or model's words, a pinned message, or what the settings keep verbatim.
 * The tiers follow age (counted in tool-result messages, the newest is 1) and size; they skip results with media.
 */

import { type Message, type Part, type ToolCallPart, type ToolResultPart, text, textsOf } from "../message.ts";
import type { PruneSettings, Settings } from "../settings/settings.ts";
import { type Pairing, pairCalls } from "../structure/pairing.ts";
import type { Plan, TextStep } from "./plan.ts";
import { type PlanInput, sumTokens, totalTokens } from "./plan-input.ts";
import {
  CLEARED_TEXT,
  cappedText,
  clearedText,
  isCappedText,
  isPrunedText,
  type ShortenedResult,
  stubText,
  trimmedText,
} from "./pruned-texts.ts";
import { quietTokens } from "./trigger.ts";
import { matchesAnyTool, matchesTool } from "./user-voice.ts";

export interface PruneInput {
  readonly messages: readonly Message[];
  readonly pairing: Pairing;
  readonly settings: Settings;
  readonly tokensOf: (message: Message) => number;
  /** Messages that may be pruned, by index. */
  readonly mayPrune: (index: number) => boolean;
  /** Whether a stub mentions the recall tool for the message. */
  readonly namesRecall?: boolean | undefined;
}

export interface PruneOptions {
  /** Stop as soon as this many tokens are freed. */
  readonly freeTokens: number;
  /** Beyond the tiers of the settings: stubs every eligible result, oldest first. */
  readonly harder?: boolean;
}

/** Steps for the oldest results first, until enough is freed. */
export function pruneSteps(input: PruneInput, { freeTokens, harder = false }: PruneOptions): readonly TextStep[] {
  const steps: TextStep[] = [];
  let freed = 0;
  for (const candidate of candidates(input)) {
    if (freed >= freeTokens) break;
    const step = stepFor(candidate, input, harder);
    if (step === undefined) continue;
    steps.push(step);
    freed += step.freesTokens;
  }
  return steps;
}

/** An upper bound on what pruning can free, cheap to compute: all eligible results. */
export function prunableTokens(input: PruneInput): number {
  const { messages, settings, mayPrune, tokensOf } = input;
  let tokens = 0;
  let age = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || !isResultMessage(message)) continue;
    age++;
    const isOld = age > settings.prune.keepLast && !message.pinned && mayPrune(index);
    if (isOld && message.parts.some(isPlainResult)) tokens += tokensOf(message);
  }
  return tokens;
}

/** Caps results anywhere, except those that the settings keep in full. Pure: the same result is cut in the same way each time. */
export function capSteps({
  messages,
  settings,
  tokensOf,
}: Omit<PruneInput, "mayPrune" | "pairing">): readonly TextStep[] {
  const { capOnArrivalChars } = settings.prune;
  if (!settings.prune.enabled || capOnArrivalChars <= 0) return [];
  const isOver = (part: Part): boolean => {
    if (part.type !== "tool-result" || !isPlainResult(part)) return false;
    const before = resultText(part);
    return before.length > capOnArrivalChars && !isCappedText(before);
  };
  // Pair the calls only where a result is too long.
  if (!messages.some(({ parts }) => parts.some(isOver))) return [];
  return shortenableResults({ messages, pairing: pairCalls(messages), settings }, () => true).flatMap((result) => {
    if (!isOver(result.part)) return [];
    const steps = MORE_CAPPED_CHARS.map((moreChars) => {
      const text = cappedText(resultText(result.part), capOnArrivalChars, moreChars);
      return textStep("cap", result, text, tokensOf);
    });
    return steps.find((step) => step !== undefined) ?? [];
  });
}

/** A result slightly over the cap is cut too, so cut further until the marker costs less than what it replaces. */
const MORE_CAPPED_CHARS: readonly number[] = [0, 8, 256];

/** The message after one step: the new text replaces the first text, the other texts go, and other content stays. */
export function withResultText(message: Message, position: number, value: string): Message {
  const part = message.parts[position];
  if (part?.type !== "tool-result") return message;
  const first = part.content.findIndex(({ type }) => type === "text");
  const content =
    first < 0
      ? [text(value)]
      : part.content.flatMap((inner, index): readonly Part[] => {
          if (inner.type !== "text") return [inner];
          return index === first ? [text(value)] : [];
        });
  return { ...message, parts: message.parts.with(position, { ...part, content }) };
}

interface PlacedResult {
  readonly message: Message;
  readonly position: number;
  readonly part: ToolResultPart;
}

interface CalledResult extends PlacedResult {
  readonly call: ToolCallPart | undefined;
}

interface Candidate extends CalledResult {
  /** Counted in tool-result messages; the newest is 1. */
  readonly age: number;
}

function candidates({ messages, pairing, settings, mayPrune }: PruneInput): readonly Candidate[] {
  const callOf = callsByResult(pairing);
  const carriers = messages.flatMap((message, index) => (isResultMessage(message) ? [{ message, index }] : []));
  return carriers.flatMap(({ message, index }, order) => {
    const age = carriers.length - order;
    if (age <= settings.prune.keepLast || !mayPrune(index)) return [];
    return resultsIn(message, callOf)
      .filter(({ part }) => isPlain(part))
      .map((result) => ({ ...result, age }));
  });
}

/** Every result whose text the settings allow to be shortened, of any age and beside any other content. */
function shortenableResults(
  { messages, pairing, settings }: Pick<PruneInput, "messages" | "pairing" | "settings">,
  isMeant: (index: number) => boolean,
): readonly PlacedResult[] {
  const callOf = callsByResult(pairing);
  return messages
    .flatMap((message, index) => (isMeant(index) ? resultsIn(message, callOf) : []))
    .filter((result) => allowedTier("trim", result, settings) !== undefined);
}

function callsByResult({ calls }: Pairing): ReadonlyMap<Part, ToolCallPart> {
  return new Map(calls.flatMap((call) => call.results.map(({ part }) => [part, call.part] as const)));
}

/** Results of the client's own tools, unless the message is pinned. */
function resultsIn(message: Message, callOf: ReadonlyMap<Part, ToolCallPart>): readonly CalledResult[] {
  if (message.pinned) return [];
  return message.parts.flatMap((part, position) => {
    if (part.type !== "tool-result" || part.server) return [];
    return [{ message, position, part, call: callOf.get(part) }];
  });
}

/** By parts, not by role: true for a message with results of the client's tools. */
export function isResultMessage(message: Message): boolean {
  return message.parts.some((part) => part.type === "tool-result" && !part.server);
}

/** The tiers skip results with images or other content that is not text. */
function isPlain(part: ToolResultPart): boolean {
  return part.content.every(({ type }) => type === "text");
}

/** Only of the client's own tools. */
function isPlainResult(part: Part): boolean {
  return part.type === "tool-result" && !part.server && isPlain(part);
}

function resultText(part: ToolResultPart): string {
  return textsOf(part.content).join("\n");
}

type Tier = "trim" | "stub" | "clear";

function stepFor(candidate: Candidate, input: PruneInput, harder: boolean): TextStep | undefined {
  const { settings, tokensOf, namesRecall } = input;
  const { prune } = settings;
  const before = resultText(candidate.part);
  if (isPrunedText(before)) return undefined;
  const tier = allowedTier(
    harder ? hardTier(before, prune) : tierOf(candidate.age, before, prune),
    candidate,
    settings,
  );
  if (tier === undefined) return undefined;
  const recallId = namesRecall ? candidate.message.id : undefined;
  return textStep(tier, candidate, tierText(tier, { text: before, call: candidate.call, recallId }, prune), tokensOf);
}

function tierOf(age: number, before: string, { clearAfter, stub, softTrim }: PruneSettings): Tier | undefined {
  if (clearAfter > 0 && age > clearAfter) return "clear";
  if (stub !== undefined && age > stub.afterResults && before.length >= stub.minChars) return "stub";
  return softTrim !== undefined && before.length > softTrim.overChars ? "trim" : undefined;
}

function hardTier(before: string, { stub }: PruneSettings): Tier | undefined {
  return before.length >= (stub?.minChars ?? 0) ? "stub" : undefined;
}

const TIERS: readonly Tier[] = ["trim", "stub", "clear"];

/** A rule for the tool limits the tier; there is none for verbatim tools, `userTools`, and profiles that keep outputs. */
function allowedTier(tier: Tier | undefined, { call }: CalledResult, settings: Settings): Tier | undefined {
  const { prune, protect, userTools } = settings;
  const name = call?.name ?? "";
  if (tier === undefined || protect.toolOutputs) return undefined;
  if (matchesAnyTool(protect.toolsVerbatim, name) || matchesAnyTool(userTools, name)) return undefined;
  const rule = Object.entries(prune.tools).find(([pattern]) => matchesTool(pattern, name))?.[1];
  if (rule === "never") return undefined;
  return rule === undefined ? tier : TIERS[Math.min(TIERS.indexOf(tier), TIERS.indexOf(rule))];
}

function tierText(tier: Tier, result: ShortenedResult, { softTrim, stub }: PruneSettings): string {
  if (tier === "trim" && softTrim !== undefined) return trimmedText(result.text, softTrim);
  if (tier === "clear") return stub === undefined ? CLEARED_TEXT : clearedText(result);
  return stubText(result);
}

/** Undefined when the shorter text is not cheaper. */
function textStep(
  type: TextStep["type"],
  { message, position }: PlacedResult,
  value: string,
  tokensOf: (message: Message) => number,
): TextStep | undefined {
  const freesTokens = tokensOf(message) - tokensOf(withResultText(message, position, value));
  return freesTokens > 0 ? { type, messageId: message.id, part: position, text: value, freesTokens } : undefined;
}

interface TrimInput extends Omit<PruneInput, "mayPrune" | "namesRecall"> {
  /** The messages whose results may be cut, by index. */
  readonly mayTrim: (index: number) => boolean;
}

/** At least this much of a cut result stays: enough to recognise it. */
const KEPT_CHARS_MIN = 400;

/** Each attempt halves the range of lengths: enough for a result of any size that fits into a request. */
const ATTEMPTS_MAX = 32;

/**
 * For results that are too large to stay whole and too new to leave: each keeps its head and tail, and all are cut to one
 * length, so the largest lose most. Cuts as little as frees that many tokens; where that is impossible, as much as allowed.
 */
export function trimResults(input: TrimInput, freeTokens: number): readonly TextStep[] {
  const results = shortenableResults(input, input.mayTrim);
  const cutTo = (keptChars: number): readonly TextStep[] =>
    results.flatMap((result) => trimStep(result, keptChars, input.tokensOf) ?? []);
  let low = KEPT_CHARS_MIN;
  let high = Math.max(low, ...results.map(({ part }) => resultText(part).length));
  let steps = cutTo(low);
  for (let attempt = 0; attempt < ATTEMPTS_MAX && low < high; attempt++) {
    const middle = Math.ceil((low + high) / 2);
    const gentler = cutTo(middle);
    if (freedTokens(gentler) >= freeTokens) {
      low = middle;
      steps = gentler;
    } else high = middle - 1;
  }
  return steps;
}

function trimStep(result: PlacedResult, keptChars: number, tokensOf: TrimInput["tokensOf"]): TextStep | undefined {
  const before = resultText(result.part);
  if (before.length <= keptChars) return undefined;
  const headChars = Math.ceil(keptChars / 2);
  return textStep("trim", result, trimmedText(before, { headChars, tailChars: keptChars - headChars }), tokensOf);
}

export function freedTokens(steps: readonly TextStep[]): number {
  return steps.reduce((sum, { freesTokens }) => sum + freesTokens, 0);
}

/** All in tokens. Costs are in tokens at the price of plain input. */
export interface PruningFigures {
  readonly tokens: number;
  readonly freedTokens: number;
  /** Tokens after the first shortened result: written to the cache again instead of read from it. */
  readonly rewrittenTokens: number;
  /** Tokens that each call adds. */
  readonly growthTokens: number;
  /** The threshold of the next compaction, the tokens it leaves, and how many of those it writes to the cache again. */
  readonly thresholdTokens: number;
  readonly compactedTokens: number;
  readonly compactionRewrites: number;
}

/** Shares of the price of plain input, at the providers that publish such prices. */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
const REWRITE_PRICE = WRITE_PRICE - READ_PRICE;
/** The cost of a break is certain and the saving is an estimate: demand this many times as much. */
const CERTAINTY = 1.25;

/**
 * Whether shortening results is worth the cached prefix that it breaks. Each call reads the cached part and writes the
 * rest, so everything behind a shortened result is written again. The freed tokens delay the next compaction by some
 * calls, which must be cheaper than the calls of an ordinary cycle between compactions. The summarizing model costs the
 * same either way: it reads the original messages once, sooner or later.
 */
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

/** Whether the steps pay, compared with that compaction. */
export function pruningPays(input: PlanInput, steps: readonly TextStep[], compaction: Plan): boolean {
  const { settings, conversation, tokensOf, baseTokens, toolsTokens } = input;
  const freed = freedTokens(steps);
  const shortened = new Set(steps.map(({ messageId }) => messageId));
  const first = conversation.messages.findIndex(({ id }) => shortened.has(id));
  const behind = sumTokens(conversation.messages.slice(Math.max(0, first)), tokensOf);
  const compactedTokens = compaction.tokensAfter;
  return isCheaperPruned({
    tokens: totalTokens(input),
    freedTokens: freed,
    rewrittenTokens: Math.max(0, behind - freed),
    growthTokens: growthOf(input),
    thresholdTokens: quietTokens(settings, { systemTokens: baseTokens - toolsTokens, toolsTokens }),
    compactedTokens,
    compactionRewrites: Math.max(0, compactedTokens - baseTokens),
  });
}

/** The newest answers that show how fast a conversation grows. */
const CALLS_READ = 20;

/** Tokens for each call: an answer, and the results that follow. */
function growthOf({ conversation: { messages }, tokensOf }: PlanInput): number {
  let [calls, tokens] = [0, 0];
  for (let index = messages.length - 1; index >= 0 && calls < CALLS_READ; index--) {
    const message = messages[index];
    if (message === undefined) break;
    tokens += tokensOf(message);
    // Items of one answer are neighbours.
    if (message.role === "assistant" && messages[index - 1]?.role !== "assistant") calls++;
  }
  return tokens / Math.max(1, calls);
}
