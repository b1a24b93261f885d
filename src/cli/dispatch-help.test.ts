/** Help texts on narrow terminals. */

import { expect, test } from "vitest";
import { COMMANDS, fitHelp, runPalimpsest } from "./dispatch.ts";

function check(text: readonly string[], expected: readonly string[]): void {
  expect(fitHelp(text.join("\n"), 24).split("\n")).toEqual(expected);
}

test("a paragraph flows, and a list begins anew", () =>
  check(
    ["Compacts a conversation now,", "without a model.", "Formats: gemini"],
    ["Compacts a conversation", "now, without a model.", "Formats: gemini"],
  ));
test("a table keeps its second column", () =>
  check(["  check  says whether it is valid"], ["  check  says whether it", "         is valid"]));
test("a table without room for it has it below", () =>
  check(
    ["  --conversation N  which conversation it is"],
    ["  --conversation N", "      which conversation", "      it is"],
  ));
test("an example is continued deeper", () =>
  check(["  palimpsest check request.json"], ["  palimpsest check", "    request.json"]));

test.each([50, 80])("no help is wider than %i columns, and none loses a word", async (columns) => {
  const help = async (width: number, ...words: string[]): Promise<string> => {
    let stdout = "";
    const output = { isTTY: true, columns: width, write: (text: string) => (stdout += text) };
    const io = { stdin: (async function* () {})(), environment: {}, onInterrupt: () => () => {} };
    await runPalimpsest([...words, "--help"], { ...io, stdout: output, stderr: output });
    return stdout;
  };
  for (const words of [[], ...Object.keys(COMMANDS).map((name) => [name])]) {
    const text = await help(columns, ...words);
    expect(text.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(text.split(/\s+/)).toEqual((await help(200, ...words)).split(/\s+/));
  }
});

test("problems that check finds are broken on a terminal, and one line each in a pipe", async () => {
  const body = { model: "gpt-5", messages: [{ role: "tool", tool_call_id: "call_1", content: "nobody asked" }] };
  const check = async (columns: number | undefined): Promise<string> => {
    let stdout = "";
    const terminal = columns === undefined ? {} : { isTTY: true, columns };
    const output = { ...terminal, write: (text: string) => (stdout += text) };
    const stdin = (async function* () {
      yield Buffer.from(JSON.stringify(body));
    })();
    const io = { stdin, environment: {}, onInterrupt: () => () => {}, stderr: { write: () => {} } };
    expect(await runPalimpsest(["check", "-"], { ...io, stdout: output })).toBe(1);
    return stdout;
  };
  const [narrow, piped] = [await check(50), await check(undefined)];
  expect(narrow.split("\n").filter((line) => line.length > 50)).toEqual([]);
  expect(narrow.split(/\s+/)).toEqual(piped.split(/\s+/));
  expect(piped.split("\n").length).toBeLessThan(narrow.split("\n").length);
});
