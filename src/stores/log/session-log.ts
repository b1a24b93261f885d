/**
 * One session in memory, as its records left it. Only `applyRecord` changes it, in place, because an append must cost what is new.
 * It may hold the view alone (`isWhole` is false): then it answers everything about the view, and nothing about the archive.
 */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { FormatName } from "../../core/message.ts";
import { deepFreeze } from "../../core/settings/deep-freeze.ts";
import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import { type Counters, NO_COUNTERS, type PassHistory } from "../../core/store/counters.ts";
import type { SessionRecord, SessionState, StoredMessage, SystemEdit, Version } from "../../core/store/store.ts";
import type { Created, LogEdit, LogMessage } from "./log-record.ts";

export interface SessionLog {
  readonly id: string;
  readonly incarnation: string;
  readonly format: FormatName;
  readonly agentId: string;
  readonly parentId: string | null;
  readonly createdAt: string;
  metadata: JsonObject;
  isWhole: boolean;
  base: JsonObject;
  updatedAt: string;
  head: string | null;
  sequence: number;
  revision: number;
  /** Of the newest event; they count up. */
  eventNumber: number;
  counters: Counters;
  passes: PassHistory;
  system: SystemEdit | null;
  /** Everything that was not purged, by id, in the order of its numbers. */
  readonly rows: Map<string, Row>;
  /** Rows that nothing archived, in the order of the view. */
  view: Row[];
  /** By id, oldest first. */
  readonly events: Map<string, LogEvent>;
}

export interface Row extends Omit<LogMessage, "isPinned"> {
  isPinned: boolean;
  /** The event that inserted it. */
  readonly madeBy: string | null;
  /** The event that hides it: one that archived it, or the one that made it, once that is undone. */
  archivedBy: string | null;
  readonly createdAt: string;
  /** Of events in force, oldest first. */
  edits: readonly RowEdit[];
}

export interface RowEdit extends LogEdit {
  readonly eventId: string;
}

export interface LogEvent {
  facts: CompactionEvent;
  readonly system: SystemEdit | null;
  readonly archived: readonly Row[];
  readonly made: readonly Row[];
  readonly edits: readonly LogEdit[];
}

export function newLog(created: Created): SessionLog {
  const { at, ...rest } = created;
  return {
    ...rest,
    createdAt: at,
    updatedAt: at,
    isWhole: true,
    head: null,
    sequence: 0,
    revision: 0,
    eventNumber: 0,
    counters: NO_COUNTERS,
    passes: { weak: 0, tokensAfter: 0 },
    system: null,
    rows: new Map(),
    view: [],
    events: new Map(),
  };
}

export function versionOf({ incarnation, head, sequence, revision }: SessionLog): Version {
  return { incarnation, head, sequence, revision };
}

export function recordOf(log: SessionLog): SessionRecord {
  const { id, format, agentId, parentId, createdAt, updatedAt } = log;
  const version = versionOf(log);
  // What is kept is handed out frozen, not copied: that costs something once, and nothing every time after.
  const [base, metadata] = [deepFreeze(log.base), deepFreeze(log.metadata)];
  const [counters, passes, system] = [deepFreeze(log.counters), deepFreeze(log.passes), deepFreeze(log.system)];
  return { id, format, base, agentId, parentId, metadata, version, counters, passes, system, createdAt, updatedAt };
}

export function stateOf(log: SessionLog): SessionState {
  return { ...recordOf(log), view: log.view.map(asSent) };
}

/** The message with its edits in place. */
export function asSent(row: Row): StoredMessage {
  const edit = row.edits.at(-1);
  return edit === undefined ? asWritten(row) : stored(row, edit.body, true);
}

/** The message as it was appended or inserted. */
export function asWritten(row: Row): StoredMessage {
  return stored(row, row.body, false);
}

function stored(row: Row, kept: JsonValue, isEdited: boolean): StoredMessage {
  const body = deepFreeze(kept);
  const { id, sequence, order, role, isPinned, madeBy, archivedBy, createdAt } = row;
  const isSummary = madeBy !== null;
  return { id, sequence, order, role, body, isPinned, isSummary, isEdited, madeBy, archivedBy, createdAt };
}

/** Inserted by a compaction that was undone: in neither view nor archive. */
export function isTakenBack({ madeBy, archivedBy }: Row): boolean {
  return archivedBy !== null && archivedBy === madeBy;
}
