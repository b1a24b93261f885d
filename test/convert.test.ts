import { describe, expect, test } from "vitest";
import { type FormatName, textsOf } from "../src/core/message.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";
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

/** From Chat, with these calls, to a format: the ids and names of calls and results there, and the losses. */
function checkNames(
  calls: readonly (readonly [id: string, name: string])[],
  to: FormatName,
  expected: readonly string[],
) {
  const body = {
    tools: calls.map(([, name]) => ({ type: "function", function: { name, parameters: { type: "object" } } })),
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: calls.map(([id, name]) => ({ id, type: "function", function: { name, arguments: "{}" } })),
      },
      ...calls.map(([id]) => ({ role: "tool", tool_call_id: id, content: "done" })),
    ],
  };
  const target = formatNamed(to);
  const { conversation, losses, repairs } = convert(formatNamed("openai-chat").decode(body), target);
  expect(target.validate(target.encode(conversation))).toEqual([]);
  expect(repairs).toEqual([]);
  const parts = conversation.messages.flatMap((message) => message.parts);
  const made = parts.flatMap((part) => (part.type === "tool-call" ? [`${part.callId} ${part.name}`] : []));
  const answered = parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
  const defined = target.readTools(conversation.tools).definitions.map(({ name }) => name);
  expect(answered).toEqual(made.map((call) => call.split(" ")[0]));
  expect(defined).toEqual(made.map((call) => call.split(" ")[1]));
  const changed = losses.map(({ messageIndex, what, became }) => `${messageIndex} ${what} ${became}`);
  expect([...made, ...changed]).toEqual(expected);
}

describe("ids and names that the other provider would refuse", () => {
  test("characters that Anthropic does not take, each to a name of its own", () =>
    checkNames(
      [
        ["functions.bash:0", "ns.run"],
        ["functions_bash_0", "ns_run"],
        ["functions/bash/0", "ns:run"],
      ],
      "anthropic-messages",
      [
        "functions_bash_0_2 ns_run_2",
        "functions_bash_0 ns_run",
        "functions_bash_0_3 ns_run_3",
        "-1 tool-name:ns.run changed",
        "-1 tool-name:ns:run changed",
        "1 call-id changed",
        "1 call-id changed",
      ],
    ));
  test("what fits stays", () => {
    checkNames([["functions.bash:0", "run"]], "openai-responses", ["functions.bash:0 run"]);
    checkNames([["functions.bash:0", "ns.run:now"]], "gemini", ["functions.bash:0 ns.run:now"]);
    checkNames([["toolu_01", "mcp__a-b__c"]], "anthropic-messages", ["toolu_01 mcp__a-b__c"]);
  });
  test("a name must begin with a letter for Gemini, and none may be longer than 64 there", () => {
    checkNames([["c1", "7zip"]], "gemini", ["c1 _7zip", "-1 tool-name:7zip changed"]);
    const long = "a".repeat(65);
    checkNames([["c1", long]], "gemini", [`c1 ${"a".repeat(64)}`, `-1 tool-name:${long} changed`]);
  });
  test("ids as long as Responses takes them, and one more", () => {
    const [fits, long] = ["a".repeat(64), "a".repeat(65)];
    checkNames([[fits, "f"]], "openai-responses", [`${fits} f`]);
    checkNames([[long, "f"]], "openai-responses", [`${fits} f`, "1 call-id changed"]);
  });
});

test("what stands in a system prompt, beside a text or with a name is told", () => {
  const told = (from: FormatName, to: FormatName, body: unknown) =>
    convert(formatNamed(from).decode(body), formatNamed(to)).losses.map(
      ({ messageIndex, what, became }) => `${messageIndex} ${what} ${became}`,
    );
  const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
  const contents = [{ role: "user", parts: [{ text: "hi" }] }];
  expect(told("gemini", "openai-chat", { systemInstruction: { parts: [{ text: "s" }, image] }, contents })).toEqual([
    "-1 image text",
  ]);
  const cache_control = { type: "ephemeral" };
  const anthropic = {
    system: [{ type: "text", text: "s", cache_control }],
    tools: [{ name: "f", input_schema: { type: "object" }, cache_control }],
    messages: [
      { role: "user", content: [{ type: "text", text: "hi", cache_control }] },
      { role: "assistant", content: [{ type: "text", text: "yo", citations: [{ type: "char_location" }] }] },
      { role: "user", content: [{ type: "text", text: "on", citations: null }] },
    ],
  };
  expect(told("anthropic-messages", "gemini", anthropic)).toEqual([
    "-1 cache-mark dropped",
    "-1 cache-mark dropped",
    "0 cache-mark dropped",
    "1 citations dropped",
  ]);
  const named = { messages: [{ role: "user", content: "hi", name: "bob" }] };
  expect(told("openai-chat", "anthropic-messages", named)).toEqual(["0 name dropped"]);
  const custom = [
    { role: "user", content: "hi" },
    { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: "*** Begin Patch" },
    { type: "custom_tool_call_output", call_id: "c1", output: "ok" },
  ];
  expect(told("openai-responses", "openai-chat", custom)).toEqual(["1 free-text-input changed"]);
});

test("items of the provider's own: what can be read becomes text, what cannot is dropped, data is no text", () => {
  const responses = formatNamed("openai-responses");
  const input = [
    { role: "user", content: "draw" },
    { type: "compaction", encrypted_content: "gAAA" },
    { type: "item_reference", id: "msg_1" },
    { type: "image_generation_call", id: "ig_1", status: "completed", result: "iVBORw0KGgo".repeat(100) },
    {
      type: "local_shell_call",
      id: "l1",
      call_id: "c1",
      status: "completed",
      action: { type: "exec", command: ["ls"] },
    },
    { type: "local_shell_call_output", id: "l1", call_id: "c1", output: "a.ts" },
  ];
  const { conversation, losses } = convert(responses.decode({ input }), formatNamed("anthropic-messages"));
  expect(losses.map(({ what, became }) => `${what} ${became}`)).toEqual([
    "opaque:compaction dropped",
    "opaque:item_reference dropped",
    "opaque:image_generation_call text",
    "call:local_shell_call changed",
  ]);
  expect(textsOf(conversation.messages.flatMap(({ parts }) => parts))).toEqual([
    "draw",
    '[image_generation_call] {"status":"completed","result":"(1100 characters of data)"}',
    "a.ts",
  ]);
});
