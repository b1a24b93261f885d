/** Ids of items (Responses), and items that stand in a list under theirs alone: only the provider knows what they say, while it stores them. */

import { isObject, stringOf } from "../json.ts";
import type { Message } from "../message.ts";

/** Whether it is a call, and of what, is not to be seen either. */
export function isItemReference({ parts }: Message): boolean {
  const part = parts[0];
  return part?.type === "opaque" && part.kind === "item_reference";
}

/** Under which it may stand once in a list; undefined where it has none, or where its id is the one of a call that it answers. */
export function itemId(message: Message): string | undefined {
  const json = message.wire?.json;
  if (!isObject(json) || json.type === "local_shell_call_output") return undefined;
  return json.id === "" ? undefined : stringOf(json.id);
}

/** The type may be left out of messages and of references. */
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
