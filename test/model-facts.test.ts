/** The table of published prices and windows, against a library that keeps such a table. A new version of it shows here what has changed. */

import { findProvider, type ModelInfo, type ModelPrice } from "@pydantic/genai-prices";
import { expect, test } from "vitest";
import { tariffOf, windowOfModel } from "../src/compactor/model-facts.ts";

/** Where the two are known to differ. Delete a line when they agree again. */
const DIFFERENT: readonly string[] = [
  // Half of the library's prices, from a source that is two months newer.
  "gemini-3.6-flash",
  "gemini-3.7-flash",
  "gemini-3.8-flash",
];
/** The library rounds windows, and states those of OpenAI with the longest answer in them. */
const WINDOW_ROUNDING = 1.05;

const known = ["anthropic", "openai", "google"].flatMap(
  (providerId) => findProvider({ providerId })?.models.filter(({ id }) => tariffOf(id) !== undefined) ?? [],
);

test("prices are those that the library has", () => {
  expect(known.length).toBeGreaterThan(35);
  const differing = known.filter(({ id, prices }) => {
    const table = Array.isArray(prices) ? prices.at(-1)?.prices : prices;
    return JSON.stringify(pricesOf(table ?? {})) !== JSON.stringify(ours(id));
  });
  expect(differing.map(({ id }) => id).toSorted()).toEqual(DIFFERENT);
});

test("windows are not larger than those that the library has", () => {
  const isLarger = ({ id, context_window: windowTokens }: ModelInfo): boolean =>
    windowTokens !== undefined && (windowOfModel(id) ?? 0) > windowTokens * WINDOW_ROUNDING;
  expect(known.filter(isLarger).map(({ id }) => id)).toEqual([]);
});

function ours(id: string): readonly (number | undefined)[] {
  const { input, output, cacheRead, cacheWrite } = tariffOf(id)?.prices ?? {};
  return [input, output, cacheRead, cacheWrite];
}

/** Of a short request. */
function pricesOf(table: ModelPrice): readonly (number | undefined)[] {
  return ["input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok"].map((key) => {
    const price = table[key];
    return typeof price === "object" ? price.base : price;
  });
}
