/**
 * Checks across several settings. `crossCheck` finds settings that contradict each other, and names the keys, their values and the
 * required ones. `settingsWarnings` finds settings that are valid and probably unwise. Both return data; nothing throws or prints.
 */

import { TINY_WINDOW_TOKENS } from "../core/learned.ts";
import { kindOf, limitTokensOf, reserveTokensOf, targetTokensOf } from "../core/plan/trigger.ts";
import type { Problem } from "../core/settings/check-schema.ts";
import type { Settings } from "../core/settings/settings.ts";

export function crossCheck(settings: Settings): readonly Problem[] {
  const problems: Problem[] = [];
  // Messages are built only for a problem, because formatting numbers is slow.
  const demand: Demand = (isRight, path, message) => {
    if (!isRight) problems.push({ path, message: `${path} ${message()}` });
  };
  for (const check of [checkLimits, checkTriggers, checkPrune, checkSummary, checkRender, checkMemoryFlush]) {
    check(settings, demand);
  }
  return problems;
}

type Demand = (isRight: boolean, path: string, message: () => string) => void;

function checkLimits(settings: Settings, demand: Demand): void {
  const { windowTokens, maxOutputTokens, compact, protect, maxMessages } = settings;
  const { tailTokens, tailMessages } = protect;
  const targetTokens = compact.target.type === "tokens" ? compact.target.tokens : 0;
  const window = () => `windowTokens (${shown(windowTokens)})`;
  demand(
    maxOutputTokens <= windowTokens,
    "maxOutputTokens",
    () => `(${shown(maxOutputTokens)}) must not exceed ${window()}`,
  );
  demand(
    targetTokens < windowTokens,
    "compact.target.tokens",
    () => `(${shown(targetTokens)}) must be below ${window()}`,
  );
  demand(tailTokens < windowTokens, "protect.tailTokens", () => `(${shown(tailTokens)}) must be below ${window()}`);
  demand(
    maxMessages === 0 || tailMessages < maxMessages,
    "protect.tailMessages",
    () => `(${shown(tailMessages)}) must be below maxMessages (${shown(maxMessages)}), or maxMessages 0 for no limit`,
  );
}

/** The kept tokens must stay below the threshold; otherwise every pass would free nothing and the next would follow at once. */
function checkTriggers(settings: Settings, demand: Demand): void {
  const { windowTokens, compact, protect } = settings;
  for (const [index, trigger] of compact.triggers.entries()) {
    const path = `compact.triggers[${index}]`;
    const kind = kindOf(trigger);
    const own = kind.problem?.(trigger, settings);
    if (own !== undefined) demand(false, `${path}.${own.key}`, () => own.message);
    const limit = limitTokensOf(trigger, settings);
    if (own !== undefined || limit === undefined || kind.isLimitFree) continue;
    if (limit > windowTokens) {
      demand(false, `${path}.tokens`, () => `(${shown(limit)}) must not exceed windowTokens (${shown(windowTokens)})`);
      continue;
    }
    const below = () => `must be below the limit of ${path} (${shown(limit)})`;
    const target = targetTokensOf(compact.target, settings) ?? Number.NEGATIVE_INFINITY;
    const tail = protect.tailTokens;
    demand(target < limit, "compact.target", () => `(${shown(target)} tokens) ${below()}`);
    demand(tail === 0 || tail < limit, "protect.tailTokens", () => `(${shown(tail)}) ${below()}`);
  }
}

function checkPrune({ prune: { softTrim, highWaterRatio, lowWaterRatio } }: Settings, demand: Demand): void {
  const { overChars, headChars, tailChars } = softTrim ?? { overChars: 1, headChars: 0, tailChars: 0 };
  const kept = headChars + tailChars;
  demand(
    kept < overChars,
    "prune.softTrim.overChars",
    () => `(${shown(overChars)}) must be above headChars and tailChars together (${shown(kept)})`,
  );
  demand(
    lowWaterRatio < highWaterRatio || (highWaterRatio === 0 && lowWaterRatio === 0),
    "prune.lowWaterRatio",
    () =>
      `(${lowWaterRatio}) must be below prune.highWaterRatio (${highWaterRatio}), or both 0 to prune at every request`,
  );
}

function checkSummary({ windowTokens, summary: { budget, staged } }: Settings, demand: Demand): void {
  const { minTokens, maxTokens } = budget;
  demand(
    minTokens <= maxTokens,
    "summary.budget.minTokens",
    () => `(${shown(minTokens)}) must not exceed summary.budget.maxTokens (${shown(maxTokens)})`,
  );
  demand(
    maxTokens <= windowTokens,
    "summary.budget.maxTokens",
    () => `(${shown(maxTokens)}) must not exceed windowTokens (${shown(windowTokens)})`,
  );
  demand(
    staged.minChunkRatio <= staged.baseChunkRatio,
    "summary.staged.minChunkRatio",
    () => `(${staged.minChunkRatio}) must not exceed summary.staged.baseChunkRatio (${staged.baseChunkRatio})`,
  );
}

