/**
 * The recorded calls' real usage beside our own numbers. Replays the calls through a ledger in the order they were made, so
 * that each calibrated number is a prediction: it was learned from earlier calls only. Pure.
 */

import { createLedger, type Ledger } from "../core/ledger/usage-ledger.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { RecordedCall, RecordedConversation } from "../transcripts/index.ts";

export interface UsageComparison {
  /** Recorded calls with known usage; the numbers below are the last one's. */
  readonly calls: number;
  readonly model?: string;
  /** Messages that were its input. */
  readonly messages: number;
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly outputTokens: number;
  /** Our estimate of the same input: what the file shows of it. */
  readonly estimatedTokens: number;
  /** The estimate after learning from the calls before; absent where there were none. */
  readonly calibratedTokens?: number;
  /** What the next request is expected to be billed as input. */
  readonly nextRequestTokens: number;
}

interface UsageInput {
  readonly recorded: RecordedConversation;
  /** The recorded body, decoded. */
  readonly conversation: Conversation;
  readonly format: Format;
  readonly counter: TokenCounter;
}

export function compareUsage({ recorded, conversation, format, counter }: UsageInput): UsageComparison | undefined {
  const { calls, segments } = recorded;
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const ledger = createLedger({ counter });
  ledger.setBase(conversation);
  let prediction: Prediction = { estimatedTokens: 0, calibratedTokens: 0 };
  segments.forEach((segment, index) => {
    const isBody = index === segments.length - 1;
    const messages = isBody ? conversation.messages : format.decode(segment.messages).messages;
    ledger.truncate(0);
    for (const call of calls) {
      if (call.segment !== index) continue;
      const predicted = predict(ledger, messages, call);
      if (call === last) prediction = predicted;
      ledger.observe({ reportedInputTokens: call.usage.inputTokens });
    }
    if (isBody) appendUpTo(ledger, messages, messages.length);
  });
  const { calibratedTokens, estimatedTokens } = prediction;
  return {
    calls: calls.length,
    ...(last.model === undefined ? {} : { model: last.model }),
    messages: last.messageCount,
    inputTokens: last.usage.inputTokens,
    cacheReadTokens: last.usage.cacheReadTokens,
    outputTokens: last.usage.outputTokens,
    estimatedTokens,
    ...(calls.length > 1 ? { calibratedTokens } : {}),
    nextRequestTokens: ledger.totalTokens,
  };
}

interface Prediction {
  readonly estimatedTokens: number;
  readonly calibratedTokens: number;
}

/** Brings the ledger to exactly the call's input; a call made again from an earlier point takes messages away. */
function predict(ledger: Ledger, messages: readonly Message[], call: RecordedCall): Prediction {
  ledger.truncate(call.messageCount);
  appendUpTo(ledger, messages, call.messageCount);
  if (call.model !== undefined) ledger.useModel(call.model);
  return { estimatedTokens: ledger.estimatedTokens, calibratedTokens: ledger.totalTokens };
}

function appendUpTo(ledger: Ledger, messages: readonly Message[], length: number): void {
  for (const message of messages.slice(ledger.length, length)) ledger.append(message);
}
