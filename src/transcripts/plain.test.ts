/** Bodies, lists, lines, batches, recordings and runs; the format told by shape; the same object comes out. */

import { describe, expect, test } from "vitest";
import { gemini } from "../formats/gemini.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { detectSource, readTranscript } from "./read-transcript.ts";

const hi = { role: "user", content: "hi" };
const hello = { role: "assistant", content: "hello" };
const chat = [
  hi,
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
  },
];

const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join("\n");

/** source, then format and number of messages of each conversation */
function check(text: string, source: string, ...conversations: readonly string[]): void {
  const transcript = readTranscript(text);
  expect(transcript.source).toBe(source);
  expect(detectSource(text)).toBe(source);
  const described = transcript.conversations.map(({ format, segments }) => `${format} ${segments[0]?.messages.length}`);
  expect(described).toEqual(conversations);
}

describe("the format is told by shape", () => {
  const cases: readonly (readonly [string, unknown, string])[] = [
    ["plain text", [hi, hello], "openai-chat"],
    ["tool calls", chat, "openai-chat"],
    ["a system message", [{ role: "system", content: "s" }, hi], "openai-chat"],
    ["image_url", [{ role: "user", content: [{ type: "image_url", image_url: { url: "u" } }] }], "openai-chat"],
    [
      "tool_use",
      [hi, { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] }],
      "anthropic-messages",
    ],
    [
      "thinking",
      [hi, { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "s" }] }],
      "anthropic-messages",
    ],
    ["top-level system", { system: "s", max_tokens: 9, messages: [hi] }, "anthropic-messages"],
    ["input_schema", { tools: [{ name: "f", input_schema: {} }], messages: [hi] }, "anthropic-messages"],
    ["function tools", { tools: [{ type: "function", function: { name: "f" } }], messages: [hi] }, "openai-chat"],
    ["input", { model: "m", input: [hi] }, "openai-responses"],
    ["input text", { model: "m", input: "hi" }, "openai-responses"],
    ["bare items", [hi, { type: "function_call", call_id: "c", name: "f", arguments: "{}" }], "openai-responses"],
    ["input_text", [{ role: "user", content: [{ type: "input_text", text: "hi" }] }], "openai-responses"],
    ["contents", { contents: [{ role: "user", parts: [{ text: "hi" }] }] }, "gemini"],
    ["parts", [{ role: "user", parts: [{ text: "hi" }] }], "gemini"],
    ["a content without a role", { contents: [{ parts: [{ text: "hi" }] }] }, "gemini"],
    ["one content", { contents: { role: "user", parts: [{ text: "hi" }] } }, "gemini"],
    ["a string for contents", { model: "gemini-3-flash", contents: "hi" }, "gemini"],
    ["strings and parts for contents", { model: "gemini-3-flash", contents: ["hi", { text: "you" }] }, "gemini"],
    ["parts beside content", [{ ...hi, parts: [{ type: "text", text: "hi" }] }], "openai-chat"],
  ];
  test.each(cases)("%s", (_, body, format) => {
    const [conversation] = readTranscript(JSON.stringify(body, null, 2)).conversations;
    expect(conversation?.format).toBe(format);
    expect(conversation?.body).toEqual(body);
  });
});

