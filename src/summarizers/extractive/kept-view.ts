/**
 * What stays in the view around the messages that leave: what the user asked before them, and what was asked and said after.
 * A summary that says what is going on now must know both. Reads only the kept messages.
 */

import type { SummaryInput } from "../../core/checkpoint/summary.ts";
import type { Message } from "../../core/message.ts";
import { isForeignSummary } from "../../core/plan/foreign-summaries.ts";
import { isTurnStart } from "../../core/structure/structure.ts";
import { isObservation, type Prose } from "./reading.ts";
import { requestOf } from "./request.ts";
import { withoutShellState } from "./tool-output.ts";

export interface KeptView {
  /** What was said before the messages that leave, oldest first. */
  readonly before: readonly Prose[];
  /** What was said after them. */
  readonly after: readonly Prose[];
  /** What was said after the very last of them: not a request that was kept for its own sake while work went on. */
  readonly since: readonly Prose[];
  /** Whether any tool was called or answered after them. */
  readonly hasCallsAfter: boolean;
  /** The very last message is an answer that called nothing: whatever was asked before it is answered. */
  readonly isAnswered: boolean;
  /** An assistant spoke before the messages that leave. */
  readonly isStarted: boolean;
}

export function readKept(input: SummaryInput): KeptView {
  const count = input.keptBefore ?? guessKeptBefore(input);
  const after = input.kept.slice(count);
  const before = input.kept.slice(0, count);
  const isStarted = input.previous !== undefined || before.some(({ role }) => role === "assistant");
  const said = after.flatMap((message, index) => proseOf(message, index, true));
  return {
    isStarted,
    isAnswered: isAnswer(after.at(-1) ?? input.turnPrefix.at(-1) ?? input.messages.at(-1)),
    before: before.flatMap((message, index) => proseOf(message, index, isStarted)),
    after: said,
    since: isAtWork(input) && said.every(({ isUser }) => isUser) ? [] : said,
    hasCallsAfter: after.some(({ parts }) => parts.some(({ type }) => type === "tool-call" || type === "tool-result")),
  };
}

/**
 * A conversation begins with a request. Where what leaves does not, and nothing was summarised before, the first request was
 * kept; it and what precedes it stand before.
 */
function guessKeptBefore({ messages, turnPrefix, kept, previous }: SummaryInput): number {
  const [first] = [...messages.slice(0, 1), ...turnPrefix.slice(0, 1)];
  if (previous !== undefined || first === undefined || isTurnStart(first)) return 0;
  return kept.findIndex(isTurnStart) + 1;
}

/** Whether what leaves ends in the middle of a turn. */
function isAtWork({ messages, turnPrefix }: SummaryInput): boolean {
  const last = turnPrefix.at(-1) ?? messages.at(-1);
  return last?.parts.some(({ type }) => type === "tool-call" || type === "tool-result") ?? false;
}

function isAnswer(message: Message | undefined): boolean {
  return (
    message?.role === "assistant" &&
    message.parts.some((part) => part.type === "text" && part.text.trim() !== "") &&
    !message.parts.some(({ type }) => type === "tool-call")
  );
}

function proseOf(message: Message, index: number, isStarted: boolean): readonly Prose[] {
  const isUser = message.role === "user";
  if (isForeignSummary(message)) return [];
  if (!isUser && message.role !== "assistant") return [];
  if (isUser && !isTurnStart(message)) return [];
  const isFinal = !isUser && !message.parts.some(({ type }) => type === "tool-call");
  return message.parts.flatMap((part) => {
    const text = part.type !== "text" ? "" : isUser ? askedIn(part.text, isStarted) : part.text;
    return text.trim() === "" ? [] : [{ message: index, isUser, isFinal, speaker: "", text }];
  });
}

function askedIn(said: string, isStarted: boolean): string {
  return isObservation(said, isStarted) ? "" : requestOf(withoutShellState(said));
}
