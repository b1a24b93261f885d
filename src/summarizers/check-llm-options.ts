/**
 * What the llm summarizer is made from, checked before anything is settled: a misspelt limit must not silently become the
 * default. Says the first problem in one line and the others by name; changes nothing.
 */

import { checkSchema, isPlainObject, type Problem, shownValue } from "../core/settings/check-schema.ts";
import { nearestWord } from "../core/settings/near-word.ts";
import { refuseProblems } from "../core/settings/refuse-problems.ts";
import type { ObjectSchema, Schema } from "../core/settings/schema.ts";

export function checkLlmOptions(options: unknown): void {
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