describe("kinds of files", () => {
  test("a bare list", () => check(JSON.stringify([hi, hello]), "message-list", "openai-chat 2"));
  test("a request body", () => check(JSON.stringify({ model: "m", messages: [hi] }), "request-body", "openai-chat 1"));
  test("a Claude model, with blocks for content: what compact makes of a session file", () => {
    const blocks = { role: "user", content: [{ type: "text", text: "hi" }] };
    const format = (body: object, expected: string) => check(JSON.stringify(body), "request-body", expected);
    format({ model: "claude-sonnet-4-5", messages: [blocks, hello] }, "anthropic-messages 2");
    format({ model: "claude-sonnet-4-5", messages: [hi, hello] }, "openai-chat 2");
    format({ model: "claude-sonnet-4-5", messages: [{ role: "system", content: "s" }, blocks] }, "openai-chat 2");
    format({ model: "gpt-5", messages: [blocks, hello] }, "openai-chat 2");
  });
  test("one body per line", () =>
    check(lines({ messages: [hi] }, { messages: chat }), "chat-jsonl", "openai-chat 1", "openai-chat 2"));
  test("one list per line", () => check(lines([hi], [hi, hello]), "chat-jsonl", "openai-chat 1", "openai-chat 2"));
  test("one message per line", () => check(lines(hi, hello), "chat-jsonl", "openai-chat 2"));
  test("one message per line, and one line so far", () => {
    check(JSON.stringify(hi), "chat-jsonl", "openai-chat 1");
    check(`${JSON.stringify(hi)}\n`, "chat-jsonl", "openai-chat 1");
  });
  test("a history whose model goes by another name", () => {
    const history = ["user", "gemini", "assistant"].map((role) => ({ role, parts: [{ text: "hi" }], ts: 1 }));
    check(JSON.stringify({ history, meta: {} }), "message-list", "gemini 3");
    const [conversation] = readTranscript(JSON.stringify({ history })).conversations;
    expect(gemini.decode(conversation?.body).messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "assistant",
    ]);
    expect(conversation?.body).toEqual(
      history.map((content, index) => (index > 0 ? { ...content, role: "model" } : content)),
    );
  });
  test("a role beside its message", () =>
    check(
      lines({ role: "user", message: { content: "hi" } }, { role: "assistant", message: { content: "yo" } }),
      "chat-jsonl",
      "openai-chat 2",
    ));
  test("batches of both providers", () => {
    const body = { model: "m", messages: [hi] };
    check(
      lines({ custom_id: "a", method: "POST", url: "/v1", body }, { custom_id: "b", body }),
      "batch-jsonl",
      "openai-chat 1",
      "openai-chat 1",
    );
    check(
      lines({ custom_id: "a", params: { system: "s", messages: [hi] } }, { custom_id: "b", params: body }),
      "batch-jsonl",
      "anthropic-messages 1",
      "openai-chat 1",
    );
  });
  test("runs that hold lists", () => {
    check(
      JSON.stringify([
        { task_id: 1, traj: [hi] },
        { task_id: 2, traj: chat },
      ]),
      "run-list",
      "openai-chat 1",
      "openai-chat 2",
    );
    check(JSON.stringify([{ task_id: "x", messages: [hi] }]), "run-list", "openai-chat 1");
  });
  test("a wrapped list", () =>
    check(JSON.stringify({ object: "list", data: [hi, hello] }), "message-list", "openai-chat 2"));
  test("carriage returns and a byte order mark", () =>
    check(`\uFEFF${lines(hi, hello).replaceAll("\n", "\r\n")}\r\n`, "chat-jsonl", "openai-chat 2"));
});

test("labels and ids tell runs apart", () => {
  const { conversations } = readTranscript(
    JSON.stringify([
      { task_id: 7, traj: [hi] },
      { task_id: 7, traj: [hi] },
    ]),
  );
  expect(conversations.map(({ id, label }) => [id, label])).toEqual([
    ["0.traj", "7"],
    ["1.traj", "7"],
  ]);
});

describe("usage recorded beside the request", () => {
  const request = { url: "u", body: { model: "m", messages: [hi, hello] } };
  const usage = { prompt_tokens: 20, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 8 } };
  const counted = { inputTokens: 20, cacheReadTokens: 8, cacheWriteTokens: 0, outputTokens: 3, reasoningTokens: 0 };

  test.each([
    ["parsed bodies", { recordings: [{ request, response: { status: 200, body: { model: "m-1", usage } } }] }],
    [
      "bodies as text",
      {
        log: {
          entries: [
            {
              request: { postData: { text: JSON.stringify(request.body) } },
              response: { content: { text: JSON.stringify({ model: "m-1", usage }) } },
            },
          ],
        },
      },
    ],
  ])("%s", (_, recording) => {
    const { source, conversations } = readTranscript(JSON.stringify(recording));
    expect(source).toBe("http-recording");
    expect(conversations[0]).toMatchObject({ models: ["m", "m-1"], body: request.body });
    expect(conversations[0]?.calls).toEqual([{ segment: 0, messageCount: 2, model: "m-1", usage: counted }]);
  });

  const cases: readonly (readonly [string, unknown, object])[] = [
    [
      "anthropic",
      { usage: { input_tokens: 2, cache_read_input_tokens: 8, cache_creation_input_tokens: 10, output_tokens: 3 } },
      { ...counted, cacheWriteTokens: 10 },
    ],
    [
      "responses",
      { usage: { input_tokens: 20, input_tokens_details: { cached_tokens: 8 }, output_tokens: 3 } },
      counted,
    ],
    [
      "gemini",
      {
        usageMetadata: {
          promptTokenCount: 20,
          cachedContentTokenCount: 8,
          candidatesTokenCount: 1,
          thoughtsTokenCount: 2,
        },
      },
      { ...counted, reasoningTokens: 2 },
    ],
  ];
  test.each(cases)("%s", (_, response, expected) => {
    const { conversations } = readTranscript(JSON.stringify({ messages: [hi], response }));
    expect(conversations[0]?.calls[0]?.usage).toEqual(expected);
  });
});

