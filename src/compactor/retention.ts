/** Keeps more than the settings would, by functions of the caller: a tail that follows the conversation, and messages with a high score. */

import { present } from "../core/json.ts";
import type { Conversation, Message } from "../core/message.ts";
import { wantedCut } from "../core/plan/partition.ts";
import { findSummary } from "../core/plan/summary-marks.ts";
import type { Settings, SettingsInput } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";

export interface RetentionOptions {
  /** Decides how much of the newest to keep, from the current conversation. Default: `protect.tailTokens` and `tailMessages`. */
  readonly keepRecent?: KeepRecent;
  /** Decides which messages to keep as if they were pinned. Default: none. */
  readonly scoreMessage?: ScoreMessage;
}

/** Pure. Undefined, or a missing size, stands for the settings' own; a value out of range is refused like a setting. */
export type KeepRecent = (input: KeepRecentInput) => Tail | undefined;

export interface Tail {
  readonly tailTokens?: number;
  readonly tailMessages?: number;
}

export interface KeepRecentInput {
  readonly view: Conversation;
  readonly settings: Settings;
  tokensOf(message: Message): number;
}

/** Pure. Above 0: worth keeping, highest first. Called once for each message. */
export type ScoreMessage = (message: Message) => number;

/** Pinned and scored messages together take at most this share of the target, so that a pass still gets below it. */
const SCORED_SHARE_MAX = 0.25;

/** The call's own settings, with the tail of `keepRecent` over them; unchanged where it returns none. */
export function keepRecentInput(
  { keepRecent }: RetentionOptions,
  call: SettingsInput | undefined,
  input: KeepRecentInput,
): SettingsInput | undefined {
  const tail = keepRecent?.(input);
  if (tail === undefined) return call;
  const { tailTokens, tailMessages } = tail;
  return { ...call, protect: { ...call?.protect, ...present({ tailTokens, tailMessages }) } };
}

export interface ScoredInput extends KeepRecentInput {
  readonly targetTokens: number | undefined;
}

/** The view with the best messages before the tail pinned, as many as fit; the same view where there are none. */
export function pinScored(scoreOf: ScoreMessage, input: ScoredInput): Conversation {
  const { view, settings, targetTokens } = input;
  const { messages } = view;
  const wholes = wholesOf(input);
  const kept = new Set(messages.flatMap((message, index) => (message.pinned ? (wholes[index] ?? []) : [])));
  let roomTokens = (targetTokens ?? settings.windowTokens) * SCORED_SHARE_MAX;
  for (const { tokens } of kept) roomTokens -= tokens;
  // The next summary replaces an earlier one of ours, whatever its score.
  const ours = new Set(findSummary(messages, view.system, settings.render)?.messageIds ?? []);
  // Messages in the tail stay anyway, and take none of the room.
  const tailStart = wantedCut({ messages, tokensOf: input.tokensOf, ...settings.protect });
  const ranked = messages
    .slice(0, tailStart)
    .flatMap((message, index) => {
      const score = message.pinned || ours.has(message.id) ? 0 : scoreOf(message);
      const whole = wholes[index];
      return score > 0 && whole !== undefined ? [{ message, index, whole, score }] : [];
    })
    .sort((a, b) => b.score - a.score || b.index - a.index);
  const chosen = new Set<Message>();
  for (const { message, whole } of ranked) {
    const tokens = kept.has(whole) ? 0 : whole.tokens;
    if (tokens > roomTokens) continue;
    roomTokens -= tokens;
    kept.add(whole);
    chosen.add(message);
  }
  if (chosen.size === 0) return view;
  return {
    ...view,
    messages: messages.map((message) => (chosen.has(message) ? { ...message, pinned: true } : message)),
  };
}

/** What no legal cut divides: a kept call keeps its results and a kept result its call, so they are counted as one. */
interface Whole {
  tokens: number;
}

/** For each message, the messages that stay with it. */
function wholesOf({ view, tokensOf }: ScoredInput): readonly Whole[] {
  const { messages } = view;
  const starts = new Set(structureOf(messages).cutPoints("pair-safe"));
  let whole: Whole = { tokens: 0 };
  return messages.map((message, index) => {
    if (starts.has(index)) whole = { tokens: 0 };
    whole.tokens += tokensOf(message);
    return whole;
  });
}

/** Asks for each score once: lists that are sent again have the same wire objects. */
export function rememberScores(scoreMessage: ScoreMessage): ScoreMessage {
  const known = new WeakMap<object, number>();
  return (message) => {
    const json = message.wire?.json;
    const key = typeof json === "object" && json !== null ? json : message;
    const before = known.get(key);
    if (before !== undefined) return before;
    const score = scoreMessage(message);
    known.set(key, score);
    return score;
  };
}
