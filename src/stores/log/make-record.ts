/** Records out of what the store was asked for, numbered from where the log stands. Copies what it is given; changes nothing. */

import type { JsonObject } from "../../core/json.ts";
import { isOvertaken, wholeUsage } from "../../core/store/counters.ts";
import type { Batch, Commit, NewSession } from "../../core/store/store.ts";
import { ownCopy } from "../../core/store/stored-json.ts";
import type { Appended, Based, Committed, Created } from "./log-record.ts";
import { newLog, type SessionLog } from "./session-log.ts";

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

export function makeBased(base: JsonObject, at: string): Based {
  return { type: "based", at, base: ownCopy(base) };
}
