/** Divides a target between kept messages, unread results, and the summary of the rest. Decides from numbers alone. */

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

/** A shorter summary is not worth the call; under an explicit target, one line is better than exceeding it. */
export const USEFUL_TOKENS = 120;
const LINE_TOKENS = 24;

/** Where protected messages alone exceed an explicit target, the summary may exceed it by this share more, so that it is useful. */
const MISSED_TARGET_SHARE = 0.25;

/** A summary with more than this share of its messages' tokens is hardly one. */
export const ZONE_SHARE_MAX = 0.5;

/** On recorded sessions, the embedded summarizer has no more useful content above about this share of its input. */
const SAYABLE_SHARE = 0.12;

/**
 * The newest messages' share of the room under an explicit target: such targets are small, and a token of summary keeps
 * about three times as much of what is needed later as a token of the tail (docs/compaction.md, "How much survives").
 */
const NAMED_TAIL_SHARE = 0.15;

/** Unread results get more than that, up to this share: above it, they are summarized like the rest. */
const NAMED_ROUND_SHARE = 0.25;

/** Unread results that are cut below this, or below this share of the target, are too short to be useful. */
const WORTH_READING_TOKENS = 2_000;
const WORTH_READING_SHARE = 0.25;

/** The full tail where it fits beside the wanted summary, else a shorter one; for lack of room the first request leaves too. */
export function partitionWithRoom(input: PlanInput, mayTakeNative = false): Partition {
  const { tailTokens: tokens, tailMessages: messages } = input.settings.protect;
  // A summary in the prompt is no user message.
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

/** Without a target, protected messages come first: they stay while the request can still be answered, even above the trigger. */
function isKeptInFull(input: PlanInput, full: Partition): boolean {
  if (input.targetTokens !== undefined || input.reason === "overflow") return false;
  return keptTokens(input, full) + frameTokens(input) + USEFUL_TOKENS <= answerableTokens(input.settings);
}

/** For a pass without a summary: as many of the newest messages as the target allows. */
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

/** The tail's size with system messages, which stay anyway and do not count among its messages. */
function tailBesideSystem({ conversation: { messages }, settings: { protect } }: PlanInput): number {
  let tail = 0;
  let counted = 0;
  while (tail < messages.length && counted < protect.tailMessages) {
    tail++;
    if (!protect.system || messages[messages.length - tail]?.role !== "system") counted++;
  }
  return tail;
}

/** The room for the round that the model has not answered, and its size; undefined without one. */
interface RoundRoom {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
  readonly allowedTokens: number;
}

/** The room beside kept messages and half of the wanted summary; under an explicit target, a share of the room. */
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

/** Tokens that stay beside the round, when all that may leave does. */
type Beside = (may: May) => number;

/** Where the first request leaves no useful summary it leaves, and takes no room from the round either. */
function sharedRoom(input: PlanInput, beside: Beside): number {
  const room = (may: May): number => (input.targetTokens ?? 0) - beside(may) - frameTokens(input);
  const gentle = room(GENTLE);
  return (gentle >= wantedBudget(input) / 2 ? gentle : room(HARD)) * NAMED_ROUND_SHARE;
}

/**
 * The room beside the first request where that is enough to read, else without it. Where the kept messages alone exceed
 * the target, no cut could meet it: then the round gets the room below the trigger, or in the window.
 */
function ownRoom(input: PlanInput, tokens: number, beside: Beside): number {
  const [aimTokens, ...further] = aimsOf(input);
  const reserved =
    input.settings.compact.strategy === "truncate"
      ? foundTokens(input) + bridgeTokens(input)
      : wantedBudget(input) / 2 + frameTokens(input);
  // An explicit target is met where possible.
  const worth = input.isTargetExplicit ? 1 : Math.min(WORTH_READING_TOKENS, aimTokens * WORTH_READING_SHARE);
  const gentle = aimTokens - beside(GENTLE) - reserved;
  const hard = beside(HARD) + reserved;
  const rooms = [gentle, ...[aimTokens, ...further].map((aim) => aim - hard)];
  return rooms.find((room) => room >= Math.min(tokens, worth)) ?? Math.max(...rooms);
}

/**
 * The aims of a pass, best first: the target; without one, or when more must stay, the trigger, so that the next
 * request does not fire it again; finally the window. Without a target, a trigger that cannot be met is no aim.
 */
function aimsOf(input: PlanInput): readonly [number, ...number[]] {
  const { settings, baseTokens, toolsTokens, targetTokens } = input;
  const { windowTokens } = settings;
  const quiet = quietTokens(settings, { systemTokens: baseTokens - toolsTokens, toolsTokens });
  if (targetTokens !== undefined) return [targetTokens, Math.max(targetTokens, quiet), windowTokens];
  const least = input.baseTokens + frameTokens(input) + USEFUL_TOKENS;
  return least <= quiet ? [quiet, windowTokens] : [windowTokens];
}

/** An explicit target, with a summary of what has no room. */
function isShared({ isTargetExplicit, settings }: PlanInput): boolean {
  return isTargetExplicit && settings.compact.strategy !== "truncate";
}

/** The summary's budget by the settings; an explicit target gives it all the room that is left. */
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
    // Where protected messages alone exceed the target, even a one-line summary would not meet it.
    return roomIn(aimTokens) >= LINE_TOKENS ? roomIn(aimTokens) : missed;
  }
  const room = [aimTokens, ...further].map(roomIn).find((tokens) => tokens >= USEFUL_TOKENS) ?? USEFUL_TOKENS;
  const { maxOutputTokens, budget } = input.settings.summary;
  // Without a target there is no share of it: only the settings' own limits apply.
  const wanted = input.targetTokens === undefined ? Math.min(maxOutputTokens, budget.maxTokens) : wantedBudget(input);
  return Math.min(wanted, room);
}

