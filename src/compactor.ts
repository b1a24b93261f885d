/**
 * `createCompactor`: wire form in, the same wire form out, below the target. Works with no model, no store and no key; each
 * of them is one option. Decides purely (`plan`), does at the edge (`fit`, `compact`), and never hands out a request that
 * its provider would refuse, nor damages the one it was given.
 */

import { type CarriedOut, carryOut, firstKept, zoneTokens } from "./compactor/carry-out.ts";
import { type DecideInput, type Decision, decide, sizeOf } from "./compactor/decide.ts";
import { throwIfAborted } from "./compactor/make-summary.ts";
import { performPass } from "./compactor/pass.ts";
import { type Prices, type Report, reportOf } from "./compactor/report.ts";
import { createTokenSizes, type TokenSizes } from "./compactor/token-sizes.ts";
import { createViewMemory, NO_PASSES, type Passes, type Recalled } from "./compactor/view-memory.ts";
import { createWatch, type Watch, type WatchOptions } from "./compactor/watch.ts";
import { createCalibration } from "./core/calibration.ts";
import type { HookContext } from "./core/hook-events.ts";
import { isObject, stringOf } from "./core/json.ts";
import type { Conversation } from "./core/message.ts";
import type { Plan } from "./core/plan.ts";
import type { Format } from "./core/ports.ts";
import { type Repair, repair } from "./core/repair.ts";
import type { Settings } from "./core/settings.ts";
import type { SettingsInput } from "./core/settings-input.ts";
import type { Summarizer } from "./core/summary.ts";
import type { TokenCounter } from "./core/tokens.ts";
import { counterNamed } from "./counters.ts";
import type { ProfileName } from "./profiles/profiles.ts";
import { resolveSettings } from "./settings.ts";
import { filesOfMessages } from "./summarizers/extractive/message-files.ts";
import { extractive } from "./summarizers/extractive.ts";
import { createTelemetry, type TelemetryParts } from "./telemetry.ts";

export interface CompactorOptions extends SettingsInput, WatchOptions {
  readonly format: Format;
  /** Default: `balanced`. */
  readonly profile?: ProfileName | Settings;
  /** Settings for the provider or model in use, over the others. */
  readonly provider?: SettingsInput;
  /** Or one made from the settled settings, as `llmFromSettings` does. Default: `extractive()`, which asks no model. */
  readonly summarizer?: Summarizer | ((settings: Settings) => Summarizer);
  /** Rules and media costs differ per model; taken from the request where it names one. */
  readonly model?: string;
  /** Default: the one the profile names. */
  readonly counter?: TokenCounter;
  /** Of the summarizer's model, to report what a pass cost. */
  readonly prices?: Prices;
  /** Spans and metrics: a tracer and a meter, or those of `@opentelemetry/api` where it is installed; false for none. */
  readonly telemetry?: boolean | TelemetryParts;
}

export interface CallOptions {
  /** Additional focus for the summary. */
  readonly instructions?: string;
  /** At most this many tokens, or this share of what the conversation has now. */
  readonly target?: { readonly tokens: number } | { readonly ratio: number };
  readonly settings?: SettingsInput;
  /** Messages that must stay as they are, by index in the list that is given. */
  readonly pinned?: readonly number[];
  /** True when so much time has passed that the provider's prompt cache is gone (trigger `economic`). */
  readonly isCacheCold?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: { readonly stage: string; readonly done: number; readonly total: number }) => void;
  /** For the hooks, over the compactor's own. */
  readonly hookContext?: HookContext;
}

export interface Compacted<Request> {
  readonly request: Request;
  readonly plan: Plan;
  readonly report: Report;
}

export interface Compactor {
  readonly settings: Settings;
  /** What `fit` would do, as data. */
  plan(request: unknown, call?: CallOptions): Plan;
  /** Compacts only if a trigger fires; otherwise the request comes back as it was, with earlier edits in place. */
  fit<Request>(request: Request, call?: CallOptions): Promise<Compacted<Request>>;
  /** Compacts now. */
  compact<Request>(request: Request, call?: CallOptions): Promise<Compacted<Request>>;
  /** Real usage of a request that was sent: calibrates the estimate for its model. */
  observe(request: unknown, response: unknown): void;
}

