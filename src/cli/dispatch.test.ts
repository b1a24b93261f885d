/** Every command that the help lists has help of its own, and all of it fits 80 columns. */

import { expect, test } from "vitest";
import { runInProcess } from "../../test/run-in-process.ts";

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
