import { describe, expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { type ProfileName, profileNames } from "../profiles/profiles.ts";
import { calibratedCounter } from "./engine.ts";

const detail = (index: number): string =>
  Array.from(
    { length: 20 },
    (_, part) =>
      `We changed src/mod${index}_${part}/handler${part * 7}.ts because order_${index * 97 + part} failed with E${1000 + index * 41 + part}.`,
  ).join(" ");

const REQUEST: JsonObject = {
  model: "claude-opus-5",
  max_tokens: 100,
  system: "You are a build agent.",
  messages: [
    { role: "user", content: "Fix the pipeline." },
    ...Array.from({ length: 20 }, (_, index) => [
      { role: "assistant", content: detail(index) },
      { role: "user", content: `Next step ${index}: look at item_${index}.` },
    ]).flat(),
  ],
};

/** After the provider counted this many times our estimate, often enough to be believed. */
function learned(profile: ProfileName, factor: number) {
  const compactor = createCompactor({ format: anthropicMessages, profile, windowTokens: 200_000, telemetry: false });
  const input_tokens = Math.round(compactor.plan(REQUEST).tokensBefore * factor);
  for (let report = 0; report < 80; report++) compactor.observe(REQUEST, { usage: { input_tokens, output_tokens: 3 } });
  return compactor;
}

describe.each(profileNames.filter((name) => !name.startsWith("agentpg-")))("%s", (profile) => {
  test.each([0.7, 1.5])("at %d times the estimate, budget, result and report are in one unit", async (factor) => {
    const { request, report } = await learned(profile, factor).compact(REQUEST, { target: { ratio: 0.1 } });
    expect(report).toMatchObject({ compacted: true, fits: true });
    expect(report.tokensAfter).toBeLessThanOrEqual(report.targetTokens ?? 0);
    const recounted = learned(profile, factor).plan(request).tokensBefore;
    // Some counters round each message by itself.
    expect(Math.abs(report.tokensAfter - recounted)).toBeLessThan(10);
    const unlearned = await learned(profile, 1).compact(REQUEST, { target: { ratio: 0.1 } });
    expect((report.ratios.zone ?? 0) / (unlearned.report.ratios.zone ?? 1)).toSatisfy(
      (ratio: number) => Math.abs(ratio - 1) < 0.15,
    );
  });
});

test("a summarizer of another model is never sent more than the estimate allows", () => {
  const counter = estimateTokens();
  const text = "what is counted ".repeat(50);
  const low = calibratedCounter(counter, 0.5);
  expect(low.countText(text) * low.safetyMargin).toBeCloseTo(counter.countText(text) * counter.safetyMargin, -1);
  expect(calibratedCounter(counter, 2).safetyMargin).toBe(counter.safetyMargin);
  expect(calibratedCounter(counter, 1)).toBe(counter);
});