export function createCompactor(options: CompactorOptions): Compactor {
  const { format, profile, provider, summarizer, model, counter, prices, ...others } = options;
  const { hooks: _hooks, hookContext: _context, logger: _logger, now: _now, telemetry, ...user } = others;
  const layers = { profile, user, provider };
  const settings = resolveSettings(layers);
  const engine: Engine = {
    format,
    settings,
    resolve: (call) => (call === undefined ? settings : resolveSettings({ ...layers, call })),
    model,
    counter,
    summarizer: typeof summarizer === "function" ? summarizer(settings) : (summarizer ?? extractive()),
    prices,
    watch: createWatch(options, { profile, telemetry: createTelemetry(telemetry), filesOf: filesOfMessages }),
    calibration: createCalibration(),
    memory: createViewMemory(),
    sizes: new Map(),
  };
  return {
    settings,
    plan: (request, call = {}) => decideOn(engine, request, call, undefined).decision.plan,
    fit: (request, call = {}) => run(engine, request, call, undefined),
    compact: (request, call = {}) => run(engine, request, call, "manual"),
    observe: (request, response) => observe(engine, request, response),
  };
}

interface Engine {
  readonly format: Format;
  readonly settings: Settings;
  resolve(call: SettingsInput | undefined): Settings;
  readonly model: string | undefined;
  readonly counter: TokenCounter | undefined;
  readonly summarizer: Summarizer;
  readonly prices: Prices | undefined;
  readonly watch: Watch;
  readonly calibration: ReturnType<typeof createCalibration>;
  readonly memory: ReturnType<typeof createViewMemory>;
  readonly sizes: Map<string, { readonly counter: TokenCounter; readonly sizes: TokenSizes }>;
}

interface Decided {
  /** As it came, repaired and pinned. */
  readonly source: Conversation;
  readonly recalled: Recalled;
  readonly decision: Decision;
  readonly given: DecideInput;
  readonly repairs: readonly Repair[];
  readonly model: string | undefined;
  readonly counter: TokenCounter;
}

function decideOn(engine: Engine, request: unknown, call: CallOptions, asked: DecideInput["asked"]): Decided {
  const settings = engine.resolve(call.settings);
  const model = engine.model ?? (isObject(request) ? stringOf(request.model) : undefined);
  const decoded = pin(engine.format.decode(request), call.pinned ?? []);
  const { conversation: source, repairs } = repair(decoded, model === undefined ? {} : { model });
  const recalled = engine.memory.recall(source);
  const { counter, sizes } = sizesFor(engine, settings, model);
  const { view } = recalled;
  const ratio = engine.calibration.ratio(model ?? "");
  const base: DecideInput = {
    view,
    settings,
    ...sizes,
    systemTokens: Math.round(counter.countParts(view.system) * ratio),
    toolsTokens: Math.round(counter.countTools(view.tools) * ratio),
    ...(asked !== undefined && { asked }),
    isCacheCold: call.isCacheCold ?? false,
  };
  const tokens = tokensIn(base);
  const targetTokens = targetFor(call, tokens);
  const given: DecideInput = {
    ...base,
    isThrashing: isThrashing(recalled.passes, tokens, settings),
    ...(targetTokens !== undefined && { targetTokens }),
  };
  return { source, recalled, decision: decide(given), given, repairs, model, counter };
}

function pin(conversation: Conversation, pinned: readonly number[]): Conversation {
  if (pinned.length === 0) return conversation;
  const isPinned = new Set(pinned);
  const messages = conversation.messages.map((message, index) =>
    isPinned.has(index) ? { ...message, pinned: true } : message,
  );
  return { ...conversation, messages };
}

function sizesFor(engine: Engine, settings: Settings, model = ""): { counter: TokenCounter; sizes: TokenSizes } {
  const key = `${settings.estimator} ${model}`;
  const known = engine.sizes.get(key);
  if (known !== undefined) return known;
  const counter = engine.counter ?? counterNamed(settings.estimator, engine.format.name, model);
  const made = { counter, sizes: createTokenSizes(counter, () => engine.calibration.ratio(model)) };
  engine.sizes.set(key, made);
  return made;
}

function targetFor({ target }: CallOptions, tokens: number): number | undefined {
  if (target === undefined) return undefined;
  return "tokens" in target ? target.tokens : Math.floor(tokens * target.ratio);
}

/** Two weak passes in a row, and not enough has come since to hope for more (D26). */
function isThrashing({ weak, tokensAfter }: Passes, tokens: number, { antiThrash }: Settings): boolean {
  return weak >= antiThrash.maxPasses && tokens < tokensAfter * (1 + antiThrash.minFreedRatio);
}

