/**
 * What a summary is written from: tool results as they were returned, not as pruning left them. Only the content of results is
 * ever put back; where nobody has the original, the words that we put in its place are taken out. Pure.
 */

import { isSameParts } from "../ledger/same-message.ts";
import { type Message, type Part, type ToolResultPart, text } from "../message.ts";
import { withoutPruneMarks } from "./pruned-texts.ts";

/** Messages as they were before their results were shortened, by id. */
export type Originals = ReadonlyMap<string, Message>;

export function asReturned(message: Message, originals: Originals): Message {
  const results = message.parts.filter(isResult);
  if (results.length === 0) return message;
  const original = originals.get(message.id);
  const wholes = original === undefined ? NO_RESULTS : original.parts.filter(isResult);
  const parts = message.parts.map((part) => {
    if (!isResult(part)) return part;
    const whole = wholeOf(part, { results, wholes });
    return whole === undefined ? withoutMarks(part) : withContent(part, whole.content);
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
}

const NO_RESULTS: readonly ToolResultPart[] = [];

function isResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result";
}

interface Results {
  readonly results: readonly ToolResultPart[];
  readonly wholes: readonly ToolResultPart[];
}

/** By place. A repair may have joined the message with others since: then by the id of the call. */
function wholeOf(part: ToolResultPart, { results, wholes }: Results): ToolResultPart | undefined {
  if (results.length === wholes.length) return wholes[results.indexOf(part)];
  return part.callId === undefined ? undefined : wholes.find(({ callId }) => callId === part.callId);
}

function withContent(part: ToolResultPart, content: readonly Part[]): ToolResultPart {
  return isSameParts(part.content, content) ? part : { ...part, content };
}

function withoutMarks(part: ToolResultPart): ToolResultPart {
  const content = part.content.map((inner) => {
    const bare = inner.type === "text" ? withoutPruneMarks(inner.text) : undefined;
    return bare === undefined ? inner : text(bare);
  });
  return content.every((inner, index) => inner === part.content[index]) ? part : { ...part, content };
}
