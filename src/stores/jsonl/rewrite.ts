/** A session file's lines with something changed in them: for a purge and for a fork, the only times that lines are written anew. Pure. */

import { isArray, isObject, type JsonObject, stringOf } from "../../core/json.ts";
import { type Line, withoutLineCount } from "./lines.ts";
import type { SessionFile } from "./session-file.ts";

/**
 * Without the messages that those events hide. A stub stays at each place: entries are chained by their ids, and numbers are never
 * given twice. Lines that are no JSON are left out: nobody knows what they hold.
 */
export function purgedLines(
  lines: readonly Line[],
  file: SessionFile,
  eventIds: readonly string[],
): readonly JsonObject[] {
  const events = new Set(eventIds);
  const gone = [...file.log.rows.values()].filter(({ archivedBy }) => events.has(archivedBy ?? ""));
  const ids = new Set(gone.map(({ id }) => id));
  const places = new Map(gone.map(({ id, sequence }) => [file.places.messages.get(id)?.[0] ?? -1, { id, sequence }]));
  // A message may have several lines; they stand one behind the other.
  let until = 0;
  return lines.flatMap(({ json, span: [offset] }) => {
    if (json === undefined) return [];
    const place = places.get(offset);
    const span = file.places.messages.get(place?.id ?? "");
    if (span !== undefined) until = span[0] + span[1];
    return offset < until ? [stub(json, place?.sequence ?? 0)] : [withoutMessages(json, ids)];
  });
}

/** Under another header, with other names for the events. */
export function forkedLines(
  lines: readonly Line[],
  header: JsonObject,
  rename: ReadonlyMap<string, string>,
): readonly JsonObject[] {
  const [, ...entries] = lines.map(({ json }) => json).filter((json) => json !== undefined);
  return [header, ...entries.map((entry) => renamed(entry, rename))];
}

/** A new name for every event of a file, whoever wrote it. */
export function newEventIds(lines: readonly Line[], newId: () => string): ReadonlyMap<string, string> {
  const names = lines.map(({ json }) => (json === undefined ? undefined : eventIdIn(json)));
  return new Map(names.filter((name) => name !== undefined).map((name) => [name, newId()]));
}

function eventIdIn({ type, id, palimpsest }: JsonObject): string | undefined {
  if (!isObject(palimpsest)) return type === "compaction" || type === "context_edit" ? stringOf(id) : undefined;
  return isObject(palimpsest.record) ? stringOf(palimpsest.record.eventId) : undefined;
}

function stub({ id, parentId, timestamp }: JsonObject, purged: number): JsonObject {
  return { type: "custom", customType: "palimpsest", id, parentId, timestamp, palimpsest: { purged } };
}

/** What a compaction inserted or edited stands on its own line. Places in the file change, so no checkpoint holds any more. */
function withoutMessages(entry: JsonObject, ids: ReadonlySet<string>): JsonObject {
  if (!isObject(entry.palimpsest)) return entry;
  const { checkpoint: _, ...mark } = withoutLineCount(entry.palimpsest);
  const { record } = mark;
  if (!isObject(record) || record.type !== "committed") return { ...entry, palimpsest: mark };
  const keep = (list: JsonObject[string], key: string) =>
    isArray(list) ? list.filter((each) => isObject(each) && !ids.has(stringOf(each[key]) ?? "")) : list;
  const kept = { ...record, edits: keep(record.edits, "messageId"), inserted: keep(record.inserted, "id") };
  return { ...entry, palimpsest: { ...mark, record: kept } };
}

function renamed(entry: JsonObject, rename: ReadonlyMap<string, string>): JsonObject {
  const other = (value: JsonObject[string]) => (typeof value === "string" ? (rename.get(value) ?? value) : value);
  const changed: Record<string, JsonObject[string]> = { ...entry };
  for (const key of ["id", "parentId", "firstKeptEntryId"]) if (key in entry) changed[key] = other(entry[key]);
  if (!isObject(entry.palimpsest)) return changed;
  const { checkpoint: _, ...mark } = withoutLineCount(entry.palimpsest);
  const { record } = mark;
  if (!isObject(record)) return { ...changed, palimpsest: mark };
  const { eventId, eventIds } = record;
  const named = {
    ...record,
    ...(eventId !== undefined && { eventId: other(eventId) }),
    ...(isArray(eventIds) && { eventIds: eventIds.map((each) => other(each) ?? null) }),
  };
  return { ...changed, palimpsest: { ...mark, record: named } };
}
