import { expect, test } from "vitest";
import { progressLine } from "./bar.ts";

const TERMINAL = { columns: 40, isColoured: true, isUnicode: true };
const ERASE = "\r\u001b[2K";

function written(isTTY: boolean): string {
  let text = "";
  const output = { isTTY, write: (more: string) => (text += more) };
  const line = progressLine(output, TERMINAL);
  line.say("reading…");
  line.show({ stage: "summarize", done: 1, total: 4 });
  line.clear();
  line.clear();
  return text;
}

test("one line that is erased in the end", () => {
  const text = written(true);
  expect(text.split(ERASE).slice(1)).toEqual(["reading…", expect.stringMatching(/█.*·+.* summarize 1 of 4$/), ""]);
  expect(text).not.toContain("\n");
});

test("nothing where there is no terminal", () => expect(written(false)).toBe(""));
