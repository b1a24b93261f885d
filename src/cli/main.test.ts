/** The tool as a whole: help, wrong usage, bad input. One line, the right exit code, never a stack trace. */

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { runCli, temporaryFolder } from "../../test/run-cli.ts";
import { type InProcessOptions, runInProcess } from "../../test/run-in-process.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const SAMPLE = "examples/sample-conversation.json";

async function checkRefused(
  words: readonly string[],
  expected: string | RegExp,
  options?: InProcessOptions,
): Promise<void> {
  const { code, stdout, stderr } = await runInProcess(words, options);
  expect(stderr).toMatch(/^palimpsest: [^\p{Cc}]+\n$/u);
  expect(stderr).toMatch(expected);
  expect(stdout).toBe("");
  expect(code).toBe(2);
}

describe.concurrent("usage", () => {
  test("help", async () => {
    const outcomes = await Promise.all(
      [["--help"], ["inspect", "--help"], ["help", "check"]].map((words) => runInProcess(words)),
    );
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(["Usage: palimpsest COMMAND", "--window N", "--repair"][index]);
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test("no command shows the help as an error", async () => {
    const { code, stdout, stderr } = await runInProcess([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("Usage:");
  });

  test("version", async () => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(await runInProcess(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("unknown command", () => checkRefused(["inpsect", SAMPLE], /unknown command "inpsect"; did you mean inspect\?/));
  test("a file without a command", () => checkRefused([SAMPLE], /did you mean palimpsest inspect examples/));
  test("missing file", () => checkRefused(["inspect"], "inspect needs a FILE"));
  test("unknown option", () => checkRefused(["inspect", SAMPLE, "--widnow", "5"], /--widnow; did you mean --window\?/));
  test("unknown format", () =>
    checkRefused(["check", SAMPLE, "--format", "anthropic"], /did you mean anthropic-messages/));
  test("no such conversation", () => checkRefused(["inspect", SAMPLE, "--conversation", "7"], /no conversation "7"/));
});

describe.concurrent("bad input", () => {
  const bad = (name: string, contents: string | Buffer, expected: RegExp) =>
    test(name, () => checkRefused(["inspect", folder.file(name, contents)], expected));

  bad("empty.json", "", /empty\.json: the file is empty/);
  bad("truncated.json", readFileSync(SAMPLE).subarray(0, 5_000), /truncated\.json: the JSON is cut off/);
  bad("binary.bin", Buffer.from([1, 0, 2, 0, 3, 255, 254]), /binary\.bin: this is a binary file/);
  bad("deep.json", `{"messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, /nests deeper than/);
  bad("prose.txt", "Dear reader,\nthis is no JSON.\n", /this is not JSON/);
  bad("other.json", '{"name":"palimpsest"}', /holds no conversation/);
  bad("escape.json", '{"\\u001b]0;owned\\u0007 \\u001b[2J":1}', /holds no conversation/);

  test("no such file", () => checkRefused(["check", "no/such.json"], /no\/such\.json: there is no such file/));
  test("a directory", () => checkRefused(["explain", "src"], /src: this is a directory/));
  test("another format than said", () => checkRefused(["inspect", SAMPLE, "--format", "gemini"], /not gemini/));
  test("another kind of file than said", () => checkRefused(["inspect", SAMPLE, "--format", "codex"], /as codex/));
  test("a line of 100 MB", async () => {
    const first = Buffer.from('{"type":"session","id":"s"}\n');
    const file = folder.file("long.jsonl", Buffer.concat([first, Buffer.alloc(100 * 1024 * 1024, "x")]));
    await checkRefused(["inspect", file], /line 2 is 100 MB long/);
  });
  test("nothing on standard input", () => checkRefused(["check", "-"], /standard input: the file is empty/));
  test("binary on standard input", () =>
    checkRefused(["check", "-"], /standard input: this is binary/, { stdin: Buffer.from([0, 1, 2]) }));
});

test("a process of its own has the same streams and the same exit code", async () => {
  const stdin = Buffer.from([0, 1, 2]);
  const runs: readonly (readonly string[])[] = [
    ["inspect", SAMPLE],
    ["inpsect", SAMPLE],
    ["check", "-"],
  ];
  await Promise.all(
    runs.map(async (words) => expect(await runCli(words, { stdin })).toEqual(await runInProcess(words, { stdin }))),
  );
});

test("a reader that hangs up is no error", async () => {
  // Far more than a pipe holds, so that the rest is written to nobody.
  const stdin = JSON.stringify([{ role: "user", content: "x".repeat(4_000_000) }]);
  const { stdout, stderr } = await runCli(["check", "-", "--repair", "--out", "-"], { stdin, hangsUp: true });
  expect(stdout.length).toBeLessThan(4_000_000);
  expect(stderr).not.toMatch(/error|EPIPE/i);
});
