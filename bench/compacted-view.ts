/**
 * A conversation compacted to a target for the benches: system messages, a summary, the newest messages that fit their share.
 * The one place that makes the view, so that all benches measure the same thing.
 */

import type { Conversation, Message } from "../src/core/message.ts";
import { text } from "../src/core/message.ts";
import { structureOf } from "../src/core/structure.ts";
import type { Summarizer } from "../src/core/summary.ts";
import { estimateTokens, type TokenCounter } from "../src/core/tokens.ts";

export interface ViewOptions {
  readonly targetTokens: number;
  /** At most this share of the target goes to kept messages. */
  readonly tailShare: number;
  readonly summarizer: Summarizer;
  readonly counter?: TokenCounter;
}

export interface View {
  readonly messages: readonly Message[];
  readonly summary: string;
  readonly totalTokens: number;
  readonly budgetTokens: number;
  readonly summaryTokens: number;
}

const MESSAGE_OVERHEAD_TOKENS = 4;

export async function compactedView(conversation: Conversation, options: ViewOptions): Promise<View> {
  const { targetTokens, tailShare, summarizer, counter = estimateTokens() } = options;
  const isSystem = (message: Message): boolean => message.role === "system";
  const system = conversation.messages.filter(isSystem);
  const spoken = conversation.messages.filter((message) => !isSystem(message));
  const cut = tailStart(spoken, targetTokens * tailShare, counter);
  const kept = spoken.slice(cut);
  const budgetTokens =
    targetTokens -
    counter.total(system) -
    counter.total(kept) -
    counter.countParts(conversation.system) -
    MESSAGE_OVERHEAD_TOKENS;
  const result = await summarizer.summarize(
    { messages: spoken.slice(0, cut), turnPrefix: [], kept, budgetTokens, counter },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  const summary: Message = { id: "summary", role: "user", parts: [text(result.text)] };
  const messages = [...system, summary, ...kept];
  return {
    messages,
    summary: result.text,
    totalTokens: counter.total(messages) + counter.countParts(conversation.system),
    budgetTokens,
    summaryTokens: counter.countText(result.text),
  };
}

/** The earliest legal cut after which no more than the given tokens follow; the end when not even the last round fits. */
function tailStart(messages: readonly Message[], tailTokens: number, counter: TokenCounter): number {
  const structure = structureOf(messages);
  let sum = 0;
  let start = messages.length;
  while (start > 0) {
    const message = messages[start - 1];
    sum += message === undefined ? 0 : counter.count(message);
    if (sum > tailTokens) break;
    start--;
  }
  return start >= messages.length ? messages.length : (structure.cutAtOrAfter(start, "pair-safe") ?? messages.length);
}
