/** Everything that a strategy may read, and the arithmetic that strategies share. Strategies decide; they never act. */

import type { Conversation, Message } from "../message.ts";
import type { Settings } from "../settings/settings.ts";
import type { Structure } from "../structure/structure.ts";
import { thinksManually } from "../thinking.ts";
import { type Partition, partition, type TailTerms } from "./partition.ts";
import type { NothingToDo, Obstacle, Plan, Reason, Step } from "./plan.ts";
import type { EarlierSummary } from "./summary-marks.ts";

export interface PlanInput {
  readonly reason: Reason;
  readonly conversation: Conversation;
  readonly structure: Structure;
  readonly settings: Settings;
  readonly tokensOf: (message: Message) => number;
  /** Tokens of the system prompt and the tool definitions. */
  readonly baseTokens: number;
  readonly toolsTokens: number;
  readonly targetTokens: number | undefined;
  /** True for an explicit target, for example a call's: then the summary may fill all of it. */
  readonly isTargetExplicit: boolean;
  /** The length of the summary, when it was made beside a shorter tail; undefined before. */
  readonly saidTokens?: number;
  readonly found: EarlierSummary | undefined;
  /** The kind of native compaction that this conversation can use; undefined for none. */
  readonly nativeKind?: string | undefined;
  /** Whether the recall tool is offered and reads messages by these ids: then stubs mention it. */
  readonly namesRecall?: boolean | undefined;
}

/** Replaces `compact.strategy`: called when a trigger fires or a pass is asked for. Should be pure. */
export interface OwnStrategy {
  /** Its name in reports, hooks and stored events. */
  readonly name: string;
  /** Returns the steps; none means that nothing is done. An error or an invalid plan is reported, and `compact.strategy` decides. */
  plan(input: StrategyInput): readonly StrategyStep[];
}

export interface StrategyInput extends Pick<PlanInput, "reason" | "structure" | "settings" | "tokensOf"> {
  readonly messages: readonly Message[];
  /** Tokens of the whole request: messages, system prompt and tool definitions. */
  readonly tokens: number;
  readonly targetTokens: number | undefined;
}

export type StrategyStep =
  /** These messages leave the view. */
  | { readonly type: "drop"; readonly messageIds: readonly string[] }
  /** These leave, and one summary replaces them; at most one such step. Default budget: the room under settings and target. */
  | { readonly type: "summarize"; readonly messageIds: readonly string[]; readonly budgetTokens?: number }
  /** The text of one tool result becomes another; `part` is its index in the message. */
  | { readonly type: "trim"; readonly messageId: string; readonly part: number; readonly text: string };

/** Cached, because every step of a decision needs it. */
export function totalTokens(input: PlanInput): number {
  const { baseTokens, conversation, tokensOf } = input;
  const total = TOTALS.get(input) ?? baseTokens + sumTokens(conversation.messages, tokensOf);
  TOTALS.set(input, total);
  return total;
}

/** Inputs are immutable. */
const TOTALS = new WeakMap<PlanInput, number>();

export function sumTokens(messages: readonly Message[], tokensOf: (message: Message) => number): number {
  let tokens = 0;
  for (const message of messages) tokens += tokensOf(message);
  return tokens;
}

/** Tokens of the messages with these ids. */
export function tokensAmong(ids: ReadonlySet<string>, { conversation, tokensOf }: PlanInput): number {
  const among = conversation.messages.filter(({ id }) => ids.has(id));
  return sumTokens(among, tokensOf);
}

export interface TailRoom extends TailTerms {
  readonly tokens: number;
  readonly messages: number;
}

/** Cached: strategies that run one after the other need the same partition. */
export function partitionFor(input: PlanInput, tail: TailRoom): Partition {
  const { tokens, messages, isTight, mayDropFirstUser, mayTakeNative, mayTakeUnread, keepsRequest } = tail;
  const terms = [isTight, mayDropFirstUser, mayTakeNative, mayTakeUnread, keepsRequest];
  const key = [tokens, messages, ...terms].map((is) => is || 0).join();
  const known = PARTITIONS.get(input) ?? new Map<string, Partition>();
  const made = known.get(key) ?? makePartition(input, tail);
  PARTITIONS.set(input, known.set(key, made));
  return made;
}

/** Inputs are immutable. */
const PARTITIONS = new WeakMap<PlanInput, Map<string, Partition>>();

/** The partition with the tail of the settings. */
export function fullPartition(input: PlanInput): Partition {
  const { tailTokens, tailMessages } = input.settings.protect;
  return partitionFor(input, { tokens: tailTokens, messages: tailMessages });
}

