/** Removes empty texts, in results too, and messages that hold nothing, where the provider refuses them. Nothing readable is lost. */

import type { Part } from "../message.ts";
import { mapMessages, type Pass } from "./pass.ts";

export const removeEmptyParts: Pass = (messages, { rules, report }) => {
  if (!rules.refusesEmpty) return messages;
  return mapMessages(messages, (message) => {
    const isFine = (part: Part): boolean => !isEmptyText(part) && withoutEmptyBlocks(part) === part;
    if (message.parts.length > 0 && message.parts.every(isFine)) return message;
    const parts = message.parts.filter((part) => !isEmptyText(part)).map(withoutEmptyBlocks);
    report("empty-content", message, parts.length > 0 ? "removed an empty text" : "removed a message without content");
    return parts.length > 0 ? { ...message, parts } : [];
  });
};

/** Gemini ends a stream with an empty text that carries the signature: that one says something. */
function isEmptyText(part: Part): boolean {
  return part.type === "text" && part.text === "" && part.signature === undefined;
}

/** Only a block is refused: a result may be a string, and that may be empty. */
function withoutEmptyBlocks(part: Part): Part {
  if (part.type !== "tool-result" || part.server || !part.content.some(isEmptyBlock)) return part;
  return { ...part, content: part.content.filter((inner) => !isEmptyBlock(inner)) };
}

function isEmptyBlock(part: Part): boolean {
  return isEmptyText(part) && part.wire !== undefined;
}
