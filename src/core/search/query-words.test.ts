import { expect, test } from "vitest";
import { queryWords, searchRequest, tellingWords } from "./query-words.ts";

function check(query: string, all: string, telling: string): void {
  expect([queryWords(query).join(" "), tellingWords(query).join(" ")]).toEqual([all, telling]);
}

test("each word once", () => check("to be or to be", "to be or", "to be or"));
test("single letters tell nothing beside words", () => check("a part of 1", "a part of 1", "part of"));
test("alone they do", () => check("a 1", "a 1", "a 1"));
test("a character of a language without spaces is a word", () => check("a 好", "a 好", "好"));
test("the number of words is bounded", () => {
  const words = Array.from({ length: 50 }, (_, index) => `w${index}`);
  check(words.join(" "), words.slice(0, 32).join(" "), words.slice(0, 32).join(" "));
});

test("everything is searched unless told", () =>
  expect(searchRequest("x", 3)).toEqual({ query: "x", limit: 3, scope: "all" }));

test.each([[undefined], [null], [5], [["x"]], [{}]])("%j is no query", (query) => {
  expect(() => searchRequest(query, 3)).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});

test("a scope that does not exist is refused", () => {
  expect(() => searchRequest("x", 3, "view")).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});
