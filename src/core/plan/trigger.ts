/**
 * When to compact and how far: one table of the kinds of triggers, whether one fires, and the target of a pass. A new kind is
 * a row here and a type in `settings.ts`; schema, checks, fitting to a window and displayed texts all read the row. Pure.
 */

import { amount, bounded, choice, type SchemaFor, type VariantFor } from "../settings/schema.ts";
import type { Comparison, Settings, Target, Trigger } from "../settings/settings.ts";
import { grouped } from "../text.ts";

/** The tokens in the context now. */
export interface ContextSize {
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly messagesTokens: number;
  readonly messageCount: number;
}

export function sizeTokens({ systemTokens, toolsTokens, messagesTokens }: ContextSize): number {
  return systemTokens + toolsTokens + messagesTokens;
}

/** The same without the messages. */
export type OutsideSize = Pick<ContextSize, "systemTokens" | "toolsTokens">;

/** What a limit counts, as one of them is called. */
export type TriggerUnit = "token" | "message";

/** Everything about one kind of trigger. The row is also the settings schema of the kind: `about`, `keys` and `defaults`. */
export interface TriggerKind<One extends Trigger> extends VariantFor<One> {
  /** What the limit counts. Default: tokens. No target, window or reserve is compared with anything else. */
  readonly unit?: TriggerUnit;
  /** Undefined where there is none in this state of the prompt cache. */
  limit(trigger: One, windowTokens: number, isCacheCold: boolean): number | undefined;
  /** What is compared with the limit. Default: the tokens that `count` in the settings says. */
  compared?(size: ContextSize, settings: Settings): number;
  /** What it keeps free in the window. Default: nothing. */
  reserveTokens?(trigger: One): number;
  /** The trigger in settled settings. Default: unchanged. */
  settled?(trigger: One): One;
  /** The trigger in a smaller window; `cap` limits an amount to its share of that window. */
  fitted(trigger: One, cap: TriggerCap): One;
  /** Whether the limit may exceed the window, the target and the protected tail. Default: false. */
  readonly isLimitFree?: boolean;
  problem?(trigger: One, settings: Settings): TriggerRemark | undefined;
  /** What is allowed and may surprise. */
  notice?(trigger: One, settings: Settings): TriggerRemark | undefined;
  /** The condition, for tables of settings. */
  text(trigger: One): string;
  /** Why a pass runs after this kind has fired. */
  readonly firedText: string;
}

type TriggerCap = (tokens: number, share: "limit" | "reserve", least?: number) => number;

/** A problem or a notice, and the trigger's key to look at. The message follows the key's path. */
interface TriggerRemark {
  readonly key: string;
  readonly message: string;
}

const comparison: SchemaFor<Comparison> = choice("How the size is compared with the limit.", {
  gt: "strictly more",
  gte: "at least as much",
});

/** Shared by the kinds that compare with a fixed amount. */
const AMOUNT = {
  keys: { tokens: amount("The limit.", 1), comparison },
  defaults: { comparison: "gt" },
  limit: ({ tokens }: { readonly tokens: number }) => tokens,
} as const;

type TriggerKinds = { readonly [Type in Trigger["type"]]: TriggerKind<Extract<Trigger, { readonly type: Type }>> };

