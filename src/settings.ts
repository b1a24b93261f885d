/**
 * Resolves and checks settings once: profile < user < provider < call. The result is complete, consistent and deeply
 * frozen; algorithms need no defaults. All problems become one `CompactionError("invalid-settings")` of one line that
 * names the key, its value and the allowed values. Never changes its arguments.
 */

import { deepFreeze, isPlainObject } from "./core/json.ts";
import { TINY_WINDOW_TOKENS } from "./core/learned.ts";
import {
  kindOf,
  limitTokensOf,
  reserveTokensOf,
  settledTrigger,
  targetTokensOf,
  thresholdTokens,
} from "./core/plan/trigger.ts";
import { checkSchema, type Problem, refuseProblems, shownValue } from "./core/settings/check-schema.ts";
import { mergePartial, mergeSettings } from "./core/settings/merge-settings.ts";
import type { Settings, SettingsInput, Target } from "./core/settings/settings.ts";
import { settingsSchema } from "./core/settings/settings-schema.ts";
import { isProfileName, type ProfileName, profileNamed } from "./profiles/profiles.ts";

export interface SettingsLayers {
  /** A name, or the caller's complete settings. Default: `balanced`. */
  readonly profile?: ProfileName | Settings | undefined;
  readonly user?: SettingsInput | undefined;
  /** For the provider or model in use; overrides the user's. */
  readonly provider?: SettingsInput | undefined;
  /** For this call only; overrides all other layers. */
  readonly call?: SettingsInput | undefined;
}

/** Complete, checked and frozen settings: each layer overrides the one before. Throws `invalid-settings`, which names the key. */
export function resolveSettings(layers: SettingsLayers = {}): Settings {
  const shipped = shippedAlone(layers);
  if (shipped !== undefined) return shipped;
  refuseProblems(checkLayers(layers));
  const profile = profileOf(layers.profile);
  const windowTokens = LAYERS.reduce((tokens, layer) => layers[layer]?.windowTokens ?? tokens, profile.windowTokens);
  const merged = LAYERS.reduce<unknown>(
    (base, layer) => mergeSettings(base, layers[layer], settingsSchema),
    fitToWindow(profile, windowTokens),
  );
  // A layer may give only some keys of an optional object that the profile switches off.
  refuseProblems(checkSchema(merged, settingsSchema, { partial: false }));
  // The check above proved this shape.
  const complete = merged as Settings;
  const { compact } = complete;
  const settings = { ...complete, compact: { ...compact, triggers: compact.triggers.map(settledTrigger) } };
  refuseProblems(crossCheck(settings));
  NAMES.set(settings, profileNameOf(layers.profile));
  return deepFreeze(settings);
}

/** The name of the profile behind settings, for log lines and records; `own` for all others. */
export function profileNameOf(profile: SettingsLayers["profile"] = "balanced"): string {
  return typeof profile === "string" ? profile : (NAMES.get(profile) ?? "own");
}

/** Profile names of resolved settings. Those are frozen; a changed copy is another object and has no name. */
const NAMES = new WeakMap<Settings, string>();

export const settingsKeys: readonly string[] = Object.keys(settingsSchema.keys);

/** Lays one user layer over another, with the rules for layers. Checks `over` first: merging handles known keys only. */
export function mergeInputs(base: SettingsInput, over: SettingsInput): SettingsInput {
  refuseProblems(checkSchema(over, settingsSchema, { partial: true, subject: "The settings" }));
  // Both are inputs, and merging keeps the shape.
  return mergePartial(base, over, settingsSchema) as SettingsInput;
}

const LAYERS = ["user", "provider", "call"] as const;

/** A shipped profile without other layers, which is complete, checked and frozen already; undefined for anything else. */
function shippedAlone(layers: SettingsLayers): Settings | undefined {
  if (!isPlainObject(layers)) return undefined;
  const { profile = "balanced", ...others } = layers;
  if (typeof profile !== "string" || !isProfileName(profile)) return undefined;
  const isAlone = Object.entries(others).every(([key, layer]) => isLayer(key) && saysNothing(layer));
  if (!isAlone) return undefined;
  const settings = profileNamed(profile);
  NAMES.set(settings, profile);
  return settings;
}

function saysNothing(layer: unknown): boolean {
  return layer === undefined || (isPlainObject(layer) && Object.keys(layer).length === 0);
}

function isLayer(key: string): boolean {
  return LAYERS.some((layer) => layer === key);
}

function checkLayers(layers: SettingsLayers): readonly Problem[] {
  if (!isPlainObject(layers)) {
    return [
      { path: "", message: `resolveSettings takes { profile, user, provider, call }, not ${shownValue(layers)}` },
    ];
  }
  const unknown = Object.keys(layers).filter((key) => key !== "profile" && !isLayer(key));
  const strangers = unknown.map((key) => ({
    path: key,
    message: `Unknown layer ${shownValue(key)}; allowed: profile, user, provider, call; settings go inside user`,
  }));
  return [...strangers, ...LAYERS.flatMap((layer) => checkLayer(layer, layers[layer]))];
}

