/** The bundled example is what its story says, and the demonstration runs to its end. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildLongConversation } from "../examples/long-conversation/build.ts";
import { formatNamed } from "../src/formats.ts";

const FILE = "examples/long-conversation.json";

test("the file is built from the story, and valid", () => {
  const body: unknown = JSON.parse(readFileSync(FILE, "utf8"));
  expect(body).toEqual(buildLongConversation());
  expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
});

/** In a temporary directory of its own, of which nothing is left; `left` is what the demonstration left in it. */
function demonstrated(...words: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-test-"));
  try {
    // Windows has the other two names for it.
    const env = { ...process.env, TMPDIR: directory, TEMP: directory, TMP: directory };
    const done = spawnSync(process.execPath, ["examples/demo.ts", ...words], { encoding: "utf8", env });
    return { ...done, left: readdirSync(directory, { recursive: true }).length };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("what it wrote can be kept", () => {
  const { status, stdout, left } = demonstrated("--keep");
  expect(stdout).toMatch(/The folder \S+ holds all of it/);
  // A folder and its three files.
  expect([status, left]).toEqual([0, 4]);
});

test("the demonstration shows that nothing was lost, and leaves nothing behind", () => {
  const { status, stdout, stderr, left } = demonstrated();
  expect(left).toBe(0);
  expect(stderr).toContain("it fits");
  expect(stdout.match(/^ {2}yes {2}/gm)).toHaveLength(5);
  expect(stdout).not.toContain("NO ");
  expect(status).toBe(0);
});
