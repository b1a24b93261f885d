/** The events of a pass as plain data. The messages in them are copies without wire bodies and binary data. */

import { copyJson } from "../json.ts";
import type { Message, Part, Role } from "../message.ts";
import type { NothingToDo, Plan, Reason } from "../plan/plan.ts";
import type { Usage } from "../ports.ts";

/** All events with their fields. Log lines, metrics and the names of other projects are chosen by the keys of this table. */
export interface HookEvents {
  /** A trigger fired, or the caller asked for a compaction. */
  "trigger-fired": Trigger;
  /** The host's own strategy threw, or made a plan that cannot stand; the settings' strategy decided. */
  "strategy-failed": {
    readonly because: string;
    /** `compact.strategy`. */
    readonly fallback: string;
  };
  "plan-made": Trigger & {
    readonly plan: Plan;
    /** Messages that will leave the view. */
    readonly messagesLeaving: number;
  };
  "gate-closed": { readonly because: string };
  /** Past the gates, before anything is done. Exactly one `compaction-ended` follows, whatever happens. */
  "compaction-started": {
    readonly reason: Reason;
    readonly messageCount: number;
    readonly tokenCount: number;
    readonly compactionNumber: number;
    /** What will leave the view, copied. */
    readonly messages: readonly MessageSnapshot[];
  };
  /** A `provide` hook replaced the built-in compaction. */
  "compaction-provided": {
    readonly summary: string;
    readonly summaryTokens: number;
    readonly firstKeptEntryId?: string;
  };
  "summary-started": {
    readonly summarizer: string;
    readonly messageCount: number;
    /** Absent where the provider compacts by itself and decides how much it writes. */
    readonly budgetTokens?: number;
    /** Upper bound of the model calls. */
    readonly callsMax: number;
  };
  "progress-made": { readonly stage: string; readonly done: number; readonly total: number };
  "summary-failed": {
    readonly because: string;
    /** The step of `failure.ladder` that was taken; `throw` when the pass failed with it; `summarize` instead of `native`. */
    readonly fallback: string;
  };
  "summary-made": {
    readonly summarizer: string;
    /** Empty where only the provider can read it. */
    readonly summary: string;
    readonly summaryTokens: number;
    readonly calls: number;
    readonly usage?: Usage;
  };
  "results-pruned": {
    /** Shortened: cap and trim. */
    readonly soft: number;
    /** Replaced: stub and clear. */
    readonly hard: number;
  };
  "conversation-compacted": {
    /** The id of the event that a session stored; absent where nothing is stored. */
    readonly eventId?: string;
    /** As stored, otherwise the current time. */
    readonly createdAt: string;
    readonly reason: Reason;
    /** The settings' strategy or its fallback; `prune` where no compaction was due, `provided` where a hook did it. */
    readonly strategy: string;
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly tokensFreed: number;
    readonly messagesBefore: number;
    readonly messagesAfter: number;
    /** Messages that left the view. */
    readonly messagesRemoved: number;
    /** In the view before and after. */
    readonly preservedMessageIds: readonly string[];
    readonly summary?: string;
    readonly summaryTokens?: number;
    readonly summarizer?: string;
    /** The model that answered, or the one that was asked for; absent where there was none, or it is not known. */
    readonly model?: string;
    readonly calls: number;
    /** Before ÷ after, of the whole context. */
    readonly ratio: number;
    readonly fits: boolean;
    readonly steps: Readonly<Record<string, number>>;
    readonly durationMs: number;
    /** Absent where no compaction was due: the other projects do not count pruning and limits on messages. */
    readonly compactionNumber?: number;
  };
  "nothing-done": {
    readonly because: NothingToDo | Reason;
    /** False when a pass was needed and did not happen. */
    readonly ok: boolean;
    readonly reason: Reason;
    readonly tokens: number;
    readonly durationMs: number;
  };
  /** The pass threw, or was aborted; nothing was changed. */
  "pass-failed": {
    readonly reason: Reason;
    readonly because: string;
    readonly error: unknown;
    readonly durationMs: number;
  };
  "compaction-ended": {
    readonly messageCount: number;
    readonly tokenCount: number;
    /** Messages that left the view; 0 when nothing was compacted. */
    readonly compactedCount: number;
  };
}

interface Trigger {
  readonly reason: Reason;
  /** What the triggers compare. */
  readonly tokens: number;
  /** The limit that was passed; the lowest limit where the caller asked; absent when no trigger has one in tokens, or one with another limit fired. */
  readonly thresholdTokens?: number;
}

/** The events of such a table, each with its key as `type`. */
export type EventsOf<Table> = { [Type in keyof Table]: { readonly type: Type } & Table[Type] }[keyof Table];

export type HookEvent = EventsOf<HookEvents>;

export type HookEventOf<Type extends HookEvent["type"]> = Extract<HookEvent, { readonly type: Type }>;

/** Who the conversation belongs to, as far as the caller says; given for the compactor, and over it for one call. */
export interface HookContext {
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly workspaceDir?: string;
  readonly messageProvider?: string;
  /** Compactions of this session before this one. Counted by session id where it is not given. */
  readonly compactionCount?: number;
}

interface MessageSnapshot {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly PartSnapshot[];
  readonly pinned?: boolean;
}

/** As in a message, without the wire block; base64 data is an empty string, opaque parts keep only their kind. */
type PartSnapshot = Part extends infer One
  ? One extends Part
    ? Omit<One, "wire" | "content"> & Inner<One>
    : never
  : never;

type Inner<One> = One extends { readonly content: readonly Part[] }
  ? { readonly content: readonly PartSnapshot[] }
  : unknown;

/** A copy of a message, or of another snapshot, so that no listener sees what another one did to it. */
export function snapshotOf({ id, role, parts, pinned }: Message | MessageSnapshot): MessageSnapshot {
  return { id, role, parts: parts.map(partSnapshot), ...(pinned !== undefined && { pinned }) };
}

/** Shares texts, since nothing can change them; copies only what holds other values. */
function partSnapshot(part: Part | PartSnapshot): PartSnapshot {
  // A snapshot is a part that has no wire block, and has to say nothing about it.
  const { wire: _, ...rest } = part as PartSnapshot & { readonly wire?: unknown };
  switch (rest.type) {
    case "tool-result":
      return { ...rest, content: rest.content.map(partSnapshot) };
    case "media":
      return { ...rest, source: rest.source.type === "base64" ? { type: "base64", data: "" } : { ...rest.source } };
    case "tool-call":
      return { ...rest, input: copyJson(rest.input) };
    default:
      return rest;
  }
}

export type Attributes = Record<string, string | number | boolean>;

export interface Telemetry {
  /** Runs within a span that ends with it; spans that are started inside become its children. */
  span<Result>(
    name: string,
    attributes: Attributes,
    run: (note: (attributes: Attributes) => void) => Promise<Result>,
  ): Promise<Result>;
  /** Metrics of an event; most have none. */
  record(event: HookEvent, attributes: Attributes): void;
}

/** Where several ids are given, a session's own comes first. */
export function sessionIdOf({ sessionId, sessionKey }: HookContext): string {
  return sessionId ?? sessionKey ?? "";
}
