/**
 * How the calls in a few messages ended, each by its newest time, whether it was called as a tool or written as a command that the user's
 * place answers. Reads names of calls and bounded excerpts of results; never what a call was for.
 */

import type { ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, type ToolResultPart, text as textPart } from "../../../core/message.ts";
import { failureKeyOf } from "../calls/call-keys.ts";
import { briefOf, failureOf, writtenCommand } from "../calls/call-outcome.ts";
import { isCheck, printedFailure } from "../calls/passed-check.ts";
import { isChange } from "./evidence.ts";
import { isObservation, withoutShellState } from "./tool-output.ts";

export interface CallEnds {
  /** By the key under which a failure stands. */
  readonly succeeded: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** How the newest check of any kind ended; undefined where nothing was checked. */
  readonly newestCheck: "passed" | "failed" | undefined;
  /** The newest check, where it failed. */
  readonly failedCheck: FailedCall | undefined;
  /** The newest call that would change something, where it failed. */
  readonly failedChange: FailedCall | undefined;
  /** Whether any tool was called or answered. */
  readonly hasCalls: boolean;
  /** How many outputs stand in the user's place. */
  readonly observations: number;
}

export interface FailedCall extends ToolFailure {
  /** Where its result stands among the messages. */
  readonly at: number;
}

interface Called {
  readonly key: string;
  readonly name: string;
  readonly brief: string;
}

/** `before` is the message before them: it may have written the command that the first of them answers. */
export function callEndsIn(messages: readonly Message[], before: Message | undefined): CallEnds {
  const waiting = new Map<string, Called>();
  const ends = new Map<string, boolean>();
  let written = before?.role === "assistant" ? lastText(before) : "";
  let newestCheck: CallEnds["newestCheck"];
  let failedCheck: FailedCall | undefined;
  let failedChange: FailedCall | undefined;
  let hasCalls = false;
  let observations = 0;
  for (const [at, message] of messages.entries()) {
    for (const part of message.parts) {
      if (part.type === "tool-call") waiting.set(part.callId ?? part.name, called(part.name, briefOf(part)));
      else if (part.type === "tool-result") end(waiting.get(part.callId ?? part.name ?? ""), part, at);
      else if (part.type === "text" && message.role === "user" && isObservation(part.text, true)) {
        observations++;
        end(writtenIn(written), observed(part.text), at);
      } else continue;
      hasCalls = true;
    }
    if (message.role === "assistant") written = lastText(message);
  }
  const ended = (isGood: boolean): ReadonlySet<string> =>
    new Set([...ends.keys()].filter((key) => ends.get(key) === isGood));
  return {
    succeeded: ended(true),
    failed: ended(false),
    newestCheck,
    failedCheck,
    failedChange,
    hasCalls,
    observations,
  };

  function end(call: Called | undefined, result: ToolResultPart, at: number): void {
    if (call === undefined) return;
    const { key, name, brief } = call;
    const failure = failureOf(result) ?? printedFailure(brief, result);
    ends.set(key, failure === undefined);
    const failed =
      failure === undefined ? undefined : { toolName: name, summary: `${brief}${OUTCOME_MARK}${failure}`, at };
    if ((failed ?? failedChange) !== undefined && isChange(call)) failedChange = failed;
    if (!isCheck(brief)) return;
    newestCheck = failure === undefined ? "passed" : "failed";
    failedCheck = failed;
  }
}

function called(name: string, brief: string): Called {
  return { key: failureKeyOf(name, brief), name, brief };
}

/** A command that is written whole begins with the program's name. */
function writtenIn(said: string): Called | undefined {
  const command = writtenCommand(said);
  if (command === undefined) return undefined;
  const { name, brief } = command;
  return { key: failureKeyOf(name, brief), name, brief: isCheck(brief) ? brief : `${name} ${brief}` };
}

function observed(said: string): ToolResultPart {
  return { type: "tool-result", content: [textPart(withoutShellState(said))], isError: false };
}

function lastText({ parts }: Message): string {
  const part = parts.findLast(({ type }) => type === "text");
  return part?.type === "text" ? part.text : "";
}
