/** What can happen to a session, as data: a session is the sequence of its records. Makes records, or refuses; changes nothing. */

import { type JsonObject, ownCopy } from "../../core/json.ts";
import { type UsageCounts, wholeUsage } from "../../core/store/counters.ts";
import type {
  Batch,
  Commit,
  Lease,
  NewMessage,
  NewSession,
  Rollback,
  SessionUpdate,
  StoredMessage,
} from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX, messageIdOf } from "../../core/store/store-rules.ts";
import type { StoredEdit } from "../../core/store/store-upkeep.ts";
import { checkGround, isBehind, messageMissing, notInView, planRollback } from "../refusals.ts";
import type { LogEvent, Row, SessionLog } from "./session-log.ts";

export type LogRecord =
  | AppendRecord
  | CommitRecord
  | { readonly type: "rolled-back"; readonly at: string /** Newest first. */; readonly eventIds: readonly string[] }
  | PurgeRecord
  | {
      readonly type: "pinned";
      readonly at: string;
      readonly messageIds: readonly string[];
      readonly isPinned: boolean;
    }
  | { readonly type: "based"; readonly at: string; readonly base: JsonObject }
  | { readonly type: "described"; readonly at: string; readonly metadata: JsonObject }
  /** Memory was flushed at the current compaction count. */
  | { readonly type: "flushed"; readonly at: string };

/** The first of every session. */
export interface LogHeader extends Required<Omit<NewSession, "parentId">> {
  /** Tells it from an earlier session of its id. */
  readonly incarnation: string;
  readonly parentId: string | null;
  readonly at: string;
}

export interface AppendRecord {
  readonly type: "appended";
  readonly at: string;
  readonly messages: readonly LogMessage[];
  readonly turns: number;
  readonly usage?: UsageCounts;
}

export type LogMessage = Pick<StoredMessage, "id" | "sequence" | "order" | "role" | "body" | "isPinned">;

export interface CommitRecord extends Pick<Commit, "event" | "archivedIds" | "system" | "passes"> {
  readonly type: "committed";
  readonly at: string;
  readonly eventId: string;
  readonly edits: readonly StoredEdit[];
  readonly inserted: readonly LogMessage[];
  /** Null when unknown. */
  readonly totalTokens: number | null;
  /** More was appended after the plan was made. */
  readonly isOvertaken: boolean;
}

export interface PurgeRecord {
  readonly type: "purged";
  readonly at: string;
  /** The events whose messages are gone. */
  readonly eventIds: readonly string[];
}

export function makeCreated(session: NewSession, made: { readonly at: Date; readonly incarnation: string }): LogHeader {
  const { id, format, base, agentId = "", parentId = null, metadata = {} } = session;
  const [at, incarnation] = [made.at.toISOString(), made.incarnation];
  return { id, incarnation, format, base: ownCopy(base), agentId, parentId, metadata: ownCopy(metadata), at };
}

/** Undefined where nothing is appended. */
export function makeAppended(
  log: SessionLog,
  { messages, turns, usage, after }: Batch,
  at: string,
): AppendRecord | undefined {
  if (after !== undefined && after !== log.sequence) throw isBehind();
  if (messages.length === 0 && turns === 0 && usage === undefined) return undefined;
  return {
    type: "appended",
    at,
    turns,
    ...(usage === undefined ? {} : { usage: wholeUsage(usage) }),
    messages: messages.map((message, index) => newMessage(log.sequence + index + 1, message)),
  };
}

function newMessage(sequence: number, message: NewMessage & { readonly order?: number }): LogMessage {
  const { role, body, isPinned = false, order = sequence } = message;
  return { id: messageIdOf(sequence), sequence, order, role, body: ownCopy(body), isPinned };
}

interface CommitMarks {
  readonly eventId: string;
  readonly now: Date;
  readonly lease: LeaseState;
}

/** Throws where the commit does not fit the session any more. */
export function makeCommitted(log: SessionLog, commit: Commit, { eventId, now, lease }: CommitMarks): CommitRecord {
  checkGround({ isLeaseHeld: holdsLease(lease, commit.lease, now), revision: log.revision }, commit);
  const { event, edits, inserted, system, passes, totalTokens = null } = commit;
  const archivedIds = [...new Set(commit.archivedIds)];
  for (const row of inView(log, archivedIds, "archive"))
    if (row.isPinned && row.madeBy === null) throw notInView("archive");
  inView(
    log,
    edits.map(({ messageId }) => messageId),
    "edit",
  );
  return {
    type: "committed",
    at: now.toISOString(),
    eventId,
    event: ownCopy(event),
    archivedIds,
    edits: edits.map(({ messageId, kind, body }) => ({ messageId, kind, body: ownCopy(body) })),
    inserted: inserted.map((message, index) => newMessage(log.sequence + index + 1, message)),
    system: system === null ? null : ownCopy(system),
    passes: ownCopy(passes),
    totalTokens,
    isOvertaken: log.sequence > commit.sequence,
  };
}

