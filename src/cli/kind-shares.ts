/** Tokens by kind, with a summary of ours counted apart from the message or prompt that carries it. The shares add up. */

import type { Conversation } from "../core/message.ts";
import { stripParts, withoutSummary } from "../core/plan/summary-marks.ts";
import type { RenderSettings } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countConversation, type TokenCounter } from "../core/tokens/tokens.ts";
import { breakdownOf, type Kind, largestOf } from "./breakdown.ts";

export type KindShares = Readonly<Record<Kind | "summary", number>>;

export interface SharesOptions {
  readonly counter: TokenCounter;
  readonly render: RenderSettings;
  /** What the shares add up to: the total that is told, which calibration may have rounded elsewhere. */
  readonly totalTokens: number;
}

export function sharesOf(conversation: Conversation, { counter, render, totalTokens }: SharesOptions): KindShares {
  const messages = conversation.messages
    .map((message) => withoutSummary(message, render))
    .filter((message) => message.parts.length > 0);
  const rest: Conversation = { ...conversation, system: stripParts(conversation.system, render), messages };
  const { byKind, totalTokens: restTokens } = breakdownOf(rest, counter, structureOf(messages).pairing);
  const wholeTokens = countConversation(conversation, counter).totalTokens;
  const shares = { ...byKind, summary: wholeTokens - restTokens };
  const largest = largestOf(byKind);
  return { ...shares, [largest]: shares[largest] + totalTokens - wholeTokens };
}
