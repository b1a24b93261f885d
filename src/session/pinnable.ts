/**
 * Decides whether a message can be pinned: only one that is in the view with everything that was said in it. A shortened
 * message is refused like an archived one, because the words that the caller pins may be gone. Changes nothing.
 */

import { CompactionError } from "../core/errors.ts";
import { isSameParts } from "../core/identity.ts";
import type { Message, Part } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { Store, StoredMessage } from "../core/store/store.ts";
import { shown } from "./check-arguments.ts";
import type { SessionParts } from "./compact-view.ts";
import { entriesOf } from "./session-view.ts";

export async function checkPinnable({ id, store, live, compactor }: SessionParts, messageId: string): Promise<void> {
  const { entries } = await live.refresh();
  const entry = entries.find(({ stored }) => stored.id === messageId);
  // The store reports a missing message.
  if (entry === undefined) return;
  const { format } = compactor;
  if ((await firstShortened({ id, store, format }, [entry.stored])) === undefined) return;
  const message = `Message ${shown(messageId)} was shortened by a compaction, and only what is whole can be pinned; nothing was changed. Roll that compaction back to pin it, or read it with the recall tool.`;
  throw new CompactionError("message-missing", message);
}

interface SessionIn {
  readonly id: string;
  readonly store: Store;
  readonly format: Format;
}

/** The first of these messages that says less in the view than was appended; undefined where all are whole. */
export async function firstShortened(
  { id, store, format }: SessionIn,
  messages: readonly StoredMessage[],
): Promise<string | undefined> {
  const edited = messages.filter(({ isEdited }) => isEdited);
  if (edited.length === 0) return undefined;
  const originals = entriesOf(format, await store.messages(id, idsOf(edited)));
  const original = new Map(originals.map(({ stored, message }) => [stored.id, message]));
  const isShortened = (message: Message): boolean => {
    const before = original.get(message.id);
    return before !== undefined && !isWhole(before, message);
  };
  return entriesOf(format, edited).find(({ message }) => isShortened(message))?.stored.id;
}

function idsOf(messages: readonly StoredMessage[]): readonly string[] {
  return messages.map(({ id }) => id);
}

/** Whole even without its thinking, or with a summary added. */
function isWhole(original: Message, now: Message): boolean {
  const spoken = original.parts.filter(({ type }) => type !== "reasoning");
  return spoken.every((part) => now.parts.some((other) => holds(other, part)));
}

function holds(now: Part, original: Part): boolean {
  if (now.type === "text" && original.type === "text") return now.text.includes(original.text);
  return isSameParts([now], [original]);
}
