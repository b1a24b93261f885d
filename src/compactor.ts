/**
 * `createCompactor`: wire form in, the same wire form out, below the target. Works with no model, no store and no key; each
 * of them is one option. Decides purely (`plan`), does at the edge (`fit`, `compact`), and never hands out a request that
 * its provider would refuse, nor damages the one it was given.
 */

import { calibratedCounter } from "./compactor/calibrated-counter.ts";
import { type CarriedOut, carryOut } from "./compactor/carry-out.ts";
import { type CallOptions, checkCall, checkViewCall, type ViewCall, type ViewPass } from "./compactor/check-call.ts";
import { checkOptions } from "./compactor/check-options.ts";
import type { Prices } from "./compactor/cost.ts";
import { type DecideInput, needsOriginals, tokensIn, withOriginals, withoutSteps } from "./compactor/decide.ts";
import {
  type Decided,
  decideOn,
  decideOnView,
  type Engine,
  modelFor,
  sentOf,
  settingsFor,
} from "./compactor/engine.ts";
import { type Compacted, finish, settleView } from "./compactor/finish.ts";
import { throwIfAborted } from "./compactor/make-summary.ts";
import type { NativeCompaction } from "./compactor/native.ts";
import { calibrate, observe } from "./compactor/observe.ts";
import { allowsReset, compactionFailure, learnOverflow, remarksOn } from "./compactor/overflow.ts";
import { performPass } from "./compactor/pass.ts";
import { NO_PASSES, type Passes, passesAfterFailure } from "./compactor/passes.ts";
import type { Report } from "./compactor/report.ts";
import { type RetentionOptions, rememberScores } from "./compactor/retention.ts";
import { markedForSending } from "./compactor/settle.ts";
import { summarizerFor } from "./compactor/summarizer-for.ts";
import { createViewMemory, type Recalled } from "./compactor/view-memory.ts";
import { createTeller, createWatch, type WatchOptions } from "./compactor/watch.ts";
import type { Summarizer } from "./core/checkpoint/summary.ts";
import { CompactionError } from "./core/errors.ts";
import type { OnHook } from "./core/hooks/hooks.ts";
import { createCalibration } from "./core/ledger/calibration.ts";
import { createLearnedWindows, type LearnedWindows } from "./core/ledger/learned-windows.ts";
import type { Conversation } from "./core/message.ts";
import type { Plan } from "./core/plan/plan.ts";
import type { OwnStrategy } from "./core/plan/plan-input.ts";
import type { Format } from "./core/ports.ts";
import { takePreservedIn } from "./core/preserved.ts";
import { historyHolder } from "./core/server-history.ts";
import type { Settings } from "./core/settings/settings.ts";
import type { SettingsInput } from "./core/settings/settings-input.ts";
import type { TokenCounter } from "./core/tokens/tokens.ts";
import { counterNamed } from "./counters.ts";
import type { ProfileName } from "./profiles/profiles.ts";
import { WINDOW_TOKENS } from "./profiles/shared.ts";
import {
  mergeInputs,
  profileNameOf,
  refitToWindow,
  resolveSettings,
  type SettingsLayers,
  settingsKeys,
  settingsWarnings,
} from "./settings.ts";
import { filesOfMessages } from "./summarizers/extractive/calls/message-files.ts";
import { extractive } from "./summarizers/extractive.ts";
import { shrinkToTokens } from "./summarizers/shrink-text.ts";
import { detailsOf } from "./summarizers/tracked-details.ts";
import { createTelemetry, type TelemetryParts } from "./telemetry.ts";

export type { CallOptions, ViewCall, ViewPass } from "./compactor/check-call.ts";
export type { Compacted } from "./compactor/finish.ts";
export type { NativeAnswer, NativeCompaction } from "./compactor/native.ts";

export interface CompactorOptions<Request extends object = object>
  extends SettingsInput,
    WatchOptions,
    RetentionOptions {
  readonly format: Format<Request>;
  /** Default: `balanced`. */
  readonly profile?: ProfileName | Settings;
  /** Settings for the provider or model in use, over the others. */
  readonly provider?: SettingsInput;
  /** One, or a function that makes one from the settings; `llm()` takes from them what it was not told. Default: `extractive()`, which asks no model. */
  readonly summarizer?: Summarizer | ((settings: Settings) => Summarizer);
  /** Decides what goes, in the place of `compact.strategy`, which decides where this one fails. */
  readonly strategy?: OwnStrategy;
  /** The provider's own compaction, for strategy `native`: a function that posts the request it is given. */
  readonly native?: NativeCompaction;
  /** By whose rules and costs to go, whatever a request says. Default: the one that the request names. */
  readonly model?: string;
  /** Default: the one the profile names. */
  readonly counter?: TokenCounter;
  /** Of the summarizer's model, to report what a pass cost. Default: those that its provider publishes, where a reply says which model answered. */
  readonly prices?: Prices;
  /** Spans and metrics: a tracer and a meter, or those of `@opentelemetry/api` where it is installed; false for none. */
  readonly telemetry?: boolean | TelemetryParts;
}