/** In the order of the reference page. */
export const TRIGGER_KINDS: TriggerKinds = {
  absolute: {
    about: "Above an amount.",
    ...AMOUNT,
    fitted: (trigger, cap) => ({ ...trigger, tokens: cap(trigger.tokens, "limit", 1) }),
    text: (trigger) => `${sign(trigger)} ${grouped(trigger.tokens)} tokens`,
    firedText: "more tokens than the limit",
  },
  ratio: {
    about: "Above a share of the window.",
    keys: { ratio: bounded("The share.", { above: 0, max: 1 }), comparison },
    defaults: { comparison: "gte" },
    limit: ({ ratio }, windowTokens) => shareOf(windowTokens, ratio),
    fitted: (trigger) => trigger,
    text: (trigger) => `${sign(trigger)} ${Number((trigger.ratio * 100).toFixed(2))} % of the window`,
    firedText: "its share of the window is reached",
  },
  reserve: {
    about: "When less than a reserve is left in the window.",
    keys: {
      reserveTokens: amount("What must stay free."),
      floorTokens: amount("A lower reserve is raised to this; 0 for no floor."),
      raisedByTokens: amount("How much of the reserve its floor added; written for you."),
      comparison,
    },
    defaults: { comparison: "gt", floorTokens: 0, raisedByTokens: 0 },
    limit: (trigger, windowTokens) => Math.max(0, windowTokens - reserveTokensOf(trigger)),
    reserveTokens: ({ reserveTokens, floorTokens }) => raiseToFloor(reserveTokens, floorTokens).reserveTokens,
    settled: settledReserve,
    fitted: (trigger, cap) =>
      settledReserve({
        ...trigger,
        reserveTokens: cap(trigger.reserveTokens - trigger.raisedByTokens, "reserve"),
        floorTokens: cap(trigger.floorTokens, "reserve"),
        raisedByTokens: 0,
      }),
    problem: (trigger, { windowTokens }) => {
      const tokens = reserveTokensOf(trigger);
      if (tokens < windowTokens) return undefined;
      const message = `(${grouped(tokens)} with its floor) must be below windowTokens (${grouped(windowTokens)})`;
      return { key: "reserveTokens", message };
    },
    notice: ({ reserveTokens, raisedByTokens }) => {
      if (raisedByTokens === 0) return undefined;
      const message = `(${grouped(reserveTokens - raisedByTokens)}) was below its floor and is now ${grouped(reserveTokens)}; floorTokens 0 lifts the floor`;
      return { key: "reserveTokens", message };
    },
    text: (trigger) => {
      const { reserveTokens, raisedByTokens } = trigger;
      const floor = raisedByTokens > 0 ? ` (its floor; ${grouped(reserveTokens - raisedByTokens)} without)` : "";
      return `${sign(trigger)} window − ${grouped(reserveTokens)}${floor}`;
    },
    firedText: "the reserve is touched",
  },
  budgetSum: {
    about: "When system prompt, messages and the longest reply together pass an amount.",
    ...AMOUNT,
    compared: (size, { maxOutputTokens }) => size.systemTokens + size.messagesTokens + maxOutputTokens,
    fitted: (trigger, cap) => ({ ...trigger, tokens: cap(trigger.tokens, "limit", 1) }),
    text: (trigger) => `system + messages + reply ${sign(trigger)} ${grouped(trigger.tokens)} tokens`,
    firedText: "system, messages and reply exceed the budget",
  },
  economic: {
    about: "Above a price cliff, or when the prompt cache has gone cold and this much would be written anew.",
    keys: {
      cliffTokens: amount("The price cliff; 0 for none."),
      coldTokens: amount("The amount with a cold cache; 0 for none."),
    },
    limit: ({ cliffTokens, coldTokens }, _, isCacheCold) => {
      const limits = [cliffTokens, isCacheCold ? coldTokens : 0].filter((tokens) => tokens > 0);
      return limits.length === 0 ? undefined : Math.min(...limits);
    },
    fitted: (trigger, cap) => ({
      ...trigger,
      cliffTokens: trigger.cliffTokens === 0 ? 0 : cap(trigger.cliffTokens, "limit", 1),
      coldTokens: trigger.coldTokens === 0 ? 0 : cap(trigger.coldTokens, "limit", 1),
    }),
    isLimitFree: true,
    problem: ({ cliffTokens, coldTokens }) =>
      cliffTokens > 0 || coldTokens > 0
        ? undefined
        : { key: "cliffTokens", message: "or coldTokens must be above 0, or the trigger never fires" },
    text: ({ cliffTokens, coldTokens }) =>
      `above the price cliff of ${grouped(cliffTokens)}, or ${grouped(coldTokens)} with a cold cache`,
    firedText: "above the price cliff",
  },
  never: {
    about: "Never.",
    keys: {},
    limit: () => undefined,
    fitted: (trigger) => trigger,
    text: () => "never",
    firedText: "never",
  },
};

