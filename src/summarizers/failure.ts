/** How a summary can fail, each way by name. A failure is always an error with one of these reasons, never a text. */

import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";

export type SummaryFailureReason =
  /** The model call threw. */
  | "error"
  | "timeout"
  /** The provider says that the request is over its window. */
  | "overflow"
  | "empty"
  | "truncated"
  | "refusal"
  /** The answer is an error report. */
  | "error-text"
  | "too-long"
  | "echo"
  | "wrong-language"
  /** Without the headings that were asked for, twice. */
  | "missing-sections"
  /** Nothing in it is about the conversation: an error, a notice, a question. */
  | "unrelated"
  /** Not even an empty request fits the summarizer's window, or nothing fits the budget. */
  | "no-room"
  /** There was nothing to summarise. */
  | "no-input";

export interface FailureOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean;
}

export function summaryFailed(
  reason: SummaryFailureReason,
  explanation: string,
  options: FailureOptions = {},
): CompactionError {
  const message = `No summary was made (${reason}): ${explanation} The conversation was not changed.`;
  return new CompactionError("summary-failed", message, { ...options, reason });
}

export function aborted(signal: AbortSignal): CompactionError {
  return new CompactionError("aborted", "Summarizing was aborted; the conversation was not changed.", {
    cause: signal.reason,
  });
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted(signal);
}

/** The reason of a failure of ours, `error` for whatever else was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof CompactionError ? (error.reason ?? error.code) : "error";
}

/** What went wrong, without what every failure of ours says beside it. */
export function explanationOf(error: unknown): string {
  return errorText(error)
    .replace(/^No summary was made \([\w-]+\): /, "")
    .replace(/ The conversation was not changed\./, "");
}

export function isAborted(error: unknown): boolean {
  return error instanceof CompactionError && error.code === "aborted";
}
