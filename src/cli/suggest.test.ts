import { expect, test } from "vitest";
import { nearestWord } from "./suggest.ts";

const KNOWN = ["inspect", "check", "anthropic-messages", "openai-chat", "openai-responses", "gemini"];

function check(word: string, expected: string | undefined): void {
  expect(nearestWord(word, KNOWN)).toBe(expected);
}

test("two letters swapped", () => check("inpsect", "inspect"));
test("a letter missing", () => check("chek", "check"));
test("upper case", () => check("Gemini", "gemini"));
test("a beginning", () => check("anthropic", "anthropic-messages"));
test("nothing is near", () => check("compile", undefined));
test("a very long word", () => check("x".repeat(100_000), undefined));
