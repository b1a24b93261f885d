/**
 * Repairs what a message holds: short forms, malformed, empty, missing and misplaced parts, reasoning, and cache marks. Readable
 * content is never lost: what may not stand as it is becomes quoted text.
 */

import { isBlankMessage, isBlankPrompt } from "../blank-text.ts";
import { CACHE_MARKS_MAX, marksIn, withoutFirstMarks } from "../cache-marks.ts";
import type { FormatRules } from "../format-rules.ts";
import { isArray, isObject, type JsonValue } from "../json.ts";
import {
  isControlMessage,
  type Message,
  type OpaquePart,
  type Part,
  type ReasoningPart,
  type ToolResultPart,
  text,
} from "../message.ts";
import { refuseDeepMessage } from "../too-deep.ts";
import { mapMessages, messageBeside, type Pass, type RepairContext, withParts } from "./pass.ts";

/** Writes out a message that was given as a text or a list of parts alone, where only a message may stand. */
export const writeOutShortForms: Pass = (messages, { rules, isShortList, report }) => {
  if (rules.shortForm === "none" || isShortList || (rules.shortForm === "element" && messages.length === 1))
    return messages;
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

/**
 * Quotes parts that lack what their type needs, and parts that no result may hold, as text. Removes a compaction trigger that is not
 * the last item.
 */
export const repairMalformedParts: Pass = (messages, { rules, contents, report }) => {
  if (!contents(messages).opaque) return messages;
  const last = messages.length - 1;
  return mapMessages(messages, (message, index) => {
    const [only] = message.parts;
    if (only?.type === "opaque" && only.kind === "compaction_trigger" && index < last) {
      report("misplaced-part", message, "removed a compaction trigger that is not the last item");
      return [];
    }
    if (!message.parts.some((part) => holdsRefused(part, rules))) return message;
    refuseDeepMessage(message);
    report("invalid-request", message, "quoted a part that lacks a required field, or stands in a result, as text");
    return { ...message, parts: message.parts.map((part) => readable(part, rules)) };
  });
};

function holdsRefused(part: Part, rules: FormatRules): boolean {
  if (part.type === "tool-result" && !part.server) return part.content.some((inner) => isRefusedInside(inner, rules));
  return isMalformed(part, rules);
}

function readable(part: Part, rules: FormatRules): Part {
  if (part.type === "tool-result" && holdsRefused(part, rules)) {
    return { ...part, content: part.content.map((inner) => (isRefusedInside(inner, rules) ? quote(inner) : inner)) };
  }
  return isMalformed(part, rules) ? quote(part) : part;
}

/** A lone signature is let through, because streams do end with one. */
function isMalformed(part: Part, rules: FormatRules): part is OpaquePart {
  if (part.type !== "opaque" || !rules.readKinds.includes(part.kind)) return false;
  return part.kind !== "" || (part.wire.thoughtSignature === undefined && part.wire.thought_signature === undefined);
}

/** What the provider's own tools return is in a shape of theirs, and not looked into. */
function isRefusedInside(part: Part, rules: FormatRules): part is OpaquePart {
  return part.type === "opaque" && (rules.outsideResults.includes(part.kind) || isMalformed(part, rules));
}

function quote({ wire }: OpaquePart): Part {
  return text(`[Malformed part] ${JSON.stringify(wire)}`);
}

/** Removes empty texts, in results too, and messages that hold nothing, where the provider refuses them. */
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

/**
 * Repairs messages whose content is null, missing or an empty list, where the provider accepts empty texts but not missing content. A
 * message that holds nothing is removed; one of mere reasoning gets an empty text. An empty list of calls is removed from its message.
 * Where empty texts are refused too, `removeEmptyParts` has already done this.
 */
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

/** Gives results without content an empty text. Runs after `repairRounds`, which quotes or makes results that have content. */
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

/** Gives parts that stand in the wrong role a message of their own: calls belong to the assistant, results to whoever answers. */
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

/** Documented by Google for calls that its model did not make itself. */
export const FOREIGN_CALL_SIGNATURE = "skip_thought_signature_validator";

/** Where the name does not say (`gemini-flash-latest`), the conversation itself shows whether its model signs. */
const MODEL_VERSION = /gemini-(?<version>\d+)/;
const FIRST_SIGNING_VERSION = 3;

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

function quoteUnsigned(message: Message, context: RepairContext): Message {
  if ((message.parts.length > 0 && !message.parts.some(isUnsigned)) || isControlMessage(message)) return message;
  const parts = message.parts.flatMap((part): readonly Part[] => {
    if (!isUnsigned(part)) return [part];
    context.report("thinking-unsigned", message, "turned unsigned thinking into text");
    return quoteReasoning(part);
  });
  const repaired = withParts(message, parts);
  return repaired.parts.length > 0 ? repaired : { ...repaired, parts: [text("[Thinking that was not kept.]")] };
}

function isUnsigned(part: Part): part is ReasoningPart {
  return part.type === "reasoning" && !part.signature && !part.encrypted;
}

/** A reasoning item must be followed by what it led to; a row of them stands or falls with what follows its last. */
function quoteLonely(messages: readonly Message[], context: RepairContext): readonly Message[] {
  const isKept = new Array<boolean>(messages.length);
  for (let index = messages.length - 1; index >= 0; index--) {
    const next = messages[index + 1];
    const leadsOn = next?.role === "assistant" && (!isReasoningOnly(next) || isKept[index + 1] === true);
    isKept[index] = !isReasoningOnly(messages[index]) || leadsOn;
  }
  return mapMessages(messages, (message, index) => {
    if (isKept[index]) return message;
    const parts = message.parts.flatMap((part) => (part.type === "reasoning" ? quoteReasoning(part) : []));
    const isReadable = parts.length > 0;
    const change = isReadable ? "turned into text" : "replaced by a note, for it holds nothing readable";
    context.report("reasoning-without-item", message, `a reasoning item without its following item was ${change}`);
    return messageBeside(message, "text", {
      role: "assistant",
      parts: isReadable ? parts : [text("[Reasoning that was not kept.]")],
      ...(message.pinned && { pinned: true }),
    });
  });
}

function isReasoningOnly(message: Message | undefined): boolean {
  return message !== undefined && message.parts.length > 0 && message.parts.every(({ type }) => type === "reasoning");
}

/** As what was merely said; nothing where it cannot be read. */
export function quoteReasoning(part: ReasoningPart): readonly Part[] {
  return part.text === "" ? [] : [text(`[Reasoning]\n${part.text}`)];
}

function signCurrentTurn(messages: readonly Message[], context: RepairContext): readonly Message[] {
  const version = MODEL_VERSION.exec(context.model ?? "")?.groups?.version;
  const signs = version === undefined ? messages.some(hasSignature) : Number(version) >= FIRST_SIGNING_VERSION;
  if (!signs) return messages;
  const turnStart = messages.findLastIndex(saysSomething);
  return mapMessages(messages, (message, index) => {
    const position = message.parts.findIndex((part) => part.type === "tool-call");
    const call = message.parts[position];
    if (index <= turnStart || call?.type !== "tool-call" || call.signature) return message;
    context.report("thought-signature-missing", message, `marked the call of ${call.name} as not signed by the model`);
    return withParts(message, message.parts.with(position, { ...call, signature: FOREIGN_CALL_SIGNATURE }));
  });
}

/** Text beside results also begins a new turn in the eyes of the provider. */
function saysSomething({ role, parts }: Message): boolean {
  return role === "user" && parts.some((part) => part.type !== "tool-result");
}

function hasSignature(message: Message): boolean {
  return message.parts.some((part) => "signature" in part && Boolean(part.signature));
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
