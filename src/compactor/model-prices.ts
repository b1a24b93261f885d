/**
 * The providers' published prices, as of 16 November 2026, in USD per million tokens. Facts that age: what a caller states wins, and a
 * model that is not here has no price. Only names as the providers themselves use them: whoever resells a model has prices of their own.
 * Absent are models whose price is announced to change, or told in two ways (gpt-5.6-sol, claude-sonnet-5-5).
 */

import type { Prices } from "./cost.ts";

/** What a request costs; above so many input tokens, all of it costs more. */
export interface Tariff {
  readonly prices: Prices;
  readonly above?: { readonly inputTokens: number; readonly prices: Prices };
}

/** Undefined for a model that is not known here. A name may carry the date of its version. */
export function tariffOf(model: string): Tariff | undefined {
  const name = model.replace(/^models\//, "");
  return TARIFFS.get(name) ?? TARIFFS.get(name.replace(/-20\d\d-?[01]\d-?[0-3]\d$/, ""));
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

/** Writing to Anthropic's cache is priced for five minutes; for an hour it is more. */
const TARIFFS: ReadonlyMap<string, Tariff> = new Map([
  ["claude-fable-5-1", flat([10, 50, 0.25, 12.5])],
  ["claude-mythos-5-1", flat([10, 50, 0.25, 12.5])],
  ["claude-fable-5", flat([10, 50, 1, 12.5])],
  ["claude-mythos-5", flat([10, 50, 1, 12.5])],
  ["claude-opus-5-5", flat([4, 20, 0.2, 5])],
  ["claude-opus-5", flat([5, 25, 0.5, 6.25])],
  ["claude-opus-4-8", flat([5, 25, 0.5, 6.25])],
  ["claude-opus-4-7", flat([5, 25, 0.5, 6.25])],
  ["claude-opus-4-6", flat([5, 25, 0.5, 6.25])],
  ["claude-opus-4-5", flat([5, 25, 0.5, 6.25])],
  ["claude-sonnet-5", flat([2, 10, 0.2, 2.5])],
  ["claude-sonnet-4-6", flat([3, 15, 0.3, 3.75])],
  ["claude-sonnet-4-5", flat([3, 15, 0.3, 3.75])],
  ["claude-haiku-5-5", stepped([0.1, 0.5, 0.01, 0.125], 100_000, [0.5, 2.5, 0.05, 0.625])],
  ["claude-haiku-4-5", flat([1, 5, 0.1, 1.25])],
  ["gpt-6-astra", openai(10, 50, 1, 12.5)],
  ["gpt-6.1-sol", openai(2, 10, 0.1, 2.5)],
  ["gpt-6.1-terra", openai(1, 5, 0.05, 1.25)],
  ["gpt-6-sol", openai(2, 10, 0.2, 2.5)],
  ["gpt-6-luna", openai(0.1, 0.5, 0.01, 0.125)],
  ["gpt-5.6-terra", openai(2, 12, 0.2, 2.5)],
  ["gpt-5.6-luna", openai(0.2, 1.2, 0.02, 0.25)],
  ["gpt-5.5", openai(5, 30, 0.5)],
  ["gpt-5.4", openai(2.5, 15, 0.25)],
  ["gpt-5.4-mini", flat([0.75, 4.5, 0.075])],
  ["gpt-5.4-nano", flat([0.2, 1.25, 0.02])],
  ["gpt-5.3-codex", flat([1.75, 14, 0.175])],
  ["gpt-5.2", flat([1.75, 14, 0.175])],
  ["gpt-5.1", flat([1.25, 10, 0.125])],
  ["gpt-5", flat([1.25, 10, 0.125])],
  ["gpt-5-mini", flat([0.25, 2, 0.025])],
  ["gpt-5-nano", flat([0.05, 0.4, 0.005])],
  ["gpt-4.1", flat([2, 8, 0.5])],
  ["gpt-4.1-mini", flat([0.4, 1.6, 0.1])],
  ["gpt-4.1-nano", flat([0.1, 0.4, 0.025])],
  ["gpt-4o", flat([2.5, 10, 1.25])],
  ["gpt-4o-mini", flat([0.15, 0.6, 0.075])],
  ["o3", flat([2, 8, 0.5])],
  ["o4-mini", flat([1.1, 4.4, 0.275])],
  ["gemini-4-argon", flat([2, 10, 0.1])],
  ["gemini-3.8-flash", flat([0.75, 3.75, 0.075])],
  ["gemini-3.7-flash", flat([0.75, 3.75, 0.075])],
  ["gemini-3.6-flash", flat([0.75, 3.75, 0.075])],
  ["gemini-3.5-flash", flat([1.5, 9, 0.15])],
  ["gemini-3.5-flash-lite", flat([0.3, 2.5, 0.03])],
  ["gemini-3.1-pro-preview", stepped([2, 12, 0.2], 200_000, [4, 18, 0.4])],
  ["gemini-3.1-flash-lite", flat([0.25, 1.5, 0.025])],
  ["gemini-3-flash-preview", flat([0.5, 3, 0.05])],
  ["gemini-2.5-pro", stepped([1.25, 10, 0.125], 200_000, [2.5, 15, 0.25])],
  ["gemini-2.5-flash", flat([0.3, 2.5, 0.03])],
  ["gemini-2.5-flash-lite", flat([0.1, 0.4, 0.01])],
]);
