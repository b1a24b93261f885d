import { describe, expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import { repair } from "../core/repair/repair.ts";
import { anthropicMessages } from "./anthropic-messages.ts";

const call = (id?: string): JsonObject => ({ type: "tool_use", ...(id && { id }), name: "bash", input: { cmd: "ls" } });
const result = (id?: string): JsonObject => ({ type: "tool_result", ...(id && { tool_use_id: id }), content: "ok" });
const say = (text: string): JsonObject => ({ type: "text", text });
const user = (...content: readonly JsonObject[]): JsonObject => ({ role: "user", content });
const assistant = (...content: readonly JsonObject[]): JsonObject => ({ role: "assistant", content });
const system = (...content: readonly JsonObject[]): JsonObject => ({ role: "system", content });

/** Expected violations as `rule path`. */
function check(messages: readonly JsonObject[], expected: readonly string[], options = {}): void {
  const violations = anthropicMessages.validate({ model: "claude-opus-5", max_tokens: 1, messages }, options);
  expect(violations.map(({ rule, path }) => `${rule} ${path}`)).toEqual(expected);
}

describe("validate accepts", () => {
  test("parallel calls answered in one message, text after results", () =>
    check(
      [user(say("go")), assistant(say("on it"), call("a"), call("b")), user(result("b"), result("a"), say("and?"))],
      [],
    ));
  test("results spread over neighbouring user messages, which the provider merges", () =>
    check([user(say("go")), assistant(call("a")), assistant(call("b")), user(result("a")), user(result("b"))], []));
  test("an empty final assistant message", () => check([user(say("go")), assistant(say(""))], []));
  test("a signed compaction block in front", () =>
    check([assistant({ type: "compaction", content: "so far", signature: "Eo0B" }), user(say("on"))], []));
  test("a system message after a user turn", () =>
    check([user(say("go")), system(say("note")), assistant(say("ok"))], []));
  test("omitted thinking, which has only its signature", () =>
    check([user(say("go")), assistant({ type: "thinking", thinking: "", signature: "EuYB" }, say("ok"))], []));
  test("server tools and their results in one message", () =>
    check(
      [
        user(say("go")),
        assistant(
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        ),
      ],
      [],
    ));
  test("blocks that nobody knows yet", () => check([user(say("go"), { type: "brand_new", x: 1 })], []));
});

describe("validate refuses", () => {
  test("a call without a result", () =>
    check([user(say("go")), assistant(call("a")), user(say("and?"))], ["call-without-result messages.1.content.0"]));
  test("an open call at the end", () =>
    check([user(say("go")), assistant(call("a"))], ["call-without-result messages.1.content.0"]));
  test("a late result", () =>
    check(
      [user(say("go")), assistant(call("a")), user(say("wait")), assistant(say("ok")), user(result("a"))],
      ["call-without-result messages.1.content.0", "result-without-call messages.4.content.0"],
    ));
  test("a result without a call", () => check([user(result("a"))], ["result-without-call messages.0.content.0"]));
  test("a result after text", () =>
    check(
      [user(say("go")), assistant(call("a")), user(say("and"), result("a"))],
      ["result-after-text messages.2.content.1"],
    ));
  test("two results for one call", () =>
    check(
      [user(say("go")), assistant(call("a")), user(result("a"), result("a"))],
      ["duplicate-result messages.2.content.1"],
    ));
  test("a call id used twice", () =>
    check(
      [user(say("go")), assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))],
      ["duplicate-call-id messages.3.content.0"],
    ));
  test("missing ids", () =>
    check(
      [user(say("go")), assistant(call()), user(result())],
      [
        "call-without-result messages.1.content.0",
        "missing-id messages.1.content.0",
        "result-without-call messages.2.content.0",
        "missing-id messages.2.content.0",
      ],
    ));
  test("empty text and empty messages", () =>
    check(
      [user(say("go"), say("")), assistant(), user(say(""))],
      ["empty-content messages.0.content.1", "empty-content messages.1", "empty-content messages.2"],
    ));
  test("an assistant in front", () => check([assistant(say("hi")), user(say("go"))], ["first-role messages.0"]));
  test("no messages", () => check([], ["no-messages messages"]));
  test("parts in the wrong role", () =>
    check(
      [user(say("go"), { type: "thinking", thinking: "x", signature: "s" }), assistant(say("ok"), result("a"))],
      ["misplaced-part messages.0.content.1", "misplaced-part messages.1.content.1"],
    ));
  test("a call in a user message", () => check([user(call("a"))], ["misplaced-part messages.0.content.0"]));
  test("thinking without its signature", () =>
    check(
      [user(say("go")), assistant({ type: "thinking", thinking: "hm" }, say("ok"))],
      ["thinking-unsigned messages.1.content.0"],
    ));
  test("a system message first, or between a call and its result", () =>
    check(
      [system(say("rule")), user(say("go")), assistant(call("a")), system(say("rule")), user(result("a"))],
      [
        "first-role messages.0",
        "system-position messages.0",
        "call-without-result messages.2.content.0",
        "system-position messages.3",
        "result-without-call messages.4.content.0",
      ],
    ));
  test("a signed compaction block that is not first, or a second one", () => {
    const block = { type: "compaction", content: "so far", signature: "Eo0B" };
    check([user(say("go")), assistant(block)], ["compaction-misplaced messages.1.content.0"]);
    check([assistant(block), user(say("go")), assistant(block)], ["compaction-ambiguous messages.2.content.0"]);
  });
  test("tool changes outside system messages, and more pictures than a request may hold", () => {
    check([user(say("go"), { type: "tool_addition" })], ["misplaced-part messages.0.content.1"]);
    const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    check([user(...Array.from({ length: 601 }, () => image))], ["too-many-images messages"]);
  });
  test("a server tool's result without its call", () =>
    check(
      [user(say("go")), assistant({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] })],
      ["result-without-call messages.1.content.0"],
    ));
  test("a prefilled answer, only in a request about to be sent", () => {
    const messages = [user(say("go")), assistant(say("Sure,"))];
    check(messages, []);
    check(messages, ["ends-with-assistant messages.1"], { sending: true });
  });
  test.each([
    [{ messages: [{ role: "boss", content: "hi" }] }, "messages.0"],
    [{ messages: [{ role: "user" }] }, "messages.0"],
    [{ messages: [7] }, "messages.0"],
    [{ prompt: "hi" }, "messages"],
    ["hi", "messages"],
    [null, "messages"],
  ])("a shape it cannot be: %j", (body, path) => {
    expect(anthropicMessages.validate(body)).toMatchObject([{ rule: "invalid-request", path }]);
    expect(() => anthropicMessages.decode(body)).toThrow(/./);
  });
  test("and says it in the provider's words", () => {
    const [violation] = anthropicMessages.validate([user(say("go")), assistant(call("toolu_1")), user(say("x"))]);
    expect(violation?.message).toBe(
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    );
  });
});

