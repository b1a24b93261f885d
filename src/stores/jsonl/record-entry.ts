/**
 * Records that are no messages as entries of a pi session, and back. A compaction with a summary is a `compaction` entry that pi and
 * OpenClaw obey; so is the rollback of one, because the last compaction on the path rules. Everything else is a `custom` entry,
 * which they pass over. The record itself stands under `palimpsest`, on one line, so that a torn write leaves nothing of it.
 */

import { CompactionError } from "../../core/errors.ts";
import { FORMAT_NAMES } from "../../core/format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../../core/json.ts";
import { isPiHeader } from "../../core/pi-entries.ts";
import type { Counters } from "../../core/store/counters.ts";
import { type CommitRecord, eventsInForce, type LogHeader, type LogRecord } from "../log/records.ts";
import type { LogEvent, SessionLog } from "../log/session-log.ts";

/** What stands beside a record, so that a lost line elsewhere does not shift what came later. */
interface LogState {
  readonly revision: number;
  readonly sequence: number;
  /** Only where the lines that were counted are gone. */
  readonly counters?: Counters;
}

/** `log` is as the record left it; `freshId` names an entry that nothing else names. */
export function recordEntry(log: SessionLog, record: LogRecord, freshId: string): JsonObject {
  const { at, ...rest } = record.type === "committed" ? withRuns(record) : record;
  const { revision, sequence, counters } = log;
  const standing = { revision, sequence, ...(record.type === "purged" && { counters: { ...counters } }) };
  // A record is JSON: it was made from JSON, and only read since.
  const palimpsest = { record: rest as unknown as JsonObject, ...standing };
  const id = record.type === "committed" ? record.eventId : freshId;
  const { type, ...shown } = shownTo(log, record, id) ?? { type: "custom", customType: "palimpsest" };
  return { type, id, parentId: null, timestamp: at, ...shown, palimpsest };
}

/** Undefined for an entry that holds no record of ours, or one that was tampered with. */
export function recordIn(entry: JsonObject, at: string): { record: LogRecord; standing: LogState } | undefined {
  const { palimpsest } = entry;
  if (!isObject(palimpsest) || !isObject(palimpsest.record)) return undefined;
  const { record, counters } = palimpsest;
  const [revision, sequence] = [numberOf(palimpsest.revision), numberOf(palimpsest.sequence)];
  if (!isSound(record) || revision === undefined || sequence === undefined) return undefined;
  return {
    // Checked as far as applying it relies on its shape; the rest is what was written.
    record: withIds({ ...record, at } as unknown as LogRecord),
    // Ours, and counted only by us.
    standing: { revision, sequence, ...(isObject(counters) && { counters: counters as unknown as Counters }) },
  };
}

/** What a compaction inserted and edited, without all the names of what it archived: those may be very many. */
export function committedIn(entry: JsonObject): Pick<CommitRecord, "eventId" | "inserted" | "edits"> | undefined {
  const { palimpsest } = entry;
  if (!isObject(palimpsest) || !isObject(palimpsest.record)) return undefined;
  const { record } = palimpsest;
  // As above.
  return record.type === "committed" && isSound(record) ? (record as unknown as CommitRecord) : undefined;
}

/** The first message that pi goes on with after an event: behind everything that it archived. */
function firstKeptId(log: SessionLog, { facts, archived }: LogEvent): string | undefined {
  const named = log.rows.get(facts.firstKeptId ?? "");
  if (named !== undefined && named.madeBy === null) return named.id;
  const last = archived.reduce((order, row) => Math.max(order, row.order), Number.NEGATIVE_INFINITY);
  return log.view.find(({ order, madeBy }) => order > last && madeBy === null)?.id;
}

function shownTo(log: SessionLog, record: LogRecord, id: string): JsonObject | undefined {
  if (record.type === "committed") {
    const event = log.events.get(record.eventId);
    if (event === undefined || event.facts.summary === null) return undefined;
    const { summary, originalTokens, compactedTokens, details } = event.facts;
    const known = compactedTokens > 0 ? { tokensAfter: compactedTokens } : {};
    // Named as nothing before it is: pi then keeps nothing but the summary.
    const firstKeptEntryId = firstKeptId(log, event) ?? id;
    return { type: "compaction", summary, firstKeptEntryId, tokensBefore: originalTokens, ...known, details };
  }
  if (record.type !== "rolled-back") return undefined;
  if (!record.eventIds.some((eventId) => (log.events.get(eventId)?.facts.summary ?? null) !== null)) return undefined;
  const standing = eventsInForce(log).find(({ facts }) => facts.summary !== null);
  const first = [...log.rows.values()].find(({ madeBy }) => madeBy === null);
  const kept = standing === undefined ? first?.id : firstKeptId(log, standing);
  const tokensBefore = log.counters.totalTokens;
  return { type: "compaction", summary: standing?.facts.summary ?? "", firstKeptEntryId: kept ?? id, tokensBefore };
}

