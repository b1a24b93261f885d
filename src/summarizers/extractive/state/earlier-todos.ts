/**
 * What a to-do list says about an earlier task, where the user has given another since: what is unfinished there comes after the new one,
 * and is not going on. Reads from the end, no further than the newest list or the newest task. Never changes what is done.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import type { Message } from "../../../core/message.ts";
import { userVoice } from "../../../core/plan/user-voice.ts";
import { type Todo, todosOf } from "../calls/todo-list.ts";
import { isTask } from "../goal/tasks.ts";
import { askedIn } from "../reading/tool-output.ts";
import { matcher } from "../text/shared-words.ts";

export interface TodosInTime {
  /** What is true whatever the user asked for since. */
  readonly todos: readonly Todo[] | undefined;
  /** What an earlier task left undone, in its order. */
  readonly left: readonly string[];
}

interface Talk {
  /** The user's. */
  readonly language: Language;
  /** Tools whose results are the user's own words. Default: none. */
  readonly userTools?: readonly string[] | undefined;
}

export function todosInTime(todos: readonly Todo[] | undefined, messages: readonly Message[], talk: Talk): TodosInTime {
  const task = todos === undefined ? "" : taskBehindList(messages, talk);
  if (todos === undefined || task === "") return { todos, left: [] };
  const left = todos.filter(({ state }) => state === "inProgress" || state === "pending");
  // Who asks for one of them goes on with the list.
  if (left.map(({ text }) => text).some(matcher([task]))) return { todos, left: [] };
  return { todos: todos.filter((todo) => !left.includes(todo)), left: left.map(({ text }) => text) };
}

/** The task that the user gave behind the newest list; empty where there is none. */
function taskBehindList(messages: readonly Message[], { language, userTools }: Talk): string {
  const voice = userVoice(messages, userTools);
  for (const message of messages.toReversed()) {
    if (message.parts.some((part) => part.type === "tool-call" && todosOf(part.input) !== undefined)) return "";
    if (!voice.speaksIn(message)) continue;
    const words = voice.wordsIn(message, (said) => askedIn(said, true));
    const task = words.find((asked) => isTask(asked, language));
    if (task !== undefined) return task;
  }
  return "";
}
