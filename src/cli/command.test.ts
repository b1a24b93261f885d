import { expect, test } from "vitest";
import { parseArguments, readCount } from "./command.ts";

const SPECS = {
  window: { type: "string", about: "" },
  json: { type: "boolean", about: "" },
} as const;

function checkRefused(words: readonly string[], expected: string): void {
  expect(() => parseArguments("inspect", words, SPECS)).toThrow(
    expect.objectContaining({ code: "invalid-settings", message: expect.stringContaining(expected) }),
  );
}

test("a file and options in any order", () => {
  const given = parseArguments("inspect", ["--window=5", "a.json", "--json"], SPECS);
  expect([given.file, given.text("window"), given.isSet("json")]).toEqual(["a.json", "5", true]);
});
test("a dash is a file", () => expect(parseArguments("inspect", ["-"], SPECS).file).toBe("-"));
test("what follows two dashes is a file", () => expect(parseArguments("inspect", ["--", "-x"], SPECS).file).toBe("-x"));
test("help needs no file", () => expect(parseArguments("inspect", ["-h"], SPECS).isHelpWanted).toBe(true));
test("no file", () => checkRefused(["--json"], "needs a FILE"));
test("two files", () => checkRefused(["a", "b"], "takes one FILE"));
test("a misspelt option", () => checkRefused(["a", "--jsno"], "unknown option --jsno; did you mean --json?"));
test("an unknown short option", () => checkRefused(["a", "-x"], "unknown option -x"));
test("a value missing", () => checkRefused(["a", "--window"], "--window needs a value"));
test("a value too many", () => checkRefused(["a", "--json=yes"], "does not take an argument"));
test("an option of every object is none of ours", () => checkRefused(["a", "--constructor"], "unknown option"));

function checkCount(text: string, expected: number): void {
  expect(readCount("window", text)).toBe(expected);
}

test("plain", () => checkCount("200000", 200_000));
test("grouped", () => checkCount("1,048,576", 1_048_576));
test("underscored", () => checkCount("200_000", 200_000));
test("thousands and millions", () => {
  checkCount("200k", 200_000);
  checkCount("2M", 2_000_000);
});
test.each(["0", "-5", "2e5", "1.5k", "lots", "", "99999999999999999999"])("%j is no number of tokens", (text) => {
  expect(() => readCount("window", text)).toThrow("--window must be a number of tokens");
});
