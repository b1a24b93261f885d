import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { seeded } from "../../bench/random.ts";
import { cpuMs } from "../../test/cpu-time.ts";
import { exactTokens } from "./exact.ts";

const count = await exactTokens();
const random = seeded(5);
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const RUN_CHARS = 100_000;

test("ordinary text is counted exactly", () => {
  const text = "The quick brown fox, 123456 times.\n\tfunction f(x) { return x ?? 0; }\n".repeat(400);
  expect(count(text)).toBe(countTokens(text));
});

test("text that looks like a control token is text", () => {
  expect(count("before <|endoftext|> after")).toBeGreaterThan(5);
  expect(count("")).toBe(0);
});

const RUNS: Readonly<Record<string, string>> = {
  "one letter": "a".repeat(RUN_CHARS),
  "random letters": random.string(LETTERS, RUN_CHARS),
  base64: Buffer.from(random.bytes(RUN_CHARS * 0.75)).toString("base64"),
  Chinese: "这是一个没有标点的很长的句子用来检查计数的时间".repeat(RUN_CHARS / 23),
  emoji: "😀🎉🚀".repeat(RUN_CHARS / 6),
  spaces: " ".repeat(RUN_CHARS),
  "line breaks": "\n".repeat(RUN_CHARS),
  punctuation: random.string("!?.,;:-=+*/", RUN_CHARS),
};

for (const [name, text] of Object.entries(RUNS)) {
  test(`100 KB of ${name} take linear time`, () => {
    const started = cpuMs();
    count(text);
    expect(cpuMs() - started).toBeLessThan(3_000);
  });

  test(`cutting ${name} costs at most half a per cent`, () => {
    const sample = text.slice(0, 6_000);
    expect(Math.abs(count(sample) / countTokens(sample) - 1)).toBeLessThanOrEqual(0.005);
  });
}

test("a cut never splits a surrogate pair", () => {
  const text = `a${"😀".repeat(2_000)}`;
  expect(count(text)).toBeLessThanOrEqual(countTokens(text) * 1.005);
});

test("a missing tokenizer says what to install", async () => {
  const absent = "gpt-tokenizer-is-not-here";
  await expect(exactTokens({ load: () => import(absent) })).rejects.toMatchObject({
    code: "missing-dependency",
    message: expect.stringContaining("npm install gpt-tokenizer"),
  });
});
