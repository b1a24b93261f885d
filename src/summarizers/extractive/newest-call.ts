/**
 * The call from which the work goes on: what it was about and how it ended. Reads from the end, no further than the turn that is
 * going on. Never quotes what a call wrote into a file, nor a question that was answered.
 */

import type { Message, Part, ToolCallPart, ToolResultPart } from "../../core/message.ts";
import { INTERRUPTED_TEXT } from "../../core/repair/settle-results.ts";
import { isTurnStart } from "../../core/structure/structure.ts";
import { filesOfCall } from "./call-files.ts";
import { briefOf, failureOf, writtenCommand } from "./call-outcome.ts";
import { printedFailure } from "./passed-check.ts";
import { asksUser, settledByTool } from "./question-tools.ts";
import { taggedCall } from "./tagged-call.ts";
import { isTodoList } from "./todo-list.ts";

export interface NewestCall {
  readonly name: string;
  readonly brief: string;
  readonly outcome: "running" | "failed" | "succeeded";
  /** What went wrong, where it failed. */
  readonly failure?: string;
  /** The file that it changed. */
  readonly changed?: string;
  /** It asks the user: the answer, empty as long as there is none. */
  readonly answer?: string;
}

/** `said` is what the assistant said last, where it writes commands instead of calling. */
export function newestCallIn(messages: readonly Message[], said: string): NewestCall | undefined {
  const at = messages.findLastIndex((message) => isTurnStart(message) || message.parts.some(isTelling));
  const call = messages[at]?.parts.findLast(isTelling);
  if (call !== undefined) return told(call, resultOf(call, messages.slice(at)));
  const written = taggedCall(said);
  if (written !== undefined) return told(written, undefined);
  const command = writtenCommand(said);
  return command === undefined ? undefined : { ...command, outcome: "succeeded" };
}

function told(call: ToolCallPart, result: ToolResultPart | undefined): NewestCall {
  const failure = result === undefined ? undefined : (failureOf(result) ?? printedFailure(briefOf(call), result));
  const outcome = result === undefined ? "running" : failure === undefined ? "succeeded" : "failed";
  const { modified, read, isCommand } = filesOfCall(call);
  const [changed] = isCommand ? [] : modified;
  const [seen] = isCommand ? [] : read;
  // A tool that calls others is told by the other's name too.
  const [path] = [changed, seen].filter((name) => name !== undefined);
  const whole = briefOf(call);
  const brief = path === undefined || whole.includes(path) ? whole : path;
  const own = { name: call.name, brief, outcome, ...(failure !== undefined && { failure }) } as const;
  if (changed !== undefined) return { ...own, changed };
  if (!asksUser(call.name)) return own;
  const settled = result === undefined ? undefined : settledByTool(call, result).at(-1);
  return { ...own, answer: settled?.answer ?? "" };
}

/** A list of what is to do stands for itself, and a thought is no deed. */
function isTelling(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && !THINKING.test(part.name) && !isTodoList(part.input);
}

const THINKING = /^(?:sequential_?)?think(?:ing)?$/i;

function resultOf(call: ToolCallPart, messages: readonly Message[]): ToolResultPart | undefined {
  const key = call.callId ?? call.name;
  for (const { parts } of messages)
    for (const part of parts)
      if (part.type === "tool-result" && (part.callId ?? part.name ?? "") === key)
        return isBrokenOff(part) ? undefined : part;
  return undefined;
}

/** What stands in for a result that never came. */
function isBrokenOff({ content: [first] }: ToolResultPart): boolean {
  return first?.type === "text" && first.text === INTERRUPTED_TEXT;
}
