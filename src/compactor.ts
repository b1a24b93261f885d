/**
 * `createCompactor`: takes a request in wire form and returns it in the same form, below the target. Needs no model,
 * store or key; each is one option. `plan` decides purely; `fit` and `compact` act. Promises: never returns a request
 * that its provider would refuse, and never damages the request it was given.
 */

import { decodeView } from "./compactor/decode.ts";
import { calibrate, type Engine, estimateOf, modelFor, settingsFor } from "./compactor/engine.ts";
import { createTeller, createWatch, type WatchOptions } from "./compactor/events.ts";
import { createKnownLists } from "./compactor/known-lists.ts";
import type { NativeCompaction } from "./compactor/native.ts";
import {
  type CallOptions,
  checkOptions,
  checkViewCall,
  throwIfAborted,
  type ViewCall,
  type ViewKeeper,
} from "./compactor/options.ts";
import { learnOverflow } from "./compactor/overflow.ts";
import { decideOn, runPass, type ViewPass } from "./compactor/pass.ts";
import { NO_PASSES } from "./compactor/passes.ts";
import {
  advance,
  type KnownView,
  knownAfter,
  type QuietPass,
  quietPass,
  tellQuiet,
  unknownView,
} from "./compactor/quiet.ts";
import type { Prices } from "./compactor/report.ts";
import { type Compacted, fitRequest, observeRequest, planRequest } from "./compactor/requests.ts";
import { type RetentionOptions, rememberScores } from "./compactor/retention.ts";
import { createViewMemory } from "./compactor/view-memory.ts";
import type { SettingsSummarizer, Summarizer } from "./core/checkpoint/summary.ts";
import type { OnHook } from "./core/hooks/hooks.ts";
import { isSameJson } from "./core/identity.ts";
import { createCalibration, createLearnedWindows, type LearnedWindows } from "./core/learned.ts";
import type { Conversation } from "./core/message.ts";
import type { Plan } from "./core/plan/plan.ts";
import type { OwnStrategy } from "./core/plan/plan-input.ts";
import { thresholdTokens } from "./core/plan/trigger.ts";
import type { Format } from "./core/ports.ts";
import type { Settings, SettingsInput } from "./core/settings/settings.ts";
import type { TokenCounter } from "./core/tokens/tokens.ts";
import { counterNamed } from "./counters.ts";
import { type ProfileName, WINDOW_TOKENS } from "./profiles/profiles.ts";
import {
  mergeInputs,
  profileNameOf,
  refitToWindow,
  resolveSettings,
  type SettingsLayers,
  settingsKeys,
  settingsWarnings,
} from "./settings.ts";
import { filesOfMessages } from "./summarizers/call-files.ts";
import { extractive } from "./summarizers/extractive.ts";
import { shrinkToTokens } from "./summarizers/shrink-text.ts";
import { detailsOf } from "./summarizers/tracked-details.ts";
import { createTelemetry, type TelemetryParts } from "./telemetry.ts";

export type { NativeAnswer, NativeCompaction } from "./compactor/native.ts";
export type { CallOptions, ViewCall, ViewKeeper } from "./compactor/options.ts";
export type { ViewPass } from "./compactor/pass.ts";
export type { Compacted } from "./compactor/requests.ts";

export interface CompactorOptions<Request extends object = object>
  extends SettingsInput,
    WatchOptions,
    RetentionOptions {
  readonly format: Format<Request>;
  /** Default: `balanced`. */
  readonly profile?: ProfileName | Settings;
  /** Settings for the provider or model in use; they override the others. */
  readonly provider?: SettingsInput;
  /** A summarizer, or a function that makes one from the settings; `llm()` takes missing options from them. Default: `extractive()`. */
  readonly summarizer?: Summarizer | ((settings: Settings) => Summarizer);
  /** Replaces `compact.strategy`, which still decides where this strategy fails. */
  readonly strategy?: OwnStrategy;
  /** The provider's own compaction, for strategy `native`: a function that posts a request and returns the response body. */
  readonly native?: NativeCompaction | undefined;
  /** The model whose rules and costs apply, whatever a request names. Default: the model that the request names. */
  readonly model?: string;
  /** How many conversations are remembered: their edits, so that a full list that is sent again is edited again alike. Default: 32. */
  readonly conversations?: number;
  /** Default: the counter that the profile names. */
  readonly counter?: TokenCounter;
  /** Prices of the summarizer's model, to report what a pass cost. Default: the published prices of the model that a reply names. */
  readonly prices?: Prices;
  /** Spans and metrics: a tracer and a meter, or those of `@opentelemetry/api` where it is installed; false for none. */
  readonly telemetry?: boolean | TelemetryParts;
}

