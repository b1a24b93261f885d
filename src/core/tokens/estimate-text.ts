/**
 * The default estimate of a text's tokens: a linear model over the pieces a byte-pair tokenizer would split it into, fitted
 * to exact o200k counts of text in every script (bench/estimator-fit.ts; how well it does: `npm run estimator` in bench/).
 * Linear time on any input, no regular expression, nothing allocated per piece. Never exact: see `palimpsest/tokens/exact`.
 */

import { CHARACTERS, WEIGHT_VALUES } from "./estimate-model.ts";
import { scanWindow } from "./estimate-plain.ts";
import { createScan, loadCodes } from "./estimate-window.ts";

/** Small enough for a processor's nearest cache, large enough that most messages are one window. */
const WINDOW_UNITS = 8_192;
/** Scratch space. Every call fills it afresh and returns before another can begin, so nothing is ever shared. */
const scan = createScan(CHARACTERS, WEIGHT_VALUES, WINDOW_UNITS);

/** Fractional, so that sums of many short texts do not gather rounding errors. */
export function estimateText(text: string): number {
  scan.tokens[0] = 0;
  for (let from = 0; from < text.length; ) {
    from = loadCodes(scan, text, from);
    scanWindow(scan);
  }
  return scan.tokens[0] ?? 0;
}
