/** Records out of what the store was asked for, numbered from where the log stands. Copies what it is given; changes nothing. */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Batch, Commit, NewSession } from "../../core/store/store.ts";
import type { Appended, Based, Committed, Created } from "./log-record.ts";
import type { SessionLog } from "./session-log.ts";

export function makeCreated(session: NewSession, now: Date): Created {
  const { id, format, base, agentId = "", parentId = null, metadata = {} } = session;
  return { id, format, base: own(base), agentId, parentId, metadata: own(metadata), at: now.toISOString() };
}

export function makeAppended(log: SessionLog, { messages, turns, usage }: Batch, at: string): Appended {
  return {
    type: "appended",
    at,
    turns,
    ...(usage === undefined ? {} : { usage }),
    messages: messages.map(({ role, body, isPinned = false }, index) => {
      const sequence = log.sequence + index + 1;
      return { id: `m${sequence}`, sequence, order: sequence, role, body: own(body), isPinned };
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
    event: own(event),
    archivedIds: [...new Set(archivedIds)],
    edits: edits.map(({ messageId, kind, body }) => ({ messageId, kind, body: own(body) })),
    inserted: inserted.map(({ role, body, order, isPinned = false }, index) => {
      const sequence = log.sequence + index + 1;
      return { id: `m${sequence}`, sequence, order, role, body: own(body), isPinned };
    }),
    system: system === null ? null : own(system),
    passes: own(passes),
    totalTokens,
  };
}

export function makeBased(base: JsonObject, at: string): Based {
  return { type: "based", at, base: own(base) };
}

/** What JSON makes of it: a copy that its giver cannot change any more. */
function own<T extends JsonValue | object>(value: T): T {
  // JSON keeps the shape of what JSON can hold, and nothing else is given.
  return JSON.parse(JSON.stringify(value)) as T;
}
