/** How each kind of content is named and coloured, in the bar and in its legend. */

import type { Colour } from "./bar.ts";
import type { Kind } from "./breakdown.ts";

export interface Looks {
  readonly title: string;
  readonly style: Colour;
  readonly letter: string;
}

export const KIND_LOOKS: Readonly<Record<Kind, Looks>> = {
  system: { title: "system prompt", style: "magenta", letter: "S" },
  tools: { title: "tool definitions", style: "blue", letter: "T" },
  user: { title: "user", style: "green", letter: "U" },
  assistant: { title: "assistant", style: "cyan", letter: "A" },
  reasoning: { title: "reasoning", style: "gray", letter: "~" },
  toolCalls: { title: "tool calls", style: "white", letter: "c" },
  toolResults: { title: "tool results", style: "yellow", letter: "#" },
};
