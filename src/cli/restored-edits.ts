/**
 * What each compaction of an exported session wrote over messages and the system prompt. A file that does not say so, as older ones do
 * not, says it by its request: then only what is still in the view is known. Pure.
 */

import { isArray, type JsonValue } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { attachmentsIn } from "../core/store/attachments.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { NewEdit, StoredEdit, StoredMessage, SystemEdit } from "../core/store/store.ts";
import type { ExportedFile } from "./exported-file.ts";
import { isTextPlanned } from "./recorded-plan.ts";
import { messagesOf } from "./stored-session.ts";

export interface RestoredEdits {
  readonly edits: readonly NewEdit[];
  readonly system: SystemEdit | null;
}

export interface EditInput {
  readonly exported: ExportedFile;
  readonly format: Format;
  readonly log: readonly StoredMessage[];
  /** Those in force, oldest first. */
  readonly events: readonly CompactionEvent[];
}

export function editsByEvent(input: EditInput): ReadonlyMap<string, RestoredEdits> {
  const { exported, format, log } = input;
  if (exported.edits === undefined) return editsInView(input);
  const rows = new Map(log.map((row) => [row.id, row]));
  return new Map(
    exported.edits.map(({ eventId, messages, system }) => {
      const edits = messages.flatMap((edit) => {
        const row = rows.get(edit.messageId);
        return row === undefined ? [] : [editOf(format, row, edit)];
      });
      return [eventId, { edits, system }];
    }),
  );
}

/** Bodies of the view that are not as they were appended, each under the newest compaction that can have changed it. */
function editsInView({ exported, format, log, events }: EditInput): ReadonlyMap<string, RestoredEdits> {
  const list = exported.request[format.listKey];
  const bodies: readonly JsonValue[] = isArray(list) ? list : [];
  const view = log.filter(({ archivedBy }) => archivedBy === null).toSorted((a, b) => a.order - b.order);
  const changed = view.flatMap((row, index) => {
    const body = bodies[index];
    const isChanged = body !== undefined && JSON.stringify(body) !== JSON.stringify(row.body);
    const event = isChanged ? editorOf(row, events) : undefined;
    if (event === undefined || body === undefined) return [];
    return [{ event, edit: editOf(format, row, { kind: "reshape", body }) }];
  });
  const groups = Map.groupBy(changed, ({ event }) => event.id);
  return new Map([...groups].map(([id, group]) => [id, { edits: group.map(({ edit }) => edit), system: null }]));
}

function editorOf({ id }: StoredMessage, events: readonly CompactionEvent[]): CompactionEvent | undefined {
  return (
    events.findLast((event) => isTextPlanned(event, id)) ??
    events.findLast(({ preservedMessageIds }) => preservedMessageIds.includes(id))
  );
}

function editOf(format: Format, row: StoredMessage, { kind, body }: Pick<StoredEdit, "kind" | "body">): NewEdit {
  const [decoded] = messagesOf(format, [{ ...row, body }]);
  return { messageId: row.id, kind, body, attachments: attachmentsIn(body, decoded?.parts ?? []) };
}
