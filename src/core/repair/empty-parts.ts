/** Removes empty texts, and messages that hold nothing, where the provider refuses them. Nothing readable is lost. */

import type { Part } from "../message.ts";
import { mapMessages, type Pass } from "./pass.ts";

export const removeEmptyParts: Pass = (messages, { rules, report }) => {
  if (!rules.refusesEmpty) return messages;
  return mapMessages(messages, (message) => {
    if (message.parts.length > 0 && !message.parts.some(isEmptyText)) return message;
    const parts = message.parts.filter((part) => !isEmptyText(part));
    report("empty-content", message, parts.length > 0 ? "removed an empty text" : "removed a message without content");
    return parts.length > 0 ? { ...message, parts } : [];
  });
};

/** Gemini ends a stream with an empty text that carries the signature: that one says something. */
function isEmptyText(part: Part): boolean {
  return part.type === "text" && part.text === "" && part.signature === undefined;
}
