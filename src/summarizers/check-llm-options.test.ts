import { expect, test } from "vitest";
import { CompactionError } from "../core/errors.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

const RIGHT: LlmOptions = { windowTokens: 50_000, complete: async () => ({ text: "S" }) };

/** What is said about options that are right but for these. */
function refusal(options: object): string | undefined {
  try {
    // Wrong options are the point.
    llm({ ...RIGHT, ...options } as LlmOptions);
    return undefined;
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    expect(error.code).toBe("invalid-settings");
    expect(error.message).not.toContain("\n");
    return error.message;
  }
}

test.each([
  [{ promptPack: "minimal" }, 'llm: unknown option "promptPack"; did you mean pack?'],
  [{ maxCals: 3 }, 'llm: unknown option "maxCals"; did you mean maxCalls?'],
  [{ promptPack: "minimal", maxCals: 3, temperature: "hot" }, /did you mean pack\?; also wrong: maxCals, temperature$/],
  [{ zzzzzzzz: 3 }, /^llm: unknown option "zzzzzzzz"; allowed: windowTokens, model, name, /],
  [{ temperature: "hot" }, 'llm: temperature must be a number of at least 0 and at most 2, but is "hot"'],
  [{ complete: undefined }, "llm: complete must be a function, but is undefined"],
  [{ windowTokens: "200k" }, /^llm: windowTokens must be a whole number/],
  [{ windowTokens: 3_999 }, "llm: windowTokens must be at least 4000."],
  [{ mode: "stagd" }, /^llm: mode must be one of .*did you mean staged\?$/],
  [{ pack: "minmal" }, /^llm: pack: must be one of .*did you mean minimal\?$/],
  [{ pack: { name: "own", version: "1" } }, /^llm: pack: task is missing/],
  [{ input: { maxchars: 1 } }, "llm: Unknown key input.maxchars; did you mean input.maxChars?"],
  [{ staged: { concurrency: 0 } }, /^llm: staged.concurrency must be a whole number of at least 1/],
  [{ retry: { maxAttempt: 1 } }, "llm: Unknown key retry.maxAttempt; did you mean retry.maxAttempts?"],
  [{ retry: { sleep: 5 } }, "llm: retry.sleep must be a function, but is 5"],
])("%j", (options, expected) => {
  if (typeof expected === "string") expect(refusal(options)).toBe(expected);
  else expect(refusal(options)).toMatch(expected);
});

test("what is right passes, undefined included", () => {
  const pack = { name: "own", version: "1", task: "Summarize." };
  expect(
    refusal({ pack, temperature: 0.5, maxCalls: undefined, retry: { maxAttempts: 1, sleep: async () => {} } }),
  ).toBe(undefined);
});
