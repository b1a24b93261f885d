/** Options of the llm summarizer: checked and filled with defaults once, when the summarizer is made. */

import { CompactionError } from "../core/errors.ts";
import { isPlainObject } from "../core/json.ts";
import type { Model } from "../core/model.ts";
import { checkSchema, nearestWord, type Problem, refuseProblems, shownValue } from "../core/settings/check-schema.ts";
import type { ObjectSchema, Schema } from "../core/settings/schema.ts";
import type {
  PromptPackName,
  Settings,
  StagedSettings,
  SummaryInputSettings,
  TranscriptStyle,
} from "../core/settings/settings.ts";
import { settingsSchema } from "../core/settings/settings-schema.ts";
import { DEFAULT_RETRY, type RetrySettings } from "../retry.ts";
import { type Complete, completeWith } from "./ask.ts";
import { BASE_CHUNK_RATIO, MAX_HISTORY_SHARE, MIN_CHUNK_RATIO, SAFETY_MARGIN } from "./call-plan.ts";
import type { RankFacts } from "./guard-findings.ts";
import { type CustomPack, type PromptPack, promptPack } from "./prompts.ts";
import { WHOLE_INPUT } from "./serialize.ts";

/** An option that is left out comes from the settings of the compactor, or without a compactor from the defaults below. */
export interface LlmOptions {
  /** Required, unless `model` is a model that can be asked. */
  readonly complete?: Complete;
  /** The window of the model behind `complete`. */
  readonly windowTokens?: number;
  /** What `complete` is told to ask; or a model of `palimpsest/models`, which takes the place of `complete`. */
  readonly model?: string | Model;
  readonly name?: string;
  readonly pack?: PromptPackName | CustomPack;
  /** `single`: one request, cut to fit. `update`: one request, in stages when it does not fit. `staged`: in parts. */
  readonly mode?: "single" | "update" | "staged";
  readonly style?: TranscriptStyle;
  /** How much is shown of each result and input, and of the whole. Default: everything that fits the window. */
  readonly input?: Partial<SummaryInputSettings>;
  readonly staged?: Partial<StagedSettings>;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** For each attempt of each call. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetrySettings>;
  /** Calls for one summary at most, retries and repair included. */
  readonly maxCalls?: number;
  /** Accept a summary that lacks a part. */
  readonly allowPartial?: boolean;
  /** False returns what the model wrote, if it is a summary, in the right language and within its length. */
  readonly guard?: boolean;
  readonly rankFacts?: RankFacts;
  /** Ask with the live request itself, which the provider has cached: `complete` is given it as `body`. Default: false. */
  readonly inBand?: boolean;
}

type GroupKey = "input" | "staged" | "retry";

export interface LlmSettings extends Required<Omit<LlmOptions, "name" | "model" | "pack" | "rankFacts" | GroupKey>> {
  readonly model: string | undefined;
  readonly pack: PromptPack;
  readonly rankFacts: RankFacts | undefined;
  readonly input: SummaryInputSettings;
  readonly staged: StagedSettings;
  readonly retry: RetrySettings;
}

const WINDOW_TOKENS = 200_000;
const MAX_OUTPUT_TOKENS = 4_096;
const TIMEOUT_MS = 120_000;
/** Enough for a session of 2.8 million tokens with a window of 200,000, retries included. */
const MAX_CALLS = 40;
/** A smaller window holds the instructions and hardly any conversation. */
const MIN_WINDOW_TOKENS = 4_000;
/** Share of the window that the answer may take. */
const OUTPUT_SHARE_MAX = 0.25;

const DEFAULT_STAGED: StagedSettings = {
  baseChunkRatio: BASE_CHUNK_RATIO,
  minChunkRatio: MIN_CHUNK_RATIO,
  parts: 2,
  minMessagesForSplit: 4,
  concurrency: 4,
  maxHistoryShare: MAX_HISTORY_SHARE,
};