/** `Request` is what its format takes for a request body; sessions hand out requests of that type. */
export interface Compactor<Request extends object = object> {
  readonly format: Format<Request>;
  /** The profile's name, or `own`. */
  readonly profile: string;
  /** The model that the options name: its rules hold, whatever a request says. */
  readonly model: string | undefined;
  /** Those in force. */
  readonly settings: Settings;
  /** Changes settings from now on, over those that were given. */
  configure(settings: SettingsInput): void;
  /** What `fit` would do, as data. */
  plan(request: unknown, call?: CallOptions): Plan;
  /** Compacts only if a trigger fires; otherwise the request comes back as it was, with earlier edits in place. */
  fit<Given>(request: Given, call?: CallOptions): Promise<Compacted<Given>>;
  /** Compacts now. */
  compact<Given>(request: Given, call?: CallOptions): Promise<Compacted<Given>>;
  /** What `passOver` would do, as data. */
  planOver(view: Conversation, call?: ViewCall): Plan;
  /** `fit` (or `compact`, when asked) on a decoded view that somebody else keeps: nothing is remembered here. */
  passOver(view: Conversation, call?: ViewCall): Promise<ViewPass>;
  /** What a provider counted for a view: calibrates the estimate for its model. */
  calibrate(view: Conversation, tokens: number, model?: string): void;
  /** Real usage of a request that was sent: calibrates the estimate for its model. */
  observe(request: unknown, response: unknown): void;
  /** Adds a hook behind those there are; any number per name. Returns what takes it out again. */
  readonly on: OnHook;
  /** What a refusal teaches about the request that was sent, as `fit` with `overflow` does; compacts nothing. Throws `not-an-overflow`. */
  learnOverflow(request: unknown, error: unknown): void;
  /** The window that decisions are made for: as told, the model's own, or what was learned. */
  windowTokens(model?: string): number;
  /** What refusals taught, by model. */
  readonly windows: LearnedWindows;
}

/** @example const compactor = createCompactor({ format: anthropicMessages, windowTokens: 200_000 }); */
export function createCompactor<Request extends object>(options: CompactorOptions<Request>): Compactor<Request> {
  const engine = createEngine(options);
  return {
    format: options.format,
    profile: engine.watch.profile,
    model: engine.model,
    get settings(): Settings {
      return engine.settings();
    },
    configure: engine.configure,
    plan: (request, call = {}) => {
      checkCall(call);
      const given = givenBy(engine, request, call);
      return heedServer(decideOn(engine, given.request, given.call, undefined)).decision.plan;
    },
    fit: (request, call = {}) => run(engine, request, call, undefined),
    compact: (request, call = {}) => run(engine, request, call, "manual"),
    planOver: (view, call = {}) => {
      checkViewCall(call);
      return decideOnKept(engine, view, call).decision.plan;
    },
    passOver: (view, call = {}) => runOnView(engine, view, call),
    calibrate: (view, tokens, model) => calibrate(engine, view, { tokens, model }),
    observe: (request, response) => observe(engine, request, response),
    on: engine.watch.on,
    learnOverflow: (request, error) => {
      const sent = { view: engine.format.decode(request), model: modelFor(engine, request) };
      learnOverflow(engine, sent, error);
    },
    windowTokens: (model) => settingsFor(engine, engine.model ?? model, {}).windowTokens,
    windows: engine.windows,
  };
}

interface ConfigurableEngine extends Engine {
  configure(settings: SettingsInput): void;
}

function createEngine(options: CompactorOptions): ConfigurableEngine {
  checkOptions(options, settingsKeys);
  const { format, profile, provider, summarizer, native, model, counter, prices, strategy, ...others } = options;
  const {
    keepRecent,
    scoreMessage,
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
  // Of our own: they are resolved again with every change and with a call's own settings, and the caller may do with its objects what it likes.
  let layers = structuredClone(given);
  // What is wrong with it is said now, not in the first pass.
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
    refit: refitToWindow,
    isWindowTold: (call) =>
      isOwnWindow || [layers.user, layers.provider, call].some((layer) => layer?.windowTokens !== undefined),
    settings: (call) => (call === undefined ? current : resolveSettings({ ...layers, call })),
    configure: (input) => {
      // In the layer above the user's: what was given for the provider would hide it otherwise.
      const next = { ...layers, provider: structuredClone(mergeInputs(layers.provider ?? {}, input)) };
      const changed = resolveSettings(next);
      make(changed);
      current = changed;
      layers = next;
    },
    model,
    counterFor: (settings, counted) => counter ?? counterNamed(settings.estimator, counted),
    summarizer: make,
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
    memory: createViewMemory(),
    sizes: new Map(),
  };
}

