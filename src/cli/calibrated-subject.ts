/**
 * A subject in the tokens of the pass that was made of it. A stored session counts in calibrated tokens where usage was reported, and
 * everything that is said about one pass has to be in one measure. Changes nothing else.
 */

import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type Subject, sizeTokens } from "./subject.ts";

/** The subject itself where both count alike, as they do for files. */
export function calibratedTo(subject: Subject, tokensBefore: number): Subject {
  const ownTokens = sizeTokens(subject.size);
  if (ownTokens === tokensBefore || ownTokens === 0) return subject;
  const ratio = tokensBefore / ownTokens;
  const { systemTokens, toolsTokens, messagesTokens } = subject.size;
  return {
    ...subject,
    counter: scaled(subject.counter, ratio),
    size: {
      systemTokens: Math.round(systemTokens * ratio),
      toolsTokens: Math.round(toolsTokens * ratio),
      messagesTokens: Math.round(messagesTokens * ratio),
    },
  };
}

function scaled(counter: TokenCounter, ratio: number): TokenCounter {
  return {
    ...counter,
    tokens: (sum) => counter.tokens(sum) * ratio,
    count: (message) => Math.round(counter.count(message) * ratio),
    total: (messages) => Math.round(counter.total(messages) * ratio),
    countParts: (parts) => Math.round(counter.countParts(parts) * ratio),
    countText: (text) => Math.round(counter.countText(text) * ratio),
    countJson: (value) => Math.round(counter.countJson(value) * ratio),
    countTools: (tools) => Math.round(counter.countTools(tools) * ratio),
  };
}
