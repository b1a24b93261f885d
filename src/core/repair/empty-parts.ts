/** Removes empty texts, in results too, and messages that hold nothing, where the provider refuses them. Nothing readable is lost. */

import { isBlankMessage, isBlankPrompt } from "../blank-text.ts";
import type { FormatRules } from "../format-rules.ts";
import { isControlMessage, type Part } from "../message.ts";
import { mapMessages, type Pass } from "./pass.ts";

export const removeEmptyParts: Pass = (messages, { rules, contents, report }) => {
  if (!rules.refusesEmpty || !contents(messages).blank) return messages;
  return mapMessages(messages, (message) => {
    const isFine = (part: Part): boolean => !isEmptyText(part) && withoutEmptyBlocks(part) === part;
    const isBlank = rules.refusesBlank && isBlankMessage(message);
    if (!isBlank && message.parts.length > 0 && message.parts.every(isFine)) return message;
    if (isControlMessage(message)) return message;
    const parts = isBlank ? [] : message.parts.filter((part) => !isEmptyText(part)).map(withoutEmptyBlocks);
    report("empty-content", message, parts.length > 0 ? "removed an empty text" : "removed a message without content");
    return parts.length > 0 ? { ...message, parts } : [];
  });
};

/** The system prompt outside the list; the same one where nothing in it is refused. */
export function withoutBlankPrompts(system: readonly Part[], { refusesBlank }: FormatRules): readonly Part[] {
  return refusesBlank && system.some(isBlankPrompt) ? system.filter((part) => !isBlankPrompt(part)) : system;
}

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
