import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject, JsonValue } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";
import { repair } from "../src/core/repair/repair.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";

/** Both deeper than the stack, and deep enough for some walks only. */
const DEPTHS = [2_000, 20_000];

function lists(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

function results(levels: number): JsonValue {
  let content: JsonValue = "done";
  for (let level = 0; level < levels; level++) content = [{ type: "tool_result", tool_use_id: "a", content }];
  return content;
}

const BODIES: Readonly<Record<FormatName, Readonly<Record<string, (levels: number) => JsonObject>>>> = {
  "anthropic-messages": {
    input: (levels) => anthropic([{ type: "tool_use", id: "a", name: "f", input: { deep: lists(levels) } }]),
    block: (levels) => anthropic([{ type: "brand_new", deep: lists(levels) }]),
    "block without its text": (levels) => anthropic([{ type: "text", deep: lists(levels) }]),
    results: (levels) => ({ messages: [{ role: "user", content: results(levels) }] }),
    tools: (levels) => ({ ...anthropic("hi"), tools: [{ name: "f", input_schema: { deep: lists(levels) } }] }),
    system: (levels) => ({ ...anthropic("hi"), system: [{ type: "brand_new", deep: lists(levels) }] }),
  },
  "openai-chat": {
    arguments: (levels) => ({
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: { deep: lists(levels) } } }],
        },
      ],
    }),
    block: (levels) => ({ messages: [{ role: "user", content: [{ deep: lists(levels) }] }] }),
  },
  "openai-responses": {
    item: (levels) => ({ input: [{ type: "brand_new", deep: lists(levels) }] }),
    "untyped item": (levels) => ({ input: [{ role: "user", content: [{ deep: lists(levels) }] }] }),
  },
  gemini: {
    args: (levels) => ({
      contents: [{ role: "model", parts: [{ functionCall: { name: "f", args: { deep: lists(levels) } } }] }],
    }),
    part: (levels) => ({ contents: [{ role: "user", parts: [{ brandNew: lists(levels) }] }] }),
    response: (levels) => ({
      contents: [{ role: "user", parts: [{ functionResponse: { name: "f", response: { output: lists(levels) } } }] }],
    }),
  },
};

function anthropic(content: JsonValue): JsonObject {
  return {
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content },
    ],
  };
}

const cases = formatNames.flatMap((name) => Object.keys(BODIES[name]).map((what) => ({ name, what })));

describe.each(cases)("$name, too deep: $what", ({ name, what }) => {
  test.each(DEPTHS)("%d levels are worked with or refused, never a stack that ran out", async (levels) => {
    const format = formatNamed(name);
    const body = BODIES[name][what]?.(levels);
    const work: readonly (() => unknown)[] = [
      () => format.validate(body),
      () => repair(format.decode(body)),
      () => createCompactor({ format }).plan(body),
      () => createCompactor({ format }).fit(body),
      () => createCompactor({ format }).compact(body),
      ...formatNames.map((to) => () => convert(format.decode(body), formatNamed(to))),
    ];
    for (const run of work) {
      // In a function of its own, so that what is thrown at once is caught as well.
      const outcome = await (async () => run())().catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "invalid-request" });
    }
  });
});