async function run<Request>(
  engine: Engine,
  request: Request,
  call: CallOptions,
  asked: DecideInput["asked"],
): Promise<Compacted<Request>> {
  checkCall(call);
  throwIfAborted(signalOf(call));
  const startedMs = engine.watch.now();
  const given = givenBy(engine, request, call);
  if (call.overflow !== undefined) learnOverflow(engine, sentOf(engine, given.request), call.overflow);
  const why = call.overflow === undefined ? asked : "overflow";
  const decided = heedServer(decideOn(engine, given.request, given.call, why));
  const failed = (passes: Passes): void => engine.memory.remember(decided.source, decided.recalled.view, passes);
  return perform(engine, { decided, call, startedMs, failed }, (own, carried) =>
    finish(engine, given.request, own, carried),
  );
}

/** Messages that are marked as preserved are pinned, and the request is one without the marks. */
function givenBy<Request>({ format }: Engine, marked: Request, call: CallOptions) {
  const { request, preserved } = takePreservedIn(marked, format.listKey);
  return { request, call: preserved.length === 0 ? call : { ...call, pinned: [...(call.pinned ?? []), ...preserved] } };
}

/** What a session does with its view: the same pass, and what came of it is the session's to keep. */
async function runOnView(engine: Engine, view: Conversation, call: ViewCall): Promise<ViewPass> {
  checkViewCall(call);
  throwIfAborted(signalOf(call));
  const startedMs = engine.watch.now();
  const made = decideOnKept(engine, view, call);
  const { plan } = made.decision;
  const isAllowed =
    plan.steps.length === 0 || call.mayBegin === undefined || (await call.mayBegin(plan, made.given.settings));
  const decided = isAllowed
    ? await withStored(made, call)
    : { ...made, decision: withoutSteps(made.decision, made.given, "in-progress") };
  const failed = (after: Passes): void => call.failed?.(after);
  return perform(engine, { decided, call, startedMs, failed }, async (own, carried) => {
    const settled = settleView(engine, own, carried);
    const stored = await call.keep?.(settled);
    return stored === undefined ? settled : { ...settled, stored };
  });
}

async function withStored(decided: Decided, { originals }: ViewCall): Promise<Decided> {
  const { decision } = decided;
  if (originals === undefined || !needsOriginals(decision)) return decided;
  return { ...decided, decision: withOriginals(decision, await originals()) };
}

function decideOnKept(engine: Engine, view: Conversation, call: ViewCall): Decided {
  const { passes = NO_PASSES, asked, attempt } = call;
  const model = engine.model ?? call.model;
  const recall = (source: Conversation): Recalled => ({ view: source, covered: 0, passes });
  return heedServer(
    decideOnView(engine, { decoded: view, model, hasStoredIds: true, recall }, { call, asked, attempt }),
  );
}

/** Where the provider holds the history, what could be taken out of the list is only what is new. */
function heedServer(decided: Decided): Decided {
  const { decision, given, source } = decided;
  if (decision.plan.steps.length === 0 || historyHolder(source) !== "server") return decided;
  return { ...decided, decision: withoutSteps(decision, given, "server-history") };
}

interface Performed {
  readonly decided: Decided;
  readonly call: CallOptions;
  readonly startedMs: number;
  failed(passes: Passes): void;
}

async function perform<Result extends { readonly plan: Plan; readonly report: Report }>(
  engine: Engine,
  { decided, call, startedMs, failed }: Performed,
  end: (decided: Decided, carried: CarriedOut) => Result | Promise<Result>,
): Promise<Result> {
  const { decision, given, model } = decided;
  const counter = calibratedCounter(decided.counter, engine.calibration.ratio(model ?? ""));
  const signal = signalOf(call);
  const { native, format } = engine;
  const pass = {
    decision,
    given,
    counter,
    summarizer: engine.summarizer(given.settings),
    native,
    signal,
    startedMs,
    call,
    remarks: remarksOn(engine, decided, call.settings),
  };
  const performed = performPass(engine.watch, pass, async (allowed) => {
    const { instructions } = call;
    const sent = markedForSending(given.view, { settings: given.settings, model });
    const live = { format, view: sent, model, counter };
    const context = { ...allowed.context, ...(model !== undefined && { model }) };
    const own = { embedded: extractive(), detailsOf, shorten: shrinkToTokens };
    const asked = { ...allowed, context, counter, ...own, instructions };
    const done = await carryOut({ ...asked, format, model, live, seen: given.view });
    const carried = { ...done, notes: [...done.notes, ...allowed.notes], details: allowed.details };
    return { carried, result: await end({ ...decided, counter, decision: allowed.decision }, carried) };
  });
  const { result } = await performed.catch((error: unknown) => {
    const isFailure = error instanceof CompactionError && error.code === "summary-failed";
    if (isFailure) failed(passesAfterFailure(tokensIn(given), given.settings));
    if (!isFailure || given.attempt === undefined) throw error;
    throw compactionFailure(error, { because: "compaction-failure", mayReset: allowsReset(given.settings) });
  });
  return result;
}

function signalOf({ signal }: CallOptions): AbortSignal {
  return signal ?? new AbortController().signal;
}
