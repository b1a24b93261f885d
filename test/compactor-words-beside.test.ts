import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { profileNames } from "../src/profiles/profiles.ts";

/** Under a target that somebody named, results that were not read may go; what a user said with them may not. */

const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, index) => `module${(seed * 31 + index) % 211} fails`).join(" ");

describe("words that came in one message with results that the model has not read", () => {
  const NEWEST = "Leave the tests alone and write to notes-9.md.";
  const result = words(400, 3);
  const history = Array.from({ length: 24 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `${index}: ${words(90, index)}`,
  }));

  test.each(profileNames)("stay under a small target (%s)", async (profile) => {
    const compactor = createCompactor({ format: anthropicMessages, profile, windowTokens: 16_000, telemetry: false });
    const messages = [
      ...history,
      { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "read", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: result },
          { type: "text", text: NEWEST },
        ],
      },
    ];
    const { request, report } = await compactor.compact({ messages }, { target: { tokens: 900 } });
    expect(JSON.stringify(request.messages.at(-1))).toContain(NEWEST);
    expect(report.steps).toMatchObject({ summarize: 1 });
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  const round = (index: number, output: string, ...said: readonly string[]): readonly object[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `call_${index}`, name: "read", input: {} }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: `call_${index}`, content: output },
        ...said.map((text) => ({ type: "text", text })),
      ],
    },
  ];
  /** A user breaks in; the client notes it, and adds a line of its own to every other result. */
  const brokenInto = (output: string): readonly object[] => [
    ...history,
    ...round(1, result),
    ...round(2, output, "[Request interrupted by user for tool use]", NEWEST),
    ...Array.from({ length: 12 }, (_, index) => round(3 + index, result, `You have ${30 - index} calls left.`)).flat(),
    { role: "assistant", content: "The notes are half written." },
  ];

  test.each(profileNames)("are quoted where their results leave no room for them (%s)", async (profile) => {
    const compactor = createCompactor({ format: anthropicMessages, profile, windowTokens: 16_000, telemetry: false });
    const { request, report } = await compactor.compact(
      { messages: brokenInto(result) },
      { target: { tokens: 1_200 } },
    );
    expect(JSON.stringify(request)).toContain(NEWEST);
    expect(report.fits).toBe(true);
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  test.each(profileNames)("stay with few results while the work goes on (%s)", async (profile) => {
    const compactor = createCompactor({ format: anthropicMessages, profile, windowTokens: 16_000, telemetry: false });
    const { request, report } = await compactor.compact({ messages: brokenInto("ok") }, { target: { tokens: 1_800 } });
    const said = request.messages.filter((message) => JSON.stringify(message).includes(NEWEST));
    expect(said.map((message) => JSON.stringify(message)).join()).toContain("call_2");
    expect(report.fits).toBe(true);
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  test("stay where neighbours of one role are joined to send them", async () => {
    const compactor = createCompactor({ format: gemini, windowTokens: 16_000, telemetry: false });
    const contents = [
      ...history.map(({ role, content }) => ({ role: role === "user" ? "user" : "model", parts: [{ text: content }] })),
      { role: "model", parts: [{ functionCall: { name: "read", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "read", response: { output: result } } }] },
      { role: "user", parts: [{ text: NEWEST }] },
    ];
    const { request } = await compactor.compact({ contents }, { target: { tokens: 900 } });
    expect(JSON.stringify(request.contents.at(-1))).toContain(NEWEST);
  });
});
