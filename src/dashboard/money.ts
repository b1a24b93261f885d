/** What the requests of a session cost, and what they would have cost with everything in them. Pure; by published prices. */

import { costOf, tariffOf } from "../compactor/model-facts.ts";
import type { CompactionEvent } from "../core/store/store.ts";
import type { RequestRecord } from "../core/store/traffic.ts";
import type { Money } from "./wire.ts";

/** How long providers keep a prefix in their cache after it was read last. */
const CACHE_LIFE_MS = 5 * 60_000;

export interface Priced {
  readonly model: string;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
}

export function moneyOf(requests: readonly RequestRecord[], events: readonly CompactionEvent[]): Money {
  const answered = requests.filter(({ inputTokens }) => inputTokens !== null);
  const everything = everythingSent(answered);
  const compactionsUsd = events.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const requestsUsd = sumOf(answered.map(pricedOf).map(priceOf));
  return {
    spentUsd: requestsUsd === null ? null : requestsUsd + compactionsUsd,
    compactionsUsd,
    everythingUsd: sumOf(everything.map(priceOf)),
    overWindow: everything.filter(({ inputTokens }, index) => inputTokens > (answered[index]?.windowTokens ?? Infinity))
      .length,
  };
}

function pricedOf(request: RequestRecord): Priced {
  const { model, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = request;
  return {
    model,
    inputTokens: inputTokens ?? 0,
    cacheReadTokens: cacheReadTokens ?? 0,
    cacheWriteTokens: cacheWriteTokens ?? 0,
    outputTokens: outputTokens ?? 0,
  };
}

/**
 * The same requests over the whole conversation; one that held all of it is what it was. The estimate of its size is scaled by what the provider counted for the sent part.
 * Where the provider cached anything, the whole of the request before is read from its cache, unless that was too long ago.
 */
function everythingSent(requests: readonly RequestRecord[]): readonly Priced[] {
  const isCached = requests.some(({ cacheReadTokens }) => (cacheReadTokens ?? 0) > 0);
  const isWritten = requests.some(({ cacheWriteTokens }) => (cacheWriteTokens ?? 0) > 0);
  let before: { readonly tokens: number; readonly at: number } | undefined;
  return requests.map((request) => {
    const sent = pricedOf(request);
    const { fullTokens, viewTokens } = request;
    const at = Date.parse(request.at);
    if (fullTokens <= viewTokens) {
      before = { tokens: sent.inputTokens, at };
      return sent;
    }
    const ratio = viewTokens > 0 ? sent.inputTokens / viewTokens : 1;
    const tokens = Math.max(sent.inputTokens, Math.round(fullTokens * ratio));
    const isWarm = isCached && before !== undefined && at - before.at <= CACHE_LIFE_MS;
    const cacheReadTokens = isWarm ? Math.min(before?.tokens ?? 0, tokens) : 0;
    before = { tokens, at };
    return {
      ...sent,
      inputTokens: tokens,
      cacheReadTokens,
      cacheWriteTokens: isWritten ? tokens - cacheReadTokens : 0,
    };
  });
}

function priceOf(request: Priced): number | null {
  const tariff = tariffOf(request.model);
  const isLong = tariff?.above !== undefined && request.inputTokens > tariff.above.inputTokens;
  return costOf(request, isLong ? tariff.above?.prices : tariff?.prices) ?? null;
}

/** Null where one is unknown, or there is none: a partial sum would look like the whole. */
function sumOf(costs: readonly (number | null)[]): number | null {
  if (costs.length === 0) return null;
  return costs.reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
}
