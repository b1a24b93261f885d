/** What a compactor knows between calls, and how it decides on a request with it. Nothing is changed here but caches. */

import { setBounded } from "../core/bounded-map.ts";
import type { Summarizer } from "../core/checkpoint/summary.ts";
import { isObject, stringOf } from "../core/json.ts";
import type { Calibration } from "../core/ledger/calibration.ts";
import type { LearnedWindows } from "../core/ledger/learned-windows.ts";
import type { Conversation } from "../core/message.ts";
import type { OwnStrategy } from "../core/plan/plan-input.ts";
import { shareOf } from "../core/plan/trigger.ts";
import type { Format } from "../core/ports.ts";
import { type Repair, type Repaired, repair } from "../core/repair/repair.ts";
import type { CheckPoint, Settings } from "../core/settings/settings.ts";
import type { SettingsInput } from "../core/settings/settings-input.ts";
import { type Counted, countedIn } from "../core/tokens/counted.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { refuseDeepPrompt } from "../core/too-deep.ts";
import { checkPinned } from "./check-call.ts";
import type { Prices } from "./cost.ts";
import {
  type DecideInput,
  type Decision,
  decide,
  needsOriginals,
  recoveryFor,
  tokensIn,
  withOriginals,
  withoutSteps,
} from "./decide.ts";
import { windowOfModel } from "./model-facts.ts";
import type { NativeCompaction } from "./native.ts";
import { isHeldOff } from "./passes.ts";
import { keepRecentInput, pinScored, type RetentionOptions } from "./retention.ts";
import { type SettleOptions, settle } from "./settle.ts";
import { createTokenSizes, type TokenSizes } from "./token-sizes.ts";
import type { Recalled, ViewMemory } from "./view-memory.ts";
import type { Watch } from "./watch.ts";

export interface Engine {
  readonly format: Format;
  /** The settings in force, or those with a call's own over them. */
  settings(call?: SettingsInput): Settings;
  /** The same settings for another window: everything that depends on it follows. */
  refit(settings: Settings, windowTokens: number): Settings;
  /** Whether somebody said what the window is: the caller, or a profile that is made for one. */
  isWindowTold(call?: SettingsInput): boolean;
  readonly model: string | undefined;
  counterFor(settings: Settings, counted: Counted): TokenCounter;
  /** Made from these settings, where it depends on them. */
  summarizer(settings: Settings): Summarizer;
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
  readonly memory: ViewMemory;
  readonly sizes: Map<string, { readonly counter: TokenCounter; readonly sizes: TokenSizes }>;
}

/** What one call asks for, as far as deciding is concerned. */
export interface DecideCall {
  readonly target?: { readonly tokens: number } | { readonly ratio: number };
  readonly settings?: SettingsInput;
  readonly pinned?: readonly number[];
  readonly isCacheCold?: boolean;
  readonly checkPoint?: CheckPoint;
  readonly overflow?: unknown;
}

export interface Decided {
  /** As it came, repaired and pinned. */
  readonly source: Conversation;
  readonly recalled: Recalled;
  readonly decision: Decision;
  readonly given: DecideInput;
  readonly repairs: readonly Repair[];
  readonly model: string | undefined;
  readonly counter: TokenCounter;
}

/** Whose rules, costs and window hold for a request. */
export function modelFor(engine: Engine, request: unknown): string | undefined {
  return engine.model ?? (isObject(request) ? stringOf(request.model) : undefined);
}

/**
 * The settings for a model: its window is the one that was told, else the model's own; what was learned by refusals wins where it is
 * less. Everything that depends on the window follows it. `isRefused`: for a request that has just been refused.
 */