/** `Request` is the type of a request body in this format; sessions return requests of that type. */
export interface Compactor<Request extends object = object> {
  readonly format: Format<Request>;
  /** The profile's name, or `own`. */
  readonly profile: string;
  /** The model that the options name: its rules apply, whatever a request names. */
  readonly model: string | undefined;
  /** The settings in force. */
  readonly settings: Settings;
  /** Changes settings from now on; they override the given ones. */
  configure(settings: SettingsInput): void;
  /** What `fit` would do, as data. */
  plan(request: unknown, call?: CallOptions): Plan;
  /** Compacts only if a trigger fires; otherwise the request comes back as it was, with earlier edits in place. */
  fit<Given>(request: Given, call?: CallOptions): Promise<Compacted<Given>>;
  /** Compacts now. */
  compact<Given>(request: Given, call?: CallOptions): Promise<Compacted<Given>>;
  /** What `passOver` would do, as data. */
  planOver(view: Conversation, call?: ViewCall): Plan;
  /** Like `fit` (or `compact`, with `asked`), on a decoded view that the caller keeps; remembers none of its edits. */
  passOver(view: Conversation, call?: ViewCall): Promise<ViewPass>;
  /** Calibrates the estimate for a model with the provider's count for a view, or for a request of so many estimated tokens. */
  calibrate(sent: Conversation | number, tokens: number, model?: string): void;
  /** Calibrates the estimate for a model with the real usage of a sent request. */
  observe(request: unknown, response: unknown): void;
  /** Adds a hook after the existing ones; any number per name. Returns a function that removes it. */
  readonly on: OnHook;
  /** Learns from a refusal of the sent request, as `fit` with `overflow` does, but compacts nothing. Throws `not-an-overflow`. */
  learnOverflow(request: unknown, error: unknown): void;
  /** The window that decisions use: the configured one, the model's own, or the learned one. */
  windowTokens(model?: string): number;
  /** Where compaction begins, in tokens; undefined where no trigger counts tokens. */
  triggerTokens(model?: string): number | undefined;
  readonly windows: LearnedWindows;
  /** The same compactor for one conversation: it remembers what this one does so far, and from then on its own edits of lists alone. */
  forConversation(): Compactor<Request>;
}

/** @example const compactor = createCompactor({ format: anthropicMessages, windowTokens: 200_000 }); */
export function createCompactor<Request extends object>(options: CompactorOptions<Request>): Compactor<Request> {
  const engine = createEngine(options);
  return compactorOver(options.format, engine);
}

/** Forks of a conversation have its beginning in common. */
const FORKS = 8;

function compactorOver<Request extends object>(
  format: Format<Request>,
  engine: ConfigurableEngine,
): Compactor<Request> {
  return {
    format,
    profile: engine.watch.profile,
    model: engine.model,
    get settings(): Settings {
      return engine.settings();
    },
    configure: engine.configure,
    plan: (request, call = {}) => planRequest(engine, request, call),
    fit: (request, call = {}) => fitRequest(engine, request, { call }),
    compact: (request, call = {}) => fitRequest(engine, request, { call, asked: "manual" }),
    planOver: (view, call = {}) => planOver(engine, view, call),
    passOver: (view, call = {}) => passOver(engine, view, call),
    calibrate: (sent, tokens, model) => {
      const estimatedTokens = typeof sent === "number" ? sent : estimateOf(engine, sent, model);
      calibrate(engine, estimatedTokens, { tokens, model });
    },
    observe: (request, response) => observeRequest(engine, request, response),
    on: engine.watch.on,
    learnOverflow: (request, error) => {
      const sent = { view: engine.format.decode(request), model: modelFor(engine, request) };
      learnOverflow(engine, sent, error);
    },
    windowTokens: (model) => settingsFor(engine, engine.model ?? model, {}).windowTokens,
    triggerTokens: (model) => thresholdTokens(settingsFor(engine, engine.model ?? model, {})),
    windows: engine.windows,
    forConversation: () =>
      compactorOver(format, { ...engine, memory: engine.memory.copy(FORKS), lists: createKnownLists(FORKS) }),
  };
}

