/** On recorded usage, `inspect` knows the size of the next request: a sample of what bench/calibration.ts measures in full. */

import { expect, test } from "vitest";
import { errorsOf, predict } from "../bench/predictions.ts";
import { hasRecordings, readSessions } from "../bench/recorded-calls.ts";

const SAMPLE: readonly string[] = ["spotter_cc", "ccviewer_cc", "openhands_sdk", "mastra_recordings"];

test.skipIf(!hasRecordings())(
  "after calibration: mean error at most 3 %, p95 at most 7 % (skipped without ../shared/data)",
  () => {
    const predictions = SAMPLE.flatMap((folder) => readSessions(folder).flatMap(predict));
    const { calls, mean, p95 } = errorsOf(
      predictions.filter(({ isFirst }) => !isFirst),
      "inspect",
    );
    expect(calls).toBeGreaterThan(300);
    expect(mean).toBeLessThan(0.03);
    expect(p95).toBeLessThan(0.07);
  },
);
