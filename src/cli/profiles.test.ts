/** `palimpsest profiles`: all side by side, one in full, names that are none. */

import { expect, test } from "vitest";
import { runInProcess } from "../../test/run-in-process.ts";
import { profileNames } from "../profiles/profiles.ts";
import { resolveSettings } from "../settings.ts";
import { displayWidth } from "./one-line.ts";

test("side by side, in 80 columns", async () => {
  const { code, stdout, stderr } = await runInProcess(["profiles"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^ +balanced +micro-agent +agentpg$/m);
  expect(stdout).toMatch(/^ +nous +openclaw +auto-compact$/m);
  expect(stdout).toMatch(/^target +40 % of the window +none +40 % of the window$/m);
  for (const name of profileNames) expect(stdout).toContain(name);
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test("one in full: every key with its value", async () => {
  const { code, stdout } = await runInProcess(["profiles", "openclaw"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}on overflow +1 attempt$/m);
  expect(stdout).toMatch(/^ {2}protect\.tailTokens +20000$/m);
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test("as JSON: complete settings that can be used as they are", async () => {
  const [all, one] = await Promise.all([
    runInProcess(["profiles", "--json"]),
    runInProcess(["profiles", "nous", "--json"]),
  ]);
  const { profiles } = JSON.parse(all?.stdout ?? "");
  expect(profiles.map(({ name }: { name: string }) => name)).toEqual(profileNames);
  const { name, does, settings } = JSON.parse(one?.stdout ?? "");
  expect([name, does.cut]).toEqual(["nous", "turn-start"]);
  expect(resolveSettings({ profile: settings })).toEqual(resolveSettings({ profile: "nous" }));
});

test.each([
  [["profiles", "opneclaw"], /did you mean openclaw\?/],
  [["profiles", "nous", "agentpg"], /takes one NAME/],
  [["profiles", "--jsno"], /did you mean --json\?/],
])("%j is refused", async (words, expected) => {
  const { code, stdout, stderr } = await runInProcess(words);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^palimpsest: [^\n]+\n$/);
  expect(stderr).toMatch(expected);
});