/** Enough for an agent and its sub-agents. */
const CONVERSATIONS = 32;

interface ConfigurableEngine extends Engine {
  configure(settings: SettingsInput): void;
}

function createEngine(options: CompactorOptions): ConfigurableEngine {
  checkOptions(options, settingsKeys);
  const { format, profile, provider, summarizer, native, model, counter, prices, strategy, ...others } = options;
  const {
    keepRecent,
    scoreMessage,
    conversations = CONVERSATIONS,
    hooks: _hooks,
    hookContext: _context,
    logger: _logger,
    now: _now,
    telemetry,
    ...user
  } = others;
  const make = summarizerFor(summarizer ?? extractive());
  const given: SettingsLayers = { profile, user, provider };
  let current = resolveSettings(given);
  // A copy: settings are resolved again with every change and call, and the caller may change its own objects.
  let layers = structuredClone(given);
  const settingsWith = rememberLatest((_base: Settings, call: SettingsInput) => resolveSettings({ ...layers, call }));
  // Report wrong options now, not in the first pass.
  make(current);
  const isOwnWindow = typeof profile === "object" || current.windowTokens !== WINDOW_TOKENS;
  const watch = createWatch(options, {
    profile: profileNameOf(profile),
    telemetry: createTelemetry(telemetry),
    filesOf: filesOfMessages,
  });
  const { remark } = createTeller(watch, watch.context);
  const small = settingsWarnings(current).find(({ key }) => key === "windowTokens");
  if (small !== undefined) remark({ type: "window-small", because: small.message });
  return {
    format,
    refit: rememberLatest(refitToWindow),
    isWindowTold: (call) =>
      isOwnWindow || [layers.user, layers.provider, call].some((layer) => layer?.windowTokens !== undefined),
    settings: (call) => (call === undefined ? current : settingsWith(current, call)),
    configure: (input) => {
      // In the user's layer, the provider's layer would hide it.
      const next = { ...layers, provider: structuredClone(mergeInputs(layers.provider ?? {}, input)) };
      const changed = resolveSettings(next);
      make(changed);
      current = changed;
      layers = next;
    },
    model,
    counterFor: (settings, counted) => counter ?? counterNamed(settings.estimator, counted),
    summarizer: (settings) => madeOrFailing(make, settings),
    embedded: { summarizer: extractive(), detailsOf, shorten: shrinkToTokens },
    native,
    prices,
    strategy,
    retention: {
      ...(keepRecent !== undefined && { keepRecent }),
      ...(scoreMessage !== undefined && { scoreMessage: rememberScores(scoreMessage) }),
    },
    watch,
    calibration: createCalibration(),
    windows: createLearnedWindows(),
    unknownModels: new Set(),
    memory: createViewMemory(conversations),
    lists: createKnownLists(conversations),
    views: new WeakMap(),
    estimates: new WeakMap(),
    countings: new Map(),
  };
}

type SummarizerFor = (settings: Settings) => Summarizer;

/** Makes a summarizer that depends on the settings from those in force, a call's own included, once for the same settings. */
function summarizerFor(option: Summarizer | SettingsSummarizer | SummarizerFor): SummarizerFor {
  const make =
    typeof option === "function"
      ? option
      : "withSettings" in option
        ? (settings: Settings) => option.withSettings(settings)
        : () => option;
  const latest = rememberLatest((_: undefined, settings: Settings) => make(settings));
  return (settings) => latest(undefined, settings);
}

