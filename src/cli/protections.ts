/** Which messages stay whatever happens, why, and how much they take: counts per reason and the largest. Reads only. */

import type { Decision } from "../compactor/decide.ts";
import { removedBy } from "../core/plan/apply-plan.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Protection } from "../core/plan/plan.ts";
import { fullPartition, type PlanInput, sumTokens } from "../core/plan/plan-input.ts";
import { partitionForTruncation, partitionWithRoom } from "../strategies/room.ts";
import type { Obstacle } from "./compaction.ts";
import { count, oneLine, plural } from "./one-line.ts";
import { ELASTIC, LEFT, RIGHT, type Terminal, THIRD } from "./terminal.ts";

export interface ProtectedGroup extends MessagesSize {
  readonly why: Protection;
}

interface MessagesSize {
  readonly messages: number;
  readonly tokens: number;
}

const PROTECTION_NAMES: Readonly<Record<Protection, string>> = {
  system: "system message",
  "first-user": "first user message",
  pinned: "pinned",
  tail: "newest messages",
  "open-round": "open round",
  "verbatim-tool": "tool kept verbatim",
  "latest-request": "newest user message",
};

export function protectedGroups(input: PlanInput, { protectedBy }: Partition): readonly ProtectedGroup[] {
  const groups = Map.groupBy(protectedBy, ([, why]) => why);
  return [...groups]
    .map(([why, group]) => {
      const messages = group.flatMap(([index]) => input.conversation.messages[index] ?? []);
      return { why, messages: group.length, tokens: sumTokens(messages, input.tokensOf) };
    })
    .sort((a, b) => b.tokens - a.tokens);
}

export interface ShrunkTail {
  readonly asked: MessagesSize;
  readonly kept: MessagesSize;
}

/** The division that the plan used. What it takes because of a limit on messages comes from the tail too, and is then not protected. */
export function usedPartition(decision: Decision): Partition {
  const { plan, input } = decision;
  const divided = dividedBy(decision);
  const removed = removedBy(plan);
  const isTaken = (index: number): boolean => removed.has(input.conversation.messages[index]?.id ?? "");
  const taken = [...divided.protectedBy.keys()].filter(isTaken);
  if (taken.length === 0) return divided;
  return {
    ...divided,
    protectedBy: new Map([...divided.protectedBy].filter(([index]) => !isTaken(index))),
    zone: [...divided.zone, ...taken].sort((a, b) => a - b),
  };
}

/** Pruning alone leaves the tail as the settings have it; what removes messages may shrink it to the target. */
function dividedBy({ input, rest }: Decision): Partition {
  const isTruncated = rest.steps.length > 0 && input.settings.compact.strategy === "truncate";
  if (isTruncated) return partitionForTruncation(input);
  const removes = rest.steps.length === 0 || rest.steps.some(({ type }) => type === "summarize" || type === "drop");
  return removes ? partitionWithRoom(input) : fullPartition(input);
}

/** Undefined where the whole tail was kept. */
export function shrunkTail({ input }: Decision, used: Partition): ShrunkTail | undefined {
  const full = fullPartition(input);
  return used.cut <= full.cut ? undefined : { asked: tailSize(input, full), kept: tailSize(input, used) };
}

function tailSize({ conversation, tokensOf }: PlanInput, { cut }: Partition): MessagesSize {
  const tail = conversation.messages.slice(cut);
  return { messages: tail.length, tokens: sumTokens(tail, tokensOf) };
}

export function protectedLines(
  groups: readonly ProtectedGroup[],
  tailShrunk: ShrunkTail | undefined,
  terminal: Terminal,
): readonly string[] {
  if (groups.length === 0) return [];
  const rows = groups.map(({ why, messages, tokens }) => [
    PROTECTION_NAMES[why],
    plural(messages, "message"),
    plural(tokens, "token"),
  ]);
  return [
    terminal.heading("Protected"),
    ...terminal.table(rows, { columns: [LEFT, RIGHT, RIGHT] }),
    ...(tailShrunk === undefined ? [] : [terminal.fit(`  ${shrunkText(tailShrunk)}`)]),
  ];
}

export function messageLines(messages: readonly Obstacle[], terminal: Terminal): readonly string[] {
  const rows = messages.map(({ index, what, tokens, why, begins }) => [
    index === null ? "" : String(index),
    oneLine(what),
    count(tokens),
    WHY[why],
    oneLine(begins),
  ]);
  return terminal.table(rows, { columns: [RIGHT, THIRD, RIGHT, LEFT, ELASTIC] });
}

const WHY: Readonly<Record<Obstacle["why"], string>> = {
  ...PROTECTION_NAMES,
  "outside-messages": "",
  summary: "",
  "not-taken": "not protected",
};

function shrunkText({ asked, kept }: ShrunkTail): string {
  const room = kept.messages === 0 ? "none" : count(kept.messages);
  return `The target leaves room for ${room} of the ${plural(asked.messages, "newest message")} that would be kept.`;
}

export const BECAUSE: Readonly<Record<string, string>> = {
  "not-triggered": "no trigger fires",
  "auto-off": "this profile does not compact by itself",
  "strategy-none": "the strategy is none",
  "nothing-to-compact": "everything is protected",
  "zone-too-small": "too few messages may go",
  "no-legal-cut": "everything is in the protected tail",
  "frees-nothing": "a summary would not be smaller",
  "would-be-refused": "the provider would refuse what came of it",
  "server-history": "the provider holds the history that the request refers to",
  thrashing: "the last passes freed too little",
};
