/**
 * Calls of the provider's own tools that never came back, because somebody interrupted the answer. While one is open the user may
 * only answer calls; where more was said since, it becomes text. One that may still come back is left alone.
 */

import { type Message, type Part, type ToolCallPart, text } from "../message.ts";
import { lowerBound } from "../structure/cut-points.ts";
import { mapMessages, type Pass, withParts } from "./pass.ts";
import { unexplainedResults } from "./rounds.ts";

export const quoteLostServerCalls: Pass = (messages, context) => {
  if (!context.rules.serverCallsReturn) return messages;
  const calls = context.pairing(messages).calls.filter(({ part }) => part.server);
  if (calls.length === 0) return messages;
  // A result that is quoted says more than a result, and so does a system message that becomes the user's.
  const quoted = new Set(unexplainedResults(messages, context).map(({ at }) => at.message));
  const isSaid = (message: Message, index: number): boolean => {
    if (message.role === "system") return context.rules.systemInList === "never";
    return saysMore(message) || (message.role === "user" && quoted.has(index));
  };
  const said = messages.flatMap((message, index) => (isSaid(message, index) ? [index] : []));
  const lost = new Set<Part>();
  for (const { part, at, results } of calls) {
    // What a client says in the provider's place is no return; it is quoted when the rounds are put in order.
    const returned = results.find((result) => result.part.server);
    const next = said[lowerBound(said, at.message)] ?? messages.length;
    const isTakenOver = returned === undefined && results.length > 0;
    // One that came back later answers nothing any more; without its call, it is quoted too.
    if (isTakenOver || next < (returned?.at.message ?? messages.length)) lost.add(part);
  }
  if (lost.size === 0) return messages;
  return mapMessages(messages, (message) => {
    if (!message.parts.some((part) => lost.has(part))) return message;
    context.report(
      "call-without-result",
      message,
      "turned a call of the provider's own tools that was interrupted into text",
    );
    const parts = message.parts.map((part) => (part.type === "tool-call" && lost.has(part) ? quote(part) : part));
    return withParts(message, parts);
  });
};

/** Something of the user's beside results. */
function saysMore({ role, parts }: Message): boolean {
  return role === "user" && parts.some(({ type }) => type !== "tool-result");
}

function quote({ name, input }: ToolCallPart): Part {
  return text(`[Interrupted before it returned: ${name} ${JSON.stringify(input)}]`);
}
