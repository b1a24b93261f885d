/** Requests that fit: a prompt is built around a text, counted as it will be sent, and its text cut until it is within limits. Pure. */

import type { TokenCounter } from "../core/tokens/tokens.ts";
import { MIDDLE_CUT_MARKER } from "./cap-entries.ts";
import { cutMiddleToTokens } from "./cut-text.ts";
import { summaryFailed } from "./failure.ts";
import type { Prompt } from "./prompts/prompt.ts";

/** What a provider adds around two texts, generously. */
const FRAME_TOKENS = 32;

export type CountPrompt = (prompt: Prompt) => number;

export function promptCounter(counter: TokenCounter): CountPrompt {
  return ({ system, prompt }) => counter.countText(system) + counter.countText(prompt) + FRAME_TOKENS;
}

export interface FittedRequest {
  readonly prompt: Prompt;
  readonly text: string;
  readonly isCut: boolean;
}

export interface RequestLimit {
  readonly limitTokens: number;
  readonly countPrompt: CountPrompt;
}

/** The whole request counts at most the limit; throws `no-room` when the prompt does not fit even around nothing. */
export function fitRequest(text: string, build: (text: string) => Prompt, limit: RequestLimit): FittedRequest {
  const count = (candidate: string): number => limit.countPrompt(build(candidate));
  const fitted = cutMiddleToTokens(text, { limitTokens: limit.limitTokens, count }, MIDDLE_CUT_MARKER);
  const prompt = build(fitted);
  if (limit.countPrompt(prompt) > limit.limitTokens) {
    throw summaryFailed("no-room", "The instructions alone are over the summarizer's window.");
  }
  return { prompt, text: fitted, isCut: fitted !== text };
}
