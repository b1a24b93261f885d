/** Ids of items (Responses), and items that have nothing but an id: their content is known to the provider alone, while it stores them. */

import { isObject, stringOf } from "../json.ts";
import type { Message } from "../message.ts";

/** A reference does not show whether it stands for a call, or for a call of which tool. */
export function isItemReference({ parts }: Message): boolean {
  const part = parts[0];
  return part?.type === "opaque" && part.kind === "item_reference";
}

/** The id that no other item of the list may have; undefined where there is none, or where it is the id of the call that the item answers. */
export function itemId(message: Message): string | undefined {
  const json = message.wire?.json;
  if (!isObject(json) || json.type === "local_shell_call_output") return undefined;
  return json.id === "" ? undefined : stringOf(json.id);
}

/** Messages and references may leave out their type. */
export function itemType({ wire }: Message): string {
  const json = isObject(wire?.json) ? wire.json : {};
  return stringOf(json.type) ?? (json.role === undefined ? "item_reference" : "message");
}

const REASONING_ID = /^rs_/;

/** The id of an item that has no other content than what is stored under it: a reference, or reasoning without its cipher. */
export function storedId(message: Message): string | undefined {
  const [part] = message.parts;
  const id = stringOf(part?.wire?.id);
  if (id === undefined || isItemReference(message)) return id;
  const isBareReasoning = part?.type === "reasoning" && part.encrypted === undefined;
  return isBareReasoning && REASONING_ID.test(id) ? id : undefined;
}
