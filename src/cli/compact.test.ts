/** `palimpsest compact` as its users meet it: below the target, valid, the same twice, and never onto the input. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runCli, temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { formatNamed } from "../formats.ts";
import { displayWidth } from "./one-line.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LONG = "examples/long-conversation.json";
const SAMPLE = "examples/sample-conversation.json";
const SESSION = "examples/sample-session.jsonl";

async function tokensIn(file: string): Promise<number> {
  return JSON.parse((await runInProcess(["inspect", file, "--json"])).stdout).tokens.total;
}

describe.concurrent("what it writes", () => {
  test("a valid body below the target, by its own count and by inspect's", async () => {
    const out = join(folder.path, "tenth.json");
    const before = readFileSync(LONG);
    const { code, stdout, stderr } = await runInProcess(["compact", LONG, "--target", "10%", "--out", out]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^[\d,]+ → [\d,]+ tokens \(\d+\.\d % of what it was\), 78 → \d+ messages$/m);
    expect(stderr).toMatch(/target [\d,]+ tokens: it fits\n/);
    const body = JSON.parse(readFileSync(out, "utf8"));
    expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
    expect(body).toMatchObject({ model: "claude-sonnet-4-5", max_tokens: 8192 });
    expect(await tokensIn(out)).toBeLessThanOrEqual((await tokensIn(LONG)) * 0.1);
    expect(body.messages.at(-1)).toEqual(JSON.parse(before.toString()).messages.at(-1));
    expect(readFileSync(LONG)).toEqual(before);
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a target above the window is the window, in all that is reported", async () => {
    const { stdout } = await runInProcess(["compact", LONG, "--target", "60%", "--window", "8k", "--json"]);
    const { targetTokens, tokensAfter, messagesAfter, kept } = JSON.parse(stdout);
    expect(targetTokens).toBe(8_000);
    expect(tokensAfter).toBeLessThanOrEqual(8_000);
    const keptMessages = kept.reduce((sum: number, group: { messages: number }) => sum + group.messages, 0);
    expect(keptMessages).toBeLessThan(messagesAfter);
  });

  test("a line that is not JSON is spoken of", async () => {
    const lines = ['{"role":"user","content":"a"}', "{broken", '{"role":"assistant","content":"b"}'];
    const file = folder.file("broken.jsonl", `${lines.join("\n")}\n`);
    const { stdout } = await runInProcess(["compact", file, "--dry-run"]);
    expect(stdout).toContain("left out: 1 line that is not JSON");
  });

  test("the same bytes every time, to a file or to standard output", async () => {
    const out = join(folder.path, "again.json");
    const words = ["compact", LONG, "--target", "5k"];
    const [first, second, toFile] = await Promise.all([
      runInProcess(words),
      runInProcess(words),
      runInProcess([...words, "--out", out]),
    ]);
    expect(first?.stdout).toBe(second?.stdout);
    expect(readFileSync(out, "utf8")).toBe(first?.stdout);
    expect([first?.code, toFile?.code]).toEqual([0, 0]);
  });

  test("a session file becomes a request body, a bare list stays one", async () => {
    const { messages } = JSON.parse(readFileSync(SAMPLE, "utf8"));
    const [session, list] = await Promise.all([
      runInProcess(["compact", SESSION, "--target", "40%"]),
      runInProcess(["compact", "-", "--target", "30%"], { stdin: JSON.stringify(messages) }),
    ]);
    expect([session?.code, list?.code]).toEqual([0, 0]);
    const body = JSON.parse(session?.stdout ?? "");
    expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
    expect(Array.isArray(JSON.parse(list?.stdout ?? ""))).toBe(true);
  });

  test("a body without model, system or tools", async () => {
    const { messages } = JSON.parse(readFileSync(LONG, "utf8"));
    const file = folder.file("bare-body.json", { messages });
    const { code, stdout } = await runInProcess(["compact", file, "--target", "5%"]);
    expect(code).toBe(0);
    expect(Object.keys(JSON.parse(stdout))).toEqual(["messages"]);
    expect(await tokensIn(folder.file("bare-view.json", stdout))).toBeLessThanOrEqual((await tokensIn(file)) * 0.05);
  });

  test("nothing in a dry run, nothing but the report with --json, nothing after Ctrl-C", async () => {
    const place = temporaryFolder();
    const [dry, json, stopped] = await Promise.all([
      runInProcess(["compact", LONG, "--target", "10%", "--dry-run"]),
      runInProcess(["compact", LONG, "--target", "10%", "--json"]),
      runCli(["compact", "-", "--out", join(place.path, "stopped.json")], { interrupts: true }),
    ]);
    expect(dry).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/nothing was written\n$/) });
    expect(JSON.parse(json?.stdout ?? "")).toMatchObject({ out: null });
    expect(stopped).toEqual({ code: 130, stdout: "", stderr: "palimpsest: interrupted; nothing was written\n" });
    expect(readdirSync(place.path)).toEqual([]);
    place.remove();
  });

  test("never the input itself", async () => {
    const file = folder.file("own.json", readFileSync(SAMPLE));
    const { code, stderr } = await runInProcess(["compact", file, "--target", "30%", "--out", file]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/never overwritten/)]);
    expect(readFileSync(file)).toEqual(readFileSync(SAMPLE));
  });
});

describe.concurrent("what it says", () => {
  test("as JSON", async () => {
    const out = join(folder.path, "with-json.json");
    const { code, stdout, stderr } = await runInProcess([
      "compact",
      LONG,
      "--target",
      "10%",
      "--json",
      "--diff",
      "--out",
      out,
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      file: LONG,
      format: "anthropic-messages",
      profile: "balanced",
      compacted: true,
      reason: "manual",
      messagesBefore: 78,
      fits: true,
      calls: 0,
      inTheWay: [],
      out,
    });
    expect(report.steps).toMatchObject([{ type: "summarize", first: 1, tokens: expect.any(Number) }]);
    expect(report.tokensAfter).toBeLessThanOrEqual(report.targetTokens);
    expect(report.summary).toContain("### Done");
    const sum = (of: Record<string, number>) => Object.values(of).reduce((total, tokens) => total + tokens, 0);
    expect(Math.abs(sum(report.shares.before) - report.tokensBefore)).toBeLessThan(report.tokensBefore / 100);
    expect(Math.abs(sum(report.shares.after) - report.tokensAfter)).toBeLessThan(report.tokensAfter / 20);
    const kept = report.kept.reduce((total: number, group: { messages: number }) => total + group.messages, 0);
    const marks = report.diff.map(({ mark }: { mark: string }) => mark).join("");
    expect(marks.replace(/[^=]/g, "")).toHaveLength(kept);
    expect(marks.replace(/[^=-]/g, "")).toHaveLength(78);
    expect(marks.replace(/[^=+]/g, "")).toHaveLength(report.messagesAfter);
  });

  test("kept, replaced and added, one line each, no line over 80 columns", async () => {
    const { code, stdout } = await runInProcess(["compact", SAMPLE, "--keep", "4", "--dry-run", "--diff"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^6 messages kept \(=\), 13 replaced \(-\), 2 added \(\+\)$/m);
    expect(stdout.match(/^[=+-] +\d+ {2}/gm)).toHaveLength(21);
    expect(stdout).toMatch(/^- +1 {2}assistant, calls read_fil/m);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  test("colours only where they are wanted", async () => {
    const words = ["compact", SAMPLE, "--target", "30%", "--diff", "--dry-run"];
    const [forced, refused, piped, plain] = await Promise.all([
      runInProcess(words, { environment: { FORCE_COLOR: "1" } }),
      runInProcess(words, { environment: { NO_COLOR: "1" } }),
      runInProcess(words),
      runInProcess(words, { environment: { LC_ALL: "C" } }),
    ]);
    expect(forced?.stdout).toContain("\u001b[32m+");
    expect(refused?.stdout).toBe(piped?.stdout);
    expect(piped?.stdout).not.toContain("\u001b");
    expect(plain?.stdout).not.toMatch(/[→≥…█·]/);
  });

  test("what does not fit, by name", async () => {
    const { code, stdout, stderr } = await runInProcess(["compact", SAMPLE, "--target", "500"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/target 500 tokens: missed by [\d,]+/);
    expect(stderr).toMatch(
      /Does not fit into 500 tokens\. In the way:\n +tool definitions +717\n +system prompt +292\n/,
    );
    expect(formatNamed("anthropic-messages").validate(JSON.parse(stdout))).toEqual([]);
  });

  test("nothing to do is no failure", async () => {
    const { code, stdout, stderr } = await runInProcess(["compact", SAMPLE, "--target", "50k"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/nothing was compacted\nbecause [^\n]+\n/);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(SAMPLE, "utf8")));
  });

  test("without a summarizer messages are left out", async () => {
    const { code, stdout } = await runInProcess(["compact", LONG, "--target", "20%", "--summarizer", "none", "--json"]);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ compacted: true, fits: true, steps: [{ type: "drop" }] });
    expect(report.summary).toBeUndefined();
  });

  test.each(["balanced", "agentpg", "auto-compact", "nous"])(
    "%s: the same messages are kept by their number with a summary and without",
    async (profile) => {
      const words = ["compact", LONG, "--profile", profile, "--keep", "5", "--json"];
      const [told, left] = await Promise.all([runInProcess(words), runInProcess([...words, "--summarizer", "none"])]);
      const [{ steps: summarized }, { steps: dropped, compacted }] = [JSON.parse(told.stdout), JSON.parse(left.stdout)];
      expect([left.code, compacted]).toEqual([0, true]);
      expect(dropped).toMatchObject([{ type: "drop", messages: summarized[0].messages, last: summarized[0].last }]);
    },
  );

  test("another profile, another shape", async () => {
    const { code, stdout } = await runInProcess(["compact", LONG, "--profile", "auto-compact", "--target", "10%"]);
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout).system)).toContain("## Goal");
  });
});

test("the page shows the steps and protections that are printed", async () => {
  const page = readFileSync("docs/cli.md", "utf8");
  const [, shown = "absent"] = /```text\nexamples\/long[^`]*?\n(Steps\n[^`]*?)```/.exec(page) ?? [];
  const { stdout } = await runInProcess(["compact", LONG, "--target", "10%", "--dry-run"]);
  expect(stdout).toContain(shown);
});

async function checkRefused(words: readonly string[], expected: RegExp): Promise<void> {
  const out = join(folder.path, "refused.json");
  const { code, stdout, stderr } = await runInProcess(["compact", SAMPLE, ...words]);
  expect(stderr).toMatch(/^palimpsest: [^\p{Cc}]+\n$/u);
  expect(stderr).toMatch(expected);
  expect([code, stdout, existsSync(out)]).toEqual([2, "", false]);
}

describe.concurrent("refused", () => {
  test("unknown profile", () => checkRefused(["--profile", "balancd"], /did you mean balanced\?/));
  test("bad target", () => checkRefused(["--target", "small"], /--target must be a number of tokens.*"small"/));
  test("a share that is none", () => checkRefused(["--target", "120%"], /above 0% and below 100%/));
  test("bad number to keep", () => checkRefused(["--keep", "-3"], /keep/));
  test("unknown summarizer", () => checkRefused(["--summarizer", "extractiv"], /did you mean extractive\?/));
  test("too small a window", () => checkRefused(["--window", "0"], /--window/));
  test("a dry run with a place to write", () => checkRefused(["--dry-run", "--out", "x.json"], /writes nothing/));
  test("two things for standard output", () => checkRefused(["--json", "--out", "-"], /both want standard output/));
});

describe("--summary", () => {
  test("prints the summary alone; the request goes to --out, the report to standard error", async () => {
    const out = join(folder.path, "with-summary.json");
    const { code, stdout, stderr } = await runInProcess([
      "compact",
      LONG,
      "--target",
      "10%",
      "--summary",
      "--out",
      out,
    ]);
    const { summary } = JSON.parse((await runInProcess(["compact", LONG, "--target", "10%", "--json"])).stdout);
    expect(code).toBe(0);
    expect(stdout).toBe(`${summary.trimEnd()}\n`);
    expect(stderr).toContain("it fits");
    expect(JSON.stringify(JSON.parse(readFileSync(out, "utf8")))).toContain(JSON.stringify(summary).slice(1, 60));
  });

  test("without --out no request is written; a dry run has one too; where there is none it says why", async () => {
    const alone = await runInProcess(["compact", LONG, "--target", "10%", "--summary"]);
    expect(alone.stdout).toMatch(/^#/);
    expect(alone.stderr).toContain("nothing was written");
    expect((await runInProcess(["compact", LONG, "--target", "10%", "--summary", "--dry-run"])).stdout).toBe(
      alone.stdout,
    );
    const none = await runInProcess(["compact", LONG, "--target", "10%", "--summary", "--summarizer", "none"]);
    expect(none.stdout).toBe("(no summary was needed)\n");
  });

  test.each([
    [["--json"], /--json has the summary in it/],
    [["--out", "-"], /both want standard output/],
  ])("not with %j", async (words, expected) => {
    const { code, stderr } = await runInProcess(["compact", LONG, "--summary", ...words]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(expected)]);
  });
});
