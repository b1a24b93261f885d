/** Every command that the help lists has help of its own, and all of it fits 80 columns. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runInProcess } from "../../test/run-in-process.ts";
import { CompactionError } from "../core/errors.ts";
import type { ExitCode } from "./command.ts";
import { adviceFor, NODE_MIN, reportError } from "./dispatch.ts";
import type { Environment } from "./terminal.ts";

test("help", async () => {
  const { stdout } = await runInProcess(["--help"]);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}[A-Z]/gm)].map(([, name = ""]) => name);
  expect(names).toEqual(expect.arrayContaining(["inspect", "import", "sessions", "unpin", "doctor"]));
  const own = await Promise.all(names.map((name) => runInProcess([name, "--help"])));
  own.forEach((outcome, index) => {
    expect([outcome.code, outcome.stderr]).toEqual([0, ""]);
    expect(outcome.stdout).toContain(`Usage: palimpsest ${names[index]} `);
  });
  for (const line of [stdout, ...own.map((outcome) => outcome.stdout)].join("\n").split("\n")) {
    expect(line.length, line).toBeLessThanOrEqual(80);
  }
});

function check(error: unknown, code: ExitCode, expected: RegExp, environment: Environment = {}): void {
  let written = "";
  const stderr = { write: (text: string) => (written += text) };
  expect(reportError(error, { stderr, environment })).toBe(code);
  expect(written).toMatch(expected);
}

test("what we foresaw is the user's to mend", () =>
  check(new CompactionError("unreadable-file", "a.json: gone"), 2, /^palimpsest: a\.json: gone\n$/));
test("what we did not is a defect, still in one line", () =>
  check(new TypeError("x is not\na function"), 70, /^palimpsest: internal error: x is not a function; set [^\n]+\n$/));
test("with its stack on demand", () => check(new TypeError("oops"), 70, /\n {4}at /, { PALIMPSEST_DEBUG: "1" }));
test("anything can be thrown", () => check(null, 70, /^palimpsest: internal error: null;/));
test("escape sequences in a message stay off the terminal", () =>
  check(new CompactionError("unreadable-file", "\u001b[2Jkey"), 2, /^palimpsest: key\n$/));
test("an older Node is named as the reason", () => {
  for (const older of ["20.20.2", "22.17.1"]) expect(adviceFor(older)).toMatch(/^this is Node .* Node 22\.18 or newer/);
  for (const fit of ["22.18.0", "23.0.0", "24.21.0"]) expect(adviceFor(fit)).toMatch(/^set PALIMPSEST_DEBUG/);
  const { engines } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(engines.node).toBe(`>=${NODE_MIN.join(".")}`);
});
