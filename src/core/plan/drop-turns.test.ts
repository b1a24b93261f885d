import { describe, expect, test } from "vitest";
import { createCompactor } from "../../compactor.ts";
import { openaiChat } from "../../formats/openai-chat.ts";

/** Six rounds behind a request, named by their results; all but the first stand in the tail of the profile. */
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
