/**
 * Where the tokens of a conversation go: by kind, by tool, by message. The kinds add up to the total exactly, and the
 * total is the counter's own: what surrounds a message's parts is booked under the kind of its first part, and what a counter that
 * rounds over everything has more or less than its parts, under the largest kind.
 */

import type { Conversation, Message, Part } from "../core/message.ts";
import { stripParts, withoutSummary } from "../core/plan/summary-marks.ts";
import type { RenderSettings } from "../core/settings/settings.ts";
import { UNKNOWN_TOOL } from "../core/structure/message-label.ts";
import { type Pairing, resultNames } from "../core/structure/pairing.ts";
import { structureOf } from "../core/structure/structure.ts";
import { countConversation, type TokenCounter } from "../core/tokens/tokens.ts";
import type { Looks } from "./terminal.ts";

export const KINDS = ["system", "tools", "user", "assistant", "reasoning", "toolCalls", "toolResults"] as const;

export type Kind = (typeof KINDS)[number];

export type Breakdown = ReturnType<typeof breakdownOf>;

export function breakdownOf(conversation: Conversation, counter: TokenCounter, pairing: Pairing) {
  const whole = countConversation(conversation, counter);
  const none = { user: 0, assistant: 0, reasoning: 0, toolCalls: 0, toolResults: 0 };
  const byKind: Record<Kind, number> = { system: whole.systemTokens, tools: whole.toolsTokens, ...none };
  const names = resultNames(pairing);
  const tools = new Map<string, { tokens: number; results: number }>();
  const byMessage = conversation.messages.map((message) => {
    const tokens = counter.count(message);
    let aroundTokens = tokens;
    for (const part of message.parts) {
      const partTokens = counter.countParts([part]);
      aroundTokens -= partTokens;
      byKind[kindOf(part, message)] += partTokens;
      if (part.type !== "tool-result") continue;
      const name = names.get(part) ?? part.name ?? UNKNOWN_TOOL;
      const share = tools.get(name) ?? { tokens: 0, results: 0 };
      tools.set(name, { tokens: share.tokens + partTokens, results: share.results + 1 });
    }
    byKind[kindOf(message.parts[0], message)] += aroundTokens;
    return tokens;
  });
  const sum = KINDS.reduce((tokens, kind) => tokens + byKind[kind], 0);
  byKind[largestOf(byKind)] += whole.totalTokens - sum;
  const byTool = [...tools].map(([name, share]) => ({ name, ...share })).sort((a, b) => b.tokens - a.tokens);
  return {
    totalTokens: whole.totalTokens,
    byKind,
    /** Tool results by the tool that was called, largest first. */
    byTool,
    byMessage,
  };
}

/** Gets what rounding leaves over: there it shows least. */
function largestOf(byKind: Readonly<Record<Kind, number>>): Kind {
  return KINDS.reduce((largest, kind) => (byKind[kind] > byKind[largest] ? kind : largest), KINDS[0]);
}

function kindOf(part: Part | undefined, { role }: Message): Kind {
  if (part?.type === "reasoning") return "reasoning";
  if (part?.type === "tool-call") return "toolCalls";
  return part?.type === "tool-result" || role === "tool" ? "toolResults" : role;
}

export type KindShares = Readonly<Record<Kind | "summary", number>>;

interface SharesOptions {
  readonly counter: TokenCounter;
  readonly render: RenderSettings;
  /** The total in the report, to which the shares add up; calibration may have rounded it differently. */
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

export const KIND_LOOKS: Readonly<Record<Kind, Looks & { readonly title: string }>> = {
  system: { title: "system prompt", style: "magenta", letter: "S" },
  tools: { title: "tool definitions", style: "blue", letter: "T" },
  user: { title: "user", style: "green", letter: "U" },
  assistant: { title: "assistant", style: "cyan", letter: "A" },
  reasoning: { title: "reasoning", style: "gray", letter: "~" },
  toolCalls: { title: "tool calls", style: "white", letter: "c" },
  toolResults: { title: "tool results", style: "yellow", letter: "#" },
};
