/** The bundled example is what its story says, and the demonstration runs to its end. */

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { buildLongConversation } from "../examples/long-conversation/build.ts";
import { formatNamed } from "../src/formats.ts";

const FILE = "examples/long-conversation.json";

test("the file is built from the story, and valid", () => {
  const body: unknown = JSON.parse(readFileSync(FILE, "utf8"));
  expect(body).toEqual(buildLongConversation());
  expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
});

test("the demonstration shows that nothing was lost", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["examples/demo.ts"], { encoding: "utf8" });
  const place = /The folder (\S+) holds/.exec(stdout)?.[1];
  if (place !== undefined) rmSync(place, { recursive: true });
  expect(stderr).toContain("it fits");
  expect(stdout.match(/^ {2}yes {2}/gm)).toHaveLength(5);
  expect(stdout).not.toContain("NO ");
  expect(status).toBe(0);
});
