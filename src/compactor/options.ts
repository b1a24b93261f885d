/** Checks the arguments of `createCompactor` and its methods by shape, before anything is done: a typo must not silently lose a pin or a target. */

import { CompactionError } from "../core/errors.ts";
import type { HookContext } from "../core/hooks/hook-events.ts";
import { isObject, isPlainObject } from "../core/json.ts";
import type { Message } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import {
  checkPointSchema,
  checkSchema,
  nearestWord,
  refuseProblems,
  shownValue,
} from "../core/settings/check-schema.ts";
import type { CheckPoint, Settings, SettingsInput } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { PassResult } from "./finish.ts";
import type { Passes } from "./passes.ts";

export interface CallOptions {
  /** Additional focus for the summary. */
  readonly instructions?: string;
  /** At most this many tokens, or this share of what the conversation has now. */
  readonly target?: { readonly tokens: number } | { readonly ratio: number };
  readonly settings?: SettingsInput;
  /** Messages that must stay unchanged, by index in the given list. */
  readonly pinned?: readonly number[];
  /** True when enough time has passed for the provider's prompt cache to expire (trigger `economic`). */
  readonly isCacheCold?: boolean;
  /** The host's position in its loop: `fit` asks no trigger at a point that the settings do not name; pruning and limits always apply. */
  readonly checkPoint?: CheckPoint;
  /**
   * What the provider threw or sent when it refused the request: an SDK's error, a body, a text, an event of a stream. `fit`
   * learns the window from it, compacts to that, and says in `report.overflow` whether to retry. Throws `not-an-overflow`.
   */
  readonly overflow?: unknown;
  /** True: reads and counts every message again. For a host that changes old messages in place. */
  readonly recheck?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (event: { readonly stage: string; readonly done: number; readonly total: number }) => void;
  /** For the hooks; overrides the compactor's own. */
  readonly hookContext?: HookContext;
}

export interface ViewCall extends Omit<CallOptions, "overflow"> {
  readonly asked?: "manual" | "overflow";
  /** How often in a row the provider refused the view as too long, this time included; call `learnOverflow` first. */
  readonly attempt?: number;
  readonly model?: string;
  /** The `passes` that the last pass over this view returned. */
  readonly passes?: Passes;
  /** The keeper of the view. Without one, the view has no other worker and nothing is stored. */
  readonly keeper?: ViewKeeper;
}

/** Keeps a view: takes its lease, and stores the result of a pass. */
export interface ViewKeeper {
  /** Called before the first change, when there is something to do; false leaves the view as it is. */
  begin(plan: Plan, settings: Settings): Promise<boolean> | boolean;
  /** The original form of messages that the view holds shortened. Called when a summary may be needed: it is written from them. */
  originals(): Promise<readonly Message[]> | readonly Message[];
  /** Stores the result before any hook is told. If it throws, the pass fails and nothing was done. */
  commit(pass: PassResult): Promise<StoredEvent | undefined> | StoredEvent | undefined;
  /** Called when the pass throws because there was no summary. Give `passes` to the next pass, so that it waits. */
  failed(passes: Passes): void;
}

/** The stored record of a pass. */
export interface StoredEvent {
  readonly eventId: string;
  readonly createdAt: string;
}

/** By name: the allowed kind in words, and a test for it; undefined always passes. */
type Kinds = Readonly<Record<string, readonly [allowed: string, fits: (value: unknown) => boolean]>>;

const CALL: Kinds = {
  instructions: ["a text", (value) => typeof value === "string"],
  target: ["{ tokens } above 0, or { ratio } above 0 and at most 1", isTarget],
  // Checked with the other layers of settings, which say exactly what is wrong.
  settings: ["an object of settings", isPlainObject],
  pinned: ["a list of message numbers, counted from 0", Array.isArray],
  isCacheCold: ["true or false", (value) => typeof value === "boolean"],
  // Checked elsewhere, with a suggestion for a near name.
  checkPoint: ["the name of a check point", () => true],
  overflow: ["what the provider threw or sent", () => true],
  recheck: ["true or false", (value) => typeof value === "boolean"],
  signal: ["an AbortSignal", isSignal],
  onProgress: ["a function", (value) => typeof value === "function"],
  hookContext: ["an object", (value) => typeof value === "object" && value !== null],
};

const { pinned: _pinned, overflow: _overflow, ...OF_VIEWS } = CALL;

/** For a view that the caller keeps; its messages carry their own pins. */
const VIEW_CALL: Kinds = {
  ...OF_VIEWS,
  asked: ['"manual" or "overflow"', (value) => value === "manual" || value === "overflow"],
  attempt: ["a whole number above 0", (value) => Number.isInteger(value) && Number(value) > 0],
  model: ["a text", (value) => typeof value === "string"],
  passes: ["what an earlier pass returned", (value) => typeof value === "object" && value !== null],
  keeper: [
    "{ begin, originals, commit, failed }, four functions",
    (value) => hasFunctions(value, ["begin", "originals", "commit", "failed"]),
  ],
};

export function checkCall(call: unknown): void {
  checkKinds(call, CALL);
}

export function checkViewCall(call: unknown): void {
  if (isPlainObject(call) && call.pinned !== undefined)
    throw invalid("pinned is for a list that is given with the call; messages of a session are pinned in it");
  checkKinds(call, VIEW_CALL);
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new CompactionError("aborted", "Compaction was aborted; nothing was changed.", { cause: signal.reason });
}