/** A model answers as `complete` does and has a window of its own. Its client retries, so nothing else does unless the caller asks for it. */
export function withModel(options: LlmOptions): LlmOptions {
  // A caller without types may pass anything; it is checked later.
  const { model } = isPlainObject(options) ? (options as LlmOptions) : {};
  if (!isModel(model)) return options;
  if (options.complete !== undefined)
    throw new CompactionError("invalid-settings", "llm: complete and a model that answers exclude each other.");
  const { windowTokens } = model;
  return {
    ...(windowTokens !== undefined && { windowTokens }),
    ...options,
    model: model.id,
    complete: completeWith(model),
    retry: { maxAttempts: 1, ...options.retry },
  };
}

function isModel(model: LlmOptions["model"]): model is Model {
  return typeof model === "object" && model !== null && typeof model.complete === "function";
}

/** Of options without a model that answers. */
export function resolveLlmOptions(options: LlmOptions): LlmSettings {
  refuseProblems(problemsOf(options).map(({ path, message }) => ({ path, message: `llm: ${message}` })));
  const { windowTokens = WINDOW_TOKENS, maxOutputTokens = MAX_OUTPUT_TOKENS, mode = "update" } = options;
  if (windowTokens < MIN_WINDOW_TOKENS)
    throw new CompactionError("invalid-settings", `llm: windowTokens must be at least ${MIN_WINDOW_TOKENS}.`);
  return {
    // Both were checked above.
    complete: options.complete as Complete,
    windowTokens,
    model: options.model as string | undefined,
    pack: promptPack(options.pack ?? "handover"),
    mode,
    style: options.style ?? "labelled",
    input: { ...WHOLE_INPUT, ...stated(options.input) },
    staged: { ...DEFAULT_STAGED, ...stated(options.staged) },
    maxOutputTokens: Math.min(maxOutputTokens, Math.floor(windowTokens * OUTPUT_SHARE_MAX)),
    temperature: options.temperature ?? 0,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retry: { ...DEFAULT_RETRY, ...stated(options.retry) },
    maxCalls: options.maxCalls ?? MAX_CALLS,
    allowPartial: options.allowPartial ?? true,
    guard: options.guard ?? true,
    rankFacts: options.rankFacts,
    inBand: options.inBand ?? false,
  };
}

/** Fills in what the caller left out. A caller who states one number of a group leaves the others to the settings. */
export function optionsUnder(options: LlmOptions, { windowTokens, summary, failure }: Settings): LlmOptions {
  return {
    windowTokens,
    ...(summary.model !== "inherit" && { model: summary.model }),
    pack: summary.promptPack,
    style: summary.transcript,
    mode: summary.mode,
    maxOutputTokens: summary.maxOutputTokens,
    temperature: summary.temperature,
    timeoutMs: summary.timeoutMs,
    allowPartial: failure.ladder.includes("staged-partial"),
    ...stated(options),
    input: { ...summary.input, ...stated(options.input) },
    staged: { ...summary.staged, ...stated(options.staged) },
  };
}

/** Without keys that are present but undefined. */
function stated<Options extends object>(options: Options = {} as Options): Options {
  // Only keys that the type makes optional can be undefined.
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Options;
}

/** Tokens that the text of one request may count: leaves room for the answer and for the counter's error. */
export function requestLimit({ windowTokens, maxOutputTokens }: LlmSettings, counterMargin: number): number {
  return Math.floor((windowTokens - maxOutputTokens) / Math.max(SAFETY_MARGIN, counterMargin));
}

const about = "";
const whole = (min: number): Schema => ({ type: "number", whole: true, min, about });
const between = (min: number, max?: number): Schema => ({
  type: "number",
  min,
  ...(max !== undefined && { max }),
  about,
});
const positive: Schema = { type: "number", above: 0, about };
const flag: Schema = { type: "boolean", about };
const filled: Schema = { type: "text", filled: true, about };
const object = (keys: Readonly<Record<string, Schema>>): ObjectSchema => ({ type: "object", keys, about });

const SUMMARY = settingsSchema.keys.summary.keys;

