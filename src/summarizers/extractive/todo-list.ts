/** Reads the newest to-do list or plan that an agent keeps through a tool, whatever the tool is called. Never guesses a state. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { oneLine } from "./sentences.ts";

export type TodoState = "done" | "inProgress" | "blocked" | "pending";

export interface Todo {
  readonly text: string;
  readonly state: TodoState;
}

const LIST_KEYS: readonly string[] = ["todos", "todo_list", "todoList", "plan", "tasks", "items", "steps"];
const TEXT_KEYS: readonly string[] = ["content", "step", "text", "title", "task", "description", "subject"];
const ITEMS_MAX = 40;
const ITEM_CHARS_MAX = 200;

/** Undefined when the arguments hold no list of things with states. */
export function todosOf(input: JsonValue): readonly Todo[] | undefined {
  if (!isObject(input) || !hasList(input)) return undefined;
  for (const key of LIST_KEYS) {
    const list = input[key];
    if (!isArray(list) || list.length === 0) continue;
    const todos = list.slice(0, ITEMS_MAX).flatMap((item) => (isObject(item) ? todoOf(item) : []));
    if (todos.length > 0) return todos;
  }
  return undefined;
}

/** Most arguments have none, and are fewer than the names that a list may have. */
function hasList(input: JsonObject): boolean {
  for (const key in input) if (isArray(input[key])) return true;
  return false;
}

function todoOf(item: JsonObject): readonly Todo[] {
  const text = TEXT_KEYS.map((key) => item[key]).find((value) => typeof value === "string");
  const state = stateOf(item.status ?? item.state ?? item.done ?? item.completed);
  return typeof text === "string" && state !== undefined ? [{ text: oneLine(text, ITEM_CHARS_MAX), state }] : [];
}

function stateOf(status: JsonValue | undefined): TodoState | undefined {
  if (status === true) return "done";
  if (status === false) return "pending";
  if (typeof status !== "string") return undefined;
  if (/^(?:completed?|done|finished|closed|success)$/i.test(status)) return "done";
  if (/progress|active|doing|started|current/i.test(status)) return "inProgress";
  if (/block|wait|fail/i.test(status)) return "blocked";
  return /pending|todo|open|not|new|queued/i.test(status) ? "pending" : undefined;
}