function checkRender({ render, protect, failure: { ladder } }: Settings, demand: Demand): void {
  const { text, when } = render.acknowledgement;
  demand(
    render.renderer !== "merge-first-user" || protect.firstUser,
    "protect.firstUser",
    () => "must be true with render.renderer merge-first-user, which writes into that message",
  );
  demand(
    when === "never" || text.trim() !== "",
    "render.acknowledgement.text",
    () => `must not be blank while render.acknowledgement.when is ${when}`,
  );
  const afterThrow = ladder.includes("throw") ? ladder[ladder.indexOf("throw") + 1] : undefined;
  demand(
    afterThrow === undefined,
    "failure.ladder",
    () => `must end with throw where it has it, but ${afterThrow} follows`,
  );
}

/** The flush runs at window − reserve − soft threshold, so that must be above 0. */
function checkMemoryFlush({ memoryFlush, windowTokens, compact }: Settings, demand: Demand): void {
  const { enabled, softThresholdTokens } = memoryFlush;
  const reserveTokens = Math.max(0, ...compact.triggers.map(reserveTokensOf));
  demand(
    !enabled || softThresholdTokens + reserveTokens < windowTokens,
    "memoryFlush.softThresholdTokens",
    () =>
      `(${shown(softThresholdTokens)}) and the reserve (${shown(reserveTokens)}) must be below windowTokens (${shown(windowTokens)}) together`,
  );
}

export interface SettingsWarning {
  readonly severity: "notice" | "strong";
  /** The key to look at first. */
  readonly key: string;
  readonly message: string;
}

/** Below this, compactions come often. */
const SMALL_WINDOW_TOKENS = 32_000;

/** Valid settings that are probably unwise; empty where there are none. */
export function settingsWarnings(settings: Settings): readonly SettingsWarning[] {
  const warnings: SettingsWarning[] = [];
  const warn: Warn = (key, message, severity = "notice") => {
    warnings.push({ severity, key, message: `${key} ${message}` });
  };
  const { windowTokens, compact, protect, prune } = settings;
  if (windowTokens < TINY_WINDOW_TOKENS) {
    const consequence = "system prompt, tools and summary leave hardly any room for a conversation";
    warn("windowTokens", `(${shown(windowTokens)}) is below ${shown(TINY_WINDOW_TOKENS)}: ${consequence}`, "strong");
  } else if (windowTokens < SMALL_WINDOW_TOKENS) {
    const consequence = "expect frequent compactions";
    warn("windowTokens", `(${shown(windowTokens)}) is below ${shown(SMALL_WINDOW_TOKENS)}: ${consequence}`);
  }
  for (const [index, trigger] of compact.triggers.entries()) {
    const notice = kindOf(trigger).notice?.(trigger, settings);
    if (notice !== undefined) warn(`compact.triggers[${index}].${notice.key}`, notice.message);
  }
  const { tailTokens } = protect;
  const targetTokens = targetTokensOf(compact.target, settings);
  if (targetTokens !== undefined && tailTokens > 0 && tailTokens >= targetTokens) {
    const message = `(${shown(tailTokens)}) fills compact.target (${shown(targetTokens)}): both cannot be had`;
    warn("protect.tailTokens", message);
  }
  const { enabled, stub, clearAfter } = prune;
  if (enabled && stub !== undefined && clearAfter > 0 && stub.afterResults >= clearAfter) {
    const message = `(${stub.afterResults}) is not below prune.clearAfter (${clearAfter}): results are cleared before they are stubbed`;
    warn("prune.stub.afterResults", message);
  }
  warnOfLimits(settings, warn);
  return warnings;
}

type Warn = (key: string, message: string, severity?: SettingsWarning["severity"]) => void;

function warnOfLimits({ compact, overflow, maxMessages, maxMessagesWhen, protect, userTools }: Settings, warn: Warn) {
  // Zero attempts mean "never", so warn.
  if (compact.checkPoints.includes("onOverflow") && overflow.maxAttempts === 0) {
    warn("overflow.maxAttempts", "is 0: compact.checkPoints names onOverflow, but an overflow is not recovered from");
  }
  // With compaction on, a tail by tokens replaces the cap by messages.
  const isCapped = compact.auto && maxMessagesWhen === "always" && maxMessages > 0;
  if (isCapped && protect.tailTokens > 0 && protect.tailMessages === 0) {
    const dropped = `drops messages that protect.tailTokens (${shown(protect.tailTokens)}) would keep`;
    warn("maxMessages", `(${maxMessages}) ${dropped}; 0 lifts it`);
  }
  if (userTools.includes("*")) {
    warn("userTools", "has *: what any tool returns, a web page too, is told as the user's own words", "strong");
  }
}

function shown(value: number): string {
  return Math.floor(value).toLocaleString("en-US");
}
