/**
 * Resolves and checks settings once: profile < user < provider < call. The result is complete, consistent and deeply
 * frozen; algorithms need no defaults. All problems become one `CompactionError("invalid-settings")` of one line that
 * names the key, its value and the allowed values. Never changes its arguments.
 */

import { deepFreeze, isPlainObject } from "./core/json.ts";
import { settledTrigger } from "./core/plan/trigger.ts";
import { checkSchema, type Problem, refuseProblems, shownValue } from "./core/settings/check-schema.ts";
import { mergePartial, mergeSettings } from "./core/settings/merge-settings.ts";
import type { Settings, SettingsInput } from "./core/settings/settings.ts";
import { settingsSchema } from "./core/settings/settings-schema.ts";
import { isProfileName, type ProfileName, profileNamed } from "./profiles/profiles.ts";
import { crossCheck } from "./settings/cross-checks.ts";
import { fitToWindow } from "./settings/fit-to-window.ts";

export { type SettingsWarning, settingsWarnings } from "./settings/cross-checks.ts";
export { refitToWindow } from "./settings/fit-to-window.ts";

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

/** The top-level keys of the settings. */
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
