import { expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";

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
