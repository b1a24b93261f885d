/** Messages in few words, and what the embedded summarizer makes of them. */

import type { SummaryInput, SummaryResult } from "../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../src/core/json.ts";
import { type Message, type Part, text } from "../src/core/message.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { extractive } from "../src/summarizers/extractive.ts";

let next = 0;
export const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
export const user = (words: string): Message => message("user", text(words));
export const assistant = (words: string): Message => message("assistant", text(words));
/** An assistant message that calls a tool, and the result. */
export function called(name: string, input: JsonObject, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError }),
  ];
}

export function summarize(messages: readonly Message[], options: Partial<SummaryInput> = {}): Promise<SummaryResult> {
  const input: SummaryInput = {
    messages,
    turnPrefix: [],
    kept: [],
    budgetTokens: 2_000,
    counter: estimateTokens(),
    ...options,
  };
  return extractive().summarize(input, { signal: new AbortController().signal, progress: () => undefined });
}
