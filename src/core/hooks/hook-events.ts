/**
 * What a pass tells while it runs: one typed event per stage, as plain data. Events never carry what could change the pass,
 * and the messages in them are copies without wire bodies and binary data.
 */

import { copyJson } from "../json.ts";
import type { Message, Part, Role } from "../message.ts";
import type { NothingToDo, Plan, Reason } from "../plan/plan.ts";
import type { Usage } from "../ports.ts";

export type HookEvent =
  | TriggerFired
  | StrategyFailed
  | PlanMade
  | GateClosed
  | CompactionStarted
  | CompactionProvided
  | SummaryStarted
  | ProgressMade
  | SummaryFailed
  | SummaryMade
  | ResultsPruned
  | ConversationCompacted
  | NothingDone
  | PassFailed
  | CompactionEnded;

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

/** A trigger fired, or somebody asked. */
interface TriggerFired {
  readonly type: "trigger-fired";
  readonly reason: Reason;
  /** What the triggers compare. */
  readonly tokens: number;
  /** The limit that was passed; the lowest one there is when somebody asked; absent when no trigger has any. */
  readonly thresholdTokens?: number;
}

/** The host's own strategy threw, or said what cannot stand; the settings' strategy decided. */
interface StrategyFailed {
  readonly type: "strategy-failed";
  readonly because: string;
  /** `compact.strategy`. */
  readonly fallback: string;
}

interface PlanMade {
  readonly type: "plan-made";
  readonly plan: Plan;
  readonly reason: Reason;
  readonly tokens: number;
  readonly thresholdTokens?: number;
  /** Messages that will leave the view. */
  readonly messagesLeaving: number;
}

interface GateClosed {
  readonly type: "gate-closed";
  readonly because: string;
}

/** Past the gates, before anything is done. Exactly one `compaction-ended` follows, whatever happens. */
export interface CompactionStarted {
  readonly type: "compaction-started";
  readonly reason: Reason;
  readonly messageCount: number;
  readonly tokenCount: number;
  readonly compactionNumber: number;
  /** What will leave the view, copied. */
  readonly messages: readonly MessageSnapshot[];
}

/** A `provide` hook replaced the built-in compaction. */
interface CompactionProvided {
  readonly type: "compaction-provided";
  readonly summary: string;
  readonly summaryTokens: number;
  readonly firstKeptEntryId?: string;
}

interface SummaryStarted {
  readonly type: "summary-started";
  readonly summarizer: string;
  readonly messageCount: number;
  /** Absent where the provider compacts by itself and decides how much it writes. */
  readonly budgetTokens?: number;
  /** Model calls that will be made at most. */
  readonly callsMax: number;
}

interface ProgressMade {
  readonly type: "progress-made";
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

interface SummaryFailed {
  readonly type: "summary-failed";
  readonly because: string;
  /** The step of `failure.ladder` that was taken; `throw` when the pass failed with it; `summarize` instead of `native`. */
  readonly fallback: string;
}

interface SummaryMade {
  readonly type: "summary-made";
  readonly summarizer: string;
  /** Empty where only the provider can read it. */
  readonly summary: string;
  readonly summaryTokens: number;
  readonly calls: number;
  readonly usage?: Usage;
}

interface ResultsPruned {
  readonly type: "results-pruned";
  /** Shortened: cap and trim. */
  readonly soft: number;
  /** Replaced: stub and clear. */
  readonly hard: number;
}

export interface ConversationCompacted {
  readonly type: "conversation-compacted";
  /** Of the event that a session stored; absent where nothing is stored. */
  readonly eventId?: string;
  /** As stored, else the time of now. */
  readonly createdAt: string;
  readonly reason: Reason;
  /** The settings' strategy, or what took its place; `prune` where no compaction was due, `provided` where a hook did it. */
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
  /** The model that answered, or the one that was asked for; absent where none was, or nobody said. */
  readonly model?: string;
  readonly calls: number;
  /** Before ÷ after, of the whole context. */
  readonly ratio: number;
  readonly fits: boolean;
  readonly steps: Readonly<Record<string, number>>;
  readonly durationMs: number;
  /** Absent where no compaction was due: pruning and limits on messages are none to the sources. */
  readonly compactionNumber?: number;
}

interface NothingDone {
  readonly type: "nothing-done";
  readonly because: NothingToDo | Reason;
  /** False when a pass was needed and did not happen. */
  readonly ok: boolean;
  readonly reason: Reason;
  readonly tokens: number;
  readonly durationMs: number;
}

/** The pass threw, or was aborted; nothing was changed. */
interface PassFailed {
  readonly type: "pass-failed";
  readonly reason: Reason;
  readonly because: string;
  readonly error: unknown;
  readonly durationMs: number;
}

interface CompactionEnded {
  readonly type: "compaction-ended";
  readonly messageCount: number;
  readonly tokenCount: number;
  /** Messages that left the view; 0 when nothing was compacted. */
  readonly compactedCount: number;
}

interface MessageSnapshot {
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly PartSnapshot[];
  readonly pinned?: boolean;
}

/** As in a message, less the wire block; base64 data is an empty string, opaque parts keep only their kind. */
type PartSnapshot = Part extends infer One
  ? One extends Part
    ? Omit<One, "wire" | "content"> & Inner<One>
    : never
  : never;

type Inner<One> = One extends { readonly content: readonly Part[] }
  ? { readonly content: readonly PartSnapshot[] }
  : unknown;

export function snapshotOf({ id, role, parts, pinned }: Message): MessageSnapshot {
  return { id, role, parts: parts.map(partSnapshot), ...(pinned !== undefined && { pinned }) };
}

/** For another one who looks on: nobody sees what the one before did to it. */
export function snapshotCopy(snapshot: MessageSnapshot): MessageSnapshot {
  return { ...snapshot, parts: snapshot.parts.map(partCopy) };
}

/** Texts are shared, since nothing can change them; only what holds other values is gone into. */
function partCopy(part: PartSnapshot): PartSnapshot {
  switch (part.type) {
    case "tool-result":
      return { ...part, content: part.content.map(partCopy) };
    case "tool-call":
      return { ...part, input: copyJson(part.input) };
    case "media":
      return { ...part, source: { ...part.source } };
    default:
      return { ...part };
  }
}

/** For those who only look: what they do to it does not reach the plan that is carried out. */
export function planCopy(plan: Plan): Plan {
  return structuredClone(plan);
}

function partSnapshot(part: Part): PartSnapshot {
  const { wire: _, ...rest } = part;
  switch (rest.type) {
    case "tool-result":
      return { ...rest, content: rest.content.map(partSnapshot) };
    case "media":
      return rest.source.type === "base64" ? { ...rest, source: { type: "base64", data: "" } } : structuredClone(rest);
    case "tool-call":
      return { ...rest, input: structuredClone(rest.input) };
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
