import { expect, test } from "vitest";
import { type Environment, type OutputShape, type Terminal, terminalOf } from "./terminal.ts";

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
