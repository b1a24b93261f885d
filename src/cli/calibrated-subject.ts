/**
 * A subject in the tokens of the pass that was made of it. A stored session counts in calibrated tokens where usage was reported, and
 * everything that is said about one pass has to be in one measure. Changes nothing else.
 */

import { calibratedCounter } from "../compactor/calibrated-counter.ts";
import { type Subject, sizeTokens } from "./subject.ts";

/** The subject itself where both count alike, as they do for files. */
export function calibratedTo(subject: Subject, tokensBefore: number): Subject {
  const ownTokens = sizeTokens(subject.size);
  if (ownTokens === tokensBefore || ownTokens === 0) return subject;
  const ratio = tokensBefore / ownTokens;
  const { systemTokens, toolsTokens, messagesTokens } = subject.size;
  return {
    ...subject,
    counter: calibratedCounter(subject.counter, ratio),
    size: {
      systemTokens: Math.round(systemTokens * ratio),
      toolsTokens: Math.round(toolsTokens * ratio),
      messagesTokens: Math.round(messagesTokens * ratio),
    },
  };
}