/** Neighbours by number are written as the first and the last of them: `m3..m941`. */
function withRuns(record: CommitRecord): CommitRecord {
  const runs: { first: number; last: number; name?: string }[] = [];
  for (const id of record.archivedIds) {
    const number = Number(/^m([1-9]\d{0,14})$/.exec(id)?.[1] ?? Number.NaN);
    const open = runs.at(-1);
    if (open !== undefined && open.name === undefined && number === open.last + 1) open.last = number;
    else runs.push(Number.isNaN(number) ? { first: 0, last: 0, name: id } : { first: number, last: number });
  }
  const archivedIds = runs.map(
    ({ first, last, name }) => name ?? (first === last ? `m${first}` : `m${first}..m${last}`),
  );
  return { ...record, archivedIds };
}

function withIds(record: LogRecord): LogRecord {
  if (record.type !== "committed") return record;
  const archivedIds = record.archivedIds.flatMap((id) => {
    const [, first, last] = /^m([1-9]\d{0,14})\.\.m([1-9]\d{0,14})$/.exec(id) ?? [];
    if (first === undefined || last === undefined) return [id];
    const count = Math.min(Number(last) - Number(first) + 1, ARCHIVED_MAX);
    return Array.from({ length: Math.max(0, count) }, (_, index) => `m${Number(first) + index}`);
  });
  return { ...record, archivedIds };
}

/** A damaged line must not fill the memory. */
const ARCHIVED_MAX = 100_000_000;

type Check = (record: JsonObject) => boolean;

const CHECKS: Readonly<Record<string, Check>> = {
  appended: ({ messages, turns }) => isArray(messages) && typeof turns === "number",
  committed: ({ eventId, event, archivedIds, edits, inserted, passes }) =>
    typeof eventId === "string" &&
    isObject(event) &&
    areStrings(archivedIds) &&
    isObject(passes) &&
    areObjects(edits, ({ messageId, body }) => typeof messageId === "string" && body !== undefined) &&
    areObjects(inserted, ({ id, sequence, order, body }) => {
      return (
        typeof id === "string" && [sequence, order].every((each) => typeof each === "number") && body !== undefined
      );
    }),
  "rolled-back": ({ eventIds }) => areStrings(eventIds),
  purged: ({ eventIds }) => areStrings(eventIds),
  pinned: ({ messageIds, isPinned }) => areStrings(messageIds) && typeof isPinned === "boolean",
  based: ({ base }) => isObject(base),
  described: ({ metadata }) => isObject(metadata),
  flushed: () => true,
};

function isSound(record: JsonObject): boolean {
  return CHECKS[stringOf(record.type) ?? ""]?.(record) === true;
}

function areStrings(value: JsonValue | undefined): boolean {
  return isArray(value) && value.every((each) => typeof each === "string");
}

function areObjects(value: JsonValue | undefined, check: Check): boolean {
  return isArray(value) && value.every((each) => isObject(each) && check(each));
}

/** Of what we write under `palimpsest`; pi's own version stands in its own field. */
const FORM_VERSION = 1;
const PI_VERSION = 3;

export function headerOf(created: LogHeader, cwd: string): JsonObject {
  const { id, at, incarnation, format, base, agentId, parentId, metadata } = created;
  const palimpsest = { version: FORM_VERSION, incarnation, format, base, agentId, parentId, metadata };
  return { type: "session", version: PI_VERSION, id, timestamp: at, cwd, palimpsest };
}

/** Undefined for an entry that is no header. A file that pi or OpenClaw began is a session in Anthropic's format. */
export function createdIn(header: JsonObject): LogHeader | undefined {
  const id = stringOf(header.id) ?? "";
  if (!isPiHeader(header) || id === "") return undefined;
  const own = isObject(header.palimpsest) ? header.palimpsest : {};
  if (isTooNew(header)) throw tooNew(id);
  const at = timeOf(header.timestamp) ?? new Date(0).toISOString();
  return {
    id,
    at,
    // Older and foreign files have no incarnation; their time stands in for it.
    incarnation: stringOf(own.incarnation) ?? at,
    format: FORMAT_NAMES.find((format) => format === own.format) ?? "anthropic-messages",
    base: isObject(own.base) ? own.base : {},
    agentId: stringOf(own.agentId) ?? "",
    parentId: stringOf(own.parentId) ?? null,
    metadata: isObject(own.metadata) ? own.metadata : {},
  };
}

export function isOwnHeader(header: JsonObject): boolean {
  return isObject(header.palimpsest);
}

/** Written by a newer version of this package, or of pi. */
export function isTooNew({ palimpsest, version }: JsonObject): boolean {
  const own = isObject(palimpsest) ? numberOf(palimpsest.version) : undefined;
  return (own ?? 0) > FORM_VERSION || (numberOf(version) ?? 0) > PI_VERSION;
}

/** The time in the form that we write; undefined for a value that is no time. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (typeof value === "string" && OUR_TIME.test(value)) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Nearly every time that is read was written by us. */
const OUR_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function tooNew(id: string): CompactionError {
  const message = `The file of session ${JSON.stringify(id.slice(0, 80))} was written by a newer version of this package, or of pi or OpenClaw, than this one knows. Nothing was changed; upgrade the package.`;
  return new CompactionError("schema-too-new", message);
}
