import { expect, test } from "vitest";
import { ordersFirst } from "./order-list.ts";
import type { Piece } from "./quote-room.ts";

/** `!` before a sentence marks an order, `=` a title; ten tales stand before them. */
function check(sentences: readonly string[], expected: readonly number[]): void {
  const told = Array.from({ length: 10 }, () => "The quay is long.");
  const pieces = [...told, ...sentences].map((text, line): Piece => {
    const worth = text.startsWith("!") ? "order" : text.startsWith("=") ? "title" : "telling";
    return { text: text.replace(/^[!=]/, ""), line, worth };
  });
  expect(ordersFirst([...pieces.keys()], pieces).slice(0, 3)).toEqual(expected);
}

test("orders go before tales", () => check(["!Fix the latch.", "The hinge is loose.", "!Add a bell."], [10, 12, 0]));

test("remarks in code and announcements are no orders", () =>
  check(["!Fix the latch.", "!// now open the gate", "!Apply:"], [0, 1, 2]));

test("one order, or a title, changes nothing", () => {
  check(["!Fix the latch.", "The hinge is loose."], [0, 1, 2]);
  check(["=The latch of gate four", "!Fix the latch.", "!Add a bell."], [0, 1, 2]);
});
