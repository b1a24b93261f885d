import { expect, test } from "vitest";
import { displayWidth } from "./one-line.ts";
import {
  type Environment,
  type OutputShape,
  progressLine,
  type Slice,
  shareCells,
  type Terminal,
  terminalOf,
  terminalWith,
} from "./terminal.ts";

const TERMINAL: OutputShape = { isTTY: true, columns: 132 };
const PIPE: OutputShape = {};

function check(output: OutputShape, environment: Environment, expected: Partial<Terminal>): void {
  expect(terminalOf(output, environment)).toMatchObject(expected);
}

test("a terminal says how wide it is", () => check(TERMINAL, {}, { columns: 132, isColoured: true }));
test("a pipe is 80 wide and plain", () => check(PIPE, {}, { columns: 80, isColoured: false }));
test("a terminal of no width", () => check({ isTTY: true, columns: 0 }, {}, { columns: 80 }));
test("a very narrow one", () => check({ isTTY: true, columns: 10 }, {}, { columns: 40 }));
test("NO_COLOR", () => check(TERMINAL, { NO_COLOR: "1" }, { isColoured: false }));
test("an empty NO_COLOR says nothing", () => check(TERMINAL, { NO_COLOR: "" }, { isColoured: true }));
test("FORCE_COLOR wins", () => check(PIPE, { NO_COLOR: "1", FORCE_COLOR: "1" }, { isColoured: true }));
test("FORCE_COLOR=0", () => check(TERMINAL, { FORCE_COLOR: "0" }, { isColoured: false }));
test("a dumb terminal", () => check(TERMINAL, { TERM: "dumb" }, { isColoured: false }));
test("LC_ALL over LANG", () => check(PIPE, { LC_ALL: "C", LANG: "de_DE.UTF-8" }, { isUnicode: false }));
test("UTF-8 by name", () => check(PIPE, { LANG: "de_DE.utf8" }, { isUnicode: true }));
test("no locale at all", () => check(PIPE, {}, { isUnicode: true }));

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

function checkBar(abilities: Partial<Terminal>, expected: string, whole?: number): void {
  const terminal = terminalWith({ columns: 80, isColoured: false, isUnicode: true, ...abilities });
  expect(terminal.bar(SLICES, 6, whole)).toBe(expected);
}

test("letters without colours", () => checkBar({}, "UUAAAA"));
test("blocks with colours", () => checkBar({ isColoured: true }, "\u001b[32m██\u001b[39m\u001b[36m████\u001b[39m"));
test("backgrounds where there is no Unicode", () =>
  checkBar({ isColoured: true, isUnicode: false }, "\u001b[42m  \u001b[49m\u001b[46m    \u001b[49m"));
test("the rest of the whole is free", () => checkBar({}, "UAA···", 6));

const ERASE = "\r\u001b[2K";

function written(isTTY: boolean): string {
  let text = "";
  const output = { isTTY, write: (more: string) => (text += more) };
  const line = progressLine(output, terminalWith({ columns: 40, isColoured: true, isUnicode: true }));
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

const ROWS = [
  ["1", "short", "a text that may be as long as it likes"],
  ["20", "你好", "x"],
];

function checkTable(widthMax: number, expected: readonly string[]): void {
  const columns = [{ align: "right" }, { align: "left" }, { align: "left", isElastic: true }] as const;
  const lines = terminalWith({ columns: widthMax, isColoured: false, isUnicode: true }).table(ROWS, { columns });
  expect(lines).toEqual(expected);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(widthMax);
}

test("aligned by columns on the screen, not by characters", () =>
  checkTable(80, ["   1  short  a text that may be as long as it likes", "  20  你好   x"]));
test("the elastic column gives way", () => checkTable(24, ["   1  short  a text tha…", "  20  你好   x"]));
test("never wider than asked, even without room", () => checkTable(9, ["   1  sh…", "  20  你…"]));
