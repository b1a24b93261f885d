/** The ways in which a summary fails. A failure is always an error with one of these reasons, never a text. */

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

export function summaryFailed(
  reason: SummaryFailureReason,
  explanation: string,
  options: { readonly cause?: unknown; readonly retryable?: boolean } = {},
): CompactionError {
  const message = `No summary was made (${reason}): ${explanation} The conversation was not changed.`;
  return new CompactionError("summary-failed", message, { ...options, reason });
}

export function throwIfAborted({ aborted, reason }: AbortSignal): void {
  if (!aborted) return;
  const message = "Summarizing was aborted; the conversation was not changed.";
  throw new CompactionError("aborted", message, { cause: reason });
}

/** The reason of one of our errors, `error` for anything else. */
export function reasonOf(error: unknown): string {
  return error instanceof CompactionError ? (error.reason ?? error.code) : "error";
}

/** The explanation alone, without the words around it that all our errors share. */
export function explanationOf(error: unknown): string {
  return errorText(error)
    .replace(/^No summary was made \([\w-]+\): /, "")
    .replace(/ The conversation was not changed\./, "");
}

export function isAborted(error: unknown): boolean {
  return error instanceof CompactionError && error.code === "aborted";
}