export function settingsFor(
  engine: Engine,
  model: string | undefined,
  {
    settings: call,
    isRefused = false,
  }: { readonly settings?: SettingsInput | undefined; readonly isRefused?: boolean },
): Settings {
  const settings = engine.settings(call);
  const isTold = engine.isWindowTold(call);
  const known = isTold || model === undefined ? undefined : windowOfModel(model);
  const usual = known ?? settings.windowTokens;
  const learned = engine.windows.of(model ?? "");
  if (learned === undefined) return engine.refit(settings, usual);
  const tokens = Math.max(1, isRefused ? learned.safeTokens : learned.windowTokens);
  return engine.refit(settings, learned.isStated && !isTold ? tokens : Math.min(usual, tokens));
}

/** What was sent last of a list that is given again: with the edits of earlier passes in place. */
export function sentOf(
  engine: Engine,
  request: unknown,
): { readonly view: Conversation; readonly model: string | undefined } {
  const model = modelFor(engine, request);
  const { conversation } = repaired(engine.format.decode(request), model);
  return { view: engine.memory.recall(conversation, model).view, model };
}

export function decideOn(engine: Engine, request: unknown, call: DecideCall, asked: DecideInput["asked"]): Decided {
  const model = modelFor(engine, request);
  const asGiven = engine.format.decode(request);
  const { pinned = [] } = call;
  checkPinned(pinned, asGiven.messages.length);
  const decoded = pin(asGiven, pinned);
  return decideOnView(
    engine,
    { decoded, model, hasStoredIds: false, recall: (source) => engine.memory.recall(source, model) },
    { call, asked, ...(call.overflow !== undefined && { attempt: "next" }) },
  );
}

export interface GivenView {
  /** As it came. */
  readonly decoded: Conversation;
  readonly model: string | undefined;
  /** Whether somebody keeps it, under the ids of its messages. */
  readonly hasStoredIds: boolean;
  /** What earlier passes made of it, once it is repaired. */
  recall(source: Conversation): Recalled;
}

export interface Demand {
  readonly call: DecideCall;
  readonly asked: DecideInput["asked"];
  /** How often in a row it was refused; `next`: once more than is remembered. */
  readonly attempt?: number | "next" | undefined;
}

export function decideOnView(engine: Engine, given: GivenView, { call, asked, ...demand }: Demand): Decided {
  const { decoded, model } = given;
  const isRefused = demand.attempt !== undefined;
  const usual = settingsFor(engine, model, { settings: call.settings, isRefused });
  const { conversation: source, repairs } = repaired(decoded, model);
  const recalled = stillValid(given.recall(source), { settings: usual, model });
  const { counter, sizes } = sizesFor(engine, usual, countedIn(decoded.format, decoded.wire?.json, model));
  const { view } = recalled;
  refuseDeepPrompt(view.system, view.tools);
  const own = keepRecentInput(engine.retention, call.settings, { view, settings: usual, tokensOf: sizes.tokensOf });
  const settings = own === call.settings ? usual : settingsFor(engine, model, { settings: own, isRefused });
  const attempt = demand.attempt === "next" ? (recalled.passes.refusals ?? 0) + 1 : demand.attempt;
  const ratio = engine.calibration.ratio(model ?? "");
  const base: DecideInput = {
    view,
    settings,
    ...sizes,
    systemTokens: Math.round(counter.countParts(view.system) * ratio),
    toolsTokens: Math.round(counter.countTools(view.tools) * ratio),
    ...(asked !== undefined && { asked }),
    ...(attempt !== undefined && { attempt }),
    ...(call.checkPoint !== undefined && { checkPoint: call.checkPoint }),
    isCacheCold: call.isCacheCold ?? false,
    nativeKind: nativeKindOf(engine),
    strategy: engine.strategy,
    hasStoredIds: given.hasStoredIds,
  };
  const tokens = tokensIn(base);
  // A share is one of what came, not of what a repair made of it.
  const isRepaired = recalled.covered === 0 && decoded.messages !== view.messages;
  const came = isRepaired ? tokensIn({ ...base, view: decoded }) : tokens;
  const targetTokens = targetFor(call, came, settings.windowTokens);
  const input: DecideInput = {
    ...base,
    isThrashing: isHeldOff(recalled.passes, tokens, settings),
    ...(targetTokens !== undefined && { targetTokens }),
  };
  const { decision, given: scored } = decideScored(engine, input);
  // A remembered edit is laid over the list that came, and that holds what was said.
  const earlier = recalled.covered > 0 && needsOriginals(decision) ? source.messages.slice(0, recalled.covered) : [];
  return { source, recalled, decision: withOriginals(decision, earlier), given: scored, repairs, model, counter };
}

