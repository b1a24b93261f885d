/** A record at the end of a session file, and in the log that the file stands for. The caller holds the lock and has read all. */

import { modelIn } from "../../core/format-rules.ts";
import { type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { AppendRecord, LogRecord } from "../log/records.ts";
import { applyRecord } from "../log/session-log.ts";
import { type Span, withLineCount } from "./lines.ts";
import type { HeldLock } from "./lock.ts";
import { calledTool, messageEntries } from "./message-entry.ts";
import { checkpointOf } from "./read.ts";
import { recordEntry } from "./record-entry.ts";
import { passLine, type SessionFile, takeEntry } from "./session-file.ts";
import { appendBytes, type Sync } from "./write.ts";

export interface EntryForm {
  readonly newId: () => string;
  /** Of compaction entries. pi and OpenClaw write texts; programs that count the milliseconds since 1970 want a number. Both are read. */
  readonly compactionTimestamps: "iso" | "number";
}

interface Target extends EntryForm {
  readonly path: string;
  readonly sync: Sync;
  readonly lock: HeldLock;
}

/** False when another process wrote first. After false or an error, nothing of the record counts and the log must be read again. */
export function appendRecord(file: SessionFile, record: LogRecord, target: Target): boolean {
  const isMessages = hasMessages(record);
  const entries = recordEntries(file, record, target);
  const lines = entries.map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
  const { end, size } = file;
  // A torn line is ended, or blanked.
  const lead = file.isTerminated || size > end ? "" : "\n";
  const from = size + lead.length;
  const { path, sync, lock } = target;
  if (!appendBytes(path, Buffer.concat([Buffer.from(lead), ...lines]), { end, size, sync, lock })) return false;
  let offset = from;
  for (const [index, entry] of entries.entries()) {
    const length = (lines[index]?.length ?? 1) - 1;
    const span: Span = [offset, length];
    file.marksByPlace.push(file.log.sequence + 1);
    // Messages are read as they were written, so that a writer's log is what a reader's will be.
    if (isMessages) takeEntry(file, entry, span);
    else place(file, record, { entry, span });
    passLine(file, { span, isTerminated: true }, entry);
    offset += length + 1;
  }
  file.size = offset;
  return true;
}

/** The entries for a record. Messages are not applied to the log yet; other records are. */
export function recordEntries(file: SessionFile, record: LogRecord, form: EntryForm): readonly JsonObject[] {
  if (hasMessages(record))
    return withLineCount(chained(entriesOf(file, record), file.lastEntryId), file.log.incarnation);
  applyRecord(file.log, record);
  return chained([entryOf(file, record, form)], file.lastEntryId);
}

function hasMessages(record: LogRecord): record is AppendRecord {
  return record.type === "appended" && record.messages.length > 0;
}

function entriesOf({ log }: SessionFile, { messages, turns, usage, at }: AppendRecord): readonly JsonObject[] {
  const model = modelIn(log.base) ?? "unknown";
  const toolName = toolNames([...log.view.slice(-CALL_DISTANCE_MAX), ...messages]);
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.flatMap((message, index) => {
    const reported = index === answer && usage !== undefined ? { usage } : {};
    const counted = { batch: { turns, ...(usage !== undefined && { usage }) } };
    const isLast = index === messages.length - 1;
    return messageEntries(message, { format: log.format, model, at, toolName, ...reported, ...(isLast && counted) });
  });
}

/** Results stand near their calls; the name is for show only. */
const CALL_DISTANCE_MAX = 20;

function toolNames(near: readonly { readonly body: JsonValue }[]): (callId: string) => string | undefined {
  return (callId) => {
    for (const { body } of near.toReversed()) {
      const name = calledTool(body, callId);
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

function entryOf(file: SessionFile, record: LogRecord, { newId, compactionTimestamps }: EntryForm): JsonObject {
  const made = recordEntry(file.log, record, newId());
  const isNumbered = compactionTimestamps === "number" && made.type === "compaction";
  const entry = isNumbered ? { ...made, timestamp: Date.parse(record.at) } : made;
  if (record.type !== "committed" && record.type !== "rolled-back") return entry;
  const checkpoint = checkpointOf(file, record.type === "committed" ? record.eventId : null);
  if (checkpoint === undefined) return entry;
  // recordEntry has just made it an object.
  return { ...entry, palimpsest: { ...(entry.palimpsest as JsonObject), checkpoint } };
}

/** Each entry follows the one before it. */
function chained(entries: readonly JsonObject[], lastEntryId: SessionFile["lastEntryId"]): readonly JsonObject[] {
  return entries.map((entry, index) => {
    const parentId = index === 0 ? lastEntryId : (stringOf(entries[index - 1]?.id) ?? lastEntryId);
    return { ...entry, parentId };
  });
}

function place({ log, places, marks }: SessionFile, record: LogRecord, at: { entry: JsonObject; span: Span }): void {
  const id = stringOf(at.entry.id);
  if (id !== undefined) marks.set(id, log.sequence + 1);
  if (record.type === "committed") places.events.set(record.eventId, at.span);
  if (record.type === "based") places.base = at.span;
}
