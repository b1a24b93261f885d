/** What is done with whole session files: the lines that a purge leaves and a fork takes over, and damage beyond the log. Reads only. */

import { existsSync } from "node:fs";
import { isArray, isObject, type JsonObject, stringOf } from "../../core/json.ts";
import type { Finding } from "../../core/store/store-upkeep.ts";
import type { SessionDirectory } from "./directory.ts";
import { countedLines, type Line, linesBetween, withFile, withoutLineCount } from "./lines.ts";
import { isLocked } from "./lock.ts";
import { readSession } from "./read.ts";
import { createdIn, isOwnHeader } from "./record-entry.ts";
import type { Damage, SessionFile } from "./session-file.ts";

/** The lines that count. */
export function linesOf(path: string): readonly Line[] {
  const read = (descriptor: number, size: number): readonly Line[] => {
    const lines = [...linesBetween(descriptor, 0, size)];
    const header = lines.find(({ json }) => json !== undefined)?.json ?? {};
    const owner = { incarnation: createdIn(header)?.incarnation ?? "", isOwn: isOwnHeader(header) };
    return countedLines(lines, owner).counted;
  };
  return withFile(path, read) ?? [];
}

/** Without the messages that those events hide. A stub stays for each, because entries are chained. Lines that are no JSON are left out. */
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

/** A new name for every event of a file, foreign ones too. */
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

export function examineFiles(files: SessionDirectory, sessionId: string | undefined): readonly Finding[] {
  const asked = files.files().filter((file) => sessionId === undefined || file.sessionId === sessionId);
  const found = asked.flatMap(({ path, sessionId: id, isTooNew }): readonly Finding[] => {
    if (isTooNew) return [newer(path, id ?? "")];
    const file = readSession(path, "whole", undefined)?.file;
    if (file === undefined || id === undefined) return [noSession(path)];
    return [...file.damage, ...lostLines(path, file.isOwn)].map(({ rule, offset }) => ({
      sessionId: id,
      rule,
      message: `${path}, byte ${offset}: ${MESSAGES[rule][0]}`,
      remedy: MESSAGES[rule][1],
    }));
  });
  return [...found, ...leftOver(files, sessionId)];
}

/** Leaves out temporary files of writes that are going on. */
function leftOver(files: SessionDirectory, sessionId: string | undefined): readonly Finding[] {
  return files
    .leftOver()
    .filter(({ session }) => sessionId === undefined || session.sessionId === sessionId)
    .filter(({ path, session }) => !isLocked(session.path) && existsSync(path))
    .map(({ path, session }) => ({
      sessionId: session.sessionId ?? "",
      rule: "left-over",
      message: `${path} was left by a process that was killed while it wrote the session anew; it may hold messages that were purged or deleted.`,
      remedy: "Remove it; the next purge of the session, or its deletion, does so too.",
    }));
}

interface LostLine {
  readonly rule: "lost-line";
  readonly offset: number;
}

/** Each entry names the one before it, so a missing line shows. In files that others began, only entries of ours are held to it. */
function lostLines(path: string, isOwn: boolean): readonly LostLine[] {
  const [seen, lost]: [Set<string>, LostLine[]] = [new Set(), []];
  let isBehindDamage = false;
  withFile(path, (descriptor, size) => {
    for (const { json, span } of linesBetween(descriptor, 0, size)) {
      const parentId = stringOf(json?.parentId);
      // A line behind a damaged one is covered by that finding.
      const isChained = isOwn || isObject(json?.palimpsest);
      if (isChained && parentId !== undefined && !seen.has(parentId) && !isBehindDamage) {
        lost.push({ rule: "lost-line", offset: span[0] });
      }
      isBehindDamage = json === undefined;
      for (const id of [json?.id, parentId]) if (typeof id === "string") seen.add(id);
    }
  });
  return lost.slice(0, LOST_LINES_MAX);
}

/** One mishap may leave many names behind. */
const LOST_LINES_MAX = 100;

const MESSAGES: Readonly<Record<(Damage | LostLine)["rule"], readonly [message: string, remedy: string]>> = {
  "bad-line": [
    "a line is no JSON and is passed over.",
    "Nothing is needed; restore the line from a copy if it was lost.",
  ],
  "torn-line": [
    "the last lines were not written to their end and do not count.",
    "Nothing is needed: they are passed over, and what comes next stands behind them.",
  ],
  "late-line": [
    "this line was written by a process that had been stopped for so long that it lost its lock; it does not count.",
    "Nothing is needed: whoever wrote it was told, and wrote it again.",
  ],
  "lost-line": [
    "this entry follows one that is not in the file: at least one line before it is gone.",
    "Restore the file from a backup; what is left can be read and gone on with.",
  ],
  "bad-record": ["an entry of ours is not as it was written and is passed over.", "Restore the line from a copy."],
};

function newer(path: string, sessionId: string): Finding {
  const message = `${path} was written by a newer version of this package.`;
  return { sessionId, rule: "newer-version", message, remedy: "Upgrade the package to open it." };
}

function noSession(path: string): Finding {
  const remedy = "Move it elsewhere if it is not meant to be one.";
  return { sessionId: "", rule: "no-session", message: `${path} does not begin with a session's header.`, remedy };
}