test("an edited result keeps its unknown fields and key order", () => {
  const block = { cache_control: { type: "ephemeral" }, type: "tool_result", tool_use_id: "a", content: "long", x: 1 };
  const conversation = anthropicMessages.decode([
    user(say("go")),
    assistant(call("a")),
    { content: [block], role: "user" },
  ]);
  const messages = conversation.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-result"
        ? { ...part, content: [{ type: "text" as const, text: "short" }], isError: true }
        : part,
    ),
  }));
  const [, , edited] = anthropicMessages.encode({ ...conversation, messages }) as JsonObject[];
  expect(JSON.stringify(edited)).toBe(
    JSON.stringify({ content: [{ ...block, content: "short", is_error: true }], role: "user" }),
  );
});

test("a changed system prompt is laid over the old one", () => {
  const body = { system: [{ type: "text", text: "a", cache_control: {} }], messages: [user(say("go"))] };
  const conversation = anthropicMessages.decode(body);
  const system = [...conversation.system, { type: "text" as const, text: "b" }];
  expect(anthropicMessages.encode({ ...conversation, system })).toEqual({
    ...body,
    system: [...body.system, { type: "text", text: "b" }],
  });
  expect(anthropicMessages.encode({ ...conversation, system: [] })).toEqual({ messages: body.messages });
});

