/**
 * How well `inspect` knows the size of the next request from recorded usage: prints a table over all recorded calls and exits with 1 when a
 * bar is missed. Run with `npm run calibration` in bench; `--worst` also lists the largest errors.
 */

import { errorsOf, METHODS, type Prediction, predict } from "./predictions.ts";
import { FOLDERS, hasRecordings, RECORDINGS, readSessions } from "./recorded-calls.ts";

const BARS = { mean: 0.03, p95: 0.07 } as const;
const WORST_LISTED = 15;

if (hasRecordings()) run();
else console.log(`There are no recordings in ${RECORDINGS}; nothing was measured.`);

function run(): void {
  const all = FOLDERS.flatMap((folder) => readSessions(folder).flatMap(predict));
  const calibrated = all.filter(({ isFirst }) => !isFirst);
  console.log("Error of the predicted input tokens, mean / p95 of |predicted − reported| / reported.\n");
  console.log(`| calls after calibration | calls | ${METHODS.join(" | ")} |`);
  console.log(`|---|---:|${METHODS.map(() => "---:|").join("")}`);
  for (const folder of FOLDERS)
    printRow(
      folder,
      calibrated.filter((prediction) => prediction.folder === folder),
    );
  printRow("**all**", calibrated);
  const first = all.filter(({ isFirst }) => isFirst);
  printRow(
    "first call, whole request seen",
    first.filter(({ isWhole }) => isWhole),
  );
  printRow(
    "first call, system prompt and tools not seen",
    first.filter(({ isWhole }) => !isWhole),
  );
  console.log("\nErrors as a share of the growth since the call before (all calls after calibration, summed):");
  console.log(METHODS.map((method) => `${method} ${percent(errorsOf(calibrated, method).ofGrowth)}`).join(" · "));
  if (process.argv.includes("--worst")) printWorst(calibrated);
  check(calibrated);
}

function printRow(name: string, predictions: readonly Prediction[]): void {
  if (predictions.length === 0) return;
  const cells = METHODS.map((method) => {
    const { mean, p95 } = errorsOf(predictions, method);
    return `${percent(mean)} / ${percent(p95)}`;
  });
  console.log(`| ${name} | ${predictions.length} | ${cells.join(" | ")} |`);
}

function printWorst(predictions: readonly Prediction[]): void {
  const error = ({ predictedTokens, reportedTokens }: Prediction): number =>
    predictedTokens.inspect / reportedTokens - 1;
  console.log("\nLargest errors of inspect:");
  for (const prediction of predictions
    .toSorted((a, b) => Math.abs(error(b)) - Math.abs(error(a)))
    .slice(0, WORST_LISTED)) {
    const { folder, session, reportedTokens, predictedTokens } = prediction;
    console.log(`${percent(error(prediction))} ${folder} ${session}: ${predictedTokens.inspect} for ${reportedTokens}`);
  }
}

function check(predictions: readonly Prediction[]): void {
  const { calls, mean, p95 } = errorsOf(predictions, "inspect");
  const isMet = mean <= BARS.mean && p95 <= BARS.p95;
  console.log(
    `\n${isMet ? "Met" : "MISSED"}: mean ≤ ${percent(BARS.mean)} and p95 ≤ ${percent(BARS.p95)} over ${calls} calls.`,
  );
  if (!isMet) process.exitCode = 1;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 2 : 1)} %`;
}
