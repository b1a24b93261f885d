/** The newest to-do list that an agent keeps through a tool, whatever the tool is called. Never guesses a state. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { unwrap } from "../../core/unwrap.ts";
import { oneLine } from "./text.ts";

export type TodoState = "done" | "inProgress" | "blocked" | "pending";

export interface Todo {
  readonly text: string;
  readonly state: TodoState;
}

const LIST_KEYS: readonly string[] = [
  "todos",
  "todo_list",
  "todoList",
  "plan",
  "tasks",
  "items",
  "steps",
  "task_progress",
  "checklist",
];
const TEXT_KEYS: readonly string[] = ["content", "step", "text", "title", "task", "description", "subject"];
const ITEMS_MAX = 40;
const ITEM_CHARS_MAX = 200;

/** Undefined when the arguments hold no list of things with states. */
export function todosOf(input: JsonValue): readonly Todo[] | undefined {
  if (!isObject(input)) return undefined;
  for (const key of LIST_KEYS) {
    const list = typeof input[key] === "string" ? unwrap(input[key]) : input[key];
    const todos =
      typeof list === "string" ? boxesIn(list) : isArray(list) ? list.slice(0, ITEMS_MAX).flatMap(todoOf) : [];
    if (todos.length > 0) return todos;
  }
  return undefined;
}

/** What is half done has its own marks. A link is no box. */
const BOX = /^[ \t]{0,8}(?:[-*+]|\d{1,2}[.)]) \[([ xX~/-])\][ \t]+(\S.*)$/gm;

function boxesIn(text: string): readonly Todo[] {
  return [...text.matchAll(BOX)].slice(0, ITEMS_MAX).map(([, mark = "", words = ""]) => ({
    text: oneLine(words.replaceAll("**", ""), ITEM_CHARS_MAX),
    state: mark === " " ? "pending" : mark === "x" || mark === "X" ? "done" : "inProgress",
  }));
}

function todoOf(item: JsonValue): readonly Todo[] {
  if (!isObject(item)) return [];
  const text = TEXT_KEYS.map((key) => item[key]).find((value) => typeof value === "string");
  const state = stateOf(item);
  return typeof text === "string" && state !== undefined ? [{ text: oneLine(text, ITEM_CHARS_MAX), state }] : [];
}

function stateOf(item: JsonObject): TodoState | undefined {
  const status = item.status ?? item.state ?? item.done ?? item.completed;
  if (status === true) return "done";
  if (status === false) return "pending";
  if (typeof status !== "string") return undefined;
  if (/^(?:completed?|done|finished|closed|success)$/i.test(status)) return "done";
  if (/progress|active|doing|started|current/i.test(status)) return "inProgress";
  if (/block|wait|fail/i.test(status)) return "blocked";
  return /pending|todo|open|not|new|queued/i.test(status) ? "pending" : undefined;
}
