/** Whether a conversation is due for compaction, and why. Numbers in, a reason out; the first trigger that fires wins. */

import type { Comparison, Settings, Target, Trigger } from "../settings/settings.ts";

/** What is in the context now, by what it belongs to. */
export interface ContextSize {
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly messagesTokens: number;
}

export interface TriggerInput {
  readonly size: ContextSize;
  /** True when the time since the last request says that the provider's prompt cache is gone. */
  readonly isCacheCold?: boolean;
}

export interface Fired {
  readonly trigger: Trigger["type"];
  /** What was compared, and the limit it passed. */
  readonly tokens: number;
  readonly thresholdTokens: number;
}

export function findTrigger(settings: Settings, input: TriggerInput): Fired | undefined {
  for (const trigger of settings.compact.triggers) {
    const fired = evaluate(trigger, settings, input);
    if (fired !== undefined) return fired;
  }
  return undefined;
}

/** The lowest number of tokens at which some trigger fires; undefined when none ever does. */
export function thresholdTokens(settings: Settings): number | undefined {
  const limits = settings.compact.triggers.flatMap((trigger) => limitOf(trigger, settings) ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The most that a whole request may come to without any trigger firing on it; never more than the window. */
export function quietTokens(settings: Settings, outside: Omit<ContextSize, "messagesTokens">): number {
  const total = outside.systemTokens + outside.toolsTokens;
  const limits = settings.compact.triggers.flatMap((trigger) => {
    const limit = limitOf(trigger, settings);
    // An economic trigger without any price cliff never fires.
    if (limit === undefined || (trigger.type === "economic" && limit === 0)) return [];
    const below = comparisonOf(trigger) === "gte" ? Math.ceil(limit) - 1 : Math.floor(limit);
    return [below - (triggerTokens(trigger, settings, { ...outside, messagesTokens: 0 }) - total)];
  });
  return Math.max(0, Math.min(settings.windowTokens, ...limits));
}

/** The most that a request may come to and still be answered: the longest reply and every reserve stay free. */
export function answerableTokens({ windowTokens, maxOutputTokens, compact }: Settings): number {
  return windowTokens - Math.max(maxOutputTokens, ...compact.triggers.map(reserveTokensOf));
}

/** What a trigger keeps free by itself, its floor included; 0 for all but a reserve. */
export function reserveTokensOf(trigger: Trigger): number {
  return trigger.type === "reserve" ? raiseToFloor(trigger.reserveTokens, trigger.floorTokens).reserveTokens : 0;
}

/** A reserve below the floor is raised to it; a floor of 0 changes nothing. */
export function raiseToFloor(
  reserveTokens: number,
  floorTokens: number,
): { didOverride: boolean; reserveTokens: number } {
  const didOverride = floorTokens > 0 && reserveTokens < floorTokens;
  return { didOverride, reserveTokens: didOverride ? floorTokens : reserveTokens };
}

/** A reserve below its floor is the floor from now on, and says by how much it was raised. */
export function settledTrigger(trigger: Trigger): Trigger {
  if (trigger.type !== "reserve") return trigger;
  const { didOverride, reserveTokens } = raiseToFloor(trigger.reserveTokens, trigger.floorTokens);
  if (didOverride) return { ...trigger, reserveTokens, raisedByTokens: reserveTokens - trigger.reserveTokens };
  const isFloor = reserveTokens === trigger.floorTokens;
  return { ...trigger, raisedByTokens: isFloor ? Math.min(trigger.raisedByTokens, reserveTokens) : 0 };
}

/** What counts: messages always, the rest as the settings say. */
export function countedTokens({ count, maxOutputTokens }: Settings, size: ContextSize): number {
  return (
    size.messagesTokens +
    (count.system ? size.systemTokens : 0) +
    (count.tools ? size.toolsTokens : 0) +
    (count.output ? maxOutputTokens : 0)
  );
}

function evaluate(trigger: Trigger, settings: Settings, { size, isCacheCold }: TriggerInput): Fired | undefined {
  const limit = limitOf(trigger, settings);
  if (limit === undefined) return undefined;
  if (trigger.type === "economic") {
    const tokens = countedTokens(settings, size);
    const coldLimit = isCacheCold && trigger.coldTokens > 0 ? trigger.coldTokens : Number.POSITIVE_INFINITY;
    const reached = Math.min(trigger.cliffTokens > 0 ? trigger.cliffTokens : Number.POSITIVE_INFINITY, coldLimit);
    return tokens > reached ? { trigger: trigger.type, tokens, thresholdTokens: reached } : undefined;
  }
  const tokens = triggerTokens(trigger, settings, size);
  return passes(tokens, limit, comparisonOf(trigger))
    ? { trigger: trigger.type, tokens, thresholdTokens: limit }
    : undefined;
}

/** What a trigger compares with its limit. */
export function triggerTokens(trigger: Trigger, settings: Settings, size: ContextSize): number {
  return trigger.type === "budgetSum"
    ? size.systemTokens + size.messagesTokens + settings.maxOutputTokens
    : countedTokens(settings, size);
}

export function comparisonOf(trigger: Trigger): Comparison {
  return "comparison" in trigger ? trigger.comparison : "gt";
}

function limitOf(trigger: Trigger, { windowTokens }: Settings): number | undefined {
  switch (trigger.type) {
    case "absolute":
    case "budgetSum":
      return trigger.tokens;
    case "ratio":
      return shareOf(windowTokens, trigger.ratio);
    case "reserve":
      return Math.max(0, windowTokens - reserveTokensOf(trigger));
    case "economic":
      // A cache is mostly warm: the cliff is what counts, wherever there is one.
      return trigger.cliffTokens > 0 ? trigger.cliffTokens : trigger.coldTokens;
    case "never":
      return undefined;
    default:
      return trigger satisfies never;
  }
}

function passes(tokens: number, limit: number, comparison: Comparison): boolean {
  return comparison === "gte" ? tokens >= limit : tokens > limit;
}

/** What the target is in tokens, not rounded; undefined where there is none, or none before a trigger fires. */
export function targetTokensOf(target: Target, settings: Settings): number | undefined {
  switch (target.type) {
    case "none":
      return undefined;
    case "tokens":
      return target.tokens;
    case "ratioOfWindow":
      return shareOf(settings.windowTokens, target.ratio);
    case "ratioOfThreshold": {
      const threshold = thresholdTokens(settings);
      return threshold === undefined ? undefined : shareOf(threshold, target.ratio);
    }
    default:
      return target satisfies never;
  }
}

/**
 * The same for a whole request, in whole tokens: an amount, and a share of a limit, count what the triggers count, so what these
 * leave out comes on top; a share of the window counts all that is sent.
 */
export function targetOfRequest(settings: Settings, outside: Omit<ContextSize, "messagesTokens">): number | undefined {
  const { compact, count, windowTokens } = settings;
  const tokens = targetTokensOf(compact.target, settings);
  if (tokens === undefined || compact.target.type === "ratioOfWindow") return wholeTokens(tokens);
  const uncounted = (count.system ? 0 : outside.systemTokens) + (count.tools ? 0 : outside.toolsTokens);
  return Math.min(windowTokens, Math.floor(tokens) + uncounted);
}

function wholeTokens(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.floor(tokens);
}

/** More digits than any window has, fewer than the last one of a product, which is the one that is off. */
const DIGITS = 12;

/** Not rounded to whole tokens. */
export function shareOf(tokens: number, ratio: number): number {
  return Number((tokens * ratio).toPrecision(DIGITS));
}