function checkLayer(layer: (typeof LAYERS)[number], value: unknown): readonly Problem[] {
  if (value === undefined) return [];
  const where = layer === "user" ? "" : ` (${layer} settings)`;
  const problems = checkSchema(value, settingsSchema, { partial: true, subject: `The ${layer} settings` });
  return problems.map(({ path, message }) => ({ path, message: `${message}${where}` }));
}

function profileOf(profile: ProfileName | Settings | undefined): Settings {
  if (profile === undefined) return profileNamed("balanced");
  if (typeof profile === "string") return profileNamed(profile);
  const problems = checkSchema(profile, settingsSchema, { partial: false, subject: "A profile" });
  refuseProblems(
    problems.map(({ path, message }) => ({ path, message: `${message} (own profile, which must be complete)` })),
  );
  // A copy, since the result is frozen.
  return structuredClone(profile);
}

/** Shares that fit beside one another: every shipped profile stays below them in its own window. */
const SHARE = {
  tail: 0.3,
  limit: 0.8,
  reserve: 0.25,
  flush: 0.05,
  target: 0.4,
  output: 0.25,
  summary: 0.1,
} as const;

function fitToWindow(profile: Settings, windowTokens: number): Settings {
  if (windowTokens >= profile.windowTokens) return { ...profile, windowTokens };
  const cap = (tokens: number, share: keyof typeof SHARE, least = 0): number =>
    Math.max(least, Math.min(tokens, Math.floor(windowTokens * SHARE[share])));
  const { compact, protect, summary, memoryFlush } = profile;
  const maxTokens = cap(summary.budget.maxTokens, "summary", 1);
  return {
    ...profile,
    windowTokens,
    maxOutputTokens: cap(profile.maxOutputTokens, "output", 1),
    compact: {
      ...compact,
      triggers: compact.triggers.map((trigger) => kindOf(trigger).fitted(trigger, cap)),
      target: fitTarget(compact.target, windowTokens),
    },
    protect: { ...protect, tailTokens: cap(protect.tailTokens, "tail") },
    summary: {
      ...summary,
      maxOutputTokens: cap(summary.maxOutputTokens, "output", 1),
      budget: { ...summary.budget, minTokens: Math.min(summary.budget.minTokens, maxTokens), maxTokens },
    },
    memoryFlush: { ...memoryFlush, softThresholdTokens: cap(memoryFlush.softThresholdTokens, "flush") },
  };
}

/** Adapts settled settings to another window: the kept tokens stay below the threshold. */
export function refitToWindow(settings: Settings, windowTokens: number): Settings {
  if (windowTokens === settings.windowTokens) return settings;
  const fitted = fitToWindow(settings, windowTokens);
  const { compact, protect } = fitted;
  const limit = thresholdTokens(fitted);
  if (limit === undefined) return fitted;
  const isTargetMet = (targetTokensOf(compact.target, fitted) ?? 0) < limit;
  const share = (limit / windowTokens) * SHARE.target;
  const target: Target = isTargetMet ? compact.target : { type: "ratioOfWindow", ratio: share };
  const tailTokens = protect.tailTokens < limit ? protect.tailTokens : Math.floor(limit * SHARE.tail);
  return { ...fitted, compact: { ...compact, target }, protect: { ...protect, tailTokens } };
}

/** The cap is a share: in a window of a few tokens an amount would be rounded to the window itself. */
function fitTarget(target: Target, windowTokens: number): Target {
  const isTooLarge = target.type === "tokens" && target.tokens > windowTokens * SHARE.target;
  return isTooLarge ? { type: "ratioOfWindow", ratio: SHARE.target } : target;
}

export function crossCheck(settings: Settings): readonly Problem[] {
  const problems: Problem[] = [];
  const refuse: Refuse = (path, message) => problems.push({ path, message: `${path} ${message}` });
  for (const check of [checkLimits, checkTriggers, checkPrune, checkSummary, checkRender, checkMemoryFlush]) {
    check(settings, refuse);
  }
  return problems;
}

type Refuse = (path: string, message: string) => void;

function checkLimits(settings: Settings, refuse: Refuse): void {
  const { windowTokens, maxOutputTokens, compact, protect, maxMessages } = settings;
  const { tailTokens, tailMessages } = protect;
  const targetTokens = compact.target.type === "tokens" ? compact.target.tokens : 0;
  // Built only for a problem, because formatting numbers is slow.
  const belowWindow = (): string => `must be below windowTokens (${shown(windowTokens)})`;
  if (maxOutputTokens > windowTokens)
    refuse("maxOutputTokens", `(${shown(maxOutputTokens)}) must not exceed windowTokens (${shown(windowTokens)})`);
  if (targetTokens >= windowTokens) refuse("compact.target.tokens", `(${shown(targetTokens)}) ${belowWindow()}`);
  if (tailTokens >= windowTokens) refuse("protect.tailTokens", `(${shown(tailTokens)}) ${belowWindow()}`);
  if (maxMessages > 0 && tailMessages >= maxMessages) {
    const remedy = `must be below maxMessages (${shown(maxMessages)}), or maxMessages 0 for no limit`;
    refuse("protect.tailMessages", `(${shown(tailMessages)}) ${remedy}`);
  }
}

