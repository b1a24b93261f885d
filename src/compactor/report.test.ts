import { expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import type { Summarizer } from "../core/checkpoint/summary.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { llm } from "../summarizers/llm.ts";

const PROSE = "The build failed in step 7; the lexer was changed, and the compiler and the tests run in each step.";

function summarizerOf(summarize: Summarizer["summarize"]): Summarizer {
  return { name: "own", version: "1", planCalls: () => 1, summarize };
}

function failing(index: number): readonly object[] {
  const call = { type: "tool_use", id: `t${index}`, name: "bash", input: { command: `npm run step-${index}` } };
  const content = `Error: step ${index} failed`;
  const result = { type: "tool_result", tool_use_id: call.id, is_error: true, content };
  return [
    { role: "assistant", content: [call] },
    { role: "user", content: [result] },
  ];
}

const talk = Array.from({ length: 8 }, (_, index) => [
  { role: "assistant", content: `Answer ${index}: ${"the step runs the compiler and then the tests. ".repeat(6)}` },
  { role: "user", content: `Question ${index}: ${"what does the step do with its output? ".repeat(6)}` },
]).flat();

test.each([1, 3, 12])(
  "details name the newest of %i failed calls, whether it is still in the way or not (R166)",
  async (count) => {
    const compactor = createCompactor({ format: anthropicMessages, windowTokens: 20_000, telemetry: false });
    const failures = Array.from({ length: count }, (_, index) => failing(index)).flat();
    const messages = [{ role: "user", content: "Make the build pass." }, ...failures, ...talk];
    const { report } = await compactor.compact(
      { model: "m", messages },
      { settings: { protect: { tailTokens: 300 } } },
    );
    const { toolFailures = [] } = report.result?.details ?? {};
    expect(toolFailures).toHaveLength(Math.min(count, 8));
    expect(toolFailures.at(-1)).toMatchObject({
      toolName: "bash",
      summary: expect.stringContaining(`step ${count - 1} failed`),
    });
  },
);

test.each([
  ["narrative", llm({ windowTokens: 100_000, pack: "narrative", complete: async () => ({ text: PROSE }) })],
  ["minimal", llm({ windowTokens: 100_000, pack: "minimal", complete: async () => ({ text: PROSE }) })],
  ["safeguard", llm({ windowTokens: 100_000, pack: "safeguard", complete: async () => ({ text: PROSE }) })],
  ["unguarded", llm({ windowTokens: 100_000, pack: "minimal", guard: false, complete: async () => ({ text: PROSE }) })],
  ["own", summarizerOf(async () => ({ text: PROSE, calls: 1, notes: [] }))],
])("details of a free-form summary come from the messages: %s", async (_, summarizer) => {
  const compactor = createCompactor({ format: anthropicMessages, windowTokens: 20_000, telemetry: false, summarizer });
  const use = (id: string, name: string, input: object) => [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
  ];
  const calls = [
    ...use("r1", "read_file", { path: "src/parser.ts" }),
    ...use("e1", "edit_file", { path: "src/lexer.ts", old_string: "a", new_string: "b" }),
    ...failing(7),
  ];
  const messages = [{ role: "user", content: "Make the build pass." }, ...calls, ...talk];
  const settings = { protect: { tailTokens: 300 } };
  const { report } = await compactor.compact({ model: "m", messages }, { settings });
  expect(report.fallbacks).toEqual([]);
  expect(report.result?.summary).toContain("lexer was changed");
  expect(report.result?.details).toEqual({
    readFiles: ["src/parser.ts"],
    modifiedFiles: ["src/lexer.ts"],
    toolFailures: [{ toolName: "bash", summary: expect.stringContaining("step 7 failed") }],
  });
});
