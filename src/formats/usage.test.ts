/** What is not said is not known, in every format. */

import { expect, test } from "vitest";
import { formatNamed, formatNames } from "../formats.ts";

const key = (name: string) => (name === "gemini" ? "usageMetadata" : "usage");

test.each(formatNames)("%s: usage without a count is none", (name) => {
  const { readUsage } = formatNamed(name);
  for (const usage of [
    {},
    { input_tokens: null, prompt_tokens: null, promptTokenCount: null },
    { service_tier: "x" },
  ]) {
    expect(readUsage({ [key(name)]: usage })).toBeUndefined();
  }
});

test.each(formatNames)("%s: a count below zero is none", (name) => {
  const usage = { input_tokens: -5, prompt_tokens: -5, promptTokenCount: -5, output_tokens: 3 };
  expect(formatNamed(name).readUsage({ [key(name)]: usage })?.inputTokens).toBe(0);
});
