/**
 * What a compactor knows between calls, and what follows from it for one request: whose rules hold, which settings, how to count. What
 * providers report teaches it here. Nothing else is changed.
 */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import { modelIn } from "../core/format-rules.ts";
import type { Remark } from "../core/hooks/log-lines.ts";
import type { Calibration, LearnedWindows } from "../core/learned.ts";
import type { Conversation } from "../core/message.ts";
import type { OwnStrategy } from "../core/plan/plan-input.ts";
import type { Format } from "../core/ports.ts";
import { setBounded } from "../core/remember.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { SettingsInput } from "../core/settings/settings-input.ts";
import { type Counted, countedIn } from "../core/tokens/counted.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type Counting, createCounting } from "./counting.ts";
import type { DecideInput } from "./decide.ts";
import type { Watch } from "./events.ts";
import type { KnownLists } from "./known-lists.ts";
import { windowOfModel } from "./model-facts.ts";
import type { NativeCompaction } from "./native.ts";
import type { KnownView } from "./quiet.ts";
import type { Prices } from "./report.ts";
import type { RetentionOptions } from "./retention.ts";
import type { MakeSummaryInput } from "./summarize.ts";
import type { ViewMemory } from "./view-memory.ts";

export interface Engine {
  readonly format: Format;
  /** The settings in force, or those with a call's own over them. The same object for as long as both say the same. */
  settings(call?: SettingsInput): Settings;
  /** The same settings for another window: everything that depends on it follows. */
  refit(settings: Settings, windowTokens: number): Settings;
  /** Whether somebody said what the window is: the caller, or a profile that is made for one. */
  isWindowTold(call?: SettingsInput): boolean;
  readonly model: string | undefined;
  counterFor(settings: Settings, counted: Counted): TokenCounter;
  /** Made from these settings, where it depends on them. */
  summarizer(settings: Settings): Summarizer;
  /** What needs no model, for whatever asks none or could not. */
  readonly embedded: Embedded;
  /** The provider's own compaction, where the caller has a function for it. */
  readonly native: NativeCompaction | undefined;
  readonly prices: Prices | undefined;
  readonly retention: RetentionOptions;
  /** The host's own, in the place of the settings'. */
  readonly strategy: OwnStrategy | undefined;
  readonly watch: Watch;
  readonly calibration: Calibration;
  readonly windows: LearnedWindows;
  /** Models that were named as unknown already. */
  readonly unknownModels: Set<string>;
  /** Edits of lists that are sent again. */
  readonly memory: ViewMemory;
  /** Lists whose beginning was found in order. */
  readonly lists: KnownLists;
  /** Views of somebody who keeps them, by their list of messages, which may only grow. */
  readonly views: WeakMap<Conversation["messages"], KnownView>;
  /** Requests that were handed out, with what the counter says of them. */
  readonly estimates: WeakMap<object, number>;
  readonly countings: Map<string, Counting>;
}

interface Embedded extends Pick<MakeSummaryInput, "detailsOf" | "shorten"> {
  readonly summarizer: Summarizer;
}

/** Whose rules, costs and window hold for a request. */
export function modelFor(engine: Engine, request: unknown): string | undefined {
  return engine.model ?? modelIn(request);
}

export interface SettingsDemand {
  /** A call's own settings. */
  readonly settings?: SettingsInput | undefined;
  /** For a request that has just been refused. */
  readonly isRefused?: boolean;
}

/**
 * The settings for a model: its window is the one that was told, else the model's own; what was learned by refusals wins where it is
 * less. Everything that depends on the window follows it.
 */
export function settingsFor(engine: Engine, model: string | undefined, demand: SettingsDemand): Settings {
  const { settings: call, isRefused = false } = demand;
  const settings = engine.settings(call);
  const isTold = engine.isWindowTold(call);
  const known = isTold || model === undefined ? undefined : windowOfModel(model);
  const usual = known ?? settings.windowTokens;
  const learned = engine.windows.of(model ?? "");
  if (learned === undefined) return usual === settings.windowTokens ? settings : engine.refit(settings, usual);
  const tokens = Math.max(1, isRefused ? learned.safeTokens : learned.windowTokens);
  return engine.refit(settings, learned.isStated && !isTold ? tokens : Math.min(usual, tokens));
}

/** Ways of counting that are kept, with the sizes that were counted so: a request may name any model. */
const COUNTINGS_MAX = 100;

export function countingFor(engine: Engine, settings: Settings, counted: Counted): Counting {
  const { model = "", mediaDetail = "" } = counted;
  const key = `${settings.estimator} ${mediaDetail} ${model}`;
  const known = engine.countings.get(key);
  if (known !== undefined) return known;
  const made = createCounting(engine.counterFor(settings, counted), () => engine.calibration.ratio(model));
  setBounded(engine.countings, [key, made], COUNTINGS_MAX);
  return made;
}

/** The kind of native compaction that is offered, where the format has it too. */
export function nativeKindOf({ native, format, model }: Engine): string | undefined {
  const kind = native?.kind;
  return kind !== undefined && format.rules(model).native?.kinds.includes(kind) ? kind : undefined;
}

/** What a provider reported for a request that was sent, beside our own estimate of it: a lesson for the estimate of its model. */
export function calibrate(
  engine: Engine,
  estimatedTokens: number,
  reported: { readonly tokens: number; readonly model: string | undefined },
): void {
  if (reported.tokens <= 0) return;
  const model = engine.model ?? reported.model ?? "";
  engine.calibration.learn(model, { estimatedTokens, reportedTokens: reported.tokens });
}

/** A whole request as the counter has it, not calibrated. */
export function estimateOf(engine: Engine, conversation: Conversation, model: string | undefined): number {
  const { format, system, tools, messages, wire } = conversation;
  const named = engine.model ?? model;
  const { counter } = countingFor(engine, engine.settings(), countedIn(format, wire?.json, named));
  return counter.countParts(system) + counter.countTools(tools) + counter.total(messages);
}

/** Why the settings' `native` is a summary here; undefined where it is not. */
export function nativeMissing(engine: Engine, { compact }: Settings): string | undefined {
  if (compact.strategy !== "native" || nativeKindOf(engine) !== undefined) return undefined;
  const { native, format } = engine;
  return native === undefined
    ? "No model with native compaction was given."
    : `The format ${format.name} has no native compaction of the kind ${native.kind}.`;
}

/** A gateway may see any number of names; whoever has read so many lines needs no more. */
const UNKNOWN_MODELS_MAX = 100;

/** A model that nobody knows is named once; what a refusal taught, each time. */
export function remarksOn(
  engine: Engine,
  { model, input }: { readonly model: string | undefined; readonly input: Pick<DecideInput, "settings" | "attempt"> },
  call: SettingsInput | undefined,
): readonly Remark[] {
  const { windowTokens } = input.settings;
  const learned = engine.windows.of(model ?? "");
  if (input.attempt !== undefined && learned !== undefined) {
    const { isStated } = learned;
    return [{ type: "window-learned", model: model ?? "", windowTokens: learned.windowTokens, isStated }];
  }
  const isKnown = learned !== undefined || engine.isWindowTold(call);
  if (model === undefined || isKnown || windowOfModel(model) !== undefined) return [];
  if (engine.unknownModels.has(model) || engine.unknownModels.size >= UNKNOWN_MODELS_MAX) return [];
  engine.unknownModels.add(model);
  return [{ type: "model-unknown", model, windowTokens }];
}