/** What may leave beside the zone, where necessary. */
interface May {
  readonly mayDropFirstUser: boolean;
  readonly mayTakeNative: boolean;
  readonly mayTakeUnread?: boolean;
}

const GENTLE: May = { mayDropFirstUser: false, mayTakeNative: false };
const HARD: May = { mayDropFirstUser: true, mayTakeNative: true };

/** As much of the full tail as fits under the target, beside the wanted summary. */
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
  // A generous target has more room than a summary of the rest can use: the tail gets the difference.
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
  /** Counts the kept messages with or without an earlier summary. */
  readonly staying: typeof keptTokens;
}

/** The longest tail of at most these tokens that keeps the total below the limit; the shortest where none does. */
function tailWithin(input: PlanInput, { tokens, limitTokens, staying }: TailLimit, may: May): Partition {
  let allowed = tokens;
  for (let attempt = 0; attempt < ATTEMPTS_MAX && allowed > 0; attempt++) {
    const parts = tailOf(input, allowed, may);
    const over = staying(input, parts) - limitTokens;
    if (over <= 0) return parts;
    // Protected messages outside the tail count too, so it may have to shrink more than once.
    allowed = Math.min(allowed, sumTokens(input.conversation.messages.slice(parts.cut), input.tokensOf)) - over;
  }
  return tailOf(input, 0, may);
}

function tailOf(input: PlanInput, tokens: number, may: May): Partition {
  return partitionFor(input, { messages: 0, isTight: true, tokens, ...may });
}

/** Tokens of messages with an earlier summary, beside the kept ones: a truncation leaves them in place. */
export function foundTokens({ conversation, found, settings, tokensOf }: PlanInput): number {
  const ids = new Set(found?.messageIds ?? []);
  // System messages are among the kept ones already.
  const isBeside = (message: Message): boolean => !(settings.protect.system && message.role === "system");
  return sumTokens(
    conversation.messages.filter((message) => ids.has(message.id) && isBeside(message)),
    tokensOf,
  );
}

/** Tokens of an earlier summary's text, which the next summary must cover too. */
export function saidBefore({ found, tokensOf }: PlanInput): number {
  return found === undefined ? 0 : tokensOf({ id: "", role: "user", parts: [text(found.text)] });
}

/** Tokens of the messages beside a new summary, without the earlier summary, wherever that is. */
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

/** A text between marks counts slightly more than text and marks separately. */
const JOIN_TOKENS = 4;
/** The separating lines, where the provider refuses neighbours of one role. */
const BRIDGE_TOKENS = 32;

/** Tokens around a summary: marks, acknowledgement, separating lines. Without `parts`, an upper bound. */
export function frameTokens(input: PlanInput, parts?: Partition): number {
  const frame = frameMessages(input.settings.render, parts === undefined || mayUserFollow(input, parts));
  return sumTokens(frame, input.tokensOf) + JOIN_TOKENS + bridgeTokens(input);
}

function mayUserFollow({ conversation, settings }: PlanInput, { protectedBy }: Partition): boolean {
  const { messages } = conversation;
  // Few messages of a long list are kept, and the map is not in its order.
  const kept = [...protectedBy.keys()].sort((a, b) => a - b);
  const options = { userTools: settings.userTools, thinksManually: thinksManually(conversation) };
  const place = summaryPlace(messages, kept, options);
  const next = kept.find((index) => index >= place) ?? messages.length;
  return messages[next]?.role === "user" || messages.some(isNativeItem);
}

function bridgeTokens({ conversation }: PlanInput): number {
  return formatRules(conversation.format).sameRole === "refused" ? BRIDGE_TOKENS : 0;
}

/** Cuts results that the model has not read to their room, where the target (or the window) has less than they need. */
export function trimUnanswered(input: PlanInput): readonly TextStep[] {
  const { settings, conversation, structure, tokensOf } = input;
  const round = settings.compact.strategy === "none" ? undefined : roundRoom(input);
  if (round === undefined || round.tokens <= round.allowedTokens) return [];
  // Under an explicit target, a summary says more than such short results.
  const mayGo = isShared(input) && !hasRequestBeside(conversation.messages, round, settings.userTools);
  if (mayGo && round.allowedTokens < WORTH_READING_TOKENS) return [];
  const freeTokens = round.tokens - round.allowedTokens;
  const mayTrim = (index: number): boolean => index >= round.start && index < round.end;
  const { pairing } = structure;
  const steps = trimResults({ messages: conversation.messages, pairing, settings, tokensOf, mayTrim }, freeTokens);
  // Results that will be summarized are not cut before.
  return mayGo && freedTokens(steps) < freeTokens ? [] : steps;
}
