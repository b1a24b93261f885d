/** Decides which messages may leave and which must stay, and why. The cut is always legal, and a round stays or leaves as one. */

import { isNativeItem } from "../items.ts";
import type { Message } from "../message.ts";
import type { Settings } from "../settings/settings.ts";
import { isTurnStart, type Round, type Structure } from "../structure/structure.ts";
import { thoughtToKeep } from "../thinking.ts";
import type { Protection } from "./plan.ts";
import { firstRequest, isPassedOn, isRequest, matchesAnyTool, userVoice } from "./user-voice.ts";

export interface PartitionInput extends TailTerms {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  readonly settings: Settings;
  readonly tokensOf: (message: Message) => number;
  /** Messages that hold an earlier summary of ours: replaced, never summarized again. */
  readonly summaryIds: ReadonlySet<string>;
  /** Less than in the settings where the target leaves less room. */
  readonly tailTokens: number;
  readonly tailMessages: number;
  /** The request has a thinking budget: the kept part of a turn that waits for the model must begin with thinking. */
  readonly thinksManually?: boolean;
}

/** Which protections yield, beside the sizes of the tail. */
export interface TailTerms {
  /** The target leaves less room than the settings want: the tail's tokens become a limit; other protections hold. */
  readonly isTight?: boolean;
  /** Tighter still: the first request may leave, and so may a round with words beside its results; the summary quotes both. */
  readonly mayDropFirstUser?: boolean;
  /** The provider's own compaction may leave too: into its next one, or for lack of room. */
  readonly mayTakeNative?: boolean;
  /** Results that the model has not read may leave too; calls without results never do. */
  readonly mayTakeUnread?: boolean;
  /** No summary will quote the request: where the tail holds none, the newest one stays. */
  readonly keepsRequest?: boolean;
}

export interface Partition {
  /** Index of the first message of the kept tail. */
  readonly cut: number;
  /** True when the cut divides a turn, whose early part is summarized. */
  readonly isSplitTurn: boolean;
  readonly zone: readonly number[];
  /** Indices in the zone that belong to the divided turn. */
  readonly turnPrefix: readonly number[];
  readonly protectedBy: ReadonlyMap<number, Protection>;
}

export function partition(input: PartitionInput): Partition {
  const { messages, summaryIds } = input;
  const cut = findCut(input);
  const protectedBy = ownProtections(input, cut);
  keepRoundsWhole(input, protectedBy);
  const thought = input.thinksManually ? thoughtToKeep(messages, (index) => protectedBy.has(index)) : undefined;
  if (thought !== undefined) keepRoundsWhole(input, protectedBy.set(thought, "open-round"));
  const zone: number[] = [];
  for (let index = 0; index < messages.length; index++) {
    if (!protectedBy.has(index) && !isSummary(messages[index], summaryIds)) zone.push(index);
  }
  const turnStart = messages.findLastIndex(
    (message, index) => index < cut && isTurnStart(message) && !summaryIds.has(message.id),
  );
  const maySplit = input.settings.compact.cut === "split-turn" || input.settings.compact.cut === "turn-start-or-split";
  const isSplitTurn = maySplit && cut > 0 && turnStart >= 0 && cut < messages.length && !isTurnStartAt(messages, cut);
  const turnPrefix = isSplitTurn ? zone.filter((index) => index >= turnStart) : [];
  return { cut, isSplitTurn, zone, turnPrefix, protectedBy };
}

/** Hardly any list holds a summary: skip the lookup then. */
function isSummary(message: Message | undefined, summaryIds: ReadonlySet<string>): boolean {
  return summaryIds.size > 0 && message !== undefined && summaryIds.has(message.id);
}

function isTurnStartAt(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  return message !== undefined && isTurnStart(message);
}

/** How much of the newest should stay; the larger of both sizes wins. */
export type TailSize = Pick<PartitionInput, "messages" | "tokensOf" | "tailTokens" | "tailMessages">;

/** The beginning of the wanted tail: the shortest suffix that reaches both sizes. */
export function wantedCut({ messages, tokensOf, tailTokens, tailMessages }: TailSize): number {
  let index = messages.length;
  let tokens = 0;
  while (index > 0 && (tokens < tailTokens || messages.length - index < tailMessages)) {
    index--;
    const message = messages[index];
    if (message !== undefined) tokens += tokensOf(message);
  }
  return index;
}

/** The longest suffix within the tokens that begins at a legal cut: possibly empty, but never inside an unanswered round. */
function tightCut(input: PartitionInput): number {
  const { messages, tokensOf, tailTokens, structure, settings } = input;
  let index = messages.length;
  let tokens = 0;
  while (index > 0) {
    const message = messages[index - 1];
    tokens += message === undefined ? 0 : tokensOf(message);
    if (tokens > tailTokens) break;
    index--;
  }
  const unanswered = firmRound(input);
  if (unanswered !== undefined && index > unanswered.start) return unanswered.start;
  // Where turns must stay whole, the tail begins with a turn if there is one.
  const turn = settings.compact.cut === "turn-start" ? structure.cutAtOrAfter(index, "turn-start") : undefined;
  return turn ?? structure.cutAtOrAfter(index, "pair-safe") ?? unanswered?.start ?? messages.length;
}

