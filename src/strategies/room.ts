/**
 * How a target is divided between what stays as it is, results that the model has not read, and the summary of the rest. Decides
 * from numbers alone: the tail gives way only as far as it must, and what is protected never does.
 */

import { formatRules } from "../core/format-rules.ts";
import { isNativeItem } from "../core/items.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { hasRequestBeside, type Partition, unansweredRound } from "../core/plan/partition.ts";
import type { TextStep } from "../core/plan/plan.ts";
import {
  fullPartition,
  keptTokens,
  type PlanInput,
  partitionFor,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { freedTokens, trimResults } from "../core/plan/prune.ts";
import { frameMessages, summaryPlace } from "../core/plan/render.ts";
import { stripParts, withoutSummary } from "../core/plan/summary-marks.ts";
import { answerableTokens, quietTokens, shareOf } from "../core/plan/trigger.ts";
import { thinksManually } from "../core/thinking.ts";

/** A summary below this says nothing worth the call; where somebody named the target, a line is better than too much. */
export const USEFUL_TOKENS = 120;
const LINE_TOKENS = 24;

/** Where what is protected misses a named target by itself, the summary may miss it by this much more, and says something. */
const MISSED_TARGET_SHARE = 0.25;

/** A summary that takes more than this of what it stands for is hardly one. */
export const ZONE_SHARE_MAX = 0.5;

/** Measured on recorded sessions, the embedded summarizer runs out of things worth saying at about this share of what it reads. */
const SAYABLE_SHARE = 0.12;

/**
 * Of the room under a target that somebody named, this much goes to the newest messages: such targets are small, and there a token
 * of summary keeps about three times as much of what is needed later as a token of the tail (docs/compaction.md, "How much survives").
 */
const NAMED_TAIL_SHARE = 0.15;

/** Results that the model has not read yet get more than that, but no more than this: beyond it, they are summarised like the rest. */
const NAMED_ROUND_SHARE = 0.25;

/** Of results that the model has not read, cutting to less than this, or than this share of the target, leaves too little to read. */
const WORTH_READING_TOKENS = 2_000;
const WORTH_READING_SHARE = 0.25;

/**
 * The full tail where it fits beside the summary that the settings want. Else a shorter one; where even the first request is
 * in the way of a useful summary, it goes too (the summary quotes it), and so does what the provider compacted.
 */
export function partitionWithRoom(input: PlanInput, mayTakeNative = false): Partition {
  const { tailTokens: tokens, tailMessages: messages } = input.settings.protect;
  // A summary in the prompt is no message of a user's.
  const keepsRequest = input.settings.render.renderer === "system";
  const full = partitionFor(input, { tokens, messages, mayTakeNative, keepsRequest });
  if (isKeptInFull(input, full)) return full;
  const [aimTokens] = aimsOf(input);
  const room = (parts: Partition): number => aimTokens - stayingTokens(input, parts) - frameTokens(input, parts);
  if (room(full) >= wantedBudget(input)) return full;
  const shorter = input.isTargetExplicit ? tailUnderNamedTarget : tailUnderOwnTarget;
  const tight = shorter(input, aimTokens, { mayDropFirstUser: false, mayTakeNative });
  if (room(tight) >= wantedBudget(input) / 2) return tight;
  return shorter(input, aimTokens, HARD);
}

/**
 * Without a target nothing is worth more than what is protected: it stays for as long as a request with it can be
 * answered, even above the trigger, and where that leaves nothing to compact, nothing is done.
 */
function isKeptInFull(input: PlanInput, full: Partition): boolean {
  if (input.targetTokens !== undefined || input.reason === "overflow") return false;
  return keptTokens(input, full) + frameTokens(input) + USEFUL_TOKENS <= answerableTokens(input.settings);
}

/** For a pass that makes no summary: as many of the newest messages as the target allows. */
export function partitionForTruncation(input: PlanInput): Partition {
  const { protect } = input.settings;
  const [aimTokens] = aimsOf(input);
  const limitTokens = aimTokens - foundTokens(input) - bridgeTokens(input);
  if (input.targetTokens === undefined) {
    const tail = { tokens: protect.tailTokens, messages: tailBesideSystem(input) };
    const full = partitionFor(input, { ...tail, keepsRequest: true });
    if (keptTokens(input, full) <= limitTokens || isKeptInFull(input, full)) return full;
  }
  const within = { tokens: Math.max(0, limitTokens), limitTokens, staying: keptTokens };
  const gentle = tailWithin(input, within, GENTLE);
  return keptTokens(input, gentle) <= limitTokens ? gentle : tailWithin(input, within, HARD);
}

/** System messages stay anyway, so those that stand among the newest messages take no place there. */
function tailBesideSystem({ conversation: { messages }, settings: { protect } }: PlanInput): number {
  let tail = 0;
  let counted = 0;
  while (tail < messages.length && counted < protect.tailMessages) {
    tail++;
    if (!protect.system || messages[messages.length - tail]?.role !== "system") counted++;
  }
  return tail;
}

/** How much room there is for the round that the model has not answered, and how much it takes; undefined without one. */
interface RoundRoom {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly allowedTokens: number;
}

/** Beside what stays and half of the summary that the settings want; under a named target, a share of the room. */
export function roundRoom(input: PlanInput): RoundRoom | undefined {
  const { conversation, structure, tokensOf } = input;
  const round = unansweredRound(conversation.messages, structure);
  if (round === undefined) return undefined;
  const tokens = sumTokens(conversation.messages.slice(round.start, round.end), tokensOf);
  if (isKeptInFull(input, fullPartition(input))) return { ...round, tokens, allowedTokens: tokens };
  const staying = input.settings.compact.strategy === "truncate" ? keptTokens : stayingTokens;
  const beside = (may: May): number => staying(input, tailOf(input, 0, may)) - tokens;
  const allowed = isShared(input) ? sharedRoom(input, beside) : ownRoom(input, tokens, beside);
  return { ...round, tokens, allowedTokens: Math.max(0, Math.floor(allowed)) };
}

/** What stays beside the round, when as much goes as may. */
type Beside = (may: May) => number;

/** The first request goes where it leaves no useful summary: then it takes nothing from the round either. */
function sharedRoom(input: PlanInput, beside: Beside): number {
  const room = (may: May): number => (input.targetTokens ?? 0) - beside(may) - frameTokens(input);
  const gentle = room(GENTLE);
  return (gentle >= wantedBudget(input) / 2 ? gentle : room(HARD)) * NAMED_ROUND_SHARE;
}

/**
 * Beside the first request where that leaves enough to read, else without it. Where what stays takes the target by itself, no
 * cut could meet it: then the round may have what there is below the trigger, or in the window.
 */
function ownRoom(input: PlanInput, tokens: number, beside: Beside): number {
  const [aimTokens, ...further] = aimsOf(input);
  const reserved =
    input.settings.compact.strategy === "truncate"
      ? foundTokens(input) + bridgeTokens(input)
      : wantedBudget(input) / 2 + frameTokens(input);
  // A target that somebody named is met where it can be.
  const worth = input.isTargetExplicit ? 1 : Math.min(WORTH_READING_TOKENS, aimTokens * WORTH_READING_SHARE);
  const gentle = aimTokens - beside(GENTLE) - reserved;
  const hard = beside(HARD) + reserved;
  const rooms = [gentle, ...[aimTokens, ...further].map((aim) => aim - hard)];
  return rooms.find((room) => room >= Math.min(tokens, worth)) ?? Math.max(...rooms);
}

/**
 * What a pass aims below, the best first: the target; where there is none, or what stays is more, the trigger, so that the next
 * request does not fire it again; the window at last. Without a target, a trigger that cannot be met is none.
 */
function aimsOf(input: PlanInput): readonly [number, ...number[]] {
  const { settings, baseTokens, toolsTokens, targetTokens } = input;
  const { windowTokens } = settings;
  const quiet = quietTokens(settings, { systemTokens: baseTokens - toolsTokens, toolsTokens });
  if (targetTokens !== undefined) return [targetTokens, Math.max(targetTokens, quiet), windowTokens];
  const least = input.baseTokens + frameTokens(input) + USEFUL_TOKENS;
  return least <= quiet ? [quiet, windowTokens] : [windowTokens];
}

/** Somebody named the target, and a summary is to say what there is no room for. */
function isShared({ isTargetExplicit, settings }: PlanInput): boolean {
  return isTargetExplicit && settings.compact.strategy !== "truncate";
}

/** What the settings would give a summary; a named target gives it all that is left. */
function wantedBudget(input: PlanInput): number {
  const { budget } = input.settings.summary;
  const [aimTokens] = aimsOf(input);
  if (input.isTargetExplicit) {
    const sayable = input.saidTokens ?? totalTokens(input) * SAYABLE_SHARE;
    return Math.floor(Math.min(aimTokens / 2, sayable));
  }
  return Math.max(budget.minTokens, Math.min(budget.maxTokens, Math.floor(shareOf(aimTokens, budget.ratioOfTarget))));
}

export function summaryBudget(input: PlanInput, parts: Partition): number {
  const [aimTokens, ...further] = aimsOf(input);
  const beside = stayingTokens(input, parts) + frameTokens(input, parts);
  const roomIn = (aim: number): number => aim - beside;
  if (input.isTargetExplicit) {
    const missed = Math.max(USEFUL_TOKENS, Math.floor(aimTokens * MISSED_TARGET_SHARE));
    // Where what is protected misses the target by itself, a line would not meet it either.
    return roomIn(aimTokens) >= LINE_TOKENS ? roomIn(aimTokens) : missed;
  }
  const room = [aimTokens, ...further].map(roomIn).find((tokens) => tokens >= USEFUL_TOKENS) ?? USEFUL_TOKENS;
  const { maxOutputTokens, budget } = input.settings.summary;
  // Without a target there is nothing to take a share of: the settings' own limits are what there is.
  const wanted = input.targetTokens === undefined ? Math.min(maxOutputTokens, budget.maxTokens) : wantedBudget(input);
  return Math.min(wanted, room);
}

/** What may go beside the zone, where it must. */
interface May {
  readonly mayDropFirstUser: boolean;
  readonly mayTakeNative: boolean;
  readonly mayTakeUnread?: boolean;
}

const GENTLE: May = { mayDropFirstUser: false, mayTakeNative: false };
const HARD: May = { mayDropFirstUser: true, mayTakeNative: true };

/** As much of the full tail as the target has room for, beside the summary that the settings want. */
function tailUnderOwnTarget(input: PlanInput, targetTokens: number, may: May): Partition {
  const limitTokens = targetTokens - frameTokens(input) - wantedBudget(input);
  const fullTokens = sumTokens(input.conversation.messages.slice(fullPartition(input).cut), input.tokensOf);
  return tailWithin(input, { tokens: Math.min(fullTokens, limitTokens), limitTokens, staying: stayingTokens }, may);
}

function tailUnderNamedTarget(input: PlanInput, targetTokens: number, mayAlways: May): Partition {
  const round = roundRoom(input);
  const may = { ...mayAlways, mayTakeUnread: round !== undefined && round.tokens > round.allowedTokens };
  const firm = stayingTokens(input, tailOf(input, 0, may));
  const room = Math.max(0, targetTokens - firm - frameTokens(input));
  const zone = Math.max(0, totalTokens(input) - firm);
  // A generous target has more room than a summary of the rest can use: what that leaves is the tail's.
  const spare = input.saidTokens === undefined ? spareBeside(room, zone) : room - input.saidTokens;
  const tokens = Math.max(Math.floor(room * NAMED_TAIL_SHARE), spare);
  return tailOf(input, Math.min(input.settings.protect.tailTokens || room, tokens), may);
}

function spareBeside(room: number, zone: number): number {
  return Math.floor((room - zone * SAYABLE_SHARE) / (1 - SAYABLE_SHARE));
}

const ATTEMPTS_MAX = 8;

interface TailLimit {
  readonly tokens: number;
  readonly limitTokens: number;
  /** With or without an earlier summary. */
  readonly staying: typeof keptTokens;
}

/** The longest tail of at most these tokens that keeps everything that stays below the limit; the shortest where none does. */
function tailWithin(input: PlanInput, { tokens, limitTokens, staying }: TailLimit, may: May): Partition {
  let allowed = tokens;
  for (let attempt = 0; attempt < ATTEMPTS_MAX && allowed > 0; attempt++) {
    const parts = tailOf(input, allowed, may);
    const over = staying(input, parts) - limitTokens;
    if (over <= 0) return parts;
    // What is protected counts wherever it stands, so the tail may have to give more than once.
    allowed = Math.min(allowed, sumTokens(input.conversation.messages.slice(parts.cut), input.tokensOf)) - over;
  }
  return tailOf(input, 0, may);
}

function tailOf(input: PlanInput, tokens: number, may: May): Partition {
  return partitionFor(input, { messages: 0, isTight: true, tokens, ...may });
}

/** Tokens of the messages that hold an earlier summary, beside what is kept: a truncation leaves them where they are. */
export function foundTokens({ conversation, found, settings, tokensOf }: PlanInput): number {
  const ids = new Set(found?.messageIds ?? []);
  // System messages are among what is kept already.
  const isBeside = (message: Message): boolean => !(settings.protect.system && message.role === "system");
  return sumTokens(
    conversation.messages.filter((message) => ids.has(message.id) && isBeside(message)),
    tokensOf,
  );
}

/** Tokens of an earlier summary's text, which the next summary has to cover too. */
export function saidBefore({ found, tokensOf }: PlanInput): number {
  return found === undefined ? 0 : tokensOf({ id: "", role: "user", parts: [text(found.text)] });
}

/** Tokens of what stays beside a new summary: what is kept, without the earlier summary, wherever that stands. */
export function stayingTokens(input: PlanInput, parts: Partition): number {
  const kept = keptTokens(input, parts);
  return input.found === undefined ? kept : kept - outdatedTokens(input, parts);
}

function outdatedTokens({ conversation, found, settings, tokensOf }: PlanInput, { protectedBy }: Partition): number {
  const ids = new Set(found?.messageIds ?? []);
  const of = (parts: readonly Part[]): number => tokensOf({ id: "", role: "system", parts });
  const { system, messages } = conversation;
  let tokens = of(system) - of(stripParts(system, settings.render));
  for (const index of protectedBy.keys()) {
    const message = messages[index];
    if (message === undefined) continue;
    const bare = ids.has(message.id) ? undefined : withoutSummary(message, settings.render);
    if (bare !== message) tokens += tokensOf(message) - (bare === undefined ? 0 : tokensOf(bare));
  }
  return tokens;
}

/** A text counts a little more between its marks than both do apart. */
const JOIN_TOKENS = 4;
/** The lines between neighbours of one role, where the provider refuses those. */
const BRIDGE_TOKENS = 32;

/** Tokens of what stands around a summary: marks, acknowledgement, lines between neighbours. Without `parts`, an upper bound. */
export function frameTokens(input: PlanInput, parts?: Partition): number {
  const frame = frameMessages(input.settings.render, parts === undefined || mayUserFollow(input, parts));
  return sumTokens(frame, input.tokensOf) + JOIN_TOKENS + bridgeTokens(input);
}

function mayUserFollow({ conversation, settings }: PlanInput, { protectedBy }: Partition): boolean {
  const { messages } = conversation;
  // Few are kept of a long list, and these are not in its order.
  const kept = [...protectedBy.keys()].sort((a, b) => a - b);
  const options = { userTools: settings.userTools, thinksManually: thinksManually(conversation) };
  const place = summaryPlace(messages, kept, options);
  const next = kept.find((index) => index >= place) ?? messages.length;
  return messages[next]?.role === "user" || messages.some(isNativeItem);
}

function bridgeTokens({ conversation }: PlanInput): number {
  return formatRules(conversation.format).sameRole === "refused" ? BRIDGE_TOKENS : 0;
}

/**
 * Steps for results that the model has not read yet: they stay in the view, and are cut to the room there is for them where the
 * target (or the window) has less than they need.
 */
export function trimUnanswered(input: PlanInput): readonly TextStep[] {
  const { settings, conversation, structure, tokensOf } = input;
  const round = settings.compact.strategy === "none" ? undefined : roundRoom(input);
  if (round === undefined || round.tokens <= round.allowedTokens) return [];
  // Under a target that somebody named, a summary of the results says more than so little of them.
  const mayGo = isShared(input) && !hasRequestBeside(conversation.messages, round, settings.userTools);
  if (mayGo && round.allowedTokens < WORTH_READING_TOKENS) return [];
  const freeTokens = round.tokens - round.allowedTokens;
  const mayTrim = (index: number): boolean => index >= round.start && index < round.end;
  const { pairing } = structure;
  const steps = trimResults({ messages: conversation.messages, pairing, settings, tokensOf, mayTrim }, freeTokens);
  // What is summarised after all is summarised whole.
  return mayGo && freedTokens(steps) < freeTokens ? [] : steps;
}
