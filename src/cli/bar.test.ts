import { expect, test } from "vitest";
import { barLine, progressLine, type Slice, shareCells } from "./bar.ts";
import type { Terminal } from "./terminal.ts";

function checkShares(amounts: readonly number[], cells: number, expected: readonly number[]): void {
  expect(shareCells(amounts, cells)).toEqual(expected);
}

test("in proportion", () => checkShares([1, 1, 2], 8, [2, 2, 4]));
test("what is there at all gets a cell", () => checkShares([1, 100_000], 10, [1, 9]));
test("what is not there gets none", () => checkShares([0, 5, 0], 4, [0, 4, 0]));
test("cells add up whatever the remainders", () => {
  for (let cells = 7; cells < 200; cells++) {
    const shares = shareCells([3, 1, 4, 1, 5, 9, 2], cells);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(cells);
  }
});
test("nothing at all", () => checkShares([0, 0], 10, [0, 0]));

const SLICES: readonly Slice[] = [
  { amount: 1, style: "green", letter: "U" },
  { amount: 2, style: "cyan", letter: "A" },
];

function checkBar(terminal: Partial<Terminal>, expected: string, whole?: number): void {
  const settled = { columns: 80, isColoured: false, isUnicode: true, ...terminal };
  const options = { terminal: settled, columns: 6, ...(whole === undefined ? {} : { whole }) };
  expect(barLine(SLICES, options)).toBe(expected);
}

test("letters without colours", () => checkBar({}, "UUAAAA"));
test("blocks with colours", () => checkBar({ isColoured: true }, "\u001b[32m██\u001b[39m\u001b[36m████\u001b[39m"));
test("backgrounds where there is no Unicode", () =>
  checkBar({ isColoured: true, isUnicode: false }, "\u001b[42m  \u001b[49m\u001b[46m    \u001b[49m"));
test("the rest of the whole is free", () => checkBar({}, "UAA···", 6));

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
