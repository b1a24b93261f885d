/** Which messages stay whatever happens, why, and how much they take: counts per reason and the largest. Reads only. */

import type { Partition } from "../core/plan/partition.ts";
import type { Protection } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import { resultNames } from "../core/structure/result-names.ts";
import { beginningOf, labelOf } from "./message-label.ts";
import { excerpt } from "./one-line.ts";

export interface ProtectedGroup {
  readonly why: Protection;
  readonly messages: number;
  readonly tokens: number;
}

export interface ShownMessage {
  readonly index: number;
  readonly what: string;
  readonly tokens: number;
  readonly begins: string;
}

/** In words, for the texts of all commands. */
export const PROTECTION_NAMES: Readonly<Record<Protection, string>> = {
  system: "system message",
  "first-user": "first user message",
  pinned: "pinned",
  tail: "newest messages",
  "open-round": "open round",
  "verbatim-tool": "tool kept verbatim",
  "latest-request": "newest user message",
};

export function protectedGroups(input: PlanInput, { protectedBy }: Partition): readonly ProtectedGroup[] {
  const groups = new Map<Protection, { messages: number; tokens: number }>();
  for (const [index, why] of protectedBy) {
    const message = input.conversation.messages[index];
    const group = groups.get(why) ?? { messages: 0, tokens: 0 };
    const tokens = group.tokens + (message === undefined ? 0 : input.tokensOf(message));
    groups.set(why, { messages: group.messages + 1, tokens });
  }
  return [...groups].map(([why, group]) => ({ why, ...group })).sort((a, b) => b.tokens - a.tokens);
}

/** Wide enough for any terminal. */
const BEGINNING_COLUMNS = 200;

/** Shows messages of a conversation by their index. */
export function messageShower(
  input: Pick<PlanInput, "conversation" | "structure" | "tokensOf">,
): (index: number) => ShownMessage {
  const names = resultNames(input.structure.pairing);
  return (index) => {
    const message = input.conversation.messages[index];
    if (message === undefined) return { index, what: "", tokens: 0, begins: "" };
    const begins = excerpt(beginningOf(message), BEGINNING_COLUMNS);
    return { index, what: labelOf(message, names), tokens: input.tokensOf(message), begins };
  };
}
