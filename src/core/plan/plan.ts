/** A plan, as data: it can be printed, stored, compared and refused before anything happens. */

import type { Trigger } from "../settings/settings.ts";

/** Why there is a plan: a trigger that fired, a demand, a refusal, or pruning alone. */
export type Reason = Trigger["type"] | "manual" | "overflow" | "prune";

export interface Plan {
  readonly reason: Reason;
  readonly steps: readonly Step[];
  readonly tokensBefore: number;
  /** Expected tokens; a summary counts with its whole budget. */
  readonly tokensAfter: number;
  readonly targetTokens: number | undefined;
  /** Whether the result is at or below the target (or the window, where there is no target). */
  readonly fits: boolean;
  /** Why nothing is done, when `steps` is empty. */
  readonly because?: NothingToDo;
  /** What stays although the target is missed, largest first: protected messages, system prompt and tools, the new summary. */
  readonly inTheWay: readonly Obstacle[];
}

export type NothingToDo =
  | "not-triggered"
  | "auto-off"
  | "no-check-point"
  | "strategy-none"
  | "nothing-to-compact"
  | "zone-too-small"
  | "no-legal-cut"
  | "frees-nothing"
  /** The provider would refuse the result. */
  | "would-be-refused"
  | "thrashing"
  /** The provider holds the history; the list only adds to it. */
  | "server-history"
  /** Another worker is compacting the same session. */
  | "in-progress"
  /** A gate refused, or a hook cancelled. */
  | "gate"
  | "cancelled"
  /** The provider refused the request as too long, and the settings allow no further attempt. */
  | "attempts-used-up";

export type Obstacle =
  /** `not-taken`: the message is not protected, but the pass expected to meet the target without removing it, or was no compaction. */
  | { readonly messageId: string; readonly why: Protection | "not-taken"; readonly tokens: number }
  /** Compaction cannot make these smaller. */
  | {
      readonly messageId: null;
      readonly why: "outside-messages";
      readonly what: "system prompt" | "tool definitions";
      readonly tokens: number;
    }
  /** The summary or item that the pass itself inserted. */
  | { readonly messageId: null; readonly why: "summary"; readonly what: "summary"; readonly tokens: number };

export type Protection =
  | "system"
  | "first-user"
  | "pinned"
  | "tail"
  | "open-round"
  | "verbatim-tool"
  | "latest-request";

export type Step = TextStep | DropStep | SummarizeStep | NativeStep;

/** Replaces the text of one tool result. */
export interface TextStep {
  readonly type: "cap" | "trim" | "stub" | "clear";
  readonly messageId: string;
  /** Index of the tool-result part in its message. */
  readonly part: number;
  readonly text: string;
  readonly freesTokens: number;
}

export interface DropStep {
  readonly type: "drop";
  readonly messageIds: readonly string[];
  readonly reason: string;
}

export interface SummarizeStep {
  readonly type: "summarize";
  /** The zone, oldest first, possibly with gaps: pinned messages stay where they are. */
  readonly messageIds: readonly string[];
  /** Early messages of the divided turn; part of the zone, summarized to introduce the rest of the turn. */
  readonly turnPrefixIds: readonly string[];
  /** Messages that hold the earlier summary; they leave with the zone. */
  readonly replacesIds: readonly string[];
  readonly budgetTokens: number;
}

/** The provider compacts the zone; its answer replaces these messages. */
export interface NativeStep {
  readonly type: "native";
  readonly kind: string;
  readonly messageIds: readonly string[];
  /** Messages that hold a summary of ours; they are part of the request and leave with the zone. */
  readonly replacesIds: readonly string[];
}
