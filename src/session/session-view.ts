/**
 * Turns a stored view into a conversation and back: stored bodies in their order, ids of the store, pins, edits of the
 * system prompt. Pure. An unchanged message is the same object from one request to the next, so it is counted once.
 */

import { modelIn } from "../core/format-rules.ts";
import { isSameJson } from "../core/identity.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { Conversation, Message, Part } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { SessionState, StoredMessage, SystemEdit } from "../core/store/store.ts";
import { ownCopy } from "../core/store/stored-json.ts";

export interface Entry {
  readonly stored: StoredMessage;
  readonly message: Message;
}

/** Decodes only new rows. */
export function entriesOf(
  format: Format,
  messages: readonly StoredMessage[],
  known: ReadonlyMap<string, Entry> = new Map(),
): readonly Entry[] {
  return messages.map((stored) => {
    const before = known.get(stored.id);
    if (before !== undefined && isSame(before.stored, stored)) return before;
    return { stored, message: messageOf(format, stored) };
  });
}

/** A store that reads a row again returns a new body with the same text; only an edit or a pin can have changed it. */
function isSame(before: StoredMessage, now: StoredMessage): boolean {
  if (before.isPinned !== now.isPinned || before.isEdited !== now.isEdited) return false;
  if (before.body === now.body) return true;
  return before.sequence === now.sequence && (!now.isEdited || isSameJson(before.body, now.body));
}

function messageOf(format: Format, { id, body, isPinned }: StoredMessage): Message {
  const [decoded] = format.decode([body]).messages;
  const message = decoded ?? { role: "user" as const, parts: [] };
  return { ...message, id, ...(isPinned && { pinned: true }) };
}

/** The conversation without its messages. */
export function frameOf(format: Format, { base, system }: Pick<SessionState, "base" | "system">): Conversation {
  const frame = format.decode({ ...base, [format.listKey]: [] });
  const edited = systemAfter(frame.system, system);
  return edited === undefined ? frame : { ...frame, system: edited };
}

/** Undefined where there is no edit. A prompt that changed since the pass keeps what the pass added. */
function systemAfter(system: readonly Part[], edit: SystemEdit | null): readonly Part[] | undefined {
  if (edit === null) return undefined;
  // Written by `systemEditOf`, which writes only parts.
  const [before, after] = [edit.before, edit.after] as unknown as readonly [readonly Part[], readonly Part[]];
  const known = new Set(before.map((part) => JSON.stringify(part)));
  const isSame = JSON.stringify(before) === JSON.stringify(system);
  return isSame ? after : [...system, ...after.filter((part) => !known.has(JSON.stringify(part)))];
}

/** A pass's edit of the prompt; null where the prompt is the session's own. */
export function systemEditOf(frame: Conversation, after: Conversation): SystemEdit | null {
  const before = frame.wire?.system ?? [];
  if (after.system === before) return null;
  return { before: jsonOf(before), after: jsonOf(after.system) };
}

function jsonOf(parts: readonly Part[]): JsonValue {
  // Parts are plain JSON.
  return ownCopy(parts) as unknown as JsonValue;
}

/** The body that a session keeps: without its messages. */
export function baseOf(format: Format, body: JsonObject): JsonObject {
  const { [format.listKey]: _, ...rest } = body;
  // The list keeps its place among the keys, so that requests have the given order.
  return Object.hasOwn(body, format.listKey) ? { ...body, [format.listKey]: [] } : rest;
}

export function modelOf(base: JsonObject): string | undefined {
  return modelIn(base) ?? modelIn(base.config);
}
