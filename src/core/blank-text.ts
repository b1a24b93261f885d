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

/** One that is signed says so much. */
export function isBlankText(part: Part): part is TextPart {
  if (part.type !== "text" || part.signature !== undefined) return false;
  const first = part.text.charCodeAt(0);
  // Nearly every text begins with a printed character of ASCII, and one look tells.
  return !(first > SPACE && first < DELETE) && !SAYS_SOMETHING.test(part.text);
}

const SPACE = 0x20;
const DELETE = 0x7f;
