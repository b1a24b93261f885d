/** What a compactor knows between calls, and what follows for one request: model, settings, counting. Learns only from what providers report. */

import type { Summarizer } from "../core/checkpoint/summary.ts";
import { modelIn } from "../core/format-rules.ts";
import type { Remark } from "../core/hooks/log-lines.ts";
import { type JsonValue, refuseDeepMessage } from "../core/json.ts";
import type { Calibration, LearnedWindows } from "../core/learned.ts";
import { NEWEST_MESSAGES } from "../core/ledger.ts";
import { type Conversation, isUntouched, type Message, type Part } from "../core/message.ts";
import type { OwnStrategy } from "../core/plan/plan-input.ts";
import type { Format } from "../core/ports.ts";
import { setBounded } from "../core/remember.ts";
import type { Settings, SettingsInput } from "../core/settings/settings.ts";
import { type Counted, countedIn } from "../core/tokens/counted.ts";
import { countConversation, type TokenCounter } from "../core/tokens/tokens.ts";
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
  /** The settings in force, with a call's own over them. Returns the same object while both stay the same. */
  settings(call?: SettingsInput): Settings;
  /** The same settings for another window: adapts everything that depends on it. */
  refit(settings: Settings, windowTokens: number): Settings;
  /** Whether the window was stated: by the caller, or by a profile that is made for one. */
  isWindowTold(call?: SettingsInput): boolean;
  readonly model: string | undefined;
  counterFor(settings: Settings, counted: Counted): TokenCounter;
  /** The summarizer, made from these settings where it depends on them. */
  summarizer(settings: Settings): Summarizer;
  /** The summarizer that needs no model: for calls without a model, and as a fallback. */
  readonly embedded: EmbeddedSummarizer;
  /** The provider's own compaction, where the caller passes a function for it. */
  readonly native: NativeCompaction | undefined;
  readonly prices: Prices | undefined;
  readonly retention: RetentionOptions;
  /** The host's own strategy; it replaces the settings'. */
  readonly strategy: OwnStrategy | undefined;
  readonly watch: Watch;
  readonly calibration: Calibration;
  readonly windows: LearnedWindows;
  /** Unknown models that were already reported. */
  readonly unknownModels: Set<string>;
  /** Edits of lists that are sent again. */
  readonly memory: ViewMemory;
  /** Lists whose beginning was found in order. */
  readonly lists: KnownLists;
  /** Views that a caller keeps, by their list of messages, which may only grow. */
  readonly views: WeakMap<Conversation["messages"], KnownView>;
  readonly estimates: WeakMap<object, number>;
  readonly countings: Map<string, Counting>;
}

interface EmbeddedSummarizer extends Pick<MakeSummaryInput, "detailsOf" | "shorten"> {
  readonly summarizer: Summarizer;
}

/** The model whose rules, costs and window apply to a request. */
export function modelFor(engine: Engine, request: unknown): string | undefined {
  return engine.model ?? modelIn(request);
}

export interface SettingsDemand {
  readonly settings?: SettingsInput | undefined;
  /** True for a request that was just refused. */
  readonly isRefused?: boolean;
}

/** The settings for a model, adapted to its window: the stated one, else the model's own; a smaller learned one wins. */
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

/** A bound on cached countings with their sizes: requests may name any number of models. */
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

/** The kind of native compaction that the caller offers, where the format supports it. */
export function nativeKindOf({ native, format, model }: Engine): string | undefined {
  const kind = native?.kind;
  return kind !== undefined && format.rules(model).native?.kinds.includes(kind) ? kind : undefined;
}

/** Calibrates the estimate of a model with the provider's count for a sent request. */
export function calibrate(
  engine: Engine,
  estimatedTokens: number,
  reported: { readonly tokens: number; readonly model: string | undefined },
): void {
  if (reported.tokens <= 0) return;
  const model = engine.model ?? reported.model ?? "";
  engine.calibration.learn(model, { estimatedTokens, reportedTokens: reported.tokens });
}

