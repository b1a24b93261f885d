import { expect, test } from "vitest";
import { parseShorthand } from "../../testing/shorthand.ts";
import { text } from "../message.ts";
import { summaryPlace } from "./render.ts";

/** One word per message, followed by `+` where the message stays. */
function check(script: string, expected: number): void {
  const words = script.split(" ");
  const messages = parseShorthand(words.map((word) => word.replace("+", "")).join(" "));
  const kept = words.flatMap((word, index) => (word.endsWith("+") ? [index] : []));
  expect(summaryPlace(messages, kept), script).toBe(expected);
}

test("in the place of the first that goes", () => {
  check("u a u a u+", 0);
  check("u+ a u a u+ a+", 1);
  check("a u c1+ r1+ a u+", 0);
});
test("behind a request that others followed", () => {
  check("a u+ a u a u+", 2);
  check("c1 r1 u+ c2 r2 u c3 r3 u+ a+", 3);
  check("a u+ a u+ a u+", 4);
  check("a u+ a u+ a u a", 4);
});
test("before the newest, whatever was done for it since", () => {
  check("u a u+ a c1 r1", 0);
  check("a u+ a u+ c1 r1 c2+ r2+", 2);
});
test("behind those that stay where the newest goes", () => {
  check("a u+ c1 r1 u a", 2);
  const messages = parseShorthand("a u c1 r1 c2 r2").map((message, index) =>
    index === 3 ? { ...message, role: "user" as const, parts: [...message.parts, text("Use brass.")] } : message,
  );
  expect(summaryPlace(messages, [1])).toBe(2);
});
test("nowhere where nothing goes", () => check("u+ a+", -1));

test("what a user said beside results is the newest request, too", () => {
  const messages = parseShorthand("a u a u c1 r1 c2 r2").map((message, index) =>
    index === 5 ? { ...message, role: "user" as const, parts: [...message.parts, text("Use brass.")] } : message,
  );
  // The last request and the words beside the results stay together: both follow the summary.
  expect(summaryPlace(messages, [1, 3, 4, 5])).toBe(2);
  expect(summaryPlace(messages, [1, 4, 5])).toBe(2);
});
