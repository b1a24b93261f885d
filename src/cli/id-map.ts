/**
 * From the message ids and places of one session to those of its copy. Numbers are given anew there: gaps that a purge or an undone
 * compaction left are closed, so ids, places and whatever an event says about them are translated. The order never changes.
 */

import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { CompactionEvent, NewEvent } from "../core/store/compaction-event.ts";
import type { StoredMessage } from "../core/store/store.ts";

export interface IdMap {
  /** These messages are now there, under these ids. */
  learn(rows: readonly StoredMessage[], newIds: readonly string[]): void;
  /** Undefined for a message that the copy does not have. */
  idOf(oldId: string): string | undefined;
  orderOf(oldOrder: number): number;
  mapEvent(event: CompactionEvent): NewEvent;
}

export function createIdMap(log: readonly StoredMessage[]): IdMap {
  const newIds = new Map<string, string>();
  /** Appended messages stand at their own numbers: the fixed points between which the others have their places. */
  const places: { readonly before: number; readonly after: number }[] = [];
  const lastSequence = log.at(-1)?.sequence ?? 0;
  const idOf = (oldId: string): string | undefined => newIds.get(oldId);
  return {
    learn: (rows, ids) => {
      rows.forEach((row, index) => {
        const id = ids[index];
        if (id === undefined) return;
        newIds.set(row.id, id);
        if (row.madeBy === null) places.push({ before: row.sequence, after: Number(id.slice(1)) });
      });
    },
    idOf,
    orderOf: (order) => {
      const at = places.findLastIndex(({ before }) => before <= order);
      const low = places[at];
      const high = places[at + 1];
      if (low === undefined) return high === undefined ? order : high.after - (high.before - order);
      const [from, to] = high === undefined ? [lastSequence + 1, low.after + 1] : [high.before, high.after];
      return low.after + ((order - low.before) / (from - low.before)) * (to - low.after);
    },
    mapEvent: (event) => {
      const { id: _, sessionId: _session, number: _number, previousId: _previous, ...rest } = event;
      const { createdAt: _created, undoneAt: _undone, purgedAt: _purged, ...facts } = rest;
      const archived = log.filter(({ archivedBy, madeBy }) => archivedBy === event.id && madeBy !== event.id).length;
      return {
        ...facts,
        // The copy of a purged event never had what was deleted; by its own number it is complete.
        messagesRemoved: event.purgedAt === null ? facts.messagesRemoved : archived,
        preservedMessageIds: facts.preservedMessageIds.flatMap((oldId) => idOf(oldId) ?? []),
        firstKeptId: facts.firstKeptId === null ? null : (idOf(facts.firstKeptId) ?? null),
        plan: mapIds(facts.plan, idOf),
      };
    },
  };
}

const ID_KEYS: ReadonlySet<string> = new Set(["messageId", "messageIds", "turnPrefixIds", "replacesIds"]);

/** Under the keys that hold ids, and nowhere else: a text that happens to be `m1` stays one. */
function mapIds(value: JsonValue, idOf: (oldId: string) => string | undefined): JsonValue {
  if (isArray(value)) return value.map((element) => mapIds(element, idOf));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, element]) => {
    if (element === undefined || !ID_KEYS.has(key))
      return [key, element === undefined ? undefined : mapIds(element, idOf)];
    const rename = (id: JsonValue): JsonValue => (typeof id === "string" ? (idOf(id) ?? id) : id);
    return [key, isArray(element) ? element.map(rename) : rename(element)];
  });
  return Object.fromEntries(entries);
}
