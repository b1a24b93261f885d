/** Repairs what a message holds: short forms, bad parts, reasoning, cache marks. What may not stand as it is becomes quoted text. */

import { type FormatRules, isMalformed } from "../format-rules.ts";
import { isArray, isObject, type JsonValue, refuseDeepMessage } from "../json.ts";
import { CACHE_MARKS_MAX, marksIn, withoutFirstMarks } from "../marks.ts";
import {
  isControlMessage,
  type Message,
  type Part,
  type ReasoningPart,
  type ToolResultPart,
  text,
} from "../message.ts";
import { isBlankMessage } from "../text.ts";
import { unsignedCalls } from "../thinking.ts";
import {
  isEmptyBlock,
  isEmptyText,
  isMisplaced,
  mapMessages,
  mapParts,
  messageBeside,
  type Pass,
  type RepairContext,
  withParts,
} from "./pass.ts";
import { repairCallIds } from "./rounds.ts";

/** Writes out a message that was given as a text or a list of parts alone, where only a message may stand. */
export const writeOutShortForms: Pass = (messages, { rules, isShortList, report }) => {
  const mayBeShort = isShortList || (rules.shortForm === "element" && messages.length === 1);
  if (rules.shortForm === "none" || mayBeShort) return messages;
  return mapMessages(messages, (message) => {
    if (!isShort(message, rules)) return message;
    report("invalid-request", message, "wrote out a message that was given as a text or as parts alone");
    const { wire: _, ...rest } = message;
    return rest;
  });
};

function isShort({ wire }: Message, { shortForm }: FormatRules): boolean {
  if (wire === undefined) return false;
  if (!isObject(wire.json)) return true;
  return shortForm === "element" && wire.json.role === undefined && wire.json.parts === undefined;
}

/** Quotes parts that lack what their type needs, or that no result may hold. Removes a compaction trigger that is not the last item. */
export const repairMalformedParts: Pass = (messages, { rules, contents, report }) => {
  if (!contents(messages).opaque) return messages;
  return mapMessages(messages, (message, index) => {
    const [only] = message.parts;
    if (only?.type === "opaque" && only.kind === "compaction_trigger" && index < messages.length - 1) {
      report("misplaced-part", message, "removed a compaction trigger that is not the last item");
      return [];
    }
    if (!message.parts.some((part) => holdsRefused(part, rules))) return message;
    refuseDeepMessage(message);
    report("invalid-request", message, "quoted a part that lacks a required field, or stands in a result, as text");
    return mapParts(message, (part) => {
      if (!holdsRefused(part, rules)) return part;
      if (part.type !== "tool-result") return quote(part);
      return { ...part, content: part.content.map((inner) => (isRefusedInside(inner, rules) ? quote(inner) : inner)) };
    });
  });
};

/** The content of results of the provider's own tools is in their own form, and not checked. */
function holdsRefused(part: Part, rules: FormatRules): boolean {
  if (part.type === "tool-result") return !part.server && part.content.some((inner) => isRefusedInside(inner, rules));
  return isMalformed(part, rules);
}

function isRefusedInside(part: Part, rules: FormatRules): boolean {
  return (part.type === "opaque" && rules.outsideResults.includes(part.kind)) || isMalformed(part, rules);
}

function quote({ wire }: Part): Part {
  return text(`[Malformed part] ${JSON.stringify(wire)}`);
}

/** Removes empty texts, in results too, and messages that hold nothing, where the provider refuses them. */
export const removeEmptyParts: Pass = (messages, { rules, contents, report }) => {
  if (!rules.refusesEmpty || !contents(messages).blank) return messages;
  return mapMessages(messages, (message) => {
    const isBlank = rules.refusesBlank && isBlankMessage(message);
    const rest = isBlank
      ? withParts(message, [])
      : mapParts(message, (part) => (isEmptyText(part) ? [] : withoutEmptyBlocks(part)));
    const isFine = rest === message && message.parts.length > 0;
    if (isFine || isControlMessage(message)) return message;
    const isEmptied = rest.parts.length === 0;
    report("empty-content", message, isEmptied ? "removed a message without content" : "removed an empty text");
    return isEmptied ? [] : rest;
  });
};

function withoutEmptyBlocks(part: Part): Part {
  if (part.type !== "tool-result" || part.server || !part.content.some(isEmptyBlock)) return part;
  return { ...part, content: part.content.filter((inner) => !isEmptyBlock(inner)) };
}

