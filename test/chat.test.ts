/** The chat of `npm run chat`, fed by a pipe: no line is wider than 80 columns, and no word is broken. */

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { displayWidth } from "../src/cli/one-line.ts";

test("lines are broken between words", () => {
  const said =
    "The deployment of the billing service failed because the migration had not been applied before the second worker began to read from the queue again";
  const lines = [
    said,
    "What did I say about the deployment?",
    "/find migration",
    "/view",
    "/compact the migration",
    "/quit",
  ];
  const { stdout, status } = spawnSync(process.execPath, ["examples/chat.ts"], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  expect(status).toBe(0);
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect(stdout.replace(/\s+/g, " ")).toContain(`user: ${said}`);
  const words = new Set(said.split(" "));
  const cut = [...stdout.matchAll(/(\w+) …/g)].map(([, word = ""]) => word);
  for (const word of cut.filter((each) => said.includes(each))) expect(words).toContain(word);
});
