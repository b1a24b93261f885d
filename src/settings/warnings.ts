/** Settings that are allowed and probably unwise, as data: nothing is refused or printed here. */

import { TINY_WINDOW_TOKENS } from "../core/ledger/learned-windows.ts";
import { kindOf, targetTokensOf } from "../core/plan/trigger.ts";
import type { Settings } from "../core/settings/settings.ts";

export interface SettingsWarning {
  readonly severity: "notice" | "strong";
  /** The key to look at first. */
  readonly key: string;
  readonly message: string;
}

/** Below this, compactions come often. */
const SMALL_WINDOW_TOKENS = 32_000;

/** What is allowed in these settings and still unwise; empty where nothing is. */
export function settingsWarnings(settings: Settings): readonly SettingsWarning[] {
  return [
    ...windowWarnings(settings),
    ...triggerWarnings(settings),
    ...targetWarnings(settings),
    ...pruneWarnings(settings),
    ...limitWarnings(settings),
    ...voiceWarnings(settings),
  ];
}

function windowWarnings({ windowTokens }: Settings): readonly SettingsWarning[] {
  if (windowTokens >= SMALL_WINDOW_TOKENS) return [];
  const isTiny = windowTokens < TINY_WINDOW_TOKENS;
  const limit = isTiny ? TINY_WINDOW_TOKENS : SMALL_WINDOW_TOKENS;
  const consequence = isTiny
    ? "system prompt, tools and summary leave hardly any room for a conversation"
    : "expect frequent compactions";
  return [
    {
      severity: isTiny ? "strong" : "notice",
      key: "windowTokens",
      message: `windowTokens (${shown(windowTokens)}) is below ${shown(limit)}: ${consequence}`,
    },
  ];
}

function triggerWarnings({ compact: { triggers } }: Settings): readonly SettingsWarning[] {
  return triggers.flatMap((trigger, index): readonly SettingsWarning[] => {
    const notice = kindOf(trigger).notice?.(trigger);
    if (notice === undefined) return [];
    const key = `compact.triggers[${index}].${notice.key}`;
    return [{ severity: "notice", key, message: `${key} ${notice.message}` }];
  });
}

function targetWarnings(settings: Settings): readonly SettingsWarning[] {
  const { tailTokens } = settings.protect;
  const targetTokens = targetTokensOf(settings.compact.target, settings);
  if (targetTokens === undefined || tailTokens === 0 || tailTokens < targetTokens) return [];
  const message = `protect.tailTokens (${shown(tailTokens)}) fills compact.target (${shown(targetTokens)}): both cannot be had`;
  return [{ severity: "notice", key: "protect.tailTokens", message }];
}

function pruneWarnings({ prune: { enabled, stub, clearAfter } }: Settings): readonly SettingsWarning[] {
  if (!enabled || stub === undefined || clearAfter === 0 || stub.afterResults < clearAfter) return [];
  const message = `prune.stub.afterResults (${stub.afterResults}) is not below prune.clearAfter (${clearAfter}): results are cleared before they are stubbed`;
  return [{ severity: "notice", key: "prune.stub.afterResults", message }];
}

function limitWarnings({
  compact,
  overflow,
  maxMessages,
  maxMessagesWhen,
  protect,
}: Settings): readonly SettingsWarning[] {
  const warnings: SettingsWarning[] = [];
  // Zero attempts must not mean "never" without a word.
  if (compact.checkPoints.includes("onOverflow") && overflow.maxAttempts === 0) {
    const message =
      "overflow.maxAttempts is 0: compact.checkPoints names onOverflow, but an overflow is not recovered from";
    warnings.push({ severity: "notice", key: "overflow.maxAttempts", message });
  }
  // With compaction on, a tail by tokens replaces the cap by messages.
  if (
    compact.auto &&
    maxMessagesWhen === "always" &&
    maxMessages > 0 &&
    protect.tailTokens > 0 &&
    protect.tailMessages === 0
  ) {
    const message = `maxMessages (${maxMessages}) drops messages that protect.tailTokens (${shown(protect.tailTokens)}) would keep; 0 lifts it`;
    warnings.push({ severity: "notice", key: "maxMessages", message });
  }
  return warnings;
}

function voiceWarnings({ userTools }: Settings): readonly SettingsWarning[] {
  if (!userTools.includes("*")) return [];
  const message = "userTools has *: what any tool returns, a web page too, is told as the user's own words";
  return [{ severity: "strong", key: "userTools", message }];
}

function shown(value: number): string {
  return Math.floor(value).toLocaleString("en-US");
}
