/**
 * What single values cannot show: settings that contradict each other. Each rule names the keys, what they are and what they
 * must be. Settings that are merely unwise are warnings (`warnings.ts`), not problems.
 */

import { kindOf, limitOf, reserveTokensOf, targetTokensOf } from "../core/plan/trigger.ts";
import type { Problem } from "../core/settings/check-schema.ts";
import type { Settings, Trigger } from "../core/settings/settings.ts";

export function crossCheck(settings: Settings): readonly Problem[] {
  return RULES.flatMap((rule) => rule(settings));
}

type Rule = (settings: Settings) => readonly Problem[];

const RULES: readonly Rule[] = [
  ({ windowTokens, maxOutputTokens }) =>
    unless(
      maxOutputTokens <= windowTokens,
      "maxOutputTokens",
      () => `(${shown(maxOutputTokens)}) must not exceed ${windowText(windowTokens)}`,
    ),
  ({ windowTokens, compact: { target } }) =>
    unless(
      target.type !== "tokens" || target.tokens < windowTokens,
      "compact.target.tokens",
      () => `(${shown(target.type === "tokens" ? target.tokens : 0)}) must be below ${windowText(windowTokens)}`,
    ),
  ({ windowTokens, protect: { tailTokens } }) =>
    unless(
      tailTokens < windowTokens,
      "protect.tailTokens",
      () => `(${shown(tailTokens)}) must be below ${windowText(windowTokens)}`,
    ),
  ({ maxMessages, protect: { tailMessages } }) =>
    unless(
      maxMessages === 0 || tailMessages < maxMessages,
      "protect.tailMessages",
      () => `(${shown(tailMessages)}) must be below maxMessages (${shown(maxMessages)}), or maxMessages 0 for no limit`,
    ),
  checkTriggers,
  checkPrune,
  checkSummary,
  checkRender,
  checkFailure,
  checkMemoryFlush,
];

function checkTriggers(settings: Settings): readonly Problem[] {
  return settings.compact.triggers.flatMap((trigger, index) =>
    checkTrigger(trigger, `compact.triggers[${index}]`, settings),
  );
}

function checkTrigger(trigger: Trigger, path: string, settings: Settings): readonly Problem[] {
  const { windowTokens, compact, protect } = settings;
  const kind = kindOf(trigger);
  const own = kind.problem?.(trigger, windowTokens);
  if (own !== undefined) return problem(`${path}.${own.key}`, own.message);
  const limit = limitOf(trigger, settings);
  if (limit === undefined || kind.isLimitFree) return [];
  if (limit > windowTokens)
    return problem(`${path}.tokens`, `(${shown(limit)}) must not exceed ${windowText(windowTokens)}`);
  // What is kept must be smaller than what fires, or every pass would be in vain and the next would follow at once.
  const target = targetTokensOf(compact.target, settings);
  return [
    ...unless(
      target === undefined || target < limit,
      "compact.target",
      () => `(${shown(target ?? 0)} tokens) must be below the limit of ${path} (${shown(limit)})`,
    ),
    ...unless(
      protect.tailTokens === 0 || protect.tailTokens < limit,
      "protect.tailTokens",
      () => `(${shown(protect.tailTokens)}) must be below the limit of ${path} (${shown(limit)})`,
    ),
  ];
}

function checkPrune({ prune: { softTrim, highWaterRatio, lowWaterRatio } }: Settings): readonly Problem[] {
  const kept = softTrim === undefined ? 0 : softTrim.headChars + softTrim.tailChars;
  const isDry = highWaterRatio === 0 && lowWaterRatio === 0;
  return [
    ...unless(
      softTrim === undefined || kept < softTrim.overChars,
      "prune.softTrim.overChars",
      () => `(${shown(softTrim?.overChars ?? 0)}) must be above headChars and tailChars together (${shown(kept)})`,
    ),
    ...unless(
      isDry || lowWaterRatio < highWaterRatio,
      "prune.lowWaterRatio",
      () =>
        `(${lowWaterRatio}) must be below prune.highWaterRatio (${highWaterRatio}), or both 0 to prune at every request`,
    ),
  ];
}

function checkSummary({ windowTokens, summary: { budget, staged } }: Settings): readonly Problem[] {
  return [
    ...unless(
      budget.minTokens <= budget.maxTokens,
      "summary.budget.minTokens",
      () => `(${shown(budget.minTokens)}) must not exceed summary.budget.maxTokens (${shown(budget.maxTokens)})`,
    ),
    ...unless(
      budget.maxTokens <= windowTokens,
      "summary.budget.maxTokens",
      () => `(${shown(budget.maxTokens)}) must not exceed ${windowText(windowTokens)}`,
    ),
    ...unless(
      staged.minChunkRatio <= staged.baseChunkRatio,
      "summary.staged.minChunkRatio",
      () => `(${staged.minChunkRatio}) must not exceed summary.staged.baseChunkRatio (${staged.baseChunkRatio})`,
    ),
  ];
}

function checkRender({ render, protect }: Settings): readonly Problem[] {
  const { text, when } = render.acknowledgement;
  return [
    ...unless(
      render.renderer !== "merge-first-user" || protect.firstUser,
      "protect.firstUser",
      () => "must be true with render.renderer merge-first-user, which writes into that message",
    ),
    ...unless(
      when === "never" || text.trim() !== "",
      "render.acknowledgement.text",
      () => `must not be blank while render.acknowledgement.when is ${when}`,
    ),
  ];
}

function checkFailure({ failure: { ladder } }: Settings): readonly Problem[] {
  const at = ladder.indexOf("throw");
  return unless(
    at < 0 || at === ladder.length - 1,
    "failure.ladder",
    () => `must end with throw where it has it, but ${String(ladder[at + 1])} follows`,
  );
}

/** It runs at window − reserve − soft threshold, and never when that is not above 0. */
function checkMemoryFlush({ memoryFlush, windowTokens, compact }: Settings): readonly Problem[] {
  const reserveTokens = Math.max(0, ...compact.triggers.map(reserveTokensOf));
  return unless(
    !memoryFlush.enabled || memoryFlush.softThresholdTokens + reserveTokens < windowTokens,
    "memoryFlush.softThresholdTokens",
    () =>
      `(${shown(memoryFlush.softThresholdTokens)}) and the reserve (${shown(reserveTokens)}) must be below ${windowText(windowTokens)} together`,
  );
}

/** The message is made for a problem only: numbers written for people take long to write. */
function unless(isRight: boolean, path: string, message: () => string): readonly Problem[] {
  return isRight ? [] : problem(path, message());
}

function problem(path: string, message: string): readonly Problem[] {
  return [{ path, message: `${path} ${message}` }];
}

function windowText(windowTokens: number): string {
  return `windowTokens (${shown(windowTokens)})`;
}

function shown(value: number): string {
  return Math.floor(value).toLocaleString("en-US");
}