test("a call's id in a list of one is read as the id of its result", () => {
  const result = { role: "tool", content: "42", tool_call_ids: ["c1"] };
  const [conversation] = readTranscript(JSON.stringify({ history: [...chat, result] })).conversations;
  expect(conversation?.segments[0]?.messages.at(-1)).toEqual({ ...result, tool_call_id: "c1" });
  const { validate } = openaiChat;
  expect(validate({ model: "m", messages: conversation?.segments[0]?.messages })).toEqual([]);
});

test("strangers among messages and lines are left out and counted", () => {
  const body = readTranscript(JSON.stringify({ model: "m", messages: [hi, { role: "session_meta" }] }));
  expect(body.conversations[0]?.body).toEqual({ model: "m", messages: [hi] });
  expect(body.records.unknown).toEqual({ "message session_meta": 1 });
  const mixed = readTranscript(`${lines(hi, { type: "novelty" }, hello)}\n{"role":"us`);
  expect(mixed.records).toEqual({ read: 3, unknown: { novelty: 1 }, broken: 1 });
});

describe("what is refused", () => {
  const cases: readonly (readonly [string, string, RegExp, object?])[] = [
    ["nothing", " \n ", /^the file is empty/],
    ["text", "hello there", /^this is not JSON: it begins with "hello there"/],
    ["a cut document", '{"messages": [\n{"role": "us', /^the JSON is cut off: it ends at line 2, column 13 /],
    ["a slip inside", '{\n"messages": [},\n"a": 1}', /^the JSON is not valid at line 2, column 14/],
    [
      "no conversation",
      '{"name": "x", "version": 1}',
      /^an object with name, version holds no conversation; what is read: .*Claude Code/,
    ],
    ["nothing but null", "null", /^a single null holds no conversation/],
    [
      "a file called contents",
      '{"path": "a", "contents": "text"}',
      /^an object with path, contents holds no conversation/,
    ],
    [
      "messages of a user interface",
      JSON.stringify([
        { id: "1", role: "user", parts: [{ type: "text", text: "hi" }] },
        { id: "2", role: "assistant", parts: [{ type: "text", text: "yo" }] },
      ]),
      /^a list of \{id, role, parts\} holds no conversation/,
    ],
    ["no conversation in lines", '{"type":"a"}\n{"type":"b"}', /^a list of a, b holds no conversation/],
    ["deep nesting", `{"messages":${"[".repeat(600)}${"]".repeat(600)}}`, /nests deeper than 512 levels/],
    ["deep nesting in a line", `{"a":1}\n${"[".repeat(600)}${"]".repeat(600)}`, /^line 2 nests deeper than 512/],
    [
      "a session without messages",
      lines({ type: "session_meta", payload: {} }, { type: "event_msg", payload: {} }),
      /^this looks like a Codex session, but none of its 2 records/,
    ],
    [
      "the wrong source",
      lines(hi, hello),
      /^the file cannot be read as gemini-cli: .*leave the source out/,
      { source: "gemini-cli" },
    ],
    [
      "the wrong format",
      JSON.stringify(chat),
      /are not anthropic-messages; leave the format out/,
      { format: "anthropic-messages" },
    ],
    ["a format without its list", JSON.stringify({ messages: [hi] }), /are not gemini/, { format: "gemini" }],
    [
      "a format for a session",
      lines({ type: "user", uuid: "u", message: hi }),
      /^a Claude Code session is read as anthropic-messages/,
      { format: "gemini" },
    ],
  ];
  test.each(cases.map(([name, text, message, options = {}]) => ({ name, text, message, options })))(
    "$name",
    ({ text, message, options }) => {
      expect(() => readTranscript(text, options)).toThrow(expect.objectContaining({ code: "unreadable-file" }));
      expect(() => readTranscript(text, options)).toThrow(message);
    },
  );

  test("an over-long line", () => {
    const text = `${JSON.stringify(hi)}\n{"role":"user","content":"${"a".repeat(64 * 1024 * 1024)}"}`;
    expect(() => readTranscript(text)).toThrow(/^line 2 is 64 MB long and no line above 64 MB is read/);
  });

  test("detection says nothing instead", () => {
    expect([detectSource("hello"), detectSource('{"a":1}'), detectSource("")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test("a format that fits is taken at its word", () => {
  const { conversations } = readTranscript(JSON.stringify([hi, hello]), { format: "anthropic-messages" });
  expect(conversations[0]?.format).toBe("anthropic-messages");
});

test("brackets inside strings are no nesting", () => {
  const text = JSON.stringify([{ role: "user", content: `\\"${"[{".repeat(2_000)}` }]);
  expect(readTranscript(text).conversations).toHaveLength(1);
});
