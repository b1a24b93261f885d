/** Options of the llm summarizer, settled and checked once. Algorithms receive the settled form and ask for no defaults. */

import { CompactionError } from "../core/errors.ts";
import { checkSchema, isPlainObject, type Problem, shownValue } from "../core/settings/check-schema.ts";
import { nearestWord } from "../core/settings/near-word.ts";
import { refuseProblems } from "../core/settings/refuse-problems.ts";
import type { ObjectSchema, Schema } from "../core/settings/schema.ts";
import type {
  PromptPackName,
  Settings,
  StagedSettings,
  SummaryInputSettings,
  TranscriptStyle,
} from "../core/settings/settings.ts";
import { type Complete, DEFAULT_RETRY, type RetrySettings } from "./ask.ts";
import { BASE_CHUNK_RATIO, MAX_HISTORY_SHARE, MIN_CHUNK_RATIO, SAFETY_MARGIN } from "./call-plan.ts";
import type { RankFacts } from "./guard-findings.ts";
import { type CustomPack, type PromptPack, promptPack } from "./prompts.ts";
import { DEFAULT_SUMMARY_INPUT } from "./serialize.ts";

/** What is left out comes from the settings of the compactor, and where there is none from the defaults below. */
export interface LlmOptions {
  readonly complete: Complete;
  /** The window of the model behind `complete`. */
  readonly windowTokens?: number;
  /** What `complete` is told to ask. */
  readonly model?: string;
  readonly name?: string;
  readonly pack?: PromptPackName | CustomPack;
  /** `single`: one request, cut to fit. `update`: one request, in stages when it does not fit. `staged`: in parts. */
  readonly mode?: "single" | "update" | "staged";
  readonly style?: TranscriptStyle;
  /** `maxChars`, unless it is stated, limits `single` only: the other modes go on in a further request instead. */
  readonly input?: Partial<SummaryInputSettings>;
  readonly staged?: Partial<StagedSettings>;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  /** For each attempt of each call. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetrySettings>;
  /** Calls for one summary at most, retries and repair included. */
  readonly maxCalls?: number;
  /** Whether a summary that lacks a part is better than none. */
  readonly allowPartial?: boolean;
  /** False returns what the model wrote, if it is a summary, in the right language and within its length. */
  readonly guard?: boolean;
  readonly rankFacts?: RankFacts;
  /** Ask with the live request itself, which the provider has cached: `complete` is given it as `body`. Default: false. */
  readonly inBand?: boolean;
}

export interface LlmSettings {
  readonly complete: Complete;
  readonly windowTokens: number;
  readonly model: string | undefined;
  readonly pack: PromptPack;
  readonly mode: "single" | "update" | "staged";
  readonly style: TranscriptStyle;
  readonly input: SummaryInputSettings;
  readonly staged: StagedSettings;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
  readonly retry: RetrySettings;
  readonly maxCalls: number;
  readonly allowPartial: boolean;
  readonly guard: boolean;
  readonly rankFacts: RankFacts | undefined;
  readonly inBand: boolean;
}

const WINDOW_TOKENS = 200_000;
const MAX_OUTPUT_TOKENS = 4_096;
const TIMEOUT_MS = 120_000;
/** Holds a session of 2.8 million tokens for a window of 200,000, with room for retries. */
const MAX_CALLS = 40;
/** A smaller window holds the instructions but next to nothing to summarise. */
const MIN_WINDOW_TOKENS = 4_000;
/** The answer takes no more of a small window than this. */
const OUTPUT_SHARE_MAX = 0.25;

const DEFAULT_STAGED: StagedSettings = {
  baseChunkRatio: BASE_CHUNK_RATIO,
  minChunkRatio: MIN_CHUNK_RATIO,
  parts: 2,
  minMessagesForSplit: 4,
  concurrency: 4,
  maxHistoryShare: MAX_HISTORY_SHARE,
};

export function resolveLlmOptions(options: LlmOptions): LlmSettings {
  checkLlmOptions(options);
  const { windowTokens = WINDOW_TOKENS, maxOutputTokens = MAX_OUTPUT_TOKENS, mode = "update" } = options;
  const settings: LlmSettings = {
    complete: options.complete,
    windowTokens,
    model: options.model,
    pack: promptPack(options.pack ?? "checkpoint"),
    mode,
    style: options.style ?? "labelled",
    input: { ...DEFAULT_SUMMARY_INPUT, ...(mode !== "single" && { maxChars: 0 }), ...options.input },
    staged: { ...DEFAULT_STAGED, ...options.staged },
    maxOutputTokens: Math.min(maxOutputTokens, Math.floor(windowTokens * OUTPUT_SHARE_MAX)),
    temperature: options.temperature ?? 0,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    maxCalls: options.maxCalls ?? MAX_CALLS,
    allowPartial: options.allowPartial ?? true,
    guard: options.guard ?? true,
    rankFacts: options.rankFacts,
    inBand: options.inBand ?? false,
  };
  check(settings);
  return settings;
}

/** Whoever states one number of a group leaves the others to the settings. */
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
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
    // Named again for the compiler: it is never undefined.
    complete: options.complete,
    input: { ...summary.input, ...options.input },
    staged: { ...summary.staged, ...options.staged },
  };
}

