/** How a pass ended, told to everybody who looks on, from what was really carried out. Changes nothing of it. */

import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";
import type { Attributes } from "../core/hooks/hook-events.ts";
import { isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import type { Reason } from "../core/plan/plan.ts";
import { sumTokens } from "../core/plan/plan-input.ts";
import { type CarriedOut, strategyOf } from "./carry-out.ts";
import type { StoredEvent } from "./finish.ts";
import type { NativeOutcome, RefusedNative } from "./native.ts";
import type { Pass } from "./pass.ts";
import { leavingIds, PROVIDED_NAME } from "./provided.ts";
import { nativeFallback, type Report } from "./report.ts";

export interface PassOutcome {
  readonly carried: CarriedOut;
  readonly result: { readonly report: Report; readonly stored?: StoredEvent };
}

/** Returns what the pass's span is to say. */
export function tellOutcome(pass: Pass, { carried, result }: PassOutcome): Attributes {
  const { report } = result;
  tellSummary(pass, carried);
  if (report.compacted) tellCompacted(pass, carried, result);
  else tellNothing(pass, report);
  tellEnd(pass, {
    messageCount: report.messagesAfter,
    tokenCount: report.tokensAfter,
    compactedCount: report.compacted ? leavingIds(carried.plan).size : 0,
  });
  return {
    "palimpsest.outcome": report.reason,
    "palimpsest.compacted": report.compacted,
    "palimpsest.tokens.after": report.tokensAfter,
    "palimpsest.calls": report.calls,
    "palimpsest.steps": Object.values(report.steps).reduce((sum, count) => sum + count, 0),
  };
}

export function tellFailure(pass: Pass, error: unknown): void {
  const { teller, given, tokensBefore, decision } = pass;
  const because = errorText(error);
  if (error instanceof CompactionError && error.code === "summary-failed") {
    teller.tell({ type: "summary-failed", because, fallback: "throw" });
  }
  teller.tell({ type: "pass-failed", reason: decision.plan.reason, because, error, durationMs: durationOf(pass) });
  tellEnd(pass, { messageCount: given.view.messages.length, tokenCount: tokensBefore, compactedCount: 0 });
}

/** As it happens: whoever is asked instead has not begun. */
export function tellRefusal({ teller }: Pass, refused: RefusedNative): void {
  const { because, step } = nativeFallback(refused);
  teller.tell({ type: "summary-failed", because, fallback: step });
}

function tellNative({ teller, given }: Pass, native: NativeOutcome): void {
  if (native.type === "refused") return;
  const { kind, text = "", messages, usage } = native;
  const summaryTokens = sumTokens(messages, given.tokensOf);
  const made = { summarizer: `native ${kind}`, summary: text, summaryTokens, calls: 1 };
  teller.tell({ type: "summary-made", ...made, ...(usage !== undefined && { usage }) });
}

function tellSummary(pass: Pass, { made, native }: CarriedOut): void {
  const { teller, counter } = pass;
  if (native !== undefined) tellNative(pass, native);
  const fallback = made?.fallbacks.at(-1);
  if (fallback !== undefined) {
    teller.tell({ type: "summary-failed", because: fallback.because, fallback: fallback.step });
  }
  if (made?.type !== "summary" || made.by.name === PROVIDED_NAME) return;
  const { calls, usage } = made;
  const { text } = made.result;
  teller.tell({
    type: "summary-made",
    summarizer: `${made.by.name} ${made.by.version}`,
    summary: text,
    summaryTokens: counter.countText(text),
    calls,
    ...(usage !== undefined && { usage }),
  });
}

function tellCompacted(pass: Pass, carried: CarriedOut, { report, stored }: PassOutcome["result"]): void {
  const { teller, given, watch, compactionNumber, counter } = pass;
  const { cap = 0, trim = 0, stub = 0, clear = 0 } = report.steps;
  const [soft, hard] = [cap + trim, stub + clear];
  if (soft + hard > 0) teller.tell({ type: "results-pruned", soft, hard });
  const removed = removedBy(carried.plan);
  const { summary, summarizer } = report.result ?? {};
  const isCounted = isCompaction(carried.plan);
  if (isCounted) watch.counts.raise(teller.context);
  teller.tell({
    type: "conversation-compacted",
    ...(stored ?? { createdAt: new Date().toISOString() }),
    reason: carried.plan.reason,
    strategy: strategyOf(pass.decision, carried),
    ...tokensOf(report),
    messagesBefore: report.messagesBefore,
    messagesAfter: report.messagesAfter,
    messagesRemoved: leavingIds(carried.plan).size,
    preservedMessageIds: given.view.messages.flatMap(({ id }) => (removed.has(id) ? [] : [id])),
    ...(summary !== undefined && { summary, summaryTokens: counter.countText(summary) }),
    ...(summarizer !== undefined && { summarizer }),
    ...(report.model !== undefined && { model: report.model }),
    calls: report.calls,
    fits: report.fits,
    steps: report.steps,
    durationMs: durationOf(pass),
    ...(isCounted && { compactionNumber }),
  });
}

function tokensOf({ tokensBefore, tokensAfter, ratios }: Report) {
  return { tokensBefore, tokensAfter, tokensFreed: tokensBefore - tokensAfter, ratio: ratios.whole };
}

function tellNothing(pass: Pass, report: Report): void {
  const { teller, decision } = pass;
  const reason: Reason = decision.input.reason;
  const durationMs = durationOf(pass);
  teller.tell({
    type: "nothing-done",
    because: report.reason,
    ok: report.ok,
    reason,
    tokens: report.tokensAfter,
    durationMs,
  });
}

interface Ended {
  readonly messageCount: number;
  readonly tokenCount: number;
  readonly compactedCount: number;
}

function tellEnd({ teller, state }: Pass, ended: Ended): void {
  if (state.isStarted) teller.tell({ type: "compaction-ended", ...ended });
}

function durationOf({ watch, startedMs }: Pass): number {
  return watch.now() - startedMs;
}
