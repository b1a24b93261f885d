/**
 * A counter in the unit that plans are made in: the estimate times what real usage says of it. Budgets, summaries and reports are
 * counted with it, so that they can be compared with the calibrated sizes of messages. Pure.
 */

import type { TokenCounter } from "../core/tokens/tokens.ts";

/** The same counter where nothing was learned. */
export function calibratedCounter(counter: TokenCounter, ratio: number): TokenCounter {
  if (ratio === 1) return counter;
  const scaled =
    <Counted extends readonly unknown[]>(count: (...counted: Counted) => number) =>
    (...counted: Counted): number =>
      Math.round(count(...counted) * ratio);
  return {
    name: counter.name,
    size: counter.size,
    tokens: scaled(counter.tokens),
    count: scaled(counter.count),
    total: scaled(counter.total),
    countParts: scaled(counter.countParts),
    countText: scaled(counter.countText),
    countJson: scaled(counter.countJson),
    countTools: scaled(counter.countTools),
    // A summarizer's model may be another than the one that was observed: it is never sent more than the estimate allows.
    safetyMargin: counter.safetyMargin / Math.min(1, ratio),
  };
}
