/**
 * A request that its provider refused as too long: what that teaches, and whether sending another one makes sense. Nothing here sends
 * or tries again by itself.
 */

import { CompactionError } from "../core/errors.ts";
import { refusedInput, TINY_WINDOW_TOKENS } from "../core/learned.ts";
import type { Conversation } from "../core/message.ts";
import type { NothingToDo } from "../core/plan/plan.ts";
import type { Format, Overflow } from "../core/ports.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { DecideInput } from "./decide.ts";
import { calibrate, type Engine, estimateOf, settingsFor } from "./engine.ts";
import { isFailed, type SummaryOutcome } from "./summarize.ts";

export interface OverflowReport {
  /** Whether sending the request of this result makes sense. Where it is false, hand the provider's error on. */
  readonly retry: boolean;
  /** Why not. */
  readonly because?: NothingToDo | "compaction-failure" | "still-too-large";
  /** How often in a row this conversation was refused, this time included. */
  readonly attempt: number;
  /** The model's window as it is known now. */
  readonly windowTokens: number;
  /** Whether the provider stated it; otherwise it is what was told, or assumed from what was refused. */
  readonly isStated: boolean;
  /** Whether starting the conversation anew is acceptable, as `overflow.onFailure` says, where no retry makes sense. */
  readonly mayReset: boolean;
}

/** Throws `not-an-overflow` for any other error, and `compaction-failure` where it was a compaction that failed. */
function readRefusal(format: Format, error: unknown): Overflow {
  if (isOwn(error)) {
    const message = "What failed is a compaction, not the request; compacting again would fail in the same way.";
    throw new CompactionError("compaction-failure", message, { cause: error });
  }
  const overflow = format.readOverflow(error);
  if (overflow !== undefined) return overflow;
  const message =
    "The error does not say that the request was too long; nothing was changed. It is the cause of this one.";
  throw new CompactionError("not-an-overflow", message, { cause: error });
}

/** Hosts may wrap it. */
const CAUSES_MAX = 8;

function isOwn(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++, cause = cause.cause)
    if (cause instanceof CompactionError) return true;
  return false;
}

/** As it was sent, and to whom. */
export interface SentView {
  readonly view: Conversation;
  readonly model: string | undefined;
}

/** Learns the window, and from the numbers that the provider counted how far the estimate is off. */
export function learnOverflow(engine: Engine, { view, model = "" }: SentView, error: unknown): void {
  const overflow = readRefusal(engine.format, error);
  refuseTinyWindow(engine, model, overflow);
  const tokens = refusedInput(overflow);
  const estimatedTokens = estimateOf(engine, view, model);
  if (tokens !== undefined) calibrate(engine, estimatedTokens, { tokens, model });
  const sentTokens = Math.round(estimatedTokens * engine.calibration.ratio(model));
  engine.windows.learn(model, overflow, sentTokens);
}

/** A window that small is used only where somebody says so. */
function refuseTinyWindow(engine: Engine, model: string, { maximumTokens }: Overflow): void {
  if (maximumTokens === undefined || maximumTokens >= TINY_WINDOW_TOKENS) return;
  if (engine.settings().windowTokens < TINY_WINDOW_TOKENS) return;
  const whose = model === "" ? "The model" : `The model ${JSON.stringify(model)}`;
  const message = `${whose} takes ${maximumTokens} tokens, which leave hardly any room for a conversation. Nothing was changed; set windowTokens to ${maximumTokens} to use it all the same.`;
  throw new CompactionError("window-too-small", message);
}

export interface Recovery {
  readonly input: DecideInput;
  readonly model: string | undefined;
  readonly made: SummaryOutcome | undefined;
  readonly compacted: boolean;
  readonly because: NothingToDo | undefined;
  readonly tokensAfter: number;
}

/** Undefined where nothing was refused. */
export function overflowReport(engine: Engine, recovery: Recovery): OverflowReport | undefined {
  const { input, model, tokensAfter } = recovery;
  const { attempt, settings } = input;
  if (attempt === undefined) return undefined;
  const learned = engine.windows.of(model ?? "");
  const { windowTokens } = settingsFor(engine, model, {});
  const isStated = learned?.isStated ?? false;
  // Where nobody knows the window, less than what was refused is worth an attempt.
  const isTooLarge = learned !== undefined && isStated && tokensAfter > learned.windowTokens;
  const because = whyNot(recovery) ?? (isTooLarge ? "still-too-large" : undefined);
  const retry = because === undefined;
  return {
    retry,
    ...(because !== undefined && { because }),
    attempt,
    windowTokens,
    isStated,
    mayReset: !retry && allowsReset(settings),
  };
}

function whyNot({ compacted, made, because }: Recovery): OverflowReport["because"] {
  if (compacted) return undefined;
  return isFailed(made) ? "compaction-failure" : (because ?? "frees-nothing");
}

/** Whoever gets no report is told by an error that no retry makes sense. */
export function compactionFailure(
  cause: unknown,
  { because, mayReset }: Pick<OverflowReport, "because" | "mayReset">,
): CompactionError {
  const message = `The provider refused the request as too long, and no compaction makes it fit (${because}).`;
  return new CompactionError("compaction-failure", message, { cause, ...(mayReset && { reason: "reset-allowed" }) });
}

export function allowsReset({ overflow }: Settings): boolean {
  return overflow.onFailure === "reset-allowed";
}
