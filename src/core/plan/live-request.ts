/**
 * The live request, for a summarizer that asks in band: with the prefix that the provider has cached, the summary's
 * input is a cache read. Only data and a function that adds the last message; nothing is sent here.
 */

import type { SummaryInput } from "../checkpoint/summary.ts";

export interface LiveRequest {
  /** Tokens of the request without the instruction. */
  tokens(): number;
  /** The request up to the end of the summarized messages, with this text as a last user message; undefined where that is invalid. */
  bodyWith(instruction: string): unknown;
  /** The answer without credentials: the request holds them as they were said. */
  redact(answer: string): string;
}

/** The input that a compactor passes to its summarizer. */
export interface LiveSummaryInput extends SummaryInput {
  readonly live?: LiveRequest | undefined;
}

export function liveRequestOf(input: SummaryInput): LiveRequest | undefined {
  const { live }: LiveSummaryInput = input;
  return live;
}
