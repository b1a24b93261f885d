import { expect, test } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import { todosOf } from "./todo-list.ts";

/** Items as `state text`. */
function check(input: JsonValue, expected: readonly string[] | undefined): void {
  expect(todosOf(input)?.map(({ state, text }) => `${state} ${text}`)).toEqual(expected);
}

test("to-do lists and plans", () => {
  check(
    {
      todos: [
        { content: "a", status: "completed" },
        { content: "b", status: "in_progress" },
        { content: "c", status: "pending" },
      ],
    },
    ["done a", "inProgress b", "pending c"],
  );
  check(
    {
      plan: [
        { step: "a", status: "completed" },
        { step: "b", status: "blocked" },
      ],
    },
    ["done a", "blocked b"],
  );
  check(
    {
      items: [
        { title: "a", done: true },
        { title: "b", done: false },
      ],
    },
    ["done a", "pending b"],
  );
});
test("a list without states is none", () => check({ items: [{ title: "a" }] }, undefined));
test("other arguments are none", () => {
  check({ path: "x" }, undefined);
  check("todos", undefined);
  check(null, undefined);
});
