/**
 * How the calls in a few messages ended, each by its newest time, whether it was called as a tool or written as a command that the user's
 * place answers. Reads names of calls and bounded excerpts of results; never what a call was for.
 */

import { type Message, type ToolResultPart, text as textPart } from "../../core/message.ts";
import { failureKeyOf } from "./call-keys.ts";
import { briefOf, failureOf, writtenCommand } from "./call-outcome.ts";
import { hasFailedCheck, isCheck } from "./passed-check.ts";
import { isObservation } from "./reading.ts";
import { withoutShellState } from "./tool-output.ts";

export interface CallEnds {
  /** By the key under which a failure stands. */
  readonly succeeded: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** How the newest check of any kind ended; undefined where nothing was checked. */
  readonly newestCheck: "passed" | "failed" | undefined;
  /** Whether any tool was called or answered. */
  readonly hasCalls: boolean;
  /** How many outputs stand in the user's place. */
  readonly observations: number;
}

interface Called {
  readonly key: string;
  readonly brief: string;
}

/** `before` is the message before them: it may have written the command that the first of them answers. */
export function callEndsIn(messages: readonly Message[], before: Message | undefined): CallEnds {
  const waiting = new Map<string, Called>();
  const ends = new Map<string, boolean>();
  let written = before?.role === "assistant" ? lastText(before) : "";
  let newestCheck: CallEnds["newestCheck"];
  let hasCalls = false;
  let observations = 0;
  for (const message of messages) {
    for (const part of message.parts) {
      if (part.type === "tool-call") waiting.set(part.callId ?? part.name, called(part.name, briefOf(part)));
      else if (part.type === "tool-result") end(waiting.get(part.callId ?? part.name ?? ""), part);
      else if (part.type === "text" && message.role === "user" && isObservation(part.text, true)) {
        observations++;
        end(writtenIn(written), observed(part.text));
      } else continue;
      hasCalls = true;
    }
    if (message.role === "assistant") written = lastText(message);
  }
  const ended = (isGood: boolean): ReadonlySet<string> =>
    new Set([...ends.keys()].filter((key) => ends.get(key) === isGood));
  return { succeeded: ended(true), failed: ended(false), newestCheck, hasCalls, observations };

  function end(call: Called | undefined, result: ToolResultPart): void {
    if (call === undefined) return;
    const hasFailed = failureOf(result) !== undefined || hasFailedCheck(call.brief, result);
    ends.set(call.key, !hasFailed);
    if (isCheck(call.brief)) newestCheck = hasFailed ? "failed" : "passed";
  }
}

function called(name: string, brief: string): Called {
  return { key: failureKeyOf(name, brief), brief };
}

/** A command that is written whole begins with the program's name. */
function writtenIn(said: string): Called | undefined {
  const command = writtenCommand(said);
  if (command === undefined) return undefined;
  const { name, brief } = command;
  return { key: failureKeyOf(name, brief), brief: isCheck(brief) ? brief : `${name} ${brief}` };
}

function observed(said: string): ToolResultPart {
  return { type: "tool-result", content: [textPart(withoutShellState(said))], isError: false };
}

function lastText({ parts }: Message): string {
  const part = parts.findLast(({ type }) => type === "text");
  return part?.type === "text" ? part.text : "";
}
