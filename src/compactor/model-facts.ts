/**
 * What providers publish about their models, as of 16 November 2026: window, longest answer, prices in USD per million tokens. Facts age: a
 * caller's value wins, and so does a window learned from a refusal. A model that is not listed has neither window nor price.
 */

import type { Usage } from "../core/ports.ts";
import type { Prices } from "./report.ts";

/** The price of a request; above a number of input tokens, a higher one for all of it. */
export interface Tariff {
  readonly prices: Prices;
  readonly above?: { readonly inputTokens: number; readonly prices: Prices };
}

interface ModelFacts {
  /** The most input tokens that a request may hold. */
  readonly windowTokens: number;
  /** Absent where the price is announced to change, or published in two ways. */
  readonly tariff?: Tariff;
}

/** The input window of a model, whatever vendor stands before its name (`anthropic/claude-opus-5`); undefined for an unknown one. */
export function windowOfModel(model: string): number | undefined {
  const name = model
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z]+\.)*anthropic\./, "")
    .replace(/(?:-v\d+)?(?:[:@].*)?$/, "");
  // Some gateways write `claude-opus-4.5`.
  return factsOf(name.startsWith("claude") ? name.replaceAll(".", "-") : name)?.windowTokens;
}

/** Undefined for an unknown model. Only names as the providers use them: a reseller has its own prices. */
export function tariffOf(model: string): Tariff | undefined {
  return factsOf(model.replace(/^models\//, ""))?.tariff;
}

/** In USD; undefined where the prices are. */
export function costOf(usage: Omit<Usage, "reasoningTokens">, prices: Prices | undefined): number | undefined {
  if (prices === undefined) return undefined;
  const uncached = usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens;
  const total =
    uncached * prices.input +
    usage.cacheReadTokens * (prices.cacheRead ?? prices.input) +
    usage.cacheWriteTokens * (prices.cacheWrite ?? prices.input) +
    usage.outputTokens * prices.output;
  return total / 1e6;
}

/** A name may carry the date of its version. */
function factsOf(name: string): ModelFacts | undefined {
  return FACTS.get(name) ?? FACTS.get(name.replace(/-(?:20\d\d-?[01]\d-?[0-3]\d|latest)$/, ""));
}

type Row = readonly [input: number, output: number, cacheRead: number, cacheWrite?: number | undefined];

function pricesOf([input, output, cacheRead, cacheWrite]: Row): Prices {
  return { input, output, cacheRead, ...(cacheWrite !== undefined && { cacheWrite }) };
}

const flat = (row: Row): Tariff => ({ prices: pricesOf(row) });
const stepped = (row: Row, inputTokens: number, above: Row): Tariff => ({
  prices: pricesOf(row),
  above: { inputTokens, prices: pricesOf(above) },
});

/** From GPT-5.4 on, a long request costs twice as much to read and half as much again to answer. */
const OPENAI_LONG_TOKENS = 272_000;
function openai(...row: Row): Tariff {
  const [input, output, cacheRead, cacheWrite] = row;
  const long: Row = [2 * input, 1.5 * output, 2 * cacheRead, cacheWrite && 2 * cacheWrite];
  return stepped(row, OPENAI_LONG_TOKENS, long);
}

/** OpenAI's windows of GPT-5 and GPT-6 include the longest answer, which is no room for input. */
const GPT_ANSWER_TOKENS = 128_000;
const GPT_INPUT_TOKENS = 400_000 - GPT_ANSWER_TOKENS;
const GPT_LONG_INPUT_TOKENS = 1_050_000 - GPT_ANSWER_TOKENS;
const GEMINI_TOKENS = 1_048_576;

/** Anthropic's price of a cache write is the one for five minutes; an hour costs more. */
const FACTS: ReadonlyMap<string, ModelFacts> = new Map(
  Object.entries<readonly [windowTokens: number, tariff?: Tariff]>({
    "claude-fable-5-1": [1_000_000, flat([10, 50, 0.25, 12.5])],
    "claude-mythos-5-1": [1_000_000, flat([10, 50, 0.25, 12.5])],
    "claude-fable-5": [1_000_000, flat([10, 50, 1, 12.5])],
    "claude-mythos-5": [1_000_000, flat([10, 50, 1, 12.5])],
    "claude-opus-5-5": [1_000_000, flat([4, 20, 0.2, 5])],
    "claude-opus-5": [1_000_000, flat([5, 25, 0.5, 6.25])],
    "claude-opus-4-8": [1_000_000, flat([5, 25, 0.5, 6.25])],
    "claude-opus-4-7": [1_000_000, flat([5, 25, 0.5, 6.25])],
    "claude-opus-4-6": [1_000_000, flat([5, 25, 0.5, 6.25])],
    "claude-opus-4-5": [200_000, flat([5, 25, 0.5, 6.25])],
    "claude-sonnet-5-5": [1_000_000],
    "claude-sonnet-5": [1_000_000, flat([2, 10, 0.2, 2.5])],
    "claude-sonnet-4-6": [1_000_000, flat([3, 15, 0.3, 3.75])],
    "claude-sonnet-4-5": [200_000, flat([3, 15, 0.3, 3.75])],
    "claude-haiku-5-5": [1_000_000, stepped([0.1, 0.5, 0.01, 0.125], 100_000, [0.5, 2.5, 0.05, 0.625])],
    "claude-haiku-4-5": [200_000, flat([1, 5, 0.1, 1.25])],
    "gpt-6-astra": [GPT_LONG_INPUT_TOKENS, openai(10, 50, 1, 12.5)],
    "gpt-6.1-sol": [GPT_LONG_INPUT_TOKENS, openai(2, 10, 0.1, 2.5)],
    "gpt-6.1-terra": [GPT_LONG_INPUT_TOKENS, openai(1, 5, 0.05, 1.25)],
    "gpt-6-sol": [GPT_LONG_INPUT_TOKENS, openai(2, 10, 0.2, 2.5)],
    "gpt-6-luna": [GPT_LONG_INPUT_TOKENS, openai(0.1, 0.5, 0.01, 0.125)],
    "gpt-5.6-sol": [GPT_LONG_INPUT_TOKENS],
    "gpt-5.6-terra": [GPT_LONG_INPUT_TOKENS, openai(2, 12, 0.2, 2.5)],
    "gpt-5.6-luna": [GPT_LONG_INPUT_TOKENS, openai(0.2, 1.2, 0.02, 0.25)],
    "gpt-5.5": [GPT_LONG_INPUT_TOKENS, openai(5, 30, 0.5)],
    "gpt-5.4": [GPT_LONG_INPUT_TOKENS, openai(2.5, 15, 0.25)],
    "gpt-5.4-mini": [GPT_INPUT_TOKENS, flat([0.75, 4.5, 0.075])],
    "gpt-5.4-nano": [GPT_INPUT_TOKENS, flat([0.2, 1.25, 0.02])],
    "gpt-5.3-codex": [GPT_INPUT_TOKENS, flat([1.75, 14, 0.175])],
    "gpt-5.2": [GPT_INPUT_TOKENS, flat([1.75, 14, 0.175])],
    "gpt-5.1": [GPT_INPUT_TOKENS, flat([1.25, 10, 0.125])],
    "gpt-5": [GPT_INPUT_TOKENS, flat([1.25, 10, 0.125])],
    "gpt-5-mini": [GPT_INPUT_TOKENS, flat([0.25, 2, 0.025])],
    "gpt-5-nano": [GPT_INPUT_TOKENS, flat([0.05, 0.4, 0.005])],
    "gpt-4.1": [1_047_576, flat([2, 8, 0.5])],
    "gpt-4.1-mini": [1_047_576, flat([0.4, 1.6, 0.1])],
    "gpt-4.1-nano": [1_047_576, flat([0.1, 0.4, 0.025])],
    "gpt-4o": [128_000, flat([2.5, 10, 1.25])],
    "gpt-4o-2024-05-13": [128_000, { prices: { input: 5, output: 15 } }],
    "gpt-4o-mini": [128_000, flat([0.15, 0.6, 0.075])],
    o3: [200_000, flat([2, 8, 0.5])],
    "o4-mini": [200_000, flat([1.1, 4.4, 0.275])],
    "gemini-4-argon": [GEMINI_TOKENS, flat([2, 10, 0.1])],
    "gemini-3.8-flash": [GEMINI_TOKENS, flat([0.75, 3.75, 0.075])],
    "gemini-3.7-flash": [GEMINI_TOKENS, flat([0.75, 3.75, 0.075])],
    "gemini-3.6-flash": [GEMINI_TOKENS, flat([0.75, 3.75, 0.075])],
    "gemini-3.5-flash": [GEMINI_TOKENS, flat([1.5, 9, 0.15])],
    "gemini-3.5-flash-lite": [GEMINI_TOKENS, flat([0.3, 2.5, 0.03])],
    "gemini-3.1-pro-preview": [GEMINI_TOKENS, stepped([2, 12, 0.2], 200_000, [4, 18, 0.4])],
    "gemini-3.1-flash-lite": [GEMINI_TOKENS, flat([0.25, 1.5, 0.025])],
    "gemini-3-flash-preview": [GEMINI_TOKENS, flat([0.5, 3, 0.05])],
    "gemini-2.5-pro": [GEMINI_TOKENS, stepped([1.25, 10, 0.125], 200_000, [2.5, 15, 0.25])],
    "gemini-2.5-flash": [GEMINI_TOKENS, flat([0.3, 2.5, 0.03])],
    "gemini-2.5-flash-lite": [GEMINI_TOKENS, flat([0.1, 0.4, 0.01])],
  }).map(([name, [windowTokens, tariff]]) => [name, { windowTokens, ...(tariff !== undefined && { tariff }) }]),
);
