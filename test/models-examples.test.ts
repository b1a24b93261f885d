/** The examples of docs/models.md run as they are, against a server on the loopback interface that the environment names. */

import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { anthropicAnswer, chatAnswer, geminiAnswer, responsesAnswer } from "./model-answers.ts";
import { type Answer, startModelServer } from "./model-server.ts";

const root = join(import.meta.dirname, "..");
const ANSWERS: Readonly<Record<string, readonly Answer[]>> = {
  "ai-sdk": [anthropicAnswer],
  anthropic: [anthropicAnswer],
  gemini: [{ whole: { totalTokens: 42 } }, geminiAnswer],
  "openai-chat": [chatAnswer],
  "openai-responses": [responsesAnswer],
};

test("every example has an answer here, and at most 25 lines", () => {
  const files = globSync("examples/models/*.ts", { cwd: root });
  expect(files.map((file) => file.replace(/^.*\/|\.ts$/g, "")).toSorted()).toEqual(Object.keys(ANSWERS));
  for (const file of files) expect(readFileSync(join(root, file), "utf8").split("\n").length).toBeLessThanOrEqual(26);
});

test.each(Object.entries(ANSWERS))("%s", async (name, answers) => {
  const server = await startModelServer();
  server.answers = answers;
  const key = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none", GEMINI_API_KEY: "none" };
  // The AI SDK wants the version in the address, and Anthropic's own client does not.
  const claude = name === "ai-sdk" ? `${server.origin}/v1` : server.origin;
  const origin = {
    ANTHROPIC_BASE_URL: claude,
    OPENAI_BASE_URL: `${server.origin}/v1`,
    GOOGLE_GEMINI_BASE_URL: server.origin,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [`examples/models/${name}.ts`, "Test it."], {
    cwd: root,
    env: { ...process.env, ...key, ...origin },
  });
  server.close();
  expect(stdout).toContain("Running both.");
  // In Responses each item is a message.
  expect(stdout).toContain(`${name === "openai-responses" ? 5 : 2} messages in the view`);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Test it.");
});
