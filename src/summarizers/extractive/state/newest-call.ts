/**
 * The call from which the work goes on: what it was about and how it ended. Reads from the end, no further than the turn that is
 * going on. Never quotes what a call wrote into a file, nor a question that was answered.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { isObject, type JsonValue } from "../../../core/json.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../../core/message.ts";
import { matchesAnyTool, requestOf, type UserVoice, userVoice } from "../../../core/plan/user-voice.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { briefOf, failureOf, innerInput, isInterruption, writtenCommand } from "../calls/call-outcome.ts";
import { givenIn, isToldByArguments } from "../calls/given-arguments.ts";
import { printedFailure } from "../calls/passed-check.ts";
import { taggedCall } from "../calls/tagged-call.ts";
import { isTodoList } from "../calls/todo-list.ts";
import { isAssent } from "../goal/tasks.ts";
import { withoutShellState } from "../reading/tool-output.ts";
import { hasWords } from "../statements/course.ts";

export interface NewestCall {
  readonly name: string;
  readonly brief: string;
  readonly outcome: "running" | "failed" | "succeeded";
  /** What went wrong, where it failed. */
  readonly failure?: string;
  /** The file that it changed. */
  readonly changed?: string;
  /** Its tool speaks for the user, who has not answered yet. */
  readonly isWaiting?: boolean;
  /** The user stopped the work behind it, and has asked for nothing since. */
  readonly isStopped?: boolean;
}

export interface CallTalk {
  /** What the assistant said last, where it writes commands instead of calling. */
  readonly said: string;
  /** The user's. */
  readonly language: Language;
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
}

export function newestCallIn(messages: readonly Message[], talk: CallTalk): NewestCall | undefined {
  const { said, language, userTools = [] } = talk;
  const voice = userVoice(messages, userTools);
  const at = placeOf(messages, language, voice);
  const call = messages[at]?.parts.findLast(isTelling);
  if (call !== undefined) {
    const since = messages.slice(at);
    const result = resultOf(call, since);
    const isWaiting = result === undefined && matchesAnyTool(userTools, call.name);
    return { ...told(call, result, isWaiting), ...(isStoppedIn(since) && { isStopped: true }) };
  }
  const written = taggedCall(said);
  if (written !== undefined) return told(written, undefined, false);
  const command = writtenCommand(said);
  // Where nothing was said behind it, nothing came of it yet.
  const outcome = messages.at(-1)?.role === "assistant" ? "running" : "succeeded";
  return command === undefined ? undefined : { ...command, outcome };
}

/** Where the newest call was made, or the turn began. "Continue" and a client's note begin none, unless the assistant had ended its own. */
function placeOf(messages: readonly Message[], language: Language, voice: UserVoice): number {
  let isPassed = false;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    if (message.parts.some(isTelling) || (isPassed && hasWords(message))) return at;
    if (!voice.speaksIn(message)) continue;
    if (asks(message, language, voice)) return at;
    isPassed = true;
  }
  return -1;
}

/** Whether the newest that the user's messages say, behind the assistant's words, is that the work was broken off. */
function isStoppedIn(since: readonly Message[]): boolean {
  const noted = since
    .slice(Math.max(0, since.findLastIndex(hasWords)))
    .filter(({ role }) => role === "user")
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [part.text.trim()] : [])));
  const newest = noted.findLast((text) => isStopNote(text) || requestOf(withoutShellState(text)) !== "");
  return newest !== undefined && isStopNote(newest);
}

/** As clients write it in the user's place. */
function isStopNote(text: string): boolean {
  return text.startsWith("<turn_aborted>") || /^\[Request interrupted by (?:the )?user/.test(text);
}

function asks({ parts }: Message, language: Language, voice: UserVoice): boolean {
  return parts.some((part) => {
    if (part.type === "tool-result") return voice.answerIn(part) !== "";
    const words = part.type === "text" ? requestOf(withoutShellState(part.text)) : undefined;
    return words === undefined || (words !== "" && !isAssent(words, language));
  });
}

function told(call: ToolCallPart, result: ToolResultPart | undefined, isWaiting: boolean): NewestCall {
  const failure = result === undefined ? undefined : (failureOf(result) ?? printedFailure(briefOf(call), result));
  const outcome = result === undefined ? "running" : failure === undefined ? "succeeded" : "failed";
  const { modified, read, isCommand } = filesOfCall(call);
  const [changed] = isCommand ? [] : modified;
  const [seen] = isCommand ? [] : read;
  // A tool that calls others is told by the other's name too.
  const [path] = [changed, seen].filter((name) => name !== undefined);
  const whole = briefOf(call);
  // What failed is told in full elsewhere.
  const isWhole = isWaiting || failure !== undefined;
  const brief = path !== undefined && !whole.includes(path) ? path : isWhole ? whole : withGiven(whole, call.input);
  const own = { name: call.name, brief, outcome, ...(failure !== undefined && { failure }) } as const;
  if (changed !== undefined) return { ...own, changed };
  return isWaiting ? { ...own, isWaiting } : own;
}

/** A longer one says enough. */
const BRIEF_CHARS_SHORT = 40;
const GIVEN_MAX = 3;

/** "ATL (destination: SEA)": a call that no path or command tells is told by more than one of its arguments. */
function withGiven(brief: string, input: JsonValue): string {
  if (!isObject(input) || brief.length > BRIEF_CHARS_SHORT) return brief;
  const inner = innerInput(input);
  const own = inner !== undefined && isObject(inner) ? inner : input;
  if (!isToldByArguments(own)) return brief;
  const given = [...givenIn(own)]
    .filter(([, value]) => !brief.includes(value))
    .slice(0, GIVEN_MAX)
    .map(([key, value]) => `${key}: ${value}`);
  if (given.length === 0) return brief;
  return brief === "" ? given.join(", ") : `${brief} (${given.join(", ")})`;
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
  return first?.type === "text" && isInterruption(first.text);
}
