/** Thought signatures: Gemini 3 and later refuse a function call of the current turn whose step is unsigned. Reads only. */

import type { Message } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";

/** Only the first call of a step is signed; the others of a parallel step never are. Dummy values count as signatures. */
export function checkSignatures(messages: readonly Message[], model: string | undefined): readonly Violation[] {
  if (!requiresSignatures(messages, model)) return [];
  const turnStart = messages.findLastIndex(saysSomething);
  return messages.flatMap((message, index) => {
    if (index <= turnStart || message.role !== "assistant") return [];
    const position = message.parts.findIndex((part) => part.type === "tool-call");
    const call = message.parts[position];
    if (call?.type !== "tool-call" || call.signature !== undefined) return [];
    const path = `contents.${index}.parts.${position}`;
    const text = `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${call.name}\`, position ${index + 1}.`;
    return [{ rule: "thought-signature-missing", path, messageIndex: index, message: text }];
  });
}

/** Where the model is not known, one signature anywhere shows that it is one that signs. */
function requiresSignatures(messages: readonly Message[], model: string | undefined): boolean {
  const version = /gemini-(\d+)/.exec(model ?? "")?.[1];
  if (version !== undefined) return Number(version) >= FIRST_SIGNING_VERSION;
  return messages.some(({ parts }) =>
    parts.some((part) => "signature" in part && part.signature !== undefined && part.signature !== ""),
  );
}

const FIRST_SIGNING_VERSION = 3;

/** Function responses alone continue a turn; anything else from the user begins one. */
function saysSomething({ role, parts }: Message): boolean {
  return role !== "assistant" && parts.some((part) => part.type !== "tool-result");
}