test("usage adds up what was cached", () => {
  const usage = {
    input_tokens: 12,
    cache_read_input_tokens: 90_000,
    cache_creation_input_tokens: 800,
    output_tokens: 57,
    output_tokens_details: { thinking_tokens: 20 },
  };
  const expected = {
    inputTokens: 90_812,
    cacheReadTokens: 90_000,
    cacheWriteTokens: 800,
    outputTokens: 57,
    reasoningTokens: 20,
  };
  expect(anthropicMessages.readUsage({ type: "message", usage })).toEqual(expected);
  expect(anthropicMessages.readUsage({ type: "message_start", message: { usage } })).toEqual(expected);
  expect(anthropicMessages.readUsage(usage)).toEqual(expected);
  expect(anthropicMessages.readUsage({ usage: { input_tokens: 3, cache_read_input_tokens: null } })?.inputTokens).toBe(
    3,
  );
  expect(anthropicMessages.readUsage({ id: "msg_1" })).toBeUndefined();
});

test("tools in the neutral form", () => {
  const tools = [
    { name: "bash", description: "Runs a command", input_schema: { type: "object" } },
    { type: "web_search_20250305", name: "web_search" },
  ];
  const read = anthropicMessages.readTools(tools);
  expect(read.foreign).toEqual(["web_search_20250305"]);
  expect(anthropicMessages.writeTools(read.definitions)).toEqual([tools[0]]);
});

test("an empty text block in a result is refused and taken out; an empty string, an empty list and no content stay", () => {
  const withResult = (content: object): object => ({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", ...content }] },
    ],
  });
  const mended = (content: object): unknown =>
    anthropicMessages.encode(repair(anthropicMessages.decode(withResult(content))).conversation);
  const empty = { type: "text", text: "" };
  const said = { type: "text", text: "ok" };
  expect(anthropicMessages.validate(withResult({ content: [said, empty] }))).toMatchObject([
    { rule: "empty-content", path: "messages.2.content.0.content.1" },
  ]);
  expect(mended({ content: [said, empty] })).toEqual(withResult({ content: [said] }));
  expect(mended({ content: [empty] })).toEqual(withResult({}));
  for (const content of [{ content: "" }, { content: [] }, {}]) {
    expect(anthropicMessages.validate(withResult(content))).toEqual([]);
    expect(mended(content)).toEqual(withResult(content));
  }
});

test("the size of the context is that of the last pass that answered, never of one that compacted", () => {
  const passes = [
    { type: "message", input_tokens: 10, cache_read_input_tokens: 40_000, output_tokens: 5 },
    { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
    { type: "message", input_tokens: 23_000, cache_creation_input_tokens: 100, output_tokens: 1_000 },
  ];
  const usage = { input_tokens: 23_010, cache_read_input_tokens: 40_000, output_tokens: 1_005, iterations: passes };
  expect(anthropicMessages.readUsage({ type: "message", usage })).toEqual({
    inputTokens: 23_100,
    cacheReadTokens: 0,
    cacheWriteTokens: 100,
    outputTokens: 1_005,
    reasoningTokens: 0,
  });
  const only = { input_tokens: 7, output_tokens: 1, iterations: [{ type: "compaction", input_tokens: 900 }] };
  expect(anthropicMessages.readUsage({ usage: only })?.inputTokens).toBe(7);
  expect(anthropicMessages.readUsage({ usage: { ...only, iterations: null } })?.inputTokens).toBe(7);
});

test("pictures and files are limited, to fewer where the window is small", () => {
  const check = (model: string, count: number, expected: readonly string[]): void => {
    const picture = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
    const file = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } };
    const content = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? picture : file));
    const body = { model, messages: [{ role: "user", content }] };
    expect(anthropicMessages.validate(body).map(({ message }) => message)).toEqual(expected);
  };
  check("claude-sonnet-4-5", 100, []);
  check("claude-sonnet-4-5", 101, ["messages: at most 100 images are allowed, found 101"]);
  check("claude-sonnet-5", 600, []);
  check("claude-sonnet-5", 601, ["messages: at most 600 images are allowed, found 601"]);
});
