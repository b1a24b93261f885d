/**
 * The live request as a summarizer may use it: asked in band, with the very prefix that the provider has cached, a summary's
 * input is a cache read. What is handed over is data and a function that adds the last message; nothing is sent here.
 */

import type { SummaryInput } from "../checkpoint/summary.ts";

export interface LiveRequest {
  /** What the request counts without the instruction. */
  tokens(): number;
  /** The request up to the end of what is summarised, with this text as one more user message; undefined where it cannot be. */
  bodyWith(instruction: string): unknown;
  /** The answer to it without credentials: the request has them as they were said. */
  redact(answer: string): string;
}

/** What a compactor gives to its summarizer. */
export interface LiveSummaryInput extends SummaryInput {
  readonly live?: LiveRequest | undefined;
}

export function liveRequestOf(input: SummaryInput): LiveRequest | undefined {
  const { live }: LiveSummaryInput = input;
  return live;
}
