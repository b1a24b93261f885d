/** Text that says nothing, which a provider may refuse though it is not empty. Reads only. */

import type { Message, Part, TextPart } from "./message.ts";

/** Stops at the first character that says something. */
const SAYS_SOMETHING = /\S/;

/** Whether a message consists of nothing else. */
export function isBlankMessage({ parts }: Pick<Message, "parts">): boolean {
  return parts.every(isBlankText);
}

/** In a system prompt outside the list, wherever it stands there; a prompt that is the empty string is none at all. */
export function isBlankPrompt(part: Part): part is TextPart {
  return isBlankText(part) && (part.wire !== undefined || part.text !== "");
}

function isBlankText(part: Part): part is TextPart {
  return part.type === "text" && part.signature === undefined && !SAYS_SOMETHING.test(part.text);
}
