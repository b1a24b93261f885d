import { expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { gemini } from "../formats/gemini.ts";
import { openaiResponses } from "../formats/openai-responses.ts";
import { type HistoryHolder, historyHolder, withoutServerHistory } from "./items.ts";
import { repair } from "./repair/repair.ts";

const asked = { role: "user", content: "Fix the build" };
const said = { role: "assistant", content: "Running the tests." };
const call = { type: "function_call", call_id: "1", name: "bash", arguments: "{}" };
const output = { type: "function_call_output", call_id: "1", output: "3 failed" };

function check(body: object, expected: HistoryHolder): void {
  expect(historyHolder(openaiResponses.decode(body))).toBe(expected);
}

test("without a reference the list is all there is", () => {
  check({ input: [asked, said, asked] }, "list");
  check({ input: [asked, said, asked], previous_response_id: null }, "list");
});

test("with one, a list that tells what the model said is a history of its own", () => {
  check({ input: [asked, call, output, said, asked], previous_response_id: "resp_1" }, "both");
  check({ input: [asked, said], conversation: "conv_1" }, "both");
  check({ input: [{ type: "compaction", encrypted_content: "x" }, said, asked], conversation: { id: "c" } }, "both");
});

test("with one, new input only adds to what is stored", () => {
  check({ input: [asked], previous_response_id: "resp_1" }, "server");
  check({ input: [output, asked], previous_response_id: "resp_1" }, "server");
  check({ input: [asked, said, output], previous_response_id: "resp_1" }, "server");
  check({ previous_response_id: "resp_1" }, "server");
});

test("the reference alone is taken out", () => {
  const body = { model: "gpt-6", previous_response_id: "resp_1", input: [asked, said], store: true };
  const { previous_response_id: _, ...rest } = body;
  expect(openaiResponses.encode(withoutServerHistory(openaiResponses.decode(body)))).toEqual(rest);
  const own = openaiResponses.decode(rest);
  expect(withoutServerHistory(own)).toBe(own);
});

test("a thread that goes on, or a cache before the contents, only ever has its list added", () => {
  const told = [
    { role: "user", content: "Fix the build" },
    { role: "assistant", content: "Done." },
    { role: "user", content: "And the tests" },
  ];
  const holderOf = (thread: object): HistoryHolder =>
    historyHolder(anthropicMessages.decode({ thread, messages: told }));
  expect(holderOf({ type: "continue", previous_message_id: "msg_1" })).toBe("server");
  expect(holderOf({ type: "create" })).toBe("list");
  const contents = [{ role: "user", parts: [{ text: "Fix the build" }] }];
  for (const body of [
    { cachedContent: "cachedContents/1" },
    { cached_content: "cachedContents/1" },
    { config: { cachedContent: "cachedContents/1" } },
  ]) {
    expect(historyHolder(gemini.decode({ ...body, contents }))).toBe("server");
  }
  expect(historyHolder(gemini.decode({ config: {}, contents }))).toBe("list");
});

test("results of calls that stand in it are valid, and nobody mends them", () => {
  const threaded = {
    thread: { type: "continue", previous_message_id: "msg_1" },
    messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "3 failed" }] }],
  };
  const cached = {
    cachedContent: "cachedContents/1",
    contents: [{ role: "user", parts: [{ functionResponse: { name: "bash", response: { output: "3 failed" } } }] }],
  };
  for (const [format, body] of [
    [anthropicMessages, threaded],
    [gemini, cached],
  ] as const) {
    expect(format.validate(body)).toEqual([]);
    expect(repair(format.decode(body)).repairs).toEqual([]);
  }
  const { thread: _, ...alone } = threaded;
  expect(anthropicMessages.validate(alone)).toMatchObject([{ rule: "result-without-call" }]);
  // Only the first messages may belong to the stored history.
  const later = {
    ...threaded,
    messages: [...threaded.messages, { role: "assistant", content: "Ok." }, ...threaded.messages],
  };
  expect(anthropicMessages.validate(later)).toMatchObject([{ rule: "result-without-call", messageIndex: 2 }]);
});
