/**
 * Items that stand in the list under their id alone, in a request that says that nothing is stored: the provider would not find
 * them. What can be read of one becomes text; a mere reference goes, and the report names it, for its content is nowhere to be had.
 */

import type { Message } from "../message.ts";
import { storedId } from "../structure/item-reference.ts";
import { withItemId } from "./duplicate-items.ts";
import { mapMessages, messageBeside, type Pass, type RepairContext } from "./pass.ts";
import { quoteReasoning } from "./reasoning.ts";

export const replaceUnstoredItems: Pass = (messages, context) => {
  if (context.findsItems || !messages.some((message) => storedId(message) !== undefined)) return messages;
  let isOrphan = false;
  return mapMessages(messages, (message) => {
    const id = storedId(message);
    const isReasoning = message.parts[0]?.type === "reasoning";
    if (id === undefined) {
      // What reasoning led to stands behind it up to whoever speaks next, or to the next reasoning.
      isOrphan &&= message.role === "assistant" && !isReasoning;
      // With its id it would be refused for the lack of its reasoning.
      return isOrphan ? withItemId(message, undefined) : message;
    }
    isOrphan = isReasoning;
    return replaced(message, id, context);
  });
};

function replaced(message: Message, id: string, { report }: RepairContext): Message | readonly Message[] {
  const parts = message.parts.flatMap((part) => (part.type === "reasoning" ? quoteReasoning(part) : []));
  if (parts.length > 0) {
    report("item-not-found", message, `turned reasoning ${id} into text, for nothing is stored under its id`);
    return messageBeside(message, "text", { role: "assistant", parts, ...(message.pinned && { pinned: true }) });
  }
  report(
    "item-not-found",
    message,
    `removed item ${id}: nothing is stored under its id, and the request has no more of it`,
  );
  return [];
}