/** Called once the number of messages is known. */
export function checkPinned(pinned: readonly number[], messages: number): void {
  for (const index of pinned) {
    const isThere = Number.isInteger(index) && index >= 0 && index < messages;
    if (!isThere)
      throw invalid(`pinned names message ${shownValue(index)}, but the list has ${messages}, counted from 0`);
  }
}

function checkKinds(call: unknown, kinds: Kinds): void {
  if (!isPlainObject(call)) throw invalid(`The call options must be an object, but are ${shownValue(call)}`);
  for (const [key, value] of Object.entries(call)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (kind === undefined) throw unknownOption(key, Object.keys(kinds));
    const [allowed, fits] = kind;
    if (value !== undefined && !fits(value)) throw invalid(`${key} must be ${allowed}, but is ${shownValue(value)}`);
  }
  const { checkPoint } = call;
  if (checkPoint !== undefined)
    refuseProblems(checkSchema(checkPoint, checkPointSchema, { partial: false, subject: "checkPoint" }));
}

function isTarget(target: unknown): boolean {
  const entries = isPlainObject(target) ? Object.entries(target) : [];
  const [key, amount] = entries[0] ?? [];
  const isNumber = typeof amount === "number" && Number.isFinite(amount) && amount > 0;
  return entries.length === 1 && isNumber && (key === "tokens" || (key === "ratio" && amount <= 1));
}

/** By shape: a signal of another realm passes too. */
function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

function unknownOption(key: string, known: readonly string[]): CompactionError {
  const near = nearestWord(key, known);
  const hint = near === undefined ? `allowed: ${known.join(", ")}` : `did you mean ${near}?`;
  return invalid(`Unknown call option ${shownValue(key)}; ${hint}`);
}

/** Settings are among these options, and are checked with the other layers of settings. */
export function checkOptions(options: unknown, settingsKeys: readonly string[]): void {
  if (!isObject(options)) throw invalid(`createCompactor takes { format, … }, not ${shownValue(options)}`);
  for (const key of Object.keys(options)) checkName(key, settingsKeys);
  if (options.format === undefined) {
    throw invalid('format is missing; import one, e.g. anthropicMessages from "palimpsest/formats/anthropic-messages"');
  }
  for (const [key, [allowed, fits]] of Object.entries(OPTIONS)) {
    const value = options[key];
    if (value !== undefined && !fits(value)) throw invalid(`${key} must be ${allowed}, but is ${shownValue(value)}`);
  }
}

const OPTIONS: Kinds = {
  format: ["a format, or formatNamed(name)", (value) => hasFunctions(value, ["decode", "encode", "validate", "rules"])],
  profile: ["the name of a profile, or complete settings", (value) => typeof value === "string" || isObject(value)],
  provider: ["an object of settings", isPlainObject],
  summarizer: [
    "a summarizer, or a function that makes one from the settings",
    (value) => typeof value === "function" || hasFunctions(value, ["summarize", "planCalls"]),
  ],
  strategy: [
    "{ name, plan }, a text and a function; a name goes into compact.strategy",
    (value) => hasFunctions(value, ["plan"]) && isObject(value) && typeof value.name === "string",
  ],
  native: [
    "{ kind, compact }, a text and a function",
    (value) => hasFunctions(value, ["compact"]) && isObject(value) && typeof value.kind === "string",
  ],
  model: ["a model id", (value) => typeof value === "string"],
  conversations: ["a whole number above 0", (value) => Number.isInteger(value) && Number(value) > 0],
  counter: ["a token counter, such as messageCounter({ name, countText }) makes", isCounter],
  prices: ["{ input, output, cacheRead?, cacheWrite? }, numbers of at least 0", arePrices],
  telemetry: ["true, false, or { tracer, meter }", (value) => typeof value === "boolean" || isObject(value)],
  keepRecent: ["a function", (value) => typeof value === "function"],
  scoreMessage: ["a function", (value) => typeof value === "function"],
  // The hooks are checked where they are settled.
  hooks: ["an object of hooks", isObject],
  hookContext: ["an object", isObject],
  logger: [
    "a logger with debug, info, warn and error",
    (value) => hasFunctions(value, ["debug", "info", "warn", "error"]),
  ],
  now: ["a function", (value) => typeof value === "function"],
};

/** Refuses a name that is nearly one of ours; leaves any other to the settings, which know their own names. */
function checkName(key: string, settingsKeys: readonly string[]): void {
  const known = Object.keys(OPTIONS);
  if (known.includes(key) || settingsKeys.includes(key)) return;
  const near = nearestWord(key, [...settingsKeys, ...known]);
  if (near !== undefined && known.includes(near)) {
    throw invalid(`Unknown option ${shownValue(key)}; did you mean ${near}?`);
  }
}

function hasFunctions(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === "function");
}

function isCounter(value: unknown): boolean {
  const { safetyMargin } = isObject(value) ? value : {};
  return hasFunctions(value, COUNTER_FUNCTIONS) && typeof safetyMargin === "number" && safetyMargin > 0;
}

const COUNTER_FUNCTIONS = [
  "size",
  "tokens",
  "count",
  "total",
  "countParts",
  "countText",
  "countJson",
  "countTools",
] as const satisfies readonly (keyof TokenCounter)[];

function arePrices(value: unknown): boolean {
  if (!isObject(value) || value.input === undefined || value.output === undefined) return false;
  return Object.values(value).every((price) => price === undefined || (typeof price === "number" && price >= 0));
}

function invalid(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
