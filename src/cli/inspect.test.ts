/** `palimpsest inspect` as its users meet it: text for people, JSON for programs, the same numbers in both. */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { type InProcessOptions, runInProcess } from "../../test/run-in-process.ts";
import { CompactionError } from "../core/errors.ts";
import { readTranscriptFile } from "../transcripts/index.ts";
import { inspectSource, renderInspection } from "./inspect.ts";
import { chooseConversation } from "./load.ts";
import { displayWidth } from "./one-line.ts";
import { joinBlocks, terminalWith } from "./terminal.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const SAMPLE = "examples/sample-conversation.json";

async function inspect(words: readonly string[], options?: InProcessOptions): Promise<string> {
  const { code, stdout, stderr } = await runInProcess(["inspect", ...words], options);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

describe.concurrent("as text", () => {
  test("what fills the sample, within 80 columns and without a colour", async () => {
    const text = await inspect([SAMPLE, "--window", "10k"]);
    expect(text).toMatch(/^examples\/sample-conversation\.json {2}anthropic-messages, request body\n/);
    expect(text).toMatch(/\d,\d{3} tokens \(estimate\), \d\d\.\d % of the 10,000-token window\n/);
    expect(text).toMatch(/\n {2}S+T+U+A+~+c+#+\n {2}window =+·+\n/);
    expect(text).toMatch(/# tool results +[\d,]+ +\d\d\.\d %\n +run_command +[\d,]+ +[\d.]+ % +5 results\n/);
    expect(text).toContain("19 messages, 4 turns, 6 rounds\n");
    expect(text).toMatch(/\n +4 {2}result of run_command +[\d,]+ +[\d.]+ % {2}\$ for i in/);
    checkFits(text, 80);
    expect(stripVTControlCharacters(text)).toBe(text);
  });

  test("colours on demand, and the same text without them", async () => {
    const [coloured, plain] = await Promise.all([
      inspect([SAMPLE], { environment: { FORCE_COLOR: "1" } }),
      inspect([SAMPLE], { environment: { NO_COLOR: "1", LC_ALL: "C" } }),
    ]);
    expect(coloured).toContain("\u001b[33m█");
    checkFits(stripVTControlCharacters(coloured), 80);
    expect(plain).not.toContain("\u001b");
    expect(plain).not.toContain("…");
  });

  test("problems, an open round, other conversations and what was left out", async () => {
    const file = folder.file(
      "broken.jsonl",
      `${[
        { custom_id: "first", body: { model: "claude-sonnet-4-5", system: "s", messages: brokenMessages(14) } },
        { custom_id: "second", body: { model: "claude-sonnet-4-5", messages: [{ role: "user", content: "hi" }] } },
      ]
        .map((line) => JSON.stringify(line))
        .join("\n")}\n{"cut`,
    );
    const [text, other] = await Promise.all([inspect([file]), inspect([file, "--conversation", "2"])]);
    expect(text).toContain("problems a provider would refuse");
    expect(text).toMatch(/messages\.\d+(\.content\.\d+)? {2}call-without-result\n/);
    expect(text).toMatch(/… and \d+ more\n {2}to mend: palimpsest check FILE --repair/);
    expect(text).toContain("the last one open (from message 27)");
    expect(text).toMatch(/ {2}> {2}1 {2}first +28 messages {2}line-1\n {5}2 {2}second +1 message {2}line-2\n/);
    expect(text).toContain("1 broken line skipped");
    checkFits(text, 80);
    expect(other).toContain("1 message, 1 turn, 0 rounds");
    expect(other).not.toContain("problem");
  });
});

describe.concurrent("as JSON", () => {
  test("the promised keys, from standard input", async () => {
    const result = JSON.parse(await inspect(["-", "--json"], { stdin: readFileSync(SAMPLE) }));
    expect(result).toMatchObject({ file: "-", source: "request-body", format: "anthropic-messages" });
    expect(result).toMatchObject({ messages: 19, turns: 4, rounds: 6, openRound: null, problems: [] });
    expect(result.models).toEqual(["claude-sonnet-4-5"]);
    expect(Object.keys(result.tokens.byKind)).toEqual([
      "system",
      "tools",
      "user",
      "assistant",
      "reasoning",
      "toolCalls",
      "toolResults",
    ]);
    const kinds: readonly number[] = Object.values(result.tokens.byKind);
    expect(kinds.reduce((sum, tokens) => sum + tokens, 0)).toBe(result.tokens.total);
    expect(result.tokens.total).toBeGreaterThan(6_000);
    expect(result.tokens.total).toBeLessThan(12_000);
    expect(result.tokens.byTool.map((tool: { name: string }) => tool.name)).toEqual([
      "run_command",
      "read_file",
      "edit_file",
    ]);
    expect(result.largest).toHaveLength(10);
    expect(result.usage).toBeUndefined();
  });

  test("recorded usage beside the estimate", async () => {
    const messages = [{ role: "user", content: "How far is the moon?" }];
    const usage = { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 };
    const file = folder.file("recorded.json", {
      request: { model: "gpt-5.1", messages },
      response: { model: "gpt-5.1", choices: [], usage },
    });
    const result = JSON.parse(await inspect([file, "--json", "--window", "300"]));
    expect(result.usage).toMatchObject({ calls: 1, inputTokens: 30, outputTokens: 9, nextRequestTokens: 30 });
    expect(result.usage.estimatedTokens).toBe(result.tokens.total);
    expect(result.window).toEqual({ tokens: 300, usedRatio: 0.1 });
  });
});

const DATA = "../shared/data";

test.skipIf(!existsSync(DATA))(
  "recorded sessions of every kind stay within the width (skipped without ../shared/data)",
  () => {
    let inspected = 0;
    for (const file of filesUnder(DATA)) {
      const text = renderedOrRefused(file);
      if (text === undefined) continue;
      inspected++;
      checkFits(text, 80);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: finding one is the point
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
    expect(inspected).toBeGreaterThan(20);
  },
);

function renderedOrRefused(file: string): string | undefined {
  try {
    const transcript = readTranscriptFile(file);
    const source = { file, transcript, recorded: chooseConversation(transcript, undefined) };
    const terminal = terminalWith({ columns: 80, isColoured: false, isUnicode: true });
    return joinBlocks(renderInspection(inspectSource(source, 200_000), terminal));
  } catch (error) {
    if (error instanceof CompactionError) return undefined; // no conversation in it, and told so
    throw error;
  }
}

/** Files of a size that keeps this test short. */
const FILE_BYTES_MAX = 300_000;

function filesUnder(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(jsonl?|traj)$/.test(name))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile() && statSync(file).size <= FILE_BYTES_MAX);
}

function checkFits(text: string, columns: number): void {
  const tooWide = text.split("\n").filter((line) => displayWidth(line) > columns);
  expect(tooWide).toEqual([]);
}

/** Calls that nobody answers, each followed by a user who goes on regardless; the last one is open. */
function brokenMessages(rounds: number): readonly unknown[] {
  return Array.from({ length: rounds }, (_, round) => [
    { role: "user", content: `step ${round}` },
    { role: "assistant", content: [{ type: "tool_use", id: `call_${round}`, name: "bash", input: { command: "ls" } }] },
  ]).flat();
}

describe("a directory", () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  beforeAll(() => {
    mkdirSync(join(folder.path, "deep", "er"), { recursive: true });
    copyFileSync("examples/long-conversation.json", join(folder.path, "deep", "er", "long.json"));
    copyFileSync("examples/sample-session.jsonl", join(folder.path, "session.jsonl"));
    const small = JSON.stringify({ messages: [{ role: "user", content: "hello" }] });
    writeFileSync(join(folder.path, "small.json.gz"), gzipSync(small));
    writeFileSync(join(folder.path, "package.json"), '{ "name": "no conversation" }');
    writeFileSync(join(folder.path, "broken.jsonl"), "not json");
    writeFileSync(join(folder.path, "notes.txt"), "not looked at");
    symlinkSync(folder.path, join(folder.path, "loop"));
  });

  test("as text", async () => {
    const { code, stdout, stderr } = await runInProcess(["inspect", folder.path, "--window", "200k"]);
    expect([code, stderr]).toEqual([0, ""]);
    const names = [...stdout.matchAll(/ (\S+\.jsonl?(?:\.gz)?)$/gm)].map(([, name]) => name);
    expect(names).toEqual([join("deep", "er", "long.json"), "session.jsonl", "small.json.gz"]);
    expect(stdout).toContain("3 files with conversations");
    expect(stdout).toContain("2 other files with no conversation");
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  test("as JSON, with the same numbers as for each file", async () => {
    const { stdout } = await runInProcess(["inspect", folder.path, "--json"]);
    const { files, unread, leftOut } = JSON.parse(stdout);
    expect([files.length, unread.length, leftOut]).toEqual([3, 2, 0]);
    for (const { file, tokens, messages, format } of files) {
      const alone = JSON.parse((await runInProcess(["inspect", join(folder.path, file), "--json"])).stdout);
      expect([tokens, messages, format]).toEqual([
        alone.usage?.nextRequestTokens ?? alone.tokens.total,
        alone.messages,
        alone.format,
      ]);
    }
  });

  test("an empty one, and options that are about one file", async () => {
    const empty = join(folder.path, "deep", "empty");
    mkdirSync(empty);
    expect((await runInProcess(["inspect", empty])).stdout).toContain("0 files with conversations");
    const { code, stderr } = await runInProcess(["inspect", empty, "--conversation", "2"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("--conversation is about one file")]);
  });
});