/** Where none can be made under a window that a refusal taught, the settings say what is done instead. */
function madeOrFailing(make: SummarizerFor, settings: Settings): Summarizer {
  try {
    return make(settings);
  } catch (error) {
    return { name: "none", version: "1", planCalls: () => 0, summarize: () => Promise.reject(error) };
  }
}

/** Returns the last answer again for the same arguments; the second argument is compared by what it says. */
function rememberLatest<One, Other, Answer>(
  answer: (one: One, other: Other) => Answer,
): (one: One, other: Other) => Answer {
  let latest: { readonly one: One; readonly other: Other; readonly answer: Answer } | undefined;
  return (one, other) => {
    if (latest === undefined || latest.one !== one || !isSameJson(latest.other, other))
      latest = { answer: answer(one, other), one, other: structuredClone(other) };
    return latest.answer;
  };
}

function planOver(engine: Engine, view: Conversation, call: ViewCall): Plan {
  checkViewCall(call);
  const quiet = quietView(engine, view, call);
  return quiet?.pass.plan ?? decideOn(engine, decodeView(engine, copyOf(view), call)).decision.plan;
}

/** The caller may add to the list; the decision needs a fixed one. */
function copyOf(view: Conversation): Conversation {
  return { ...view, messages: [...view.messages] };
}

async function passOver(engine: Engine, view: Conversation, call: ViewCall): Promise<ViewPass> {
  checkViewCall(call);
  throwIfAborted(call.signal);
  const startedMs = engine.watch.now();
  const quiet = quietView(engine, view, call);
  if (quiet !== undefined) {
    const { known, pass } = quiet;
    advance(known, view.messages.slice(known.ledger.length));
    engine.views.set(view.messages, known);
    return quietResult(
      engine,
      view,
      { ...quiet, pass: { ...pass, report: tellQuiet(engine, pass, { known, call, startedMs }) } },
      call,
    );
  }
  const kept = copyOf(view);
  const reading = decodeView(engine, kept, call);
  const result = await runPass(engine, reading, { call, keeper: call.keeper ?? NOBODY, startedMs });
  if (result.view !== kept) return result;
  const { counting, model, input, repairs } = reading;
  const { violations, sent, plan } = result;
  const isLeft = sent === kept && plan.steps.length === 0 && input.asked === undefined;
  const scope = { format: engine.format, frame: { ...kept, messages: [] }, model };
  const { messages } = kept;
  const looked = { messages, edited: 0, scope, settings: input.settings, counting, repairs, violations };
  const known = isLeft ? knownAfter(looked) : undefined;
  if (known !== undefined) engine.views.set(view.messages, known);
  return { ...result, view };
}

const NOBODY: ViewKeeper = { begin: () => true, originals: () => [], commit: () => undefined, failed: () => {} };

interface QuietView {
  readonly known: KnownView;
  readonly pass: QuietPass;
}

function quietView(engine: Engine, view: Conversation, call: ViewCall): QuietView | undefined {
  if (call.asked !== undefined || call.attempt !== undefined || view.messages.length === 0) return undefined;
  const before = engine.views.get(view.messages);
  const model = engine.model ?? call.model;
  const isKnown = before !== undefined && before.scope.model === model && isSameFrame(before.scope.frame, view);
  const known = isKnown ? before : unknownView(engine, { ...view, messages: [] }, model, call);
  const pass = known && quietPass(engine, known, view.messages.slice(known.ledger.length), call);
  return known && pass && { known, pass };
}

function isSameFrame(one: Conversation, other: Conversation): boolean {
  return one.system === other.system && one.tools === other.tools && one.wire === other.wire;
}

function quietResult(engine: Engine, view: Conversation, { known, pass }: QuietView, call: ViewCall): ViewPass {
  const { length } = view.messages;
  return {
    view,
    sent: view,
    // Encoded on demand: a keeper of a view has most of it in wire form already.
    get encoded(): unknown {
      return engine.format.encode({ ...view, messages: view.messages.slice(0, length) });
    },
    plan: pass.plan,
    report: pass.report,
    estimatedTokens: pass.estimatedTokens,
    violations: known.violations,
    passes: call.passes ?? NO_PASSES,
    settings: known.settings,
    strategy: "prune",
    isCompaction: false,
    isQuiet: true,
  };
}
