/** Calls belong to the assistant, results to whoever answers: parts that stand in the wrong role get a message of their own. */

import type { Message, Part } from "../message.ts";
import { mapMessages, messageBeside, type Pass, withParts } from "./pass.ts";

export const separateMisplacedParts: Pass = (messages, { rules, contents, report }) => {
  if (!contents(messages).misplaced) return messages;
  return mapMessages(messages, (message): Message | readonly Message[] => {
    const isAssistant = message.role === "assistant";
    if (!message.parts.some((part) => isMisplaced(part, isAssistant))) return message;
    const misplaced = message.parts.filter((part) => isMisplaced(part, isAssistant));
    const role = isAssistant ? rules.resultRole : "assistant";
    const kind = isAssistant ? "tool results" : "assistant content";
    report(
      "misplaced-part",
      message,
      `moved ${kind} out of ${isAssistant ? "an assistant" : `a ${message.role}`} message`,
    );
    const rest = withParts(
      message,
      message.parts.filter((part) => !misplaced.includes(part)),
    );
    const moved = messageBeside(message, "moved", { role, parts: misplaced, ...(message.pinned && { pinned: true }) });
    return rest.parts.length === 0 ? [moved] : isAssistant ? [rest, moved] : [moved, rest];
  });
};

function isMisplaced(part: Part, isAssistant: boolean): boolean {
  // What the provider's own tools return stands among the assistant's parts, beside its calls.
  if (part.type === "tool-result") return isAssistant !== (part.server === true);
  return !isAssistant && (part.type === "tool-call" || part.type === "reasoning");
}
