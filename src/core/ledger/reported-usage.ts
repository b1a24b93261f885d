/**
 * What providers reported for one conversation, per model, and the size of the next request that follows from it: the
 * newest report for the prefix it covered, plus the calibrated estimate of what came since. It knows sizes and counts
 * only, never a message.
 *
 * What nobody shows us (a client's system prompt, its tool definitions) is learned as hidden tokens: reported minus
 * calibrated. They belong to the conversation, not to a model, and outlive an edit of the prefix, which takes the report
 * itself away; so a model asked for the first time starts from the uncalibrated estimate plus what is hidden.
 */

import { type Calibration, type Evidence, isPlausible } from "./calibration.ts";

/** Input tokens reported for the first `messageCount` messages, beside our estimate of the same. */
export interface Report extends Evidence {
  readonly messageCount: number;
}

export interface ReportedUsage {
  report(model: string, report: Report): void;
  /** Expected input tokens of a request that we estimate at `estimatedTokens`. */
  expect(model: string, estimatedTokens: number): number;
  /** Messages from this index on were edited or removed: reports that covered them hold no longer. */
  forgetFrom(messageIndex: number): void;
}

/** A whole request says more about what is hidden than about the ratio, so it counts for no more than this. */
const WHOLE_TOKENS_MAX = 4_000;
/** More than the dearest tokenizer known takes for the same text: beyond it, something is hidden. */
const WHOLE_RATIO_MAX = 1.6;

export function createReportedUsage(calibration: Calibration): ReportedUsage {
  /** The newest report of each model whose prefix is still as it was. */
  const reports = new Map<string, Report>();
  let hiddenTokens = 0;
  return {
    report: (model, now) => {
      const evidence = evidenceOf(reports.get(model), now);
      if (evidence !== undefined) calibration.learn(model, evidence);
      reports.set(model, now);
      hiddenTokens = Math.max(0, now.reportedTokens - now.estimatedTokens * calibration.ratio(model));
    },
    expect: (model, estimatedTokens) => {
      const last = reports.get(model) ?? { reportedTokens: hiddenTokens, estimatedTokens: 0 };
      const sinceTokens = (estimatedTokens - last.estimatedTokens) * calibration.ratio(model);
      return Math.max(0, Math.round(last.reportedTokens + sinceTokens));
    },
    forgetFrom: (messageIndex) => {
      for (const [model, { messageCount }] of reports) if (messageCount > messageIndex) reports.delete(model);
    },
  };
}

/**
 * What was added between two reports, free of whatever is hidden; the first report can only speak as a whole. A request
 * that shrank teaches nothing, since no calibration takes negative evidence.
 */
function evidenceOf(last: Report | undefined, now: Report): Evidence | undefined {
  if (last === undefined) return wholeEvidence(now);
  return {
    reportedTokens: now.reportedTokens - last.reportedTokens,
    estimatedTokens: now.estimatedTokens - last.estimatedTokens,
  };
}

function wholeEvidence(now: Report): Evidence | undefined {
  const ratio = now.reportedTokens / now.estimatedTokens;
  if (!isPlausible(now) || ratio > WHOLE_RATIO_MAX) return undefined;
  const estimatedTokens = Math.min(now.estimatedTokens, WHOLE_TOKENS_MAX);
  return { estimatedTokens, reportedTokens: estimatedTokens * ratio };
}
