import { describe, expect, test } from "vitest";
import { convert } from "../src/convert.ts";
import { textsOf } from "../src/core/message.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { sampleOf, seed } from "./sample.ts";

const COUNT = sampleOf(5_000, 50);
const pairs = formatNames.flatMap((from) => formatNames.filter((to) => to !== from).map((to) => ({ from, to })));

describe.each(pairs)("$from to $to", ({ from, to }) => {
  test("is always valid and keeps every text that is not reasoning", () => {
    const [source, target] = [formatNamed(from), formatNamed(to)];
    for (let offset = 0; offset < COUNT; offset++) {
      for (const broken of [false, true]) {
        const body = generateBody(from, { seed: seed + offset, broken });
        const conversation = source.decode(body);
        const converted = convert(conversation, target);
        const encoded = target.encode(converted.conversation);
        const where = `seed ${seed + offset}, ${broken ? "broken" : "valid"}`;
        expect(target.validate(encoded), where).toEqual([]);
        const kept = JSON.stringify(encoded);
        for (const message of conversation.messages) {
          const spoken = message.parts.filter(({ type }) => type !== "reasoning");
          for (const text of textsOf(spoken)) expect(kept, where).toContain(JSON.stringify(text).slice(1, -1));
        }
      }
    }
  });
});

test("what could not be carried is reported", () => {
  const anthropic = formatNamed("anthropic-messages");
  const body = {
    model: "claude-opus-4-5",
    max_tokens: 100,
    system: "You are a build agent.",
    tools: [
      { name: "shot", description: "Takes a screenshot", input_schema: { type: "object" } },
      { type: "web_search_20250305", name: "web_search" },
    ],
    messages: [
      { role: "user", content: "Look" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "c2ln" },
          { type: "tool_use", id: "toolu_1", name: "shot", input: { screen: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            is_error: true,
            content: [
              { type: "text", text: "half a screen" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
            ],
          },
        ],
      },
    ],
  };
  const { conversation, losses } = convert(anthropic.decode(body), formatNamed("openai-chat"));
  expect(formatNamed("openai-chat").encode(conversation)).toEqual({
    tools: [
      {
        type: "function",
        function: { name: "shot", description: "Takes a screenshot", parameters: { type: "object" } },
      },
    ],
    messages: [
      { role: "system", content: "You are a build agent." },
      { role: "user", content: "Look" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "toolu_1", type: "function", function: { name: "shot", arguments: '{"screen":1}' } }],
      },
      {
        role: "tool",
        tool_call_id: "toolu_1",
        content: [
          { type: "text", text: "ERROR: half a screen" },
          { type: "text", text: "[image image/png: not available here]" },
        ],
      },
    ],
  });
  expect(losses.map(({ what, became, messageIndex }) => `${messageIndex} ${what} ${became}`)).toEqual([
    "-1 parameter:model dropped",
    "-1 parameter:max_tokens dropped",
    "-1 tool:web_search_20250305 dropped",
    "1 reasoning dropped",
    "2 error-flag text",
    "2 image-in-tool-result text",
  ]);
});
