import { expect, test } from "vitest";
import { randomSettings } from "./../test/random-settings.ts";
import { sampleOf, seed } from "./../test/sample.ts";
import { CompactionError } from "./core/errors.ts";
import type { Settings } from "./core/settings/settings.ts";
import { profileNames } from "./profiles/profiles.ts";
import { crossCheck, refitToWindow, resolveSettings } from "./settings.ts";
import { createRandom } from "./testing/random.ts";

function amounts({ compact, protect, maxOutputTokens, summary }: Settings): readonly unknown[] {
  const [trigger] = compact.triggers.slice(-1);
  const limit = trigger?.type === "reserve" ? trigger.reserveTokens : trigger?.type === "absolute" ? trigger.tokens : 0;
  return [limit, protect.tailTokens, maxOutputTokens, summary.budget.maxTokens];
}

test.each([
  // The profile's own values while they fit, then shares of the window.
  ["balanced", 200_000, [20_000, 20_000, 16_000, 8_000]],
  ["balanced", 1_000_000, [20_000, 20_000, 16_000, 8_000]],
  ["balanced", 128_000, [20_000, 20_000, 16_000, 8_000]],
  ["balanced", 80_000, [20_000, 20_000, 16_000, 8_000]],
  ["balanced", 32_000, [8_000, 9_600, 8_000, 3_200]],
  ["balanced", 8_000, [2_000, 2_400, 2_000, 800]],
  ["micro-agent", 128_000, [80_000, 0, 8_000, 4_096]],
  ["micro-agent", 64_000, [51_200, 0, 8_000, 4_096]],
] as const)("%s in a window of %i", (profile, windowTokens, expected) => {
  expect(amounts(resolveSettings({ profile, user: { windowTokens } }))).toEqual(expected);
});

test("every profile resolves in every window", () => {
  for (const profile of profileNames) {
    for (let windowTokens = 1; windowTokens < 3_000_000; windowTokens = Math.ceil(windowTokens * 1.4)) {
      expect(resolveSettings({ profile, provider: { windowTokens } }).windowTokens).toBe(windowTokens);
    }
  }
});

test("what a caller sets is never fitted", () => {
  const { protect } = resolveSettings({ user: { windowTokens: 32_000, protect: { tailTokens: 12_000 } } });
  expect(protect.tailTokens).toBe(12_000);
  const tooLarge = { windowTokens: 32_000, protect: { tailTokens: 32_000 } };
  expect(() => resolveSettings({ user: tooLarge })).toThrow("must be below windowTokens (32,000)");
});

test("a preset's target becomes a share where the amount is too large", () => {
  const target = (windowTokens: number) =>
    resolveSettings({ profile: "agentpg-high-volume", call: { windowTokens } }).compact.target;
  expect(target(100_000)).toEqual({ type: "tokens", tokens: 40_000 });
  expect(target(50_000)).toEqual({ type: "ratioOfWindow", ratio: 0.4 });
});

test("settled settings follow a window that nobody told, whatever a caller set", () => {
  const user = { protect: { tailTokens: 60_000 }, compact: { target: { type: "tokens", tokens: 120_000 } } } as const;
  const told = resolveSettings({ user });
  expect(refitToWindow(told, told.windowTokens)).toBe(told);
  const { compact, protect, windowTokens } = refitToWindow(told, 24_000);
  expect([windowTokens, protect.tailTokens, compact.target]).toEqual([
    24_000,
    7_200,
    { type: "ratioOfWindow", ratio: 0.4 },
  ]);
  expect(refitToWindow(told, 1_000_000).protect.tailTokens).toBe(60_000);
});

test("and stay in order", () => {
  const random = createRandom(seed);
  let tried = 0;
  for (let run = 0; run < sampleOf(5_000, 500); run++) {
    const profile = profileNames[random.below(profileNames.length)];
    const settled = settledOr(() => resolveSettings({ profile, user: randomSettings(random) }));
    if (settled === undefined) continue;
    tried++;
    const windowTokens = 16 + random.below(Math.max(20, settled.windowTokens));
    expect(crossCheck(refitToWindow(settled, windowTokens)), `seed ${seed}, run ${run}`).toEqual([]);
  }
  expect(tried).toBeGreaterThan(50);
});

/** Generated settings may contradict each other: those are refused; shipped ones never are. */
function settledOr(settle: () => Settings): Settings | undefined {
  try {
    return settle();
  } catch (error) {
    if (error instanceof CompactionError) return undefined;
    throw error;
  }
}
