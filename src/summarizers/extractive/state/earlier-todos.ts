/**
 * What a to-do list says about an earlier task, where the user has given another since: what is unfinished there comes after the new one,
 * and is not going on. Reads from the end, no further than the newest list or the newest task. Never changes what is done.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import type { Message } from "../../../core/message.ts";
import { requestOf } from "../../../core/plan/own-words.ts";
import { userTexts } from "../../../core/plan/refusal-words.ts";
import { speaksIn } from "../../../core/plan/words-beside.ts";
import { type Todo, todosOf } from "../calls/todo-list.ts";
import { isTask } from "../goal/tasks.ts";
import { isObservation, withoutShellState } from "../reading/tool-output.ts";
import { matcher } from "../text/shared-words.ts";

export interface TodosInTime {
  /** What is true whatever the user asked for since. */
  readonly todos: readonly Todo[] | undefined;
  /** What an earlier task left undone, in its order. */
  readonly left: readonly string[];
}

export function todosInTime(
  todos: readonly Todo[] | undefined,
  messages: readonly Message[],
  language: Language,
): TodosInTime {
  const task = todos === undefined ? "" : taskBehindList(messages, language);
  if (todos === undefined || task === "") return { todos, left: [] };
  const left = todos.filter(({ state }) => state === "inProgress" || state === "pending");
  // Who asks for one of them goes on with the list.
  if (left.map(({ text }) => text).some(matcher([task]))) return { todos, left: [] };
  return { todos: todos.filter((todo) => !left.includes(todo)), left: left.map(({ text }) => text) };
}

/** The task that the user gave behind the newest list; empty where there is none. */
function taskBehindList(messages: readonly Message[], language: Language): string {
  const speaks = speaksIn(messages);
  for (const message of messages.toReversed()) {
    if (message.parts.some((part) => part.type === "tool-call" && todosOf(part.input) !== undefined)) return "";
    if (!speaks(message)) continue;
    const task = askedIn(message).find((words) => isTask(words, language));
    if (task !== undefined) return task;
  }
  return "";
}

function askedIn({ parts }: Message): readonly string[] {
  return userTexts(parts).flatMap((said) => (isObservation(said, true) ? [] : [requestOf(withoutShellState(said))]));
}