/** The partition with a tail of this many messages and no tokens: only pairs limit where it begins. */
export function partitionByCount(input: PlanInput, messages: number): Partition {
  const { settings } = input;
  const compact = { ...settings.compact, cut: "pair-safe" } as const;
  return makePartition({ ...input, settings: { ...settings, compact } }, { tokens: 0, messages });
}

function makePartition(input: PlanInput, { tokens, messages, ...terms }: TailRoom): Partition {
  const { conversation, structure, settings, tokensOf, found } = input;
  return partition({
    messages: conversation.messages,
    structure,
    settings,
    tokensOf,
    summaryIds: new Set(found?.messageIds ?? []),
    tailTokens: tokens,
    tailMessages: messages,
    thinksManually: thinksManually(conversation),
    ...terms,
  });
}

export function keptTokens(input: PlanInput, { protectedBy }: Partition): number {
  const { messages } = input.conversation;
  let tokens = input.baseTokens;
  for (const index of protectedBy.keys()) {
    const message = messages[index];
    if (message !== undefined) tokens += input.tokensOf(message);
  }
  return tokens;
}

const OBSTACLES_MAX = 10;

/** Protected content, largest first: the reasons why the target cannot be met. */
export function obstacles(input: PlanInput, { protectedBy }: Partition, summaryTokens = 0): readonly Obstacle[] {
  const { messages } = input.conversation;
  const kept = [...protectedBy].flatMap(([index, why]): readonly Obstacle[] => {
    const message = messages[index];
    return message === undefined ? [] : [{ messageId: message.id, why, tokens: input.tokensOf(message) }];
  });
  return largest(input, kept, summaryTokens);
}

/** The obstacles in the view after a pass, which may be any message: `known` has the reasons that the plan gave. */
export function obstaclesLeft(input: PlanInput, known: readonly Obstacle[]): readonly Obstacle[] {
  const { conversation, tokensOf, found } = input;
  const { protectedBy } = fullPartition(input);
  const reasons = new Map(known.map(({ messageId, why }) => [messageId, why]));
  const ours = new Set(found?.messageIds ?? []);
  const left = conversation.messages.flatMap((message, index): readonly Obstacle[] => {
    const { id: messageId } = message;
    if (ours.has(messageId)) return [];
    const why = reasons.get(messageId) ?? protectedBy.get(index) ?? "not-taken";
    // These two are not about a message.
    return why === "outside-messages" || why === "summary" ? [] : [{ messageId, why, tokens: tokensOf(message) }];
  });
  return largest(input, left, tokensAmong(ours, input));
}

function largest(
  { baseTokens, toolsTokens }: PlanInput,
  messages: readonly Obstacle[],
  summaryTokens: number,
): readonly Obstacle[] {
  const outside = { messageId: null, why: "outside-messages" } as const;
  const all: readonly Obstacle[] = [
    { ...outside, what: "system prompt", tokens: baseTokens - toolsTokens },
    { ...outside, what: "tool definitions", tokens: toolsTokens },
    { messageId: null, why: "summary", what: "summary", tokens: summaryTokens },
    ...messages,
  ];
  return all
    .filter(({ tokens }) => tokens > 0)
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, OBSTACLES_MAX);
}

/** The plan of these steps. Where it misses the target and no obstacles are given, those are what the settings protect. */
export function planOf(
  input: PlanInput,
  steps: readonly Step[],
  { tokensAfter, inTheWay }: Pick<Plan, "tokensAfter"> & Partial<Pick<Plan, "inTheWay">>,
): Plan {
  const { reason, targetTokens, settings } = input;
  const fits = tokensAfter <= (targetTokens ?? settings.windowTokens);
  const obstructing = inTheWay ?? (fits ? [] : obstacles(input, fullPartition(input)));
  return { reason, steps, tokensBefore: totalTokens(input), tokensAfter, targetTokens, fits, inTheWay: obstructing };
}

export function nothingToDo(input: PlanInput, because: NothingToDo): Plan {
  // Where nothing was due, the settings' target was no aim; an explicit target is.
  const isAimless = UNTRIED.has(because) && !input.isTargetExplicit;
  const aimed = isAimless ? { ...input, targetTokens: undefined } : input;
  return { ...planOf(aimed, [], { tokensAfter: totalTokens(input) }), because };
}

/** Outcomes in which nothing was tried, as opposed to nothing being possible. */
export const UNTRIED: ReadonlySet<NothingToDo> = new Set([
  "not-triggered",
  "auto-off",
  "no-check-point",
  "strategy-none",
]);
