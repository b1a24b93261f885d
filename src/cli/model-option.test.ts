/** `compact --model`: an official client over HTTP (all of them are in chat.test.ts), and what is said where a model cannot be had. */

import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { runCli, temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { CHECKPOINT_SECTIONS } from "../summarizers/prompts.ts";
import { startProviderServer } from "../testing/server.ts";

const FILE = "examples/long-conversation.json";
const KEY = "sk-test-key-of-nobody-0123456789";
const GOAL = "Find out why customers were charged twice";
const SUMMARY = CHECKPOINT_SECTIONS.map((heading) => `${heading}\n- ${/Goal/.test(heading) ? GOAL : "(none)"}`).join(
  "\n\n",
);

async function startServer(reply: string) {
  const server = await startProviderServer({ reply: () => reply });
  onTestFinished(() => server.close());
  return { ...server, addresses: { ANTHROPIC_BASE_URL: server.origin } };
}

/** A test's environment has no key unless it is given one. */
const NO_KEYS = { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "" };

test("a model writes the summary of a file", async () => {
  const { addresses, requests } = await startServer(SUMMARY);
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const out = folder.file("out.json", "");
  const environment = { ...NO_KEYS, ...addresses, ANTHROPIC_API_KEY: KEY };
  const words = ["compact", FILE, "--target", "20%", "--model", "anthropic:claude-haiku-4-5", "--out", out];
  const { code, stderr } = await runCli(words, { environment });
  expect(code, stderr).toBe(0);
  expect(requests.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/calls? to claude-haiku-4-5, \$0\./);
  expect(readFileSync(out, "utf8")).toContain(GOAL);
  expect(stderr + readFileSync(out, "utf8")).not.toContain(KEY);
});

test("a session is summarized by the model, and its history says so", async () => {
  const { addresses, requests } = await startServer(SUMMARY);
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const store = `sqlite:${folder.path}/sessions.db`;
  const environment = { ...NO_KEYS, ...addresses, ANTHROPIC_API_KEY: KEY };
  expect((await runCli(["import", FILE, "--id", "shop", "--store", store])).code).toBe(0);
  const words = ["compact", "shop", "--store", store, "--target", "20%", "--model", "anthropic:claude-haiku-4-5"];
  const { code, stdout, stderr } = await runCli(words, { environment });
  expect(code, stderr).toBe(0);
  expect(requests.length).toBeGreaterThan(0);
  expect(stdout).toContain("stored as compaction 1");
  const history = await runCli(["history", "shop", "--store", store]);
  expect(history.stdout).toMatch(/calls? to claude-haiku-4-5, \$0\./);
});

test("a model whose answer is no summary is told of, and the summary is made without it", async () => {
  const server = await startServer(SUMMARY);
  server.failNext({ type: "garbage" });
  const environment = { ...NO_KEYS, ...server.addresses, ANTHROPIC_API_KEY: KEY };
  const words = ["compact", FILE, "--target", "10%", "--model", "anthropic:claude-haiku-4-5", "--json"];
  const { code, stdout } = await runCli(words, { environment });
  expect(code).toBe(0);
  const { fallbacks, compacted } = JSON.parse(stdout);
  expect(compacted).toBe(true);
  expect(fallbacks[0].step).toBe("extractive");
});

test("Ctrl-C ends the wait for a model, and nothing is written", async () => {
  const asked = Promise.withResolvers<void>();
  const server = await startProviderServer({
    reply: ({ signal }) => {
      asked.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("gone"))));
    },
  });
  onTestFinished(() => server.close());
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const out = join(folder.path, "out.json");
  const words = ["src/cli/main.ts", "compact", FILE, "--model", "anthropic:claude-haiku-4-5", "--out", out];
  const env = { ...process.env, ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.origin };
  const child = spawn(process.execPath, [...words, "--target", "10%"], { env });
  const said = text(child.stderr);
  await asked.promise;
  child.kill("SIGINT");
  expect(await new Promise((resolve) => child.once("close", resolve))).toBe(130);
  expect(await said).toBe("palimpsest: interrupted; nothing was written\n");
  expect(existsSync(out)).toBe(false);
});

test.each([
  ["anthropic:claude-haiku-4-5", "--model anthropic needs a key: set ANTHROPIC_API_KEY in the environment"],
  ["openai:gpt-5", "--model openai needs a key: set OPENAI_API_KEY in the environment"],
  ["gemini:gemini-2.5-pro", "--model gemini needs a key: set GEMINI_API_KEY in the environment"],
  ["anthropic", "--model anthropic needs a name behind it, such as anthropic:NAME"],
  ["antropic:x", "did you mean anthropic?"],
  ["claude-haiku-4-5", "--model is one of anthropic:NAME, openai:NAME, openai-chat:NAME, gemini:NAME, not"],
])("%s: one clear line", async (model, said) => {
  const { code, stdout, stderr } = await runInProcess(["compact", FILE, "--model", model]);
  expect(code).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain(said);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each(["--dry-run", "--summarizer=none"])("%s asks no model", async (option) => {
  const words = ["compact", FILE, "--model", "anthropic:claude-haiku-4-5", option];
  const { code, stderr } = await runInProcess(words, { environment: { ANTHROPIC_API_KEY: KEY } });
  expect(code).toBe(2);
  expect(stderr).toContain("asks no model");
});

test("where the client is not installed, the line says what to install", () => {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  // The program alone, with no packages beside it.
  for (const name of ["src", "package.json", FILE]) cpSync(name, join(folder.path, name), { recursive: true });
  const words = ["src/cli/main.ts", "compact", FILE, "--model", "anthropic:claude-haiku-4-5"];
  const env = { PATH: process.env.PATH, ANTHROPIC_API_KEY: KEY };
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder.path, encoding: "utf8", env });
  expect(status).toBe(2);
  expect(stderr).toBe("palimpsest: --model anthropic needs @anthropic-ai/sdk: npm install @anthropic-ai/sdk\n");
});
