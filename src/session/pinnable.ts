/**
 * Whether a message can be pinned: only one that is in the view with everything that was said in it. What a compaction shortened
 * is refused as what it archived is: nobody would notice that the words it was pinned for are gone. Changes nothing.
 */

import { CompactionError } from "../core/errors.ts";
import { isSameParts } from "../core/ledger/same-message.ts";
import type { Message, Part } from "../core/message.ts";
import type { SessionParts } from "./compact-view.ts";
import { entriesOf } from "./session-view.ts";
import { shown } from "./shown.ts";

export async function checkPinnable({ id, store, live, compactor }: SessionParts, messageId: string): Promise<void> {
  const { entries } = await live.refresh();
  const entry = entries.find(({ stored }) => stored.id === messageId);
  // Whether it is there at all is for the store to say.
  if (entry === undefined || !entry.stored.isEdited) return;
  const [original] = entriesOf(compactor.format, await store.messages(id, [messageId]));
  if (original === undefined || isWhole(original.message, entry.message)) return;
  const message = `Message ${shown(messageId)} was shortened by a compaction, and only what is whole can be pinned; nothing was changed. Roll that compaction back to pin it, or read it with the recall tool.`;
  throw new CompactionError("message-missing", message);
}

/** Thinking may be gone, and a summary may have been added. */
function isWhole(original: Message, now: Message): boolean {
  const spoken = original.parts.filter(({ type }) => type !== "reasoning");
  return spoken.every((part) => now.parts.some((other) => holds(other, part)));
}

function holds(now: Part, original: Part): boolean {
  if (now.type === "text" && original.type === "text") return now.text.includes(original.text);
  return isSameParts([now], [original]);
}
