/** A copy of a session under another id, with event ids of its own. What is copied is not changed. */

import type { LogEvent, Row, SessionLog } from "./session-log.ts";

export interface Fork {
  readonly id: string;
  readonly at: string;
  newId(): string;
}

export function forkLog(log: SessionLog, { id, at, newId }: Fork): SessionLog {
  const eventIds = new Map([...log.events.keys()].map((eventId) => [eventId, newId()]));
  const renamed = (eventId: string | null): string | null =>
    eventId === null ? null : (eventIds.get(eventId) ?? null);
  const rows = new Map([...log.rows.values()].map((row) => [row.id, copyRow(row, renamed)]));
  const copies = (originals: readonly Row[]): readonly Row[] =>
    originals.map((row) => rows.get(row.id)).filter((row) => row !== undefined);
  const events = [...log.events.values()].map((event): readonly [string, LogEvent] => {
    const eventId = eventIds.get(event.facts.id) ?? event.facts.id;
    const facts = { ...event.facts, id: eventId, sessionId: id, previousId: renamed(event.facts.previousId) };
    const { archived, made, edits, system } = event;
    return [eventId, { facts, system, archived: copies(archived), made: copies(made), edits }];
  });
  const view = [...copies(log.view)];
  const head = renamed(log.head);
  const made = { id, incarnation: newId(), parentId: log.id, createdAt: at, updatedAt: at };
  return { ...log, ...made, head, rows, view, events: new Map(events) };
}

function copyRow(row: Row, renamed: (eventId: string | null) => string | null): Row {
  const edits = row.edits.map((edit) => ({ ...edit, eventId: renamed(edit.eventId) ?? edit.eventId }));
  return { ...row, madeBy: renamed(row.madeBy), archivedBy: renamed(row.archivedBy), edits };
}