/**
 * Repairs messages whose content is null, missing or an empty list, where the provider accepts empty texts but not missing content. A
 * message that holds nothing is removed; one of mere reasoning gets an empty text. An empty list of calls is removed from its message.
 * Where empty texts are refused too, `removeEmptyParts` has already done this.
 */
export const repairMissingContent: Pass = (messages, { rules, report }) => {
  if (rules.refusesEmpty) return messages;
  return mapMessages(messages, (message) => {
    const tidy = holdsAllInOneMessage(rules) ? withoutEmptyCalls(message) : message;
    if (!lacksContent(message, rules)) {
      if (tidy !== message) report("invalid-request", message, "took out a list of no calls");
      return tidy;
    }
    const isNothing = message.parts.length === 0;
    const change = isNothing ? "removed a message without content" : "wrote an empty content beside mere reasoning";
    report("invalid-request", message, change);
    return isNothing ? [] : { ...tidy, parts: [...tidy.parts, text("")] };
  });
};

/** The provider refuses an empty list of calls, though the field may be missing. */
function withoutEmptyCalls(message: Message): Message {
  const { wire } = message;
  if (wire === undefined || !isObject(wire.json) || !isEmptyList(wire.json.tool_calls)) return message;
  const { tool_calls: _, ...json } = wire.json;
  return { ...message, wire: { ...wire, json } };
}

/** Reads the wire, because parts do not tell an empty list from a missing one; a message that we made always has content. */
function lacksContent({ role, parts, wire }: Message, rules: FormatRules): boolean {
  if (wire === undefined || !isObject(wire.json) || !isMissing(wire.json.content)) return false;
  if (parts.length === 0) return holdsAllInOneMessage(rules) || !isArray(wire.json.content);
  return holdsAllInOneMessage(rules) && role === "assistant" && isReasoningOnly({ parts });
}

/** Chat: content beside calls, reasoning and refusal. A Responses item without content is a message and nothing else. */
function holdsAllInOneMessage({ granularity }: FormatRules): boolean {
  return granularity === "own-results";
}

/** Gives results without content an empty text. Runs after `repairRounds`, which quotes or makes results that have content. */
export const fillEmptyResults: Pass = (messages, { rules, contents, report }) => {
  if (!contents(messages).emptyResult) return messages;
  return mapMessages(messages, (message) => {
    const filled = mapParts(message, (part) =>
      part.type === "tool-result" && isRefusedEmpty(part, rules) ? { ...part, content: [text("")] } : part,
    );
    if (filled !== message) report("invalid-request", message, "wrote an empty content for a result without one");
    return filled;
  });
};

function isRefusedEmpty({ callId, content, server, wire }: ToolResultPart, rules: FormatRules): boolean {
  if (content.length > 0) return false;
  // In Chat, a result that is paired by name may be null, and one that we made is written with a text.
  if (holdsAllInOneMessage(rules)) return callId !== undefined && wire !== undefined && isMissing(wire.content);
  // Elsewhere a result may do without content, but its content may not be null.
  return !server && wire?.content === null;
}

function isMissing(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || isEmptyList(content);
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return isArray(value) && value.length === 0;
}

/** Gives parts that stand in the wrong role a message of their own: calls belong to the assistant, results to whoever answers. */
export const separateMisplacedParts: Pass = (messages, context) => {
  const { rules, contents, report } = context;
  if (!contents(messages).misplaced) return messages;
  const separated = mapMessages(messages, (message): Message | readonly Message[] => {
    const isAssistant = message.role === "assistant";
    const rest = mapParts(message, (part) => (isMisplaced(part, isAssistant) ? [] : part));
    if (rest === message) return message;
    const misplaced = message.parts.filter((part) => isMisplaced(part, isAssistant));
    const role = isAssistant ? rules.resultRole : "assistant";
    const kind = isAssistant ? "tool results" : "assistant content";
    const place = isAssistant ? "an assistant" : `a ${message.role}`;
    report("misplaced-part", message, `moved ${kind} out of ${place} message`);
    const moved = messageBeside(message, "moved", { role, parts: misplaced, ...(message.pinned && { pinned: true }) });
    return rest.parts.length === 0 ? [moved] : isAssistant ? [rest, moved] : [moved, rest];
  });
  // Moved results may answer another call now, and have the id of the one that they answered before.
  return repairCallIds(separated, context);
};

