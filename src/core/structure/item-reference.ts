/** An item that stands in a list under its id alone (Responses): only the provider knows whether it is a call, and of what. */

import type { Message } from "../message.ts";

export function isItemReference({ parts: [part] }: Message): boolean {
  return part?.type === "opaque" && part.kind === "item_reference";
}
