/**
 * What a list holds at all, seen in one walk: most passes look for one kind of part, and hardly any list holds one. Says only that there may be
 * something to do; each pass decides for itself what it is.
 */

import { isBlankText } from "../blank-text.ts";
import type { Message, Part, ToolResultPart } from "../message.ts";

export interface Contents {
  /** Parts that are not interpreted, in results too. */
  readonly opaque: boolean;
  readonly reasoning: boolean;
  /** A message without parts, a text in one that says nothing, or an empty block in a result. */
  readonly blank: boolean;
  readonly emptyResult: boolean;
  /** Clients' results among the assistant's own parts, or calls, reasoning and the provider's results among those of others. */
  readonly misplaced: boolean;
}

export function contentsOf(messages: readonly Message[]): Contents {
  const found: Found = { opaque: false, reasoning: false, blank: false, emptyResult: false, misplaced: false };
  for (const { role, parts } of messages) {
    if (parts.length === 0) found.blank = true;
    for (const part of parts) addPart(found, part, role === "assistant");
  }
  return found;
}

type Found = { -readonly [Kind in keyof Contents]: boolean };

function addPart(found: Found, part: Part, isAssistants: boolean): void {
  switch (part.type) {
    case "text":
      if (isBlankText(part)) found.blank = true;
      return;
    case "tool-result":
      if (isAssistants !== (part.server === true)) found.misplaced = true;
      addResult(found, part);
      return;
    case "tool-call":
    case "reasoning":
      if (!isAssistants) found.misplaced = true;
      if (part.type === "reasoning") found.reasoning = true;
      return;
    case "opaque":
      found.opaque = true;
      return;
    case "media":
      return;
    default:
      part satisfies never;
  }
}

function addResult(found: Found, { content }: ToolResultPart): void {
  if (content.length === 0) found.emptyResult = true;
  for (const inner of content) {
    if (inner.type === "opaque") found.opaque = true;
    if (inner.type === "text" && inner.text === "" && inner.wire !== undefined) found.blank = true;
  }
}
