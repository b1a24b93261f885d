/** Reasoning that its provider would refuse: unsigned, alone, or without the signature that the current turn needs. */

import { isControlMessage, type Message, type Part, type ReasoningPart, text } from "../message.ts";
import { mapMessages, messageBeside, type Pass, type RepairContext, withParts } from "./pass.ts";

/** Documented by Google for calls that its model did not make itself. */
export const FOREIGN_CALL_SIGNATURE = "skip_thought_signature_validator";

/** Where the name does not say (`gemini-flash-latest`), the conversation itself shows whether its model signs. */
const MODEL_VERSION = /gemini-(?<version>\d+)/;
const FIRST_SIGNING_VERSION = 3;

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
