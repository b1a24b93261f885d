/** Every example of examples/fetch is an agent that reads sixty files in a window that holds a third of them, and finishes. */

import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { fileText } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";

const CALLS = 60;
const WINDOW_TOKENS = 24_000;
/** While the window is learned. */
const REFUSALS_MAX = 2;
const LINES_MAX = 25;

const folder = join(import.meta.dirname, "../examples/fetch");
const examples = globSync("*.ts", { cwd: folder }).toSorted();

/** The environment of a user's shell; nothing is asked but the model on the loopback interface. */
function environment(origin: string): NodeJS.ProcessEnv {
  const address = `${origin}/v1`;
  const keys = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none", GEMINI_API_KEY: "none" };
  const addresses = { ANTHROPIC_BASE_URL: address, OPENAI_BASE_URL: address, GOOGLE_GEMINI_BASE_URL: origin };
  return { PATH: process.env.PATH, HOME: tmpdir(), MASTRA_TELEMETRY_DISABLED: "1", ...keys, ...addresses };
}

test.each(examples)("%s", async (example) => {
  expect(readFileSync(join(folder, example), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(LINES_MAX);
  const cwd = mkdtempSync(join(tmpdir(), "fetch-example-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  mkdirSync(join(cwd, "src"));
  for (let call = 1; call <= CALLS; call++) writeFileSync(join(cwd, `src/module-${call}.ts`), fileText(call));
  const model = await startModel({ windowTokens: WINDOW_TOKENS, calls: CALLS });
  const env = environment(model.origin);
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, example)], { cwd, env });
  expect(stdout).toContain("all modules are read");
  expect(model.violations).toEqual([]);
  expect(model.refusals.length).toBeGreaterThan(0);
  expect(model.refusals.length).toBeLessThanOrEqual(REFUSALS_MAX);
  expect(model.requests).toHaveLength(CALLS + 1 + model.refusals.length);
});
