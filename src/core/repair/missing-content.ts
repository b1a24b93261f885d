/**
 * Messages whose content is null, missing or an empty list, where empty texts are accepted and no content at all is not. One
 * that holds nothing goes; one of mere reasoning, and a result, gets an empty text for content. A list of no calls goes by itself.
 * Nothing readable is lost.
 */

import { isArray, isObject, type JsonValue } from "../json.ts";
import { type Message, type Part, type ToolResultPart, text } from "../message.ts";
import { mapMessages, type Pass, type RepairContext, withParts } from "./pass.ts";

/** Where empty texts are refused too, `removeEmptyParts` has done it. */
export const repairMissingContent: Pass = (messages, context) => {
  if (context.rules.refusesEmpty) return messages;
  return mapMessages(messages, (message) => {
    const tidy = holdsAllInOneMessage(context) ? withoutEmptyCalls(message) : message;
    if (!lacksContent(message, context)) {
      if (tidy !== message) context.report("invalid-request", message, "took out a list of no calls");
      return tidy;
    }
    const isNothing = message.parts.length === 0;
    const change = isNothing ? "removed a message without content" : "wrote an empty content beside mere reasoning";
    context.report("invalid-request", message, change);
    return isNothing ? [] : { ...tidy, parts: [...tidy.parts, text("")] };
  });
};

/** Refused, though the whole field may be missing. */
function withoutEmptyCalls(message: Message): Message {
  const { wire } = message;
  if (wire === undefined || !isObject(wire.json) || !isEmptyList(wire.json.tool_calls)) return message;
  const { tool_calls: _, ...json } = wire.json;
  return { ...message, wire: { ...wire, json } };
}

/** Runs after the rounds are in order: what was quoted, or made, says something. */
export const fillEmptyResults: Pass = (messages, context) => {
  if (!context.contents(messages).emptyResult) return messages;
  const isEmptyResult = holdsAllInOneMessage(context) ? lacksText : isNullResult;
  return mapMessages(messages, (message) => {
    if (!message.parts.some(isEmptyResult)) return message;
    context.report("invalid-request", message, "wrote an empty content for a result without one");
    const parts = message.parts.map((part) => (isEmptyResult(part) ? { ...part, content: [text("")] } : part));
    return withParts(message, parts);
  });
};

/** Read from the wire, because parts do not tell an empty list from none; a message of ours has no such field. */
function lacksContent({ role, parts, wire }: Message, context: RepairContext): boolean {
  if (wire === undefined || !isObject(wire.json) || !isMissing(wire.json.content)) return false;
  if (parts.length === 0) return holdsAllInOneMessage(context) || !isArray(wire.json.content);
  return holdsAllInOneMessage(context) && role === "assistant" && parts.every(({ type }) => type === "reasoning");
}

/** Chat: content beside calls, reasoning and refusal. A Responses item without content is a message and nothing else. */
function holdsAllInOneMessage({ rules }: RepairContext): boolean {
  return rules.granularity === "own-results";
}

/** One that is paired by name may be null; one of ours is written with a text. */
function lacksText(part: Part): part is ToolResultPart {
  if (part.type !== "tool-result" || part.callId === undefined || part.wire === undefined) return false;
  return part.content.length === 0 && isMissing(part.wire?.content);
}

/** Elsewhere a result may do without content, but not say that it is null. */
function isNullResult(part: Part): part is ToolResultPart {
  return part.type === "tool-result" && !part.server && part.content.length === 0 && part.wire?.content === null;
}

function isMissing(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || isEmptyList(content);
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return isArray(value) && value.length === 0;
}
