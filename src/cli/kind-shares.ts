/** Tokens by kind, with a summary of ours counted apart from the message or prompt that carries it. The shares add up. */

import type { Conversation } from "../core/message.ts";
import { stripParts, withoutSummary } from "../core/plan/summary-marks.ts";
import type { RenderSettings } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countConversation, type TokenCounter } from "../core/tokens/tokens.ts";
import { breakdownOf, type Kind } from "./breakdown.ts";

export type KindShares = Readonly<Record<Kind | "summary", number>>;

export function sharesOf(conversation: Conversation, counter: TokenCounter, render: RenderSettings): KindShares {
  const messages = conversation.messages
    .map((message) => withoutSummary(message, render))
    .filter((message) => message.parts.length > 0);
  const rest: Conversation = { ...conversation, system: stripParts(conversation.system, render), messages };
  const { byKind, totalTokens } = breakdownOf(rest, counter, structureOf(messages).pairing);
  return { ...byKind, summary: countConversation(conversation, counter).totalTokens - totalTokens };
}