export function kindOf(trigger: Trigger): TriggerKind<Trigger> {
  return TRIGGER_KINDS[trigger.type];
}

/** Why a pass runs, as a text; the reason itself where no trigger fired. */
export function reasonText(reason: string): string {
  const kinds: Readonly<Record<string, TriggerKind<Trigger>>> = TRIGGER_KINDS;
  return (Object.hasOwn(kinds, reason) ? kinds[reason]?.firedText : undefined) ?? reason;
}

function sign(trigger: Trigger): string {
  return comparisonOf(trigger) === "gt" ? ">" : "≥";
}

export interface TriggerInput {
  readonly size: ContextSize;
  /** True when enough time has passed since the last request for the provider's prompt cache to expire. */
  readonly isCacheCold?: boolean;
}

export interface FiredTrigger {
  readonly trigger: Trigger["type"];
  /** What the triggers that count tokens compare. */
  readonly tokens: number;
  /** The limit that was passed; absent where it does not count tokens. */
  readonly thresholdTokens?: number;
}

/** The first trigger that fires wins. */
export function findTrigger(settings: Settings, input: TriggerInput): FiredTrigger | undefined {
  for (const trigger of settings.compact.triggers) {
    const fired = firedBy(trigger, settings, input);
    if (fired !== undefined) return fired;
  }
  return undefined;
}

export function firedBy(
  trigger: Trigger,
  settings: Settings,
  { size, isCacheCold = false }: TriggerInput,
): FiredTrigger | undefined {
  const limit = kindOf(trigger).limit(trigger, settings.windowTokens, isCacheCold);
  if (limit === undefined) return undefined;
  const amount = comparedBy(trigger, settings, size);
  const fires = comparisonOf(trigger) === "gte" ? amount >= limit : amount > limit;
  if (!fires) return undefined;
  return unitOf(trigger) === "token"
    ? { trigger: trigger.type, tokens: amount, thresholdTokens: limit }
    : { trigger: trigger.type, tokens: countedTokens(settings, size) };
}

export function unitOf(trigger: Trigger): TriggerUnit {
  return kindOf(trigger).unit ?? "token";
}

/** The limit of one trigger. A cache is usually warm, so a limit for a cold cache counts only where there is no other. */
export function limitOf(trigger: Trigger, { windowTokens }: Settings): number | undefined {
  const { limit } = kindOf(trigger);
  return limit(trigger, windowTokens, false) ?? limit(trigger, windowTokens, true);
}

/** The same, where it counts tokens. */
export function limitTokensOf(trigger: Trigger, settings: Settings): number | undefined {
  return unitOf(trigger) === "token" ? limitOf(trigger, settings) : undefined;
}