function inView({ rows }: SessionLog, ids: readonly string[], verb: "archive" | "edit"): readonly Row[] {
  return ids.map((id) => {
    const row = rows.get(id);
    if (row === undefined || row.archivedBy !== null) throw notInView(verb);
    return row;
  });
}

export function makeUpdated(log: SessionLog, update: SessionUpdate, at: string): LogRecord {
  switch (update.type) {
    case "pin":
      if (update.messageIds.some((id) => log.rows.get(id)?.archivedBy !== null)) throw messageMissing();
      return { type: "pinned", at, messageIds: update.messageIds, isPinned: update.isPinned };
    case "base":
      return { type: "based", at, base: ownCopy(update.base) };
    case "metadata":
      return { type: "described", at, metadata: ownCopy(update.metadata) };
    case "memory-flush":
      return { type: "flushed", at };
    default:
      return update satisfies never;
  }
}

/** The events that a rollback undoes, newest first. */
export function eventsToUndo(log: SessionLog, rollback: Rollback): readonly string[] {
  return planRollback(
    eventsInForce(log).map(({ facts }) => facts),
    rollback,
  ).undoneIds;
}

/** Newest first: the head, and what each was made upon. */
export function eventsInForce(log: SessionLog): readonly LogEvent[] {
  const chain: LogEvent[] = [];
  let event = log.events.get(log.head ?? "");
  while (event !== undefined && chain.length < log.events.size) {
    chain.push(event);
    event = log.events.get(event.facts.previousId ?? "");
  }
  return chain;
}

/** The events before that time (as `purgeTime` writes it) which still hide messages. */
export function eventsToPurge(log: SessionLog, before: string): readonly string[] {
  const hiding = new Set([...log.rows.values()].map(({ archivedBy }) => archivedBy));
  return [...log.events.values()]
    .filter(({ facts }) => hiding.has(facts.id) && facts.createdAt < before)
    .map(({ facts }) => facts.id);
}

export interface LeaseState {
  readonly holder: string;
  readonly token: number;
  /** Milliseconds since the epoch; 0 once released. */
  readonly expiresAtMs: number;
  readonly lengthMs: number;
}

export const NO_LEASE: LeaseState = { holder: "", token: 0, expiresAtMs: 0, lengthMs: 0 };

interface LeaseLength {
  readonly now: Date;
  readonly ttlMs: number;
}

/** Undefined while another holder has it. */
export function takeLease(state: LeaseState, holder: string, until: LeaseLength): LeaseState | undefined {
  const nowMs = until.now.getTime();
  const leftMs = state.expiresAtMs - nowMs;
  if (leftMs > 0 && leftMs <= LEASE_LENGTHS_MAX * state.lengthMs) return undefined;
  // By the clock, so that the tokens of a session that was deleted and made again rise too.
  return { holder, token: Math.max(state.token + 1, nowMs), expiresAtMs: nowMs + until.ttlMs, lengthMs: until.ttlMs };
}

/** Undefined when it is lost or has expired. */
export function renewLease(state: LeaseState, lease: Lease, until: LeaseLength): LeaseState | undefined {
  if (!holdsLease(state, lease, until.now)) return undefined;
  return { ...state, expiresAtMs: until.now.getTime() + until.ttlMs, lengthMs: until.ttlMs };
}

/** Undefined when another holder has it by now: there is nothing to release. */
export function releaseLease(state: LeaseState, lease: Lease): LeaseState | undefined {
  return isSame(state, lease) ? { ...state, expiresAtMs: 0 } : undefined;
}

function holdsLease(state: LeaseState, lease: Lease, now: Date): boolean {
  return isSame(state, lease) && state.expiresAtMs > now.getTime();
}

export function leaseOf(sessionId: string, { holder, token, expiresAtMs }: LeaseState): Lease {
  return { sessionId, holder, token, expiresAt: new Date(expiresAtMs).toISOString() };
}

function isSame(state: LeaseState, { holder, token }: Lease): boolean {
  return state.token === token && state.holder === holder;
}
