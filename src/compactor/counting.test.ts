import { describe, expect, test } from "vitest";
import { createCompactor } from "../compactor.ts";
import type { Format } from "../core/ports.ts";
import { estimateTokens, type TokenCounter } from "../core/tokens/tokens.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openaiChat } from "../formats/openai-chat.ts";

const LONG = "What the tool said, at length. ".repeat(4_000);

/** Hosts that keep one list may write into its messages. */
async function countedAfter<Body extends object>(format: Format, body: Body, change: (body: Body) => void) {
  const options = { format, windowTokens: 20_000, maxOutputTokens: 1_000, telemetry: false } as const;
  const compactor = createCompactor(options);
  const { report: before } = await compactor.fit(body);
  expect(before.compacted).toBe(false);
  change(body);
  const [{ report: known }, { report: fresh }] = [
    await compactor.fit(body),
    await createCompactor(options).fit(structuredClone(body)),
  ];
  expect(known.tokensBefore).toBe(fresh.tokensBefore);
  expect(known.reason).toBe(fresh.reason);
}

describe("a message that was changed in place is counted anew", () => {
  const chat = () => ({
    model: "m",
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: "Yes." },
      { role: "user", content: "Go on." },
    ],
  });
  const rounds = (input: object = { path: "a" }) => ({
    model: "m",
    max_tokens: 10,
    messages: [
      { role: "user", content: [{ type: "text", text: "Look." }] },
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "a", name: "read", input },
          { type: "tool_use", id: "b", name: "read", input: { path: "b" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }] }] },
    ],
  });

  test("a longer text", () =>
    countedAfter(openaiChat, chat(), ({ messages }) => Object.assign(messages[2] ?? {}, { content: LONG })));
  test("another part", () =>
    countedAfter(anthropicMessages, rounds(), ({ messages }) =>
      Object.assign(messages[2] ?? {}, {
        content: [...(messages[2]?.content ?? []), { type: "tool_result", tool_use_id: "b", content: LONG }],
      }),
    ));
  test("arguments of a call", () => {
    const input = { path: "a" };
    return countedAfter(anthropicMessages, rounds(input), () => Object.assign(input, { text: LONG }));
  });
});

test("of any number of models, the sizes of the newest are kept", async () => {
  let counted = 0;
  const counter: TokenCounter = {
    ...estimateTokens({ format: "openai-chat" }),
    size: () => {
      counted++;
      return 1;
    },
  };
  const compactor = createCompactor({ format: openaiChat, telemetry: false, counter });
  const messages = [0, 1, 2, 3].flatMap((turn) => [
    { role: "user", content: `Look ${turn}.` },
    { role: "assistant", content: `Seen ${turn}.` },
  ]);
  const countedBy = async (model: string): Promise<number> => {
    const before = counted;
    await compactor.fit({ model, messages });
    return counted - before;
  };
  for (let model = 0; model <= 100; model++) await countedBy(`model-${model}`);
  // The newest messages are counted with every request, because the host may still write into them.
  expect(await countedBy("model-100")).toBe(4);
  expect(await countedBy("model-0")).toBe(8);
});

test("what nobody reads may nest as it likes", async () => {
  let deep: object = {};
  for (let level = 0; level < 20_000; level++) deep = { deep };
  const body = { model: "m", messages: [{ role: "user", content: "Look.", deep }] };
  const compactor = createCompactor({ format: openaiChat, telemetry: false });
  const { report } = await compactor.fit(body);
  expect((await compactor.fit(body)).report.tokensBefore).toBe(report.tokensBefore);
});