/** The kept tokens must stay below the threshold; otherwise every pass would free nothing and the next would follow at once. */
function checkTriggers(settings: Settings, refuse: Refuse): void {
  const { windowTokens, compact, protect } = settings;
  for (const [index, trigger] of compact.triggers.entries()) {
    const path = `compact.triggers[${index}]`;
    const kind = kindOf(trigger);
    const own = kind.problem?.(trigger, settings);
    if (own !== undefined) refuse(`${path}.${own.key}`, own.message);
    const limit = limitTokensOf(trigger, settings);
    if (own !== undefined || limit === undefined || kind.isLimitFree) continue;
    if (limit > windowTokens) {
      refuse(`${path}.tokens`, `(${shown(limit)}) must not exceed windowTokens (${shown(windowTokens)})`);
      continue;
    }
    const below = (): string => `must be below the limit of ${path} (${shown(limit)})`;
    const target = targetTokensOf(compact.target, settings) ?? Number.NEGATIVE_INFINITY;
    const tail = protect.tailTokens;
    if (target >= limit) refuse("compact.target", `(${shown(target)} tokens) ${below()}`);
    if (tail > 0 && tail >= limit) refuse("protect.tailTokens", `(${shown(tail)}) ${below()}`);
  }
}

function checkPrune({ prune: { softTrim, highWaterRatio, lowWaterRatio } }: Settings, refuse: Refuse): void {
  const { overChars, headChars, tailChars } = softTrim ?? { overChars: 1, headChars: 0, tailChars: 0 };
  const kept = headChars + tailChars;
  if (kept >= overChars) {
    const rule = `must be above headChars and tailChars together (${shown(kept)})`;
    refuse("prune.softTrim.overChars", `(${shown(overChars)}) ${rule}`);
  }
  if (lowWaterRatio >= highWaterRatio && highWaterRatio + lowWaterRatio > 0) {
    const rule = `must be below prune.highWaterRatio (${highWaterRatio}), or both 0 to prune at every request`;
    refuse("prune.lowWaterRatio", `(${lowWaterRatio}) ${rule}`);
  }
}

function checkSummary({ windowTokens, summary: { budget, staged } }: Settings, refuse: Refuse): void {
  const { minTokens, maxTokens } = budget;
  if (minTokens > maxTokens) {
    const rule = `must not exceed summary.budget.maxTokens (${shown(maxTokens)})`;
    refuse("summary.budget.minTokens", `(${shown(minTokens)}) ${rule}`);
  }
  if (maxTokens > windowTokens)
    refuse("summary.budget.maxTokens", `(${shown(maxTokens)}) must not exceed windowTokens (${shown(windowTokens)})`);
  if (staged.minChunkRatio > staged.baseChunkRatio) {
    const rule = `must not exceed summary.staged.baseChunkRatio (${staged.baseChunkRatio})`;
    refuse("summary.staged.minChunkRatio", `(${staged.minChunkRatio}) ${rule}`);
  }
}

function checkRender({ render, protect, failure: { ladder } }: Settings, refuse: Refuse): void {
  const { text, when } = render.acknowledgement;
  if (render.renderer === "merge-first-user" && !protect.firstUser)
    refuse("protect.firstUser", "must be true with render.renderer merge-first-user, which writes into that message");
  if (when !== "never" && text.trim() === "")
    refuse("render.acknowledgement.text", `must not be blank while render.acknowledgement.when is ${when}`);
  const afterThrow = ladder.includes("throw") ? ladder[ladder.indexOf("throw") + 1] : undefined;
  if (afterThrow !== undefined)
    refuse("failure.ladder", `must end with throw where it has it, but ${afterThrow} follows`);
}

/** The flush runs at window − reserve − soft threshold, so that must be above 0. */
function checkMemoryFlush({ memoryFlush, windowTokens, compact }: Settings, refuse: Refuse): void {
  const { enabled, softThresholdTokens } = memoryFlush;
  const reserveTokens = Math.max(0, ...compact.triggers.map(reserveTokensOf));
  if (!enabled || softThresholdTokens + reserveTokens < windowTokens) return;
  const rule = `and the reserve (${shown(reserveTokens)}) must be below windowTokens (${shown(windowTokens)}) together`;
  refuse("memoryFlush.softThresholdTokens", `(${shown(softThresholdTokens)}) ${rule}`);
}

export interface SettingsWarning {
  readonly severity: "notice" | "strong";
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
