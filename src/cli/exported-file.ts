/** The file that `export --all` writes and `import` reads back: everything of a session, under a name that tells what it is. */

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { EditKind, StoredMessage } from "../core/store/store.ts";
import type { EventEdits, StoredEdit } from "../core/store/store-upkeep.ts";
import { isFormatName } from "../formats.ts";
import type { Exported } from "../session/export-session.ts";
import { indentedJson } from "./command.ts";

export interface ExportedFile {
  readonly id: string;
  readonly format: FormatName;
  readonly request: JsonObject;
  readonly log: readonly StoredMessage[];
  readonly events: readonly CompactionEvent[];
  /** Older files have neither this nor the base. */
  readonly edits?: readonly EventEdits[];
  readonly base?: JsonObject;
  readonly metadata: JsonObject;
  readonly agentId?: string;
}

const KIND = "palimpsest-session";
const VERSION = 1;

export function exportedText(exported: Exported): string {
  return indentedJson({ kind: KIND, version: VERSION, ...exported });
}

/** The kind stands at the beginning; where somebody sorted the keys, a long list of events may come first. */
const HEAD_BYTES = 65_536;

/** Undefined for a file that is something else, or that cannot be read: whoever reads it then says so. */
export function readExportedFile(path: string): ExportedFile | undefined {
  return startOf(path)?.includes(`"${KIND}"`) ? readExported(readFileSync(path, "utf8")) : undefined;
}

/** Undefined for a text that is something else. */
export function readExported(text: string): ExportedFile | undefined {
  if (!text.includes(`"${KIND}"`)) return undefined;
  const file = parsed(text);
  if (!isObject(file) || file.kind !== KIND) return undefined;
  if (numberOf(file.version) !== VERSION)
    throw broken(`it is of version ${JSON.stringify(file.version)}; this one reads ${VERSION}`);
  const { id, format, request, log, events, edits, base, metadata, agentId } = file;
  const name = stringOf(format) ?? "";
  if (typeof id !== "string" || !isFormatName(name)) throw broken("its id or format is missing");
  if (!isObject(request) || !isArray(log) || !isArray(events)) throw broken("its request, log or events are missing");
  return {
    id,
    format: name,
    request,
    log: log.map((row, index) => rowOf(row, index)),
    events: events.map((event, index) => eventOf(event, index)),
    ...(isArray(edits) && { edits: edits.map((each, index) => editsOf(each, index)) }),
    ...(isObject(base) && { base }),
    metadata: isObject(metadata) ? metadata : {},
    ...(typeof agentId === "string" && { agentId }),
  };
}

function startOf(path: string): string | undefined {
  try {
    // A pipe can be read only once.
    if (!statSync(path).isFile()) return undefined;
    const descriptor = openSync(path, "r");
    try {
      const head = Buffer.alloc(HEAD_BYTES);
      return head.toString("utf8", 0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined; // missing or out of reach: reading it as a transcript says what is wrong
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not one JSON document, so not ours
  }
}

function rowOf(row: JsonValue, index: number): StoredMessage {
  const isRow =
    isObject(row) &&
    typeof row.id === "string" &&
    typeof row.sequence === "number" &&
    typeof row.order === "number" &&
    typeof row.role === "string" &&
    row.body !== undefined;
  if (!isRow) throw broken(`log.${index} is no stored message`);
  // What is used of it was checked above, and flags that are missing count as not set.
  return row as unknown as StoredMessage;
}

function eventOf(event: JsonValue, index: number): CompactionEvent {
  const isEvent =
    isObject(event) &&
    typeof event.id === "string" &&
    typeof event.number === "number" &&
    isArray(event.preservedMessageIds);
  if (!isEvent) throw broken(`events.${index} is no compaction`);
  // Written by `exportedText`; a store checks again what it takes.
  return event as unknown as CompactionEvent;
}

function editsOf(wrote: JsonValue, index: number): EventEdits {
  const { eventId, messages, system } = isObject(wrote) ? wrote : {};
  if (typeof eventId !== "string" || !isArray(messages))
    throw broken(`edits.${index} is nothing that a compaction wrote`);
  return {
    eventId,
    messages: messages.map((edit) => editOf(edit, index)),
    system: isObject(system) ? { before: system.before ?? null, after: system.after ?? null } : null,
  };
}

const KINDS: readonly string[] = ["cap", "trim", "stub", "clear"] satisfies readonly EditKind[];

function editOf(edit: JsonValue, index: number): StoredEdit {
  const { messageId, kind, body } = isObject(edit) ? edit : {};
  if (typeof messageId !== "string" || body === undefined) throw broken(`edits.${index} holds what is no edit`);
  // Checked by the list; whatever else it was, it is an edit all the same.
  return { messageId, kind: KINDS.includes(stringOf(kind) ?? "") ? (kind as EditKind) : "reshape", body };
}

function broken(what: string): CompactionError {
  return new CompactionError("unreadable-file", `this is an export of a session, but ${what}; export it again`);
}
