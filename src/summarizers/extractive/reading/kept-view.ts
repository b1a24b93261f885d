/**
 * What stays in the view around the messages that leave: what was asked and said before, between and after them. A summary that
 * says what is going on now must know it, in its place. Reads only the kept messages.
 */

import type { SummaryInput } from "../../../core/checkpoint/summary.ts";
import type { Message } from "../../../core/message.ts";
import { isForeignSummary, type UserVoice, userVoice } from "../../../core/plan/user-voice.ts";
import { isTurnStart } from "../../../core/structure/structure.ts";
import { callsForResult } from "../calls/tagged-call.ts";
import { type Todo, todosOf } from "../calls/todo-list.ts";
import { type CallEnds, callEndsIn } from "./call-ends.ts";
import { createProse, type Prose } from "./prose.ts";
import { askedIn } from "./tool-output.ts";

export interface KeptView {
  /** What was said in the messages that stay, oldest first; `message` is a place among those that leave, between two of them. */
  readonly prose: readonly Prose[];
  /** The messages after those that leave. */
  readonly messages: readonly Message[];
  /** The very last message is an answer that called nothing: whatever was asked before it is answered. */
  readonly isAnswered: boolean;
  /** An assistant spoke before the messages that leave. */
  readonly isStarted: boolean;
  /** How the calls after them ended. */
  readonly ends: CallEnds;
  /** What succeeded by an output that stays among them, by the key of failures: how many of them stand before that. */
  readonly overcome: ReadonlyMap<string, number>;
  /** The newest to-do list after them. */
  readonly todos: readonly Todo[] | undefined;
}

export function readKept(input: SummaryInput): KeptView {
  const { kept } = input;
  const leaving = input.messages.length + input.turnPrefix.length;
  const places = input.keptAfter ?? guessPlaces(input, leaving);
  const after = kept.filter((_, index) => places[index] === leaving);
  const isStarted =
    input.previous !== undefined || kept.some(({ role }, index) => places[index] === 0 && role === "assistant");
  const voice = userVoice(kept, input.userTools);
  return {
    isStarted,
    isAnswered: isAnswer(after.at(-1) ?? input.turnPrefix.at(-1) ?? input.messages.at(-1)),
    prose: kept.flatMap((message, index) => {
      const place = places[index] ?? leaving;
      if (message.role !== "assistant" && !voice.speaksIn(message)) return [];
      const at = place - 1 + (index + 1) / (kept.length + 1);
      return message.role === "assistant"
        ? saidIn(message, at)
        : askedOf(message, voice, { at, isStarted: isStarted || place > 0 });
    }),
    messages: after,
    ends: callEndsIn(after, input.turnPrefix.at(-1) ?? input.messages.at(-1)),
    overcome: overcomeIn(input, places),
    todos: newestTodos(after),
  };
}

/** An output in the user's place may be kept for the newest word of the user's, while the command that it answers leaves. */
function overcomeIn({ messages, turnPrefix, kept }: SummaryInput, places: readonly number[]): Map<string, number> {
  const overcome = new Map<string, number>();
  const leaving = messages.length + turnPrefix.length;
  kept.forEach((message, index) => {
    const place = places[index] ?? leaving;
    if (message.role !== "user" || place === 0 || place >= leaving) return;
    const before = place > messages.length ? turnPrefix[place - 1 - messages.length] : messages[place - 1];
    for (const key of callEndsIn([message], before).succeeded) overcome.set(key, place);
  });
  return overcome;
}

function newestTodos(messages: readonly Message[]): readonly Todo[] | undefined {
  for (const { parts } of messages.toReversed())
    for (const part of parts.toReversed()) {
      const todos = part.type === "tool-call" ? todosOf(part.input) : undefined;
      if (todos !== undefined) return todos;
    }
  return undefined;
}

/** All that was said, in the order in which it was. What leaves stands in order already, so that only the few that stay need to be placed. */
export function inOrder(leaving: readonly Prose[], kept: readonly Prose[]): readonly Prose[] {
  if (kept.length === 0) return leaving;
  const said: Prose[] = [];
  let at = 0;
  for (const item of kept.toSorted((a, b) => a.message - b.message)) {
    for (let next = leaving[at]; next !== undefined && next.message <= item.message; next = leaving[++at])
      said.push(next);
    said.push(item);
  }
  for (let next = leaving[at]; next !== undefined; next = leaving[++at]) said.push(next);
  return said;
}

/**
 * A conversation begins with a request. Where what leaves does not, and nothing was summarised before, the first request was
 * kept; it and what precedes it stand before, everything else after.
 */
function guessPlaces({ messages, turnPrefix, kept, previous }: SummaryInput, leaving: number): readonly number[] {
  const [first] = [...messages.slice(0, 1), ...turnPrefix.slice(0, 1)];
  const isWhole = previous !== undefined || first === undefined || isTurnStart(first);
  const before = isWhole ? 0 : kept.findIndex(isTurnStart) + 1;
  return kept.map((_, index) => (index < before ? 0 : leaving));
}

function isAnswer(message: Message | undefined): boolean {
  return (
    message?.role === "assistant" &&
    message.parts.some((part) => part.type === "text" && part.text.trim() !== "") &&
    !callsForResult(message)
  );
}

function saidIn(message: Message, at: number): readonly Prose[] {
  if (isForeignSummary(message)) return [];
  const isFinal = !callsForResult(message);
  return message.parts.flatMap((part) => {
    if (part.type !== "text" || part.text.trim() === "") return [];
    return [createProse({ message: at, isUser: false, isRequest: false, isFinal, speaker: "", text: part.text })];
  });
}

interface KeptPlace {
  readonly at: number;
  /** An assistant spoke before it. */
  readonly isStarted: boolean;
}

function askedOf(message: Message, voice: UserVoice, { at, isStarted }: KeptPlace): readonly Prose[] {
  const words = voice.wordsIn(message, (said) => askedIn(said, isStarted));
  return words.map((text) =>
    createProse({ message: at, isUser: true, isRequest: true, isFinal: false, speaker: "", text }),
  );
}