/** The lowest number of tokens at which a trigger fires; undefined when none ever does. */
export function thresholdTokens(settings: Settings): number | undefined {
  const limits = settings.compact.triggers.flatMap((trigger) => limitTokensOf(trigger, settings) ?? []);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** The most that a whole request may come to without any trigger firing on it; never more than the window. */
export function quietTokens(settings: Settings, outside: OutsideSize): number {
  const total = outside.systemTokens + outside.toolsTokens;
  const empty = { ...outside, messagesTokens: 0, messageCount: 0 };
  const limits = settings.compact.triggers.flatMap((trigger) => {
    const limit = limitTokensOf(trigger, settings);
    if (limit === undefined) return [];
    const below = comparisonOf(trigger) === "gte" ? Math.ceil(limit) - 1 : Math.floor(limit);
    return [below - (comparedBy(trigger, settings, empty) - total)];
  });
  return Math.max(0, Math.min(settings.windowTokens, ...limits));
}

/** The most tokens of a request that leave room for the longest reply and every reserve. */
export function answerableTokens({ windowTokens, maxOutputTokens, compact }: Settings): number {
  return windowTokens - Math.max(maxOutputTokens, ...compact.triggers.map(reserveTokensOf));
}

/** The tokens that a trigger keeps free, its floor included; 0 for all kinds but `reserve`. */
export function reserveTokensOf(trigger: Trigger): number {
  return kindOf(trigger).reserveTokens?.(trigger) ?? 0;
}

/** A reserve below the floor is raised to it; a floor of 0 changes nothing. */
export function raiseToFloor(
  reserveTokens: number,
  floorTokens: number,
): { didOverride: boolean; reserveTokens: number } {
  const didOverride = floorTokens > 0 && reserveTokens < floorTokens;
  return { didOverride, reserveTokens: didOverride ? floorTokens : reserveTokens };
}

/** The trigger in settled settings. */
export function settledTrigger(trigger: Trigger): Trigger {
  return kindOf(trigger).settled?.(trigger) ?? trigger;
}

/** Raises a reserve to its floor, and records by how much. */
function settledReserve(trigger: Extract<Trigger, { readonly type: "reserve" }>): typeof trigger {
  const { didOverride, reserveTokens } = raiseToFloor(trigger.reserveTokens, trigger.floorTokens);
  if (didOverride) return { ...trigger, reserveTokens, raisedByTokens: reserveTokens - trigger.reserveTokens };
  const isFloor = reserveTokens === trigger.floorTokens;
  return { ...trigger, raisedByTokens: isFloor ? Math.min(trigger.raisedByTokens, reserveTokens) : 0 };
}

/** Whether results are pruned without a trigger: a mark at the whole window leaves that to compactions. */
export function prunesByItself({ prune, protect }: Settings): boolean {
  return prune.enabled && !protect.toolOutputs && prune.highWaterRatio < 1;
}

/** The number of messages above the limit; 0 or less where there is no limit or it is lifted. */
export function excessMessages({ maxMessages, maxMessagesWhen, compact }: Settings, messageCount: number): number {
  const isLifted = maxMessagesWhen === "auto-off" && compact.auto;
  return maxMessages > 0 && !isLifted ? messageCount - maxMessages : 0;
}

/** The tokens that count: messages always, the rest as the settings say. */
export function countedTokens({ count, maxOutputTokens }: Settings, size: ContextSize): number {
  return (
    size.messagesTokens +
    (count.system ? size.systemTokens : 0) +
    (count.tools ? size.toolsTokens : 0) +
    (count.output ? maxOutputTokens : 0)
  );
}

export function comparedBy(trigger: Trigger, settings: Settings, size: ContextSize): number {
  return kindOf(trigger).compared?.(size, settings) ?? countedTokens(settings, size);
}

export function comparisonOf(trigger: Trigger): Comparison {
  return "comparison" in trigger ? trigger.comparison : "gt";
}

/** The target in tokens, not rounded; undefined where there is none, or where it is a share of a missing threshold. */
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

/** The target for a whole request. An amount, or a share of a limit, counts what the triggers count: the rest of the request is added. */
export function targetOfRequest(settings: Settings, outside: OutsideSize): number | undefined {
  const { compact, count, windowTokens } = settings;
  const tokens = targetTokensOf(compact.target, settings);
  if (tokens === undefined) return undefined;
  if (compact.target.type === "ratioOfWindow") return Math.floor(tokens);
  const uncounted = (count.system ? 0 : outside.systemTokens) + (count.tools ? 0 : outside.toolsTokens);
  return Math.min(windowTokens, Math.floor(tokens) + uncounted);
}

/** More digits than any window has, and fewer than the imprecise last ones of a product. */
const DIGITS = 12;

/** An exact share of a number of tokens, not rounded to whole tokens. In binary, 0.55 × 100,000 is more than 55,000. */
export function shareOf(tokens: number, ratio: number): number {
  return Number((tokens * ratio).toPrecision(DIGITS));
}
