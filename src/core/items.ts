/**
 * Items that only a provider can read: the results of its own compaction, and items that are in a list by id alone.
 * They are stored and sent back unchanged. Finds and reads them; never changes one.
 */

import { isObject, type JsonValue, stringOf } from "./json.ts";
import { type Message, type OpaquePart, type Part, text } from "./message.ts";

const NATIVE_ITEM = "compaction";

export function isNativeItem({ parts }: Message): boolean {
  for (const part of parts) if (isCompactionPart(part) && !isFailedAttempt(part.wire)) return true;
  return false;
}

/** Anthropic's item for a failed compaction: it replaces nothing, and the messages before it are still read. */
function isFailedAttempt(item: JsonValue): boolean {
  return isObject(item) && item.content === null && (item.encrypted_content ?? item.signature ?? null) === null;
}

/** The same message with the readable text of its items, for a summary that must replace them too. */
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

/** Anthropic's compaction: only valid at the start of a list. */
export function isSignedCompaction(part: Part | undefined): part is OpaquePart {
  return isCompactionPart(part) && part.wire.signature !== undefined;
}

/** A reference does not show whether its item is a call, nor of which tool. */
export function isItemReference({ parts }: Message): boolean {
  const part = parts[0];
  return part?.type === "opaque" && part.kind === "item_reference";
}

/** The id that must be unique in the list; undefined where there is none, or where it is the id of the answered call. */
export function itemId(message: Message): string | undefined {
  const json = message.wire?.json;
  if (!isObject(json) || json.type === "local_shell_call_output") return undefined;
  return json.id === "" ? undefined : stringOf(json.id);
}

/** Messages and references may omit their type. */
export function itemType({ wire }: Message): string {
  const json = isObject(wire?.json) ? wire.json : {};
  return stringOf(json.type) ?? (json.role === undefined ? "item_reference" : "message");
}

const REASONING_ID = /^rs_/;

/** The id of an item whose content only the provider stores: a reference, or reasoning without its cipher. */
export function storedId(message: Message): string | undefined {
  const [part] = message.parts;
  const id = stringOf(part?.wire?.id);
  if (id === undefined || isItemReference(message)) return id;
  const isBareReasoning = part?.type === "reasoning" && part.encrypted === undefined;
  return isBareReasoning && REASONING_ID.test(id) ? id : undefined;
}
