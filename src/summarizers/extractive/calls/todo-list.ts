/** Reads the newest to-do list or plan that an agent keeps through a tool, whatever the tool is called. Never guesses a state. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { oneLine } from "../text/sentences.ts";

export type TodoState = "done" | "inProgress" | "blocked" | "pending";

export interface Todo {
  readonly text: string;
  readonly state: TodoState;
}

const LIST_KEYS: readonly string[] = ["todos", "todo_list", "todoList", "plan", "tasks", "items", "steps"];
const TEXT_KEYS: readonly string[] = ["content", "step", "text", "title", "task", "description", "subject"];
/** Beside the arguments of another call. */
const ASIDE_KEY = "task_progress";
/** Under these a list may be written with boxes. */
const CHECKLIST_KEYS: readonly string[] = [ASIDE_KEY, "todos", "todo_list", "checklist", "plan"];
const ITEMS_MAX = 40;
const ITEM_CHARS_MAX = 200;

/** Undefined when the arguments hold no list of things with states. */
export function todosOf(input: JsonValue): readonly Todo[] | undefined {
  if (!isObject(input)) return undefined;
  for (const key of CHECKLIST_KEYS) {
    const list = input[key];
    const todos = typeof list === "string" ? boxesIn(list) : [];
    if (todos.length > 0) return todos;
  }
  if (!hasList(input)) return undefined;
  for (const key of LIST_KEYS) {
    const list = input[key];
    if (!isArray(list) || list.length === 0) continue;
    const todos = list.slice(0, ITEMS_MAX).flatMap((item) => (isObject(item) ? todoOf(item) : []));
    if (todos.length > 0) return todos;
  }
  return undefined;
}

/** Whether a call does nothing but keep such a list: some agents tell how far they are with every call. */
export function isTodoList(input: JsonValue): boolean {
  return todosOf(input) !== undefined && !(isObject(input) && ASIDE_KEY in input);
}

/** Things with a box before them, one to a line: "- [x] Read the page". */
export function boxesIn(text: string): readonly Todo[] {
  // Most texts have none, and one look tells.
  if (!text.includes("- [") && !text.includes("* [") && !text.includes(". [")) return [];
  return [...text.matchAll(BOX)].slice(0, ITEMS_MAX).map(([, mark = "", words = ""]) => ({
    text: oneLine(words.replaceAll("**", ""), ITEM_CHARS_MAX),
    state: mark === " " ? "pending" : mark === "x" || mark === "X" ? "done" : "inProgress",
  }));
}

/** What is half done has its own marks. A link is no box. */
const BOX = /^[ \t]{0,8}(?:[-*+]|\d{1,2}[.)]) \[([ xX~/-])\][ \t]+(\S.*)$/gm;

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
