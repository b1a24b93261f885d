/**
 * What a provider's own compaction left in a conversation: items that only it can read, or that it has signed. They are stored
 * and sent back as they are. Finds and reads them; never changes one.
 */

import { isObject, type JsonValue } from "../json.ts";
import { type Message, type OpaquePart, type Part, text } from "../message.ts";

const NATIVE_ITEM = "compaction";

export function isNativeItem({ parts }: Message): boolean {
  for (const part of parts) if (isCompactionPart(part) && !isFailedAttempt(part.wire)) return true;
  return false;
}

/** Anthropic's, when it could not compact after all: it stands for nothing, and what is before it is read as ever. */
function isFailedAttempt(item: JsonValue): boolean {
  return isObject(item) && item.content === null && (item.encrypted_content ?? item.signature ?? null) === null;
}

/** The same message with what can be read of its items as text, for a summary that has to stand for them too. */
export function withReadableItems(message: Message): Message {
  if (!isNativeItem(message)) return message;
  const parts = message.parts.map((part) => (isCompactionPart(part) ? (readablePart(part.wire) ?? part) : part));
  return { ...message, parts };
}

/** The summary in a signed item; undefined in an encrypted one. */
export function readableText(item: JsonValue | undefined): string | undefined {
  if (!isObject(item)) return undefined;
  const { content } = item;
  return typeof content === "string" && content.trim() !== "" ? content : undefined;
}

function readablePart(item: JsonValue): Part | undefined {
  const readable = readableText(item);
  return readable === undefined ? undefined : text(readable);
}

export function isCompactionPart(part: Part | undefined): part is OpaquePart {
  return part?.type === "opaque" && part.kind === NATIVE_ITEM;
}

/** Anthropic's: it may only open a list. */
export function isSignedCompaction(part: Part | undefined): part is OpaquePart {
  return isCompactionPart(part) && part.wire.signature !== undefined;
}