/** The options that are data; `LlmOptions` says what each is for. */
const DATA = object({
  windowTokens: whole(1),
  model: filled,
  name: filled,
  mode: SUMMARY.mode,
  style: SUMMARY.transcript,
  input: SUMMARY.input,
  staged: object({
    baseChunkRatio: between(0, 1),
    minChunkRatio: between(0, 1),
    parts: whole(1),
    minMessagesForSplit: whole(1),
    concurrency: whole(1),
    maxHistoryShare: between(0, 1),
  }),
  maxOutputTokens: SUMMARY.maxOutputTokens,
  temperature: SUMMARY.temperature,
  timeoutMs: positive,
  maxCalls: whole(1),
  allowPartial: flag,
  guard: flag,
  inBand: flag,
});

/** Numbers of `retry`; its other options are functions. */
const RETRY = object({
  retry: object({ maxAttempts: whole(1), firstDelayMs: between(0), factor: positive, maxStatedDelayMs: between(0) }),
});
const RETRY_FUNCTIONS: readonly string[] = ["isRetryable", "isOverflow", "sleep", "now"];

const CUSTOM_PACK = object({
  name: filled,
  version: filled,
  task: filled,
  sections: { type: "list", of: filled, maxItems: 100, about },
});

const KNOWN: readonly string[] = [...Object.keys(DATA.keys), "complete", "rankFacts", "pack", "retry"];
/** Names that the settings have for options. */
const MEANT: Readonly<Record<string, string>> = { promptPack: "pack" };

function problemsOf(options: unknown): readonly Problem[] {
  if (!isPlainObject(options))
    return [{ path: "", message: `the options must be an object, not ${shownValue(options)}` }];
  const { complete, rankFacts, pack, retry, ...data } = options;
  const keys = Object.keys(data);
  const known = Object.fromEntries(Object.entries(data).filter(([key]) => KNOWN.includes(key)));
  return [
    ...keys.filter((key) => !KNOWN.includes(key)).map(unknownKey),
    ...(complete === undefined ? [notFunction("complete", complete)] : functionProblem("complete", complete)),
    ...functionProblem("rankFacts", rankFacts),
    ...checkSchema(known, DATA, { partial: true }),
    ...packProblems(pack),
    ...retryProblems(retry),
  ];
}

function unknownKey(key: string): Problem {
  const near = MEANT[key] ?? nearestWord(key, KNOWN);
  const hint = near === undefined ? `allowed: ${KNOWN.join(", ")}` : `did you mean ${near}?`;
  return { path: key, message: `unknown option ${shownValue(key)}; ${hint}` };
}

function functionProblem(path: string, value: unknown): readonly Problem[] {
  return value === undefined || typeof value === "function" ? [] : [notFunction(path, value)];
}

function notFunction(path: string, value: unknown): Problem {
  return { path, message: `${path} must be a function, but is ${shownValue(value)}` };
}

function packProblems(pack: unknown): readonly Problem[] {
  if (pack === undefined) return [];
  const problems = isPlainObject(pack)
    ? checkSchema({ sections: [], ...pack }, CUSTOM_PACK, { partial: false })
    : checkSchema(pack, SUMMARY.promptPack, { partial: false, subject: "" });
  return problems.map(({ path, message }) => ({
    path: path === "" ? "pack" : `pack.${path}`,
    message: `pack: ${message.trim()}`,
  }));
}

function retryProblems(retry: unknown): readonly Problem[] {
  if (retry === undefined) return [];
  if (!isPlainObject(retry))
    return [{ path: "retry", message: `retry must be an object, but is ${shownValue(retry)}` }];
  const numbers = Object.fromEntries(Object.entries(retry).filter(([key]) => !RETRY_FUNCTIONS.includes(key)));
  return [
    ...checkSchema({ retry: numbers }, RETRY, { partial: true }),
    ...RETRY_FUNCTIONS.flatMap((key) => functionProblem(`retry.${key}`, retry[key])),
  ];
}
