/** A request that its provider refused as too long: what the refusal teaches, and whether a retry makes sense. Sends nothing. */

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
  /** Whether to send the request of this result. Where false, return the provider's error to the caller. */
  readonly retry: boolean;
  /** Why no retry makes sense. */
  readonly because?: NothingToDo | "compaction-failure" | "still-too-large";
  /** How often in a row this conversation was refused, this time included. */
  readonly attempt: number;
  /** The model's window as known now. */
  readonly windowTokens: number;
  /** Whether the provider stated it; otherwise it is configured, or derived from the refused request. */
  readonly isStated: boolean;
  /** Whether a new conversation is acceptable, by `overflow.onFailure`, where no retry makes sense. */
  readonly mayReset: boolean;
}

/** Throws `not-an-overflow` for any other error, and `compaction-failure` where a compaction failed. */
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

/** A bound on wrapped errors: hosts wrap the provider's. */
const CAUSES_MAX = 8;

function isOwn(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth++, cause = cause.cause)
    if (cause instanceof CompactionError) return true;
  return false;
}

export interface SentView {
  readonly view: Conversation;
  readonly model: string | undefined;
}

/** Learns the window, and calibrates the estimate with the numbers that the provider counted. */
export function learnOverflow(engine: Engine, { view, model = "" }: SentView, error: unknown): void {
  const overflow = readRefusal(engine.format, error);
  refuseTinyWindow(engine, model, overflow);
  const tokens = refusedInput(overflow);
  const estimatedTokens = estimateOf(engine, view, model);
  if (tokens !== undefined) calibrate(engine, estimatedTokens, { tokens, model });
  const sentTokens = Math.round(estimatedTokens * engine.calibration.ratio(model));
  engine.windows.learn(model, overflow, sentTokens);
}

/** Refuses to learn a window this small: only a caller may state one. */
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
  // Where the window is unknown, any smaller request is worth a retry.
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

/** Without a report, the caller learns from an error that no retry makes sense. */
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
