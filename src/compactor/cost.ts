/** What model calls cost: by the prices that a caller states, else by those that are published for the models that answered. Pure. */

import type { Usage } from "../core/ports.ts";
import { type Tariff, tariffOf } from "./model-facts.ts";

/** USD per million tokens. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What was used, and by whom: absent where nobody said who answered, since a model that was asked for need not be the one. */
export interface Bill {
  readonly usage: Usage;
  readonly model: string | undefined;
  /** False where the usage may be that of several requests: then nobody knows how long each of them was. */
  readonly isOneRequest: boolean;
}

/** Undefined where nothing was used, or where the price of anything is unknown: part of a sum would pass for the whole. */
export function costUsd(bills: readonly Bill[], prices: Prices | undefined): number | undefined {
  const costs = bills.map((bill) => costOf(bill.usage, prices ?? publishedPrices(bill)));
  if (costs.length === 0) return undefined;
  return costs.reduce((sum, cost) => (sum === undefined || cost === undefined ? undefined : sum + cost));
}

function publishedPrices({ usage, model, isOneRequest }: Bill): Prices | undefined {
  const tariff: Tariff | undefined = model === undefined ? undefined : tariffOf(model);
  if (tariff?.above === undefined || usage.inputTokens <= tariff.above.inputTokens) return tariff?.prices;
  return isOneRequest ? tariff.above.prices : undefined;
}

function costOf(usage: Usage, prices: Prices | undefined): number | undefined {
  if (prices === undefined) return undefined;
  const uncached = usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens;
  const total =
    uncached * prices.input +
    usage.cacheReadTokens * (prices.cacheRead ?? prices.input) +
    usage.cacheWriteTokens * (prices.cacheWrite ?? prices.input) +
    usage.outputTokens * prices.output;
  return total / 1e6;
}