function check(settings: LlmSettings): void {
  const { windowTokens, maxOutputTokens, timeoutMs, retry, maxCalls, staged } = settings;
  require(typeof settings.complete === "function", "complete must be a function");
  require(windowTokens >= MIN_WINDOW_TOKENS, `windowTokens must be at least ${MIN_WINDOW_TOKENS}`);
  require(maxOutputTokens >= 1, "maxOutputTokens must be at least 1");
  require(timeoutMs > 0, "timeoutMs must be above 0");
  require(retry.maxAttempts >= 1, "retry.maxAttempts must be at least 1");
  require(Number.isInteger(maxCalls) && maxCalls >= 1, "maxCalls must be a whole number of at least 1");
  require(staged.concurrency >= 1, "staged.concurrency must be at least 1");
  require(staged.parts >= 1, "staged.parts must be at least 1");
}

function require(condition: boolean, message: string): void {
  if (!condition) throw new CompactionError("invalid-settings", `llm: ${message}.`);
}

/** Tokens, by the counter, that the text of one request may take: the answer and the counter's error are allowed for. */
export function requestLimit({ windowTokens, maxOutputTokens }: LlmSettings, counterMargin: number): number {
  return Math.floor((windowTokens - maxOutputTokens) / Math.max(SAFETY_MARGIN, counterMargin));
}

function checkLlmOptions(options: unknown): void {
  refuseProblems(problemsOf(options).map(({ path, message }) => ({ path, message: `llm: ${message}` })));
}

const whole = (min: number): Schema => ({ type: "number", whole: true, min, about: "" });
const ratio: Schema = { type: "number", min: 0, max: 1, about: "" };
const flag: Schema = { type: "boolean", about: "" };

/** The options that are data. What each is for stands in `LlmOptions`; whether they go together is checked once settled. */
const DATA: ObjectSchema = {
  type: "object",
  about: "",
  keys: {
    windowTokens: whole(1),
    model: { type: "text", filled: true, about: "" },
    name: { type: "text", filled: true, about: "" },
    mode: { type: "choice", values: { single: "", update: "", staged: "" }, about: "" },
    style: { type: "choice", values: { labelled: "", nous: "" }, about: "" },
    input: {
      type: "object",
      about: "",
      keys: { resultHeadChars: whole(0), resultTailChars: whole(0), toolInputChars: whole(0), maxChars: whole(0) },
    },
    staged: {
      type: "object",
      about: "",
      keys: {
        baseChunkRatio: ratio,
        minChunkRatio: ratio,
        parts: whole(1),
        minMessagesForSplit: whole(1),
        concurrency: whole(1),
        maxHistoryShare: ratio,
      },
    },
    maxOutputTokens: whole(1),
    temperature: { type: "number", min: 0, max: 2, about: "" },
    timeoutMs: { type: "number", above: 0, about: "" },
    maxCalls: whole(1),
    allowPartial: flag,
    guard: flag,
    inBand: flag,
  },
};

/** Numbers of `retry`; its other options are functions. */
const RETRY: ObjectSchema = {
  type: "object",
  about: "",
  keys: {
    maxAttempts: whole(1),
    firstDelayMs: { type: "number", min: 0, about: "" },
    factor: { type: "number", above: 0, about: "" },
    maxStatedDelayMs: { type: "number", min: 0, about: "" },
  },
};
const RETRY_FUNCTIONS: readonly string[] = ["isRetryable", "isOverflow", "sleep", "now"];

const PACKS: Schema = {
  type: "choice",
  values: { narrative: "", checkpoint: "", safeguard: "", minimal: "" },
  about: "",
};
const CUSTOM_PACK: Schema = {
  type: "object",
  about: "",
  keys: {
    name: { type: "text", filled: true, about: "" },
    version: { type: "text", filled: true, about: "" },
    task: { type: "text", filled: true, about: "" },
    sections: { type: "list", of: { type: "text", filled: true, about: "" }, maxItems: 100, about: "" },
  },
};

/** The name that settings have for it. */
const MEANT: Readonly<Record<string, string>> = { promptPack: "pack" };

function problemsOf(options: unknown): readonly Problem[] {
  if (!isPlainObject(options))
    return [{ path: "", message: `the options must be an object, not ${shownValue(options)}` }];
  const { complete, rankFacts, pack, retry, ...data } = options;
  const known = [...Object.keys(DATA.keys), "complete", "rankFacts", "pack", "retry"];
  const strangers = Object.keys(data).filter((key) => !known.includes(key));
  const named = Object.fromEntries(Object.entries(data).filter(([key]) => known.includes(key)));
  return [
    ...strangers.map((key) => unknownKey(key, known)),
    ...functionProblem("complete", complete, true),
    ...functionProblem("rankFacts", rankFacts, false),
    ...checkSchema(named, DATA, { partial: true }),
    ...packProblems(pack),
    ...retryProblems(retry),
  ];
}

function unknownKey(key: string, known: readonly string[]): Problem {
  const near = MEANT[key] ?? nearestWord(key, known);
  const hint = near === undefined ? `allowed: ${known.join(", ")}` : `did you mean ${near}?`;
  return { path: key, message: `unknown option ${shownValue(key)}; ${hint}` };
}

function functionProblem(path: string, value: unknown, isNeeded: boolean): readonly Problem[] {
  if (typeof value === "function" || (value === undefined && !isNeeded)) return [];
  return [{ path, message: `${path} must be a function, but is ${shownValue(value)}` }];
}

function packProblems(pack: unknown): readonly Problem[] {
  if (pack === undefined) return [];
  const problems = isPlainObject(pack)
    ? checkSchema({ sections: [], ...pack }, CUSTOM_PACK, { partial: false })
    : checkSchema(pack, PACKS, { partial: false, subject: "" });
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
    ...checkSchema({ retry: numbers }, { type: "object", about: "", keys: { retry: RETRY } }, { partial: true }),
    ...RETRY_FUNCTIONS.flatMap((key) => functionProblem(`retry.${key}`, retry[key], false)),
  ];
}
