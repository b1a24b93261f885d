/**
 * What became of the words that an assistant said last: whether it called anything with them, and how that went. Reads from the
 * end, no further than those words. Never looks at what the words mean.
 */

import { type Message, type ToolCallPart, text as textPart, textsOf } from "../../../core/message.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { briefOf, failureOf, isInterruption, isLooking } from "../calls/call-outcome.ts";
import { isObservation } from "../reading/tool-output.ts";

/**
 * "said": nothing was called with them. "running": not all that was called with them has answered. "failed": the newest answer is a failure.
 * "looked": what was called only looked at something. "carried-out": it did something and succeeded. "going-on": it did, and more
 * was called since without a word.
 */
export type Course = "said" | "running" | "failed" | "looked" | "carried-out" | "going-on";

export function courseOf(messages: readonly Message[]): Course {
  const at = messages.findLastIndex(hasWords);
  const waiting = new Set<string>();
  let rounds = 0;
  let isAnswered = true;
  let hasFailed = false;
  let hasActed = false;
  for (const { role, parts } of messages.slice(Math.max(0, at))) {
    for (const part of parts) {
      if (part.type === "tool-call") {
        if (isAnswered) rounds++;
        isAnswered = false;
        hasActed ||= !onlyLooks(part);
        waiting.add(part.callId ?? part.name);
      } else if (part.type === "tool-result") {
        // What stands in for a result that never came answers nothing.
        if (textsOf(part.content).some(isInterruption)) continue;
        isAnswered = true;
        waiting.delete(part.callId ?? part.name ?? "");
        hasFailed = failureOf(part) !== undefined;
      } else if (part.type === "text" && role === "user" && at >= 0 && isObservation(part.text, true)) {
        rounds++;
        hasActed = true;
        hasFailed = failureOf({ type: "tool-result", content: [textPart(part.text)], isError: false }) !== undefined;
      }
    }
  }
  if (rounds === 0) return "said";
  // What was called with the words has answered where more is called.
  if (waiting.size > 0) return rounds > 1 ? "going-on" : "running";
  if (hasFailed) return "failed";
  if (rounds > 1) return "going-on";
  return hasActed ? "carried-out" : "looked";
}

const LOOKS = /read|view|open|get|list|search|find|fetch|query|look|grep|glob|browse|show|inspect/i;

/** Whether a call leaves everything as it was. */
export function onlyLooks(call: ToolCallPart): boolean {
  const { read, modified, isCommand } = filesOfCall(call);
  if (isCommand) return isLooking(briefOf(call));
  return modified.length === 0 && (read.length > 0 || LOOKS.test(call.name));
}

/** Whether the assistant says anything with it. */
export function hasWords({ role, parts }: Message): boolean {
  return role === "assistant" && parts.some((part) => part.type === "text" && part.text.trim() !== "");
}
