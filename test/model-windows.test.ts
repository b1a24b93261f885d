/** Which window a model has: as told, else its own, and what is said where nobody knows it or it is small. */

import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";

const MODEL = "local-model";

/** Turns of about 1,000 tokens each. */
function body(turns: number): { model: string; max_tokens: number; messages: object[] } {
  const messages = Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Read module ${turn}. ${"It exports a function and a list of states. ".repeat(45)}` },
    { role: "assistant", content: `Read ${turn}. ${"It exports a function and a list of states. ".repeat(45)}` },
  ]);
  return { model: MODEL, max_tokens: 1_000, messages: [...messages.flat(), { role: "user", content: "Go on." }] };
}

const refusal = (actual: number, maximum: number): object => ({
  type: "error",
  error: { type: "invalid_request_error", message: `prompt is too long: ${actual} tokens > ${maximum} maximum` },
});

function warnings() {
  const lines: string[] = [];
  const write = (_: unknown, line: string): void => void lines.push(line);
  return { lines, logger: { debug: () => {}, info: () => {}, warn: write, error: write } };
}

test("of a known model where none is told", () => {
  const compactor = createCompactor({ format: anthropicMessages });
  const check = (model: string, tokens: number): void =>
    expect([model, compactor.windowTokens(model)]).toEqual([model, tokens]);
  check("claude-opus-5-5", 1_000_000);
  check("claude-opus-4-5-20251101", 200_000);
  check("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 200_000);
  check("anthropic/claude-haiku-4.5", 200_000);
  check("claude-sonnet-4-6@20260101", 1_000_000);
  check("gpt-6.1-sol", 922_000);
  check("openai/gpt-5-mini", 272_000);
  check("gpt-4o-2024-11-20", 128_000);
  check("o3", 200_000);
  check("models/gemini-2.5-pro", 1_048_576);
  check("nobody-knows-it", 200_000);
  expect(createCompactor({ format: gemini, windowTokens: 64_000 }).windowTokens("gemini-2.5-pro")).toBe(64_000);
  expect(createCompactor({ format: gemini, profile: "agentpg-long-research" }).windowTokens("gpt-4o")).toBe(1_000_000);
  expect(createCompactor({ format: gemini, model: "gpt-4o" }).windowTokens("gemini-2.5-pro")).toBe(128_000);
});

test("each request has the thresholds of the model that it names", () => {
  const compactor = createCompactor({ format: anthropicMessages });
  const asked = body(130);
  expect(compactor.plan({ ...asked, model: "claude-opus-5" }).steps).toEqual([]);
  expect(compactor.plan({ ...asked, model: "gpt-4o" })).toMatchObject({ reason: "ratio", targetTokens: 51_200 });
});

test("an unknown model is named once, in the report and in the log", async () => {
  const { lines, logger } = warnings();
  const compactor = createCompactor({ format: anthropicMessages, logger });
  const note = "the window of local-model is not known; 200,000 tokens are assumed. Set windowTokens to be sure.";
  expect((await compactor.fit(body(2))).report.notes).toEqual([note]);
  expect((await compactor.fit(body(2))).report.notes).toEqual([]);
  expect((await compactor.fit({ ...body(2), model: "claude-opus-5" })).report.notes).toEqual([]);
  expect(lines).toEqual([`Compaction: ${note.slice(0, -1)}`]);
  lines.length = 0;
  await compactor.fit(body(30), { overflow: refusal(40_000, 24_000) });
  expect(lines).toContain("Compaction: local-model refused a request as too long; its window is 24,000 tokens");
  lines.length = 0;
  await compactor.fit(body(40), { overflow: "Prompt is too long" });
  expect(lines.join()).not.toContain("not known");
});

test("one that leaves no room is refused where nobody told it, and a small one is warned of", async () => {
  const compactor = createCompactor({ format: anthropicMessages, windowTokens: 200_000 });
  const refused = compactor.fit(body(10), { overflow: refusal(9_000, 8_192) });
  await expect(refused).rejects.toMatchObject({ code: "window-too-small", message: expect.stringContaining("8192") });
  expect(compactor.windowTokens(MODEL)).toBe(200_000);
  const { lines, logger } = warnings();
  const deliberate = createCompactor({ format: anthropicMessages, windowTokens: 10_000, logger });
  expect(lines).toEqual([expect.stringContaining("windowTokens (10,000) is below 16,000")]);
  const { report } = await deliberate.fit(body(10), { overflow: refusal(9_000, 8_192) });
  expect(report.overflow).toMatchObject({ windowTokens: 8_192, isStated: true });
});
