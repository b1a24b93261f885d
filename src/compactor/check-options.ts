/** What `createCompactor` is made from, checked by shape at once: nothing wrong waits for the first long conversation. */

import { CompactionError } from "../core/errors.ts";
import { isPlainObject, shownValue } from "../core/settings/check-schema.ts";
import { nearestWord } from "../core/settings/near-word.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";

/** Settings stand among these options, and are checked with the other layers of settings. */
export function checkOptions(options: unknown, settingsKeys: readonly string[]): void {
  if (!isObject(options)) throw invalid(`createCompactor takes { format, … }, not ${shownValue(options)}`);
  for (const key of Object.keys(options)) checkName(key, settingsKeys);
  if (options.format === undefined) {
    throw invalid('format is missing; import one, e.g. anthropicMessages from "palimpsest/formats/anthropic-messages"');
  }
  for (const [key, [allowed, fits]] of Object.entries(KINDS)) {
    const value = options[key];
    if (value !== undefined && !fits(value)) throw invalid(`${key} must be ${allowed}, but is ${shownValue(value)}`);
  }
}

const KINDS: Readonly<Record<string, readonly [allowed: string, fits: (value: unknown) => boolean]>> = {
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
  counter: ["a token counter, such as messageCounter({ name, countText }) makes", isCounter],
  prices: ["{ input, output, cacheRead?, cacheWrite? }, numbers of at least 0", arePrices],
  telemetry: ["true, false, or { tracer, meter }", (value) => typeof value === "boolean" || isObject(value)],
  keepRecent: ["a function", (value) => typeof value === "function"],
  scoreMessage: ["a function", (value) => typeof value === "function"],
  // What a hook may be is said where the hooks are settled.
  hooks: ["an object of hooks", isObject],
  hookContext: ["an object", isObject],
  logger: [
    "a logger with debug, info, warn and error",
    (value) => hasFunctions(value, ["debug", "info", "warn", "error"]),
  ],
  now: ["a function", (value) => typeof value === "function"],
};

/** A name that is near one of ours is refused here; any other is left to the settings, which know their own names. */
function checkName(key: string, settingsKeys: readonly string[]): void {
  const known = Object.keys(KINDS);
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

/** Of any class: clients and loggers are seldom plain. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
