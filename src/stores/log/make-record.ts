/** Records out of what the store was asked for, numbered from where the log stands. Copies what it is given; changes nothing. */

import { CompactionError, type ErrorCode } from "../../core/errors.ts";
import { isOvertaken, wholeUsage } from "../../core/store/counters.ts";
import type { Batch, Commit, NewSession, Rollback, SessionUpdate } from "../../core/store/store.ts";
import { ownCopy } from "../../core/store/stored-json.ts";
import { holdsLease, type LeaseState } from "./lease.ts";
import type { Appended, Committed, Created, LogRecord } from "./log-record.ts";
import { type LogEvent, newLog, type SessionLog } from "./session-log.ts";

export function makeCreated(session: NewSession, made: { readonly at: Date; readonly incarnation: string }): Created {
  const { id, format, base, agentId = "", parentId = null, metadata = {} } = session;
  const [at, incarnation] = [made.at.toISOString(), made.incarnation];
  return { id, incarnation, format, base: ownCopy(base), agentId, parentId, metadata: ownCopy(metadata), at };
}

/** Undefined where nothing is appended. */
export function makeFirst(created: Created, first: Batch): Appended | undefined {
  return isEmpty(first) ? undefined : makeAppended(newLog(created), first, created.at);
}

export function isEmpty({ messages, turns, usage }: Batch): boolean {
  return messages.length === 0 && turns === 0 && usage === undefined;
}

export function makeAppended(log: SessionLog, { messages, turns, usage }: Batch, at: string): Appended {
  return {
    type: "appended",
    at,
    turns,
    ...(usage === undefined ? {} : { usage: wholeUsage(usage) }),
    messages: messages.map(({ role, body, isPinned = false }, index) => {
      const sequence = log.sequence + index + 1;
      return { id: `m${sequence}`, sequence, order: sequence, role, body: ownCopy(body), isPinned };
    }),
  };
}

export function makeCommitted(
  log: SessionLog,
  commit: Commit,
  { eventId, at }: { readonly eventId: string; readonly at: string },
): Committed {
  const { event, archivedIds, edits, inserted, system, passes, totalTokens = null } = commit;
  return {
    type: "committed",
    at,
    eventId,
    event: ownCopy(event),
    archivedIds: [...new Set(archivedIds)],
    edits: edits.map(({ messageId, kind, body }) => ({ messageId, kind, body: ownCopy(body) })),
    inserted: inserted.map(({ role, body, order, isPinned = false }, index) => {
      const sequence = log.sequence + index + 1;
      return { id: `m${sequence}`, sequence, order, role, body: ownCopy(body), isPinned };
    }),
    system: system === null ? null : ownCopy(system),
    passes: ownCopy(passes),
    totalTokens,
    isOvertaken: isOvertaken(commit, log.sequence),
  };
}

export function makeUpdated(log: SessionLog, update: SessionUpdate, at: string): LogRecord {
  switch (update.type) {
    case "pin":
      checkPins(log, update.messageIds);
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

export function checkCommit(log: SessionLog, commit: Commit, held: { lease: LeaseState; now: Date }): void {
  if (!holdsLease(held.lease, commit.lease, held.now)) {
    throw refusal("lease-lost", "The lease expired or went to another worker before the commit");
  }
  if (commit.revision !== log.revision) {
    throw refusal("store-conflict", "The session was changed since the compaction was planned");
  }
  const archived = new Set(commit.archivedIds);
  for (const id of archived) {
    const row = log.rows.get(id);
    if (row === undefined || row.archivedBy !== null) throw conflict(`Message ${id} is no longer in the view`);
    if (row.isPinned && row.madeBy === null) throw conflict(`Message ${id} is pinned`);
  }
  for (const { messageId } of commit.edits) {
    const row = log.rows.get(messageId);
    if (row === undefined || row.archivedBy !== null) throw conflict(`Message ${messageId} is no longer in the view`);
  }
}

/** The events that a rollback undoes, newest first. */
export function eventsToUndo(log: SessionLog, { to, cascade = false }: Rollback): readonly string[] {
  const inForce = eventsInForce(log);
  const target = to ?? log.head;
  const at = inForce.findIndex(({ facts }) => facts.id === target);
  if (target === null) throw refusal("event-missing", "There is no compaction in force that could be undone");
  if (at === -1) throw refusal("event-missing", `There is no compaction ${quoted(target)} in force`);
  if (at > 0 && !cascade) {
    throw refusal("needs-cascade", `${at} later compaction(s) rest on ${quoted(target)}; undo them first, or cascade`);
  }
  const undone = inForce.slice(0, at + 1).map(({ facts }) => facts);
  const purged = undone.find(({ purgedAt }) => purgedAt !== null);
  if (purged !== undefined) throw refusal("archive-purged", `Messages that ${purged.id} archived were purged`);
  return undone.map(({ id }) => id);
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

function checkPins(log: SessionLog, messageIds: readonly string[]): void {
  for (const id of messageIds) {
    if (log.rows.get(id)?.archivedBy !== null) {
      throw refusal("message-missing", `There is no message ${quoted(id)} in the view`);
    }
  }
}

/** The events before that time (as `purgeTime` writes it) which still hide messages. */
export function eventsToPurge(log: SessionLog, before: string): readonly string[] {
  const hiding = new Set([...log.rows.values()].map(({ archivedBy }) => archivedBy));
  return [...log.events.values()]
    .filter(({ facts }) => hiding.has(facts.id) && facts.createdAt < before)
    .map(({ facts }) => facts.id);
}

export function sessionMissing(sessionId: string): CompactionError {
  return refusal("session-missing", `There is no session ${quoted(sessionId)}`);
}

export function sessionExists(sessionId: string): CompactionError {
  return refusal("session-exists", `There is a session ${quoted(sessionId)} already`);
}

function conflict(reason: string): CompactionError {
  return refusal("store-conflict", reason);
}

function refusal(code: ErrorCode, reason: string): CompactionError {
  return new CompactionError(code, `${reason}. Nothing was changed.`, { retryable: RETRYABLE.has(code) });
}

const RETRYABLE: ReadonlySet<ErrorCode> = new Set(["store-conflict", "lease-lost"]);

const QUOTED_CHARACTERS_MAX = 80;

function quoted(id: string): string {
  return JSON.stringify(id.length > QUOTED_CHARACTERS_MAX ? `${id.slice(0, QUOTED_CHARACTERS_MAX)}…` : id);
}
