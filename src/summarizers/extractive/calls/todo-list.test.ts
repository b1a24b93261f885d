import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
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
test("lists with boxes", () => {
  const list = "- [x] Read the chart\n  - [ ] Draw the **gate**\n* [~] Oil the hinge\n1. [ ] Paint it";
  const expected = ["done Read the chart", "pending Draw the gate", "inProgress Oil the hinge", "pending Paint it"];
  check({ path: "x", task_progress: list }, expected);
  check({ todos: list }, expected);
});
test("a text that is written somewhere is no list, nor are links", () => {
  check({ content: "- [ ] Draw the gate" }, undefined);
  check({ plan: "- [the chart](chart.md)\n- [x](y.md)" }, undefined);
  check({ plan: "Draw the gate" }, undefined);
});