async function run<Request>(
  engine: Engine,
  request: Request,
  call: CallOptions,
  asked: DecideInput["asked"],
): Promise<Compacted<Request>> {
  const signal = call.signal ?? new AbortController().signal;
  throwIfAborted(signal);
  const startedMs = engine.watch.now();
  const decided = decideOn(engine, request, call, asked);
  const { decision, given, counter, model } = decided;
  const pass = { decision, given, counter, summarizer: engine.summarizer, signal, startedMs, call };
  const { result } = await performPass(engine.watch, pass, async (allowed) => {
    const { instructions } = call;
    const done = await carryOut({ ...allowed, counter, embedded: extractive(), instructions, model });
    const carried = { ...done, notes: [...done.notes, ...allowed.notes] };
    return { carried, result: finish(engine, request, { ...decided, decision: allowed.decision }, carried) };
  });
  return result;
}

function finish<Request>(engine: Engine, request: Request, decided: Decided, carried: CarriedOut): Compacted<Request> {
  const { source, given, decision } = decided;
  const after = carried.conversation;
  const tokensBefore = tokensIn(given);
  const tokensAfter = tokensIn({
    ...given,
    view: after,
    systemTokens: given.systemTokens + addedSystem(decided, after),
  });
  // What was expected to help and did not is not handed out: the view from before is as good, and cached.
  const isWorse = after !== given.view && tokensAfter >= tokensBefore;
  const view = isWorse ? given.view : after;
  const encoded = engine.format.encode(view);
  const violations = engine.format.validate(encoded, decided.model === undefined ? {} : { model: decided.model });
  const isSame = view === source && decided.repairs.length === 0;
  if (view !== source)
    engine.memory.remember(
      source,
      view,
      passesAfter(decided, { tokensBefore, tokensAfter, isChanged: view !== given.view }),
    );
  const report = reportOf({
    plan: isWorse
      ? { ...decision.plan, steps: [], because: "frees-nothing" }
      : { ...decision.plan, ...planOutcome(carried, decision) },
    made: carried.made,
    tokens: { before: tokensBefore, after: isWorse ? tokensBefore : tokensAfter },
    messages: { before: given.view.messages.length, after: view.messages.length },
    zoneTokens: zoneTokens(decision, carried.plan),
    summaryTokens: carried.made?.type === "summary" ? decided.counter.countText(carried.made.result.text) : 0,
    firstKept: firstKept(given.view, view),
    windowTokens: given.settings.windowTokens,
    notes: [
      ...carried.notes,
      ...violations.map(({ rule, path }) => `The provider may refuse this: ${rule} at ${path}.`),
    ],
    repairs: decided.repairs,
    prices: engine.prices,
  });
  // Encoding gives back the kind of body that was decoded.
  return { request: (isSame ? request : encoded) as Request, plan: decision.plan, report };
}

/** Steps of the decision that the failure ladder left or changed. */
function planOutcome({ plan }: CarriedOut, decision: Decision): Partial<Plan> {
  if (plan === decision.rest) return {};
  const texts = decision.plan.steps.filter((step) => !decision.rest.steps.includes(step));
  return { steps: [...texts, ...plan.steps], ...(plan.because !== undefined && { because: plan.because }) };
}

function tokensIn(given: DecideInput): number {
  const { systemTokens, toolsTokens, messagesTokens } = sizeOf(given);
  return systemTokens + toolsTokens + messagesTokens;
}

function addedSystem({ given, counter }: Decided, after: Conversation): number {
  if (after.system === given.view.system) return 0;
  return counter.countParts(after.system) - counter.countParts(given.view.system);
}

interface PassTokens {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly isChanged: boolean;
}

function passesAfter({ recalled, given }: Decided, { tokensBefore, tokensAfter, isChanged }: PassTokens): Passes {
  if (!isChanged) return recalled.passes ?? NO_PASSES;
  const isWeak = tokensBefore - tokensAfter < tokensBefore * given.settings.antiThrash.minFreedRatio;
  return { weak: isWeak ? recalled.passes.weak + 1 : 0, tokensAfter };
}

function observe(engine: Engine, request: unknown, response: unknown): void {
  const usage = engine.format.readUsage(response);
  if (usage === undefined || usage.inputTokens <= 0) return;
  const conversation = engine.format.decode(request);
  const model = engine.model ?? (isObject(request) ? stringOf(request.model) : undefined) ?? "";
  const { counter } = sizesFor(engine, engine.settings, model);
  const estimatedTokens =
    counter.countParts(conversation.system) +
    counter.countTools(conversation.tools) +
    counter.total(conversation.messages);
  engine.calibration.learn(model, { estimatedTokens, reportedTokens: usage.inputTokens });
}