/** Documented by Google for calls that its model did not make itself. */
export const FOREIGN_CALL_SIGNATURE = "skip_thought_signature_validator";

/** Repairs reasoning that the provider would refuse: unsigned, alone, or without the signature that the current turn needs. */
export const repairReasoning: Pass = (messages, context) => {
  const { reasoning, blank } = context.contents(messages);
  switch (context.rules.reasoning) {
    case "none":
      return messages;
    case "signed":
      return reasoning || blank ? mapMessages(messages, (message) => quoteUnsigned(message, context)) : messages;
    case "grouped":
      return reasoning ? quoteLonely(messages, context) : messages;
    case "current-turn-signatures":
      return signCurrentTurn(messages, context);
    default:
      return context.rules.reasoning satisfies never;
  }
};

function quoteUnsigned(message: Message, { report }: RepairContext): Message {
  if (isControlMessage(message)) return message;
  const repaired = mapParts(message, (part) => {
    if (part.type !== "reasoning" || part.signature || part.encrypted) return part;
    report("thinking-unsigned", message, "turned unsigned thinking into text");
    return quoteReasoning(part);
  });
  return repaired.parts.length > 0 ? repaired : { ...repaired, parts: [text("[Thinking that was not kept.]")] };
}

/** A reasoning item must be followed by what it led to; several in a row stand or fall with what follows the last. */
function quoteLonely(messages: readonly Message[], { report }: RepairContext): readonly Message[] {
  const isKept = new Array<boolean>(messages.length);
  for (let index = messages.length - 1; index >= 0; index--) {
    const [message, next] = [messages[index], messages[index + 1]];
    const leadsOn = next?.role === "assistant" && (!isReasoningOnly(next) || isKept[index + 1] === true);
    isKept[index] = leadsOn || message === undefined || !isReasoningOnly(message);
  }
  return mapMessages(messages, (message, index) => {
    if (isKept[index]) return message;
    const quoted = quotedReasoning(message);
    const isReadable = quoted.length > 0;
    const change = isReadable ? "turned into text" : "replaced by a note, for it holds nothing readable";
    report("reasoning-without-item", message, `a reasoning item without its following item was ${change}`);
    const parts = isReadable ? quoted : [text("[Reasoning that was not kept.]")];
    return messageBeside(message, "text", { role: "assistant", parts, ...(message.pinned && { pinned: true }) });
  });
}

function isReasoningOnly({ parts }: Pick<Message, "parts">): boolean {
  return parts.length > 0 && parts.every(({ type }) => type === "reasoning");
}

/** All readable reasoning of a message as plain text; empty where none can be read. */
export function quotedReasoning({ parts }: Message): readonly Part[] {
  return parts.flatMap((part) => (part.type === "reasoning" ? quoteReasoning(part) : []));
}

function quoteReasoning({ text: reasoning }: ReasoningPart): readonly Part[] {
  return reasoning === "" ? [] : [text(`[Reasoning]\n${reasoning}`)];
}

function signCurrentTurn(messages: readonly Message[], { model, report }: RepairContext): readonly Message[] {
  const unsigned = new Map(unsignedCalls(messages, model).map((place) => [place.index, place]));
  if (unsigned.size === 0) return messages;
  return mapMessages(messages, (message, index) => {
    const place = unsigned.get(index);
    if (place === undefined) return message;
    const { position, call } = place;
    report("thought-signature-missing", message, `marked the call of ${call.name} as not signed by the model`);
    return withParts(message, message.parts.with(position, { ...call, signature: FOREIGN_CALL_SIGNATURE }));
  });
}

/** Takes out the cache marks beyond what a request may have. The first in the list go: the newest cover what they did. */
export const limitCacheMarks: Pass = (messages, { rules, marksOutside, report }) => {
  if (!rules.limitsCacheMarks) return messages;
  let inside = 0;
  for (const { parts } of messages) inside += marksIn(parts);
  let excess = inside === 0 ? 0 : Math.min(inside, marksOutside() + inside - CACHE_MARKS_MAX);
  if (excess <= 0) return messages;
  return mapMessages(messages, (message) => {
    const own = excess <= 0 ? 0 : marksIn(message.parts);
    if (own === 0) return message;
    report("too-many-cache-marks", message, "took out a cache mark, for there were more than a request may have");
    const parts = withoutFirstMarks(message.parts, excess);
    excess -= own;
    return withParts(message, parts);
  });
};
