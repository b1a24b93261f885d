import { expect, test } from "vitest";
import { createCompactor } from "../../compactor.ts";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { openaiChat } from "../../formats/openai-chat.ts";
import { MISSING_START_TEXT } from "../repair/roles.ts";
import { estimateTokens } from "../tokens/tokens.ts";

const rounds = Array.from({ length: 12 }, (_, round) => [
  { role: "user", content: `Look at part ${round}.` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `call_${round}`, type: "function", function: { name: "bash", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: `call_${round}`, content: `a line of the log ${round}\n`.repeat(200) },
]).flat();

test("results that leave because of the limit on messages are not shortened before", async () => {
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 100_000,
    maxMessages: 30,
    protect: { tailTokens: 0, tailMessages: 2, firstUser: false },
  });
  const { request, plan } = await compactor.compact({ messages: rounds }, { target: { ratio: 0.4 } });
  expect(plan.steps.map(({ type }) => type)).toContain("drop");
  const leaving = new Set(plan.steps.flatMap((step) => (step.type === "drop" ? step.messageIds : [])));
  const shortened = plan.steps.flatMap((step) => ("messageId" in step ? [step.messageId] : []));
  expect(shortened.length).toBeGreaterThan(0);
  expect(shortened.filter((id) => leaving.has(id))).toEqual([]);
  expect(request.messages.length).toBeLessThanOrEqual(30);
  expect(plan.tokensAfter).toBe(estimateTokens({ format: "openai-chat" }).total(openaiChat.decode(request).messages));
});

test.each(["always", "never"] as const)("the limit counts the acknowledgement where there is one: %s", async (when) => {
  const compactor = createCompactor({
    format: openaiChat,
    maxMessages: 10,
    compact: { strategy: "summarize" },
    render: { renderer: "pair", acknowledgement: { when } },
    protect: { tailTokens: 3_000, tailMessages: 2, firstUser: false },
  });
  const messages = Array.from({ length: 31 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index} ${"alpha beta gamma delta ".repeat(20)}`,
  }));
  const { request } = await compactor.compact({ messages });
  expect(request.messages).toHaveLength(10);
});

test("the line that stands for a beginning that went is part of what the plan says will be left", async () => {
  const calls = Array.from({ length: 14 }, (_, round) => [
    { role: "assistant", content: [{ type: "tool_use", id: `call_${round}`, name: "bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `call_${round}`, content: `log ${round}` }] },
  ]).flat();
  const compactor = createCompactor({
    format: anthropicMessages,
    maxMessages: 10,
    prune: { enabled: false },
    protect: { tailTokens: 0, tailMessages: 4, firstUser: false },
  });
  const ending = [
    { role: "assistant", content: "Done." },
    { role: "user", content: "And now?" },
  ];
  const messages = [{ role: "user", content: "go" }, ...calls, ...ending];
  const { plan, request, report } = await compactor.fit({ messages });
  expect(request.messages[0]).toEqual({ role: "user", content: MISSING_START_TEXT });
  expect(plan.tokensAfter).toBe(report.tokensAfter);
});