export function estimateOf(engine: Engine, conversation: Conversation, model: string | undefined): number {
  const { format, wire } = conversation;
  const counted = countedIn(format, wire?.json, engine.model ?? model);
  return countConversation(conversation, countingFor(engine, engine.settings(), counted).counter).totalTokens;
}

/** Why strategy `native` makes a summary here; undefined where it does not. */
export function nativeMissing(engine: Engine, { compact }: Settings): string | undefined {
  if (compact.strategy !== "native" || nativeKindOf(engine) !== undefined) return undefined;
  const { native, format } = engine;
  return native === undefined
    ? "No model with native compaction was given."
    : `The format ${format.name} has no native compaction of the kind ${native.kind}.`;
}

/** A gateway may name any number of models; more lines than this help no reader. */
const UNKNOWN_MODELS_MAX = 100;

/** Reports an unknown model once, and a learned window every time. */
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

export interface Counting {
  /** Not calibrated. */
  readonly counter: TokenCounter;
  /** The size of one message in the counter's unit; sizes add up. */
  sizeOf(message: Message): number;
  recount(message: Message): number;
  tokens(size: number): number;
  tokensOf(message: Message): number;
  /** The tokens of a list, rounded once: not always the sum of its messages. */
  totalOf(messages: readonly Message[]): number;
}

/** `ratio` is real usage over the estimate: 1 until usage was observed. */
export function createCounting(counter: TokenCounter, ratio: () => number): Counting {
  const sizes = new WeakMap<object, number>();
  /** Lists are immutable, and a decision and its report count the same list several times. */
  const totals = new WeakMap<readonly Message[], number>();
  const recount = (message: Message): number => {
    refuseDeepMessage(message);
    const size = counter.size(message);
    sizes.set(keyOf(message), size);
    return size;
  };
  const sizeOf = (message: Message): number => sizes.get(keyOf(message)) ?? recount(message);
  const sizeOfAll = (messages: readonly Message[]): number => {
    const newest = messages.length - NEWEST_MESSAGES;
    let size = 0;
    messages.forEach((message, index) => {
      size += index < newest || !isUntouched(message) ? sizeOf(message) : recount(message);
    });
    totals.set(messages, size);
    return size;
  };
  const tokens = (size: number): number => Math.round(counter.tokens(size) * ratio());
  return {
    counter,
    sizeOf,
    recount,
    tokens,
    tokensOf: (message) => tokens(sizeOf(message)),
    totalOf: (messages) => tokens(totals.get(messages) ?? sizeOfAll(messages)),
  };
}

/** A list that was decoded anew has new messages, but the same wire objects. */
function keyOf(message: Message): readonly Part[] | Exclude<JsonValue, string | number | boolean | null> {
  if (!isUntouched(message)) return message.parts;
  const { json } = message.wire;
  return typeof json === "object" && json !== null ? json : message.parts;
}

/** The counter with its numbers calibrated: for budgets, summaries and reports. The same counter where nothing was learned. */
export function calibratedCounter(counter: TokenCounter, ratio: number): TokenCounter {
  if (ratio === 1) return counter;
  const scaled =
    <Counted extends readonly unknown[]>(count: (...counted: Counted) => number) =>
    (...counted: Counted): number =>
      Math.round(count(...counted) * ratio);
  return {
    name: counter.name,
    size: counter.size,
    tokens: scaled(counter.tokens),
    count: scaled(counter.count),
    total: scaled(counter.total),
    countParts: scaled(counter.countParts),
    countText: scaled(counter.countText),
    countJson: scaled(counter.countJson),
    countTools: scaled(counter.countTools),
    // The summarizer's model may be another than the observed one: never send it more than the estimate allows.
    safetyMargin: counter.safetyMargin / Math.min(1, ratio),
  };
}
