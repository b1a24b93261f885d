/** The ratio moves with evidence: fast at first, by weight, within bounds, separately for each model. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createCalibration, type Evidence, RATIO_MAX, RATIO_MIN } from "./learned.ts";

function ratioAfter(...evidence: readonly (readonly [estimated: number, reported: number])[]): number {
  const calibration = createCalibration();
  for (const [estimatedTokens, reportedTokens] of evidence) calibration.learn("m", { estimatedTokens, reportedTokens });
  return calibration.ratio("m");
}

test("nothing learned is 1", () => expect(ratioAfter()).toBe(1));
test("one short answer decides little", () => expect(ratioAfter([100, 200])).toBeCloseTo(1.09, 2));
test("one long answer decides much", () => expect(ratioAfter([20_000, 26_000])).toBeCloseTo(1.29, 2));
test("large evidence outweighs small", () => expect(ratioAfter([10_000, 11_000], [50, 150])).toBeLessThan(1.11));
test("old evidence fades", () => {
  const long = Array.from({ length: 60 }, (): readonly [number, number] => [10_000, 13_000]);
  expect(ratioAfter([100_000, 80_000], ...long)).toBeCloseTo(1.3, 2);
});

test("what cannot be the estimate's fault is left out", () => {
  const impossible: readonly (readonly [number, number])[] = [
    [100, 5_000],
    [5_000, 60],
    [100, -50],
    [0, 100],
    [-100, -100],
    [100, Number.NaN],
  ];
  expect(ratioAfter(...impossible)).toBe(1);
});

test("models are calibrated apart", () => {
  const calibration = createCalibration();
  calibration.learn("dear", { estimatedTokens: 50_000, reportedTokens: 65_000 });
  expect([calibration.ratio("dear") > 1.25, calibration.ratio("plain")]).toEqual([true, 1]);
});

test("of any number of models, those that nothing was heard of for longest are forgotten", () => {
  const calibration = createCalibration();
  for (let model = 0; model <= 1_000; model++) {
    calibration.learn(`model-${model}`, { estimatedTokens: 1_000, reportedTokens: 2_000 });
  }
  const isLearned = (model: string): boolean => calibration.ratio(model) > 1;
  expect(["model-0", "model-1", "model-1000"].map(isLearned)).toEqual([false, true, true]);
});

test("no evidence leads out of the bounds", () => {
  const evidence = fc.record({ estimatedTokens: fc.integer(), reportedTokens: fc.integer() });
  fc.assert(
    fc.property(fc.array(evidence), (all: readonly Evidence[]) => {
      const calibration = createCalibration();
      for (const one of all) calibration.learn("m", one);
      expect(calibration.ratio("m")).toBeGreaterThanOrEqual(RATIO_MIN);
      expect(calibration.ratio("m")).toBeLessThanOrEqual(RATIO_MAX);
    }),
  );
});
