/** Items that stand in a list under their id alone (Responses): only the provider knows what they say, while it stores them. */

import { stringOf } from "../json.ts";
import type { Message } from "../message.ts";

/** Whether it is a call, and of what, is not to be seen either. */
export function isItemReference({ parts }: Message): boolean {
  const part = parts[0];
  return part?.type === "opaque" && part.kind === "item_reference";
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
