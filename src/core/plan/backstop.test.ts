import { describe, expect, test } from "vitest";
import { createCompactor } from "../../compactor.ts";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { openaiChat } from "../../formats/openai-chat.ts";
import { openaiResponses } from "../../formats/openai-responses.ts";
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

describe("old tool turns", () => {
  /** Six rounds after a request, named by their results; all but the first are in the tail of the profile. */
  const ROUNDS = [0, 1, 2, 3, 4, 5].flatMap((id) => {
    const call = {
      id: `c${id}`,
      type: "function",
      function: { name: id === 2 ? "read_file" : "search", arguments: "{}" },
    };
    return [
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_call_id: `c${id}`, content: `r${id}` },
    ];
  });
  const BODY = {
    messages: [
      { role: "user", content: "go" },
      ...ROUNDS,
      { role: "assistant", content: "ok" },
      { role: "user", content: "on" },
    ],
  };

  const TALK = [
    { role: "user", content: "Which of the gates is it?" },
    { role: "assistant", content: "The fourth one, behind the mill." },
  ];

  async function check(expected: string, settings: object = {}, pinned: readonly number[] = []): Promise<void> {
    const prune = { enabled: true };
    const compactor = createCompactor({ format: openaiChat, profile: "auto-compact", prune, ...settings });
    const { request, report } = await compactor.fit(BODY, { pinned });
    expect(request.messages.map(({ content }) => content).filter((said) => said !== "")).toEqual(expected.split(" "));
    expect(report).toMatchObject({ reason: "prune", steps: { drop: 1 }, calls: 0 });
    expect(openaiChat.validate(request)).toEqual([]);
  }

  describe("the oldest tool turns go whole, and only those (R097)", () => {
    test("the newest three stay", () => check("go r3 r4 r5 ok on"));
    test("a pin in the tail keeps its turn", () => check("go r2 r3 r4 r5 ok on", {}, [6]));
    test("so does one before it", () => check("go r0 r3 r4 r5 ok on", {}, [1]));
    test("and a tool that is kept verbatim", () =>
      check("go r2 r3 r4 r5 ok on", { protect: { toolsVerbatim: ["read_*"] } }));
  });

  test("a pass that makes a summary takes them too: the next one has nothing to do", async () => {
    const messages = [
      ...BODY.messages.slice(0, 1),
      ...Array.from({ length: 40 }, () => TALK).flat(),
      ...BODY.messages.slice(1),
    ];
    const compactor = createCompactor({
      format: openaiChat,
      profile: "auto-compact",
      prune: { enabled: true },
      compact: { strategy: "summarize" },
      protect: { tailMessages: 14 },
    });
    const { request, report } = await compactor.compact({ messages });
    expect(report.steps).toEqual({ summarize: 1 });
    const results = request.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
    expect(results).toEqual(["r3", "r4", "r5"]);
    expect((await compactor.fit({ messages })).request).toEqual(request);
  });

  describe("a tool turn whose result came late", () => {
    const round = (id: number) => [
      { type: "function_call", call_id: `c${id}`, name: "search", arguments: "{}" },
      { type: "function_call_output", call_id: `c${id}`, output: `r${id}` },
    ];
    const sent = async (...meanwhile: readonly object[]): Promise<string> => {
      const [call, result] = round(0);
      const input = [
        { role: "user", content: "go" },
        call,
        ...meanwhile,
        result,
        { role: "assistant", content: "ok" },
        ...[1, 2, 3, 4].flatMap(round),
        { role: "assistant", content: "done" },
        { role: "user", content: "on" },
      ];
      const compactor = createCompactor({ format: openaiResponses, profile: "auto-compact", prune: { enabled: true } });
      const { request } = await compactor.fit({ model: "gpt-6-sol", input });
      expect(openaiResponses.validate(request)).toEqual([]);
      return request.input
        .map((item) => JSON.stringify(item).match(/"(?:content|output)":"([^"]*)"/)?.[1] ?? "")
        .join(" ");
    };
    test("goes with nothing but the turn", async () => expect(await sent()).toBe("go ok  r2  r3  r4 done on"));
    test("stays where the user said something meanwhile", async () =>
      expect(await sent({ role: "user", content: "Use tabs." }, { role: "assistant", content: "Yes." })).toBe(
        "go  Use tabs. Yes. r0 ok  r2  r3  r4 done on",
      ));
    test("stays where another turn that stays began meanwhile", async () => {
      const [late, lateResult] = round(7);
      const [open, openResult] = round(8);
      const input = [{ role: "user", content: "go" }, late, open, lateResult, ...round(9), openResult];
      const compactor = createCompactor({
        format: openaiResponses,
        profile: "auto-compact",
        prune: { enabled: true, dropTurnsKeep: 1 },
      });
      const body = { model: "gpt-6-sol", input: [...input, { role: "assistant", content: "done" }] };
      expect((await compactor.fit(body)).request).toBe(body);
    });
  });
});
