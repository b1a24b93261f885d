/** Removes empty texts, and messages that hold nothing, where the provider refuses them. Nothing readable is lost. */

import type { Part } from "../message.ts";
import { mapMessages, type Pass, withParts } from "./pass.ts";

export const removeEmptyParts: Pass = (messages, { rules, report }) => {
  if (!rules.refusesEmpty) return messages;
  return mapMessages(messages, (message) => {
    const parts = message.parts.filter((part) => !isEmptyText(part));
    const repaired = withParts(message, parts);
    if (repaired === message && parts.length > 0) return [message];
    report("empty-content", message, parts.length > 0 ? "removed an empty text" : "removed a message without content");
    return parts.length > 0 ? [repaired] : [];
  });
};

/** Gemini ends a stream with an empty text that carries the signature: that one says something. */
function isEmptyText(part: Part): boolean {
  return part.type === "text" && part.text === "" && part.signature === undefined;
}