function findCut(input: PartitionInput): number {
  const { structure, settings, messages, tokensOf } = input;
  if (input.isTight) return tightCut(input);
  const wanted = wantedCut(input);
  if (wanted <= 0 || messages.length === 0) return 0;
  switch (settings.compact.cut) {
    case "pair-safe":
      return structure.cutAtOrBefore(wanted, "pair-safe");
    case "turn-start":
      // Forward to the next turn, so that the keep budget is a limit. Without a next turn there is no cut.
      return structure.cutAtOrAfter(wanted, "turn-start") ?? 0;
    case "split-turn":
      return structure.cutAtOrAfter(wanted, "split-turn") ?? structure.cutAtOrBefore(wanted, "split-turn");
    case "turn-start-or-split": {
      const turn = structure.cutAtOrBefore(wanted, "turn-start");
      const extra = messages.slice(turn, wanted).reduce((total, message) => total + tokensOf(message), 0);
      return turn > 0 && extra <= input.tailTokens ? turn : structure.cutAtOrBefore(wanted, "split-turn");
    }
    default:
      return settings.compact.cut satisfies never;
  }
}

function firmRound(input: PartitionInput): ReturnType<typeof unansweredRound> {
  const { messages, structure, settings, mayTakeUnread = false } = input;
  const round = unansweredRound(messages, structure);
  if (!mayTakeUnread || round === undefined || structure.openRound() !== undefined) return round;
  return hasRequestBeside(messages, round, settings.userTools) ? round : undefined;
}

/** Protects a message for reasons of its own; `keepRoundsWhole` adds its neighbours. */
function ownProtections(input: PartitionInput, cut: number): Map<number, Protection> {
  const { messages, structure, summaryIds } = input;
  const { protect, userTools } = input.settings;
  // An earlier summary of ours is in a user message, but is no request.
  const isAsked = (message: Message): boolean => isRequest(message) && !summaryIds.has(message.id);
  const firstUser = protect.firstUser && !input.mayDropFirstUser ? firstRequest(messages, isAsked) : -1;
  const asked = messages.findLastIndex(isAsked);
  const keepsLatest = protect.latestRequest || input.isTight || input.keepsRequest === true;
  const latest = keepsLatest ? asked : -1;
  // A user who interrupted running tools asked for something newer.
  const mayBreakIn = keepsLatest && !input.mayDropFirstUser;
  const brokeIn = mayBreakIn ? [...userVoice(messages.slice(asked + 1), userTools).beside()].at(-1) : undefined;
  // No summary can replace what only the provider can read: its newest compaction stays like a pinned message.
  const native = input.mayTakeNative ? -1 : messages.findLastIndex(isNativeItem);
  const unanswered = firmRound(input) ?? { start: messages.length, end: messages.length };
  const protectedBy = new Map<number, Protection>();
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (index >= unanswered.start && index < unanswered.end) protectedBy.set(index, "open-round");
    else if (index >= cut) protectedBy.set(index, "tail");
    else if (message?.pinned || index === native) protectedBy.set(index, "pinned");
    else if (message?.role === "system" && protect.system) protectedBy.set(index, "system");
    else if (index === firstUser) protectedBy.set(index, "first-user");
    else if (index === latest || (brokeIn !== undefined && message === brokeIn))
      protectedBy.set(index, "latest-request");
  }
  if (protect.toolsVerbatim.length === 0) return protectedBy;
  for (const { at, part } of structure.pairing.calls) {
    const isVerbatim = at.message < cut && matchesAnyTool(protect.toolsVerbatim, part.name);
    if (isVerbatim && !protectedBy.has(at.message)) protectedBy.set(at.message, "verbatim-tool");
  }
  return protectedBy;
}

/** Keeps whole what no legal cut divides: a kept call keeps its results, a kept result its call. */
function keepRoundsWhole({ structure, messages }: PartitionInput, protectedBy: Map<number, Protection>): void {
  const cuts = structure.cutPoints("pair-safe");
  cuts.forEach((start, at) => {
    const end = cuts[at + 1] ?? messages.length;
    let why: Protection | undefined;
    for (let index = start; index < end; index++) {
      // A system message is no call or result, so it does not keep its neighbours.
      if (messages[index]?.role !== "system") why ??= protectedBy.get(index);
    }
    if (why === undefined) return;
    for (let index = start; index < end; index++) if (!protectedBy.has(index)) protectedBy.set(index, why);
  });
}

/**
 * The newest round while the model has not answered it: calls without results, or unread results. Without it the model
 * would repeat the call, or continue without the result. Everything after a round with missing results belongs to it. A
 * tool output in a user's message is a round too.
 */
export function unansweredRound(
  messages: readonly Message[],
  structure: Structure,
): Pick<Round, "start" | "end"> | undefined {
  const open = structure.openRound();
  if (open !== undefined) return { start: open.start, end: messages.length };
  const newestSaid = messages.findLastIndex(({ role }) => role === "assistant");
  const newest = structure.newestRound();
  if (newest !== undefined && newest.end - 1 > newestSaid) return newest;
  const unread = messages.slice(newestSaid + 1).findLastIndex(isPassedOn);
  return unread < 0 ? undefined : { start: newestSaid + 1 + unread, end: newestSaid + 2 + unread };
}

/** Whether a user's words stand beside the results of a round: they are the newest request, and must stay. */
export function hasRequestBeside(
  messages: readonly Message[],
  { start, end }: Pick<Round, "start" | "end">,
  userTools: readonly string[] = [],
): boolean {
  const round = messages.slice(start, end);
  return round.some(userVoice(round, userTools).hasWordsBeside);
}
