/** `palimpsest check` as its users meet it: verdict, list, repair; the input file is never touched. */

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { formatNamed } from "../formats.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const SAMPLE = "examples/sample-conversation.json";

const UNANSWERED = {
  model: "claude-sonnet-4-5",
  max_tokens: 100,
  messages: [
    { role: "user", content: "List the files." },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "bash", input: { command: "ls" } }] },
    { role: "user", content: "Never mind.", unknown_field: "kept" },
  ],
};

describe.concurrent("verdict", () => {
  test("valid", async () => {
    const outcome = await runInProcess(["check", SAMPLE]);
    expect(outcome).toEqual({ code: 0, stdout: `${SAMPLE}: valid anthropic-messages\n`, stderr: "" });
  });

  test("a session that was cut off says so", async () => {
    const path = join(folder.path, "cut.jsonl");
    writeFileSync(path, '{"messages":[{"role":"user","content":"hi"}]}\n{"messages":[{"role":"us');
    const { code, stderr } = await runInProcess(["check", path]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^palimpsest: .*cut\.jsonl: 1 line is not JSON and was left out; [^\n]+\n$/);
  });

  test("invalid: one line per problem, path, rule, message", async () => {
    const { code, stdout, stderr } = await runInProcess(["check", folder.file("invalid.json", UNANSWERED)]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^messages\.1[.\w]*: call-without-result: [^\n]+\n$/);
    expect(stderr).toMatch(/^palimpsest: .*invalid\.json: 1 problem; [^\n]+--repair[^\n]+\n$/);
  });

  test("as JSON, from standard input, in every conversation", async () => {
    const lines = [
      { custom_id: "a", body: { ...UNANSWERED, messages: UNANSWERED.messages.slice(0, 1) } },
      { custom_id: "b", body: UNANSWERED },
    ];
    const stdin = lines.map((line) => JSON.stringify(line)).join("\n");
    const { code, stdout, stderr } = await runInProcess(["check", "-", "--json"], { stdin });
    expect([code, stderr]).toEqual([1, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      file: "-",
      source: "batch-jsonl",
      valid: false,
      conversations: [
        { number: 1, id: "line-1" },
        { number: 2, id: "line-2", format: "anthropic-messages" },
      ],
      problems: [{ conversation: 2, rule: "call-without-result", messageIndex: 1 }],
    });
  });

  test("an entry that is no message does not pass unseen", async () => {
    const messages = [...UNANSWERED.messages.slice(0, 1), { role: "oracle", content: "42" }];
    const { code, stdout } = await runInProcess(["check", folder.file("stranger.json", { ...UNANSWERED, messages })]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/oracle/);
  });
});

describe.concurrent("repair", () => {
  test("writes a valid body, says what it did, leaves the rest alone", async () => {
    const file = folder.file("to-repair.json", UNANSWERED);
    const before = readFileSync(file);
    const out = join(folder.path, "repaired.json");
    const { code, stdout, stderr } = await runInProcess(["check", file, "--repair", "--out", out]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(
      /^(message \d+: [\w-]+: [^\n]+\n)+\d+ repairs?; wrote valid anthropic-messages to [^\n]+\n$/,
    );
    const body = JSON.parse(readFileSync(out, "utf8"));
    expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
    expect(body).toMatchObject({ model: UNANSWERED.model, max_tokens: 100 });
    expect(body.messages[1]).toEqual(UNANSWERED.messages[1]);
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("to standard output, from a session file to a request body", async () => {
    const lines = [
      {
        type: "user",
        uuid: "1",
        parentUuid: null,
        sessionId: "s",
        message: { role: "user", content: "List the files." },
      },
      {
        type: "assistant",
        uuid: "2",
        parentUuid: "1",
        sessionId: "s",
        message: { id: "m1", ...UNANSWERED.messages[1] },
      },
    ];
    const stdin = lines.map((line) => JSON.stringify(line)).join("\n");
    const { code, stdout } = await runInProcess(["check", "-", "--repair", "--out", "-"], { stdin });
    expect(code).toBe(0);
    const body = JSON.parse(stdout);
    expect(formatNamed("anthropic-messages").validate(body)).toEqual([]);
    expect(JSON.stringify(body)).toContain("List the files.");
  });

  test("as JSON", async () => {
    const out = join(folder.path, "from-json.json");
    const { code, stdout, stderr } = await runInProcess([
      "check",
      folder.file("j.json", UNANSWERED),
      "--repair",
      "--out",
      out,
      "--json",
    ]);
    expect([code, stderr]).toEqual([0, ""]);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ valid: true, out, problems: [], leftOut: [] });
    expect(result.repairs[0]).toMatchObject({ rule: expect.any(String), messageIndex: 1, change: expect.any(String) });
  });

  test("never onto the input, not even by a link", async () => {
    const file = folder.file("own.json", UNANSWERED);
    const link = join(folder.path, "link.json");
    symlinkSync(file, link);
    const { code, stderr } = await runInProcess(["check", file, "--repair", "--out", link]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/never overwritten/)]);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(UNANSWERED);
  });

  test("what was private stays private", async () => {
    const file = folder.file("private.json", UNANSWERED);
    const out = join(folder.path, "private-out.json");
    chmodSync(file, 0o600);
    await runInProcess(["check", file, "--repair", "--out", out]);
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test("a place that cannot be written", async () => {
    const out = join(folder.path, "no", "such", "folder.json");
    const { code, stderr } = await runInProcess(["check", SAMPLE, "--repair", "--out", out]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^palimpsest: .*could not be written \(ENOENT\)[^\n]*\n$/),
    ]);
    expect(existsSync(out)).toBe(false);
  });

  test("--repair and --out belong together", async () => {
    const [alone, aimless] = await Promise.all([
      runInProcess(["check", SAMPLE, "--repair"]),
      runInProcess(["check", SAMPLE, "--out", "x"]),
    ]);
    expect([alone?.code, alone?.stderr]).toEqual([2, expect.stringContaining("--repair needs --out FILE")]);
    expect([aimless?.code, aimless?.stderr]).toEqual([2, expect.stringContaining("--out needs --repair")]);
  });
});