/** What was remembered was valid by itself; what came since may ask for more: a system message that ended the list must not stand inside a turn. */
function stillValid(recalled: Recalled, options: SettleOptions): Recalled {
  if (recalled.covered === 0) return recalled;
  const { conversation } = settle(recalled.view, recalled.view, options);
  return conversation === recalled.view ? recalled : { ...recalled, view: conversation };
}

/** A list that has nothing in it yet is left as it is. */
function repaired(decoded: Conversation, model: string | undefined): Repaired {
  if (decoded.messages.length === 0) return { conversation: decoded, repairs: [] };
  return repair(decoded, model === undefined ? {} : { model });
}

/** Scores are asked for once it is known that something would go. */
function decideScored({ retention }: Engine, given: DecideInput): Pick<Decided, "decision" | "given"> {
  const { scoreMessage } = retention;
  const decision = decide(given);
  if (recoveryFor(given) === "none") return { decision: withoutSteps(decision, given, "attempts-used-up"), given };
  if (scoreMessage === undefined || decision.plan.steps.length === 0) return { decision, given };
  const view = pinScored(scoreMessage, { ...given, targetTokens: decision.plan.targetTokens });
  if (view === given.view) return { decision, given };
  const scored = { ...given, view };
  return { decision: decide(scored), given: scored };
}

/** The kind that is offered, where the format has it too. */
function nativeKindOf({ native, format, model }: Engine): string | undefined {
  const kind = native?.kind;
  return kind !== undefined && format.rules(model).native?.kinds.includes(kind) ? kind : undefined;
}

/** Why the settings' `native` is a summary here; undefined where it is not. */
export function nativeMissing(engine: Engine, { compact }: Settings): string | undefined {
  if (compact.strategy !== "native" || nativeKindOf(engine) !== undefined) return undefined;
  const { native, format } = engine;
  return native === undefined
    ? "No model with native compaction was given."
    : `The format ${format.name} has no native compaction of the kind ${native.kind}.`;
}

function pin(conversation: Conversation, pinned: readonly number[]): Conversation {
  if (pinned.length === 0) return conversation;
  const isPinned = new Set(pinned);
  const messages = conversation.messages.map((message, index) =>
    isPinned.has(index) ? { ...message, pinned: true } : message,
  );
  return { ...conversation, messages };
}

/** Ways of counting that are kept, with the sizes that were counted so: a request may name any model. */
const COUNTED_MAX = 100;

export function sizesFor(
  engine: Engine,
  settings: Settings,
  counted: Counted,
): { counter: TokenCounter; sizes: TokenSizes } {
  const { model = "", mediaDetail = "" } = counted;
  const key = `${settings.estimator} ${mediaDetail} ${model}`;
  const known = engine.sizes.get(key);
  if (known !== undefined) return known;
  const counter = engine.counterFor(settings, counted);
  const made = { counter, sizes: createTokenSizes(counter, () => engine.calibration.ratio(model)) };
  setBounded(engine.sizes, [key, made], COUNTED_MAX);
  return made;
}

/** Never more than the window: what is larger would be refused, whatever target it has met. */
function targetFor({ target }: DecideCall, tokens: number, windowTokens: number): number | undefined {
  if (target === undefined) return undefined;
  return Math.min("tokens" in target ? target.tokens : Math.floor(shareOf(tokens, target.ratio)), windowTokens);
}
