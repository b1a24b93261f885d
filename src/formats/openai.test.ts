import { existsSync, globSync, readFileSync } from "node:fs";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { isObject, type JsonValue } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

const RUNS = 400;

/** Ways to touch every message without changing what it says. */
const COPIES: Readonly<Record<string, (conversation: Conversation) => Conversation>> = {
  untouched: (conversation) => conversation,
  "parts list copied": ({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map((message) => ({ ...message, parts: [...message.parts] })),
  }),
  "each part copied": ({ messages, ...rest }) => ({
    ...rest,
    messages: messages.map((message) => ({ ...message, parts: message.parts.map((part) => ({ ...part })) })),
  }),
  "system copied": ({ system, ...rest }) => ({ ...rest, system: [...system] }),
  "stored and read back": (conversation) => {
    const messages: Conversation["messages"] = JSON.parse(JSON.stringify(conversation.messages));
    return { ...conversation, messages: messages.map((message) => ({ ...message, parts: [...message.parts] })) };
  },
};

function checkRoundTrip(format: Format, body: JsonValue): void {
  const before = JSON.stringify(body);
  for (const [name, copy] of Object.entries(COPIES)) {
    expect(JSON.stringify(format.encode(copy(format.decode(body)))), name).toBe(before);
  }
  expect(JSON.stringify(body), "the input is not mutated").toBe(before);
}

const word = fc.oneof(fc.string(), fc.constantFrom("", "hello", "naïve 漢字 🙂", "Error: no", '{"a":1}'));
const id = fc.constantFrom("call_1", "call_2", "call_3", "fc-9");
const callArguments = fc.oneof(
  fc.json(),
  fc.constantFrom("", "{", '{"b": 1,  "a":2}', '"text"', "12345678901234567890", "null", '{"__proto__":{"x":1}}'),
);
const missing = fc.constantFrom<null | undefined>(null, undefined);
const dataUrl = fc.constantFrom("data:image/png;base64,iVBORw0KGgo=", "https://example.test/a.png", "data:,plain");

/** An object with its keys in any order, now and then with a key that nobody knows, and without those that are undefined. */
function shuffled(fields: Record<string, Arbitrary<unknown>>): Arbitrary<JsonValue> {
  const entries = fc.tuple(fc.record(fields), fc.boolean(), fc.nat()).map(([record, hasUnknown, rotation]) => {
    const all: [string, unknown][] = Object.entries(record).filter(([, value]) => value !== undefined);
    if (hasUnknown) all.push(["x_unknown", { nested: [1, null] }]);
    const start = all.length === 0 ? 0 : rotation % all.length;
    return Object.fromEntries([...all.slice(start), ...all.slice(0, start)]);
  });
  // Every arbitrary above makes JSON values.
  return entries as Arbitrary<JsonValue>;
}

const is = (value: string): Arbitrary<string> => fc.constant(value);

const chatText = shuffled({ type: is("text"), text: word });
const chatBlocks = fc.array(
  fc.oneof(
    chatText,
    shuffled({ type: is("refusal"), refusal: word }),
    shuffled({ type: is("image_url"), image_url: fc.oneof(dataUrl, shuffled({ url: dataUrl, detail: is("low") })) }),
    shuffled({
      type: is("input_audio"),
      input_audio: shuffled({ data: is("UklGRg=="), format: fc.constantFrom("wav", "mp3") }),
    }),
    shuffled({
      type: is("file"),
      file: fc.oneof(shuffled({ file_id: id }), shuffled({ filename: word, file_data: dataUrl })),
    }),
    shuffled({ type: fc.constantFrom("text", "image_url", "brand_new", ""), value: word }),
  ),
  { maxLength: 3 },
);
const chatContent = fc.oneof(word, chatBlocks, missing);
const chatCall = fc.oneof(
  shuffled({
    id: fc.oneof(id, missing),
    type: is("function"),
    function: shuffled({ name: word, arguments: fc.oneof(callArguments, missing, fc.constant({ a: 1 })) }),
  }),
  shuffled({ id, type: is("custom"), custom: shuffled({ name: word, input: fc.oneof(word, missing) }) }),
  shuffled({ id, type: is("novel"), novel: shuffled({ a: word }) }),
  shuffled({ id, function: shuffled({}) }),
);
const chatMessage = fc.oneof(
  shuffled({
    role: fc.constantFrom("system", "developer", "user"),
    content: chatContent,
    name: fc.oneof(word, missing),
  }),
  shuffled({
    role: is("assistant"),
    content: chatContent,
    refusal: fc.oneof(word, missing),
    audio: fc.oneof(shuffled({ id }), missing),
    reasoning_content: fc.oneof(word, missing),
    reasoning: fc.oneof(word, missing),
    reasoning_details: fc.oneof(fc.array(shuffled({ type: word, text: word, data: word }), { maxLength: 2 }), missing),
    function_call: fc.oneof(shuffled({ name: word, arguments: callArguments }), missing),
    tool_calls: fc.oneof(fc.array(chatCall, { maxLength: 3 }), missing),
  }),
  shuffled({
    role: is("tool"),
    tool_call_id: fc.oneof(id, missing),
    content: chatContent,
    name: fc.oneof(word, missing),
  }),
  shuffled({ role: is("function"), name: fc.oneof(word, missing), content: chatContent }),
);

const itemBlocks = fc.array(
  fc.oneof(
    shuffled({ type: fc.constantFrom("input_text", "output_text", "text"), text: word, annotations: fc.constant([]) }),
    shuffled({ type: is("refusal"), refusal: word }),
    shuffled({ type: is("input_image"), image_url: fc.oneof(dataUrl, missing), file_id: fc.oneof(id, missing) }),
    shuffled({
      type: is("input_file"),
      filename: word,
      file_data: fc.oneof(dataUrl, missing),
      file_url: fc.oneof(dataUrl, missing),
    }),
    shuffled({ type: fc.constantFrom("encrypted_content", "input_text", "web_search_call"), value: word }),
  ),
  { maxLength: 3 },
);
const shellChunk = shuffled({ stdout: word, stderr: word, outcome: fc.constant({ type: "exit", exit_code: 1 }) });
const output = fc.oneof(word, itemBlocks, missing, shuffled({ type: is("input_text"), text: word }));
const item = fc.oneof(
  shuffled({
    type: fc.constantFrom("message", undefined),
    role: fc.constantFrom("user", "assistant", "developer", "system"),
    content: fc.oneof(word, itemBlocks, missing),
    phase: fc.constantFrom("commentary", undefined),
    id,
  }),
  shuffled({
    type: is("function_call"),
    id,
    call_id: fc.oneof(id, missing),
    name: fc.oneof(word, missing),
    arguments: fc.oneof(callArguments, missing),
  }),
  shuffled({ type: is("custom_tool_call"), call_id: id, name: word, input: fc.oneof(word, missing) }),
  shuffled({
    type: fc.constantFrom(
      "function_call_output",
      "custom_tool_call_output",
      "novel_call_output",
      "apply_patch_call_output",
      "local_shell_call_output",
    ),
    call_id: fc.oneof(id, missing),
    output,
    status: fc.constantFrom("completed", "failed"),
  }),
  shuffled({ type: is("local_shell_call_output"), id, output: word }),
  shuffled({ type: is("shell_call_output"), call_id: id, output: fc.array(shellChunk, { maxLength: 2 }) }),
  shuffled({
    type: is("computer_call_output"),
    call_id: id,
    output: shuffled({ type: is("computer_screenshot"), image_url: dataUrl }),
  }),
  shuffled({ type: is("program_output"), call_id: id, result: fc.oneof(word, missing) }),
  shuffled({
    type: is("tool_search_output"),
    call_id: fc.oneof(id, missing),
    execution: fc.constantFrom("server", "client"),
    tools: fc.constant([{ type: "function", name: "f" }]),
  }),
  shuffled({ type: is("mcp_approval_request"), id, name: word, arguments: callArguments }),
  shuffled({
    type: is("mcp_approval_response"),
    approval_request_id: id,
    approve: fc.boolean(),
    reason: fc.oneof(word, missing),
  }),
  shuffled({
    type: is("reasoning"),
    id,
    summary: fc.array(shuffled({ type: is("summary_text"), text: word }), { maxLength: 2 }),
    content: missing,
    encrypted_content: fc.oneof(word, missing),
  }),
  shuffled({
    type: fc.constantFrom("computer_call", "shell_call", "program", "tool_search_call"),
    call_id: id,
    action: word,
  }),
  shuffled({
    type: fc.constantFrom("compaction", "compaction_trigger", "web_search_call", "novel", "additional_tools"),
    id,
    encrypted_content: word,
  }),
  fc.constant({ id: "msg_1" }),
);

const chatBody = fc.oneof(
  fc.array(chatMessage, { maxLength: 6 }),
  shuffled({ model: word, messages: fc.array(chatMessage, { maxLength: 6 }), tools: fc.constant([]) }),
);
const instructions = fc.oneof(
  word,
  missing,
  fc.array(shuffled({ role: is("developer"), content: fc.oneof(word, itemBlocks) }), { maxLength: 2 }),
);
const responsesBody = fc.oneof(
  fc.array(item, { maxLength: 6 }),
  shuffled({ model: word, input: fc.oneof(word, fc.array(item, { maxLength: 6 })), instructions }),
);

test("chat: whatever the wire looked like, it comes back, copied or not", () => {
  fc.assert(
    fc.property(chatBody, (body) => checkRoundTrip(openaiChat, body)),
    { numRuns: RUNS },
  );
});

test("responses: whatever the wire looked like, it comes back, copied or not", () => {
  fc.assert(
    fc.property(responsesBody, (body) => checkRoundTrip(openaiResponses, body)),
    { numRuns: RUNS },
  );
});

test("validating never throws and never changes its input", () => {
  const check = (format: Format, body: JsonValue): void => {
    const before = JSON.stringify(body);
    for (const { rule, message } of format.validate(body)) expect([rule, message].every(Boolean)).toBe(true);
    expect(JSON.stringify(body)).toBe(before);
  };
  fc.assert(
    fc.property(chatBody, (body) => check(openaiChat, body)),
    { numRuns: RUNS },
  );
  fc.assert(
    fc.property(responsesBody, (body) => check(openaiResponses, body)),
    { numRuns: RUNS },
  );
  // Any JSON at all.
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      check(openaiChat, value as JsonValue);
      check(openaiResponses, value as JsonValue);
    }),
    { numRuns: RUNS },
  );
});

/** Recorded conversations by others, read in place: they come back byte for byte and are accepted as they were by their provider. */

const DATA = "../shared/data";

function recorded(name: string, folder: string, run: (path: string) => void): void {
  const path = `${DATA}/${folder}`;
  test(name, ({ skip }) => {
    if (!existsSync(path)) skip(`${path} is not here; it is not part of the repository`);
    run(path);
  });
}

/** Returns the messages seen, so that a test of nothing is noticed. */
function checkAll(format: Format, bodies: readonly unknown[], isAccepted = true): number {
  let messages = 0;
  for (const body of bodies) {
    const conversation = format.decode(body);
    const copied = conversation.messages.map((message) => ({ ...message, parts: [...message.parts] }));
    expect(JSON.stringify(format.encode(conversation))).toBe(JSON.stringify(body));
    expect(JSON.stringify(format.encode({ ...conversation, messages: copied }))).toBe(JSON.stringify(body));
    if (isAccepted) expect(format.validate(body)).toEqual([]);
    messages += conversation.messages.length;
  }
  return messages;
}

function readJson(path: string): readonly Record<string, unknown>[] {
  const json: unknown = JSON.parse(readFileSync(path, "utf8"));
  // Both shapes hold objects in the files named below.
  return (Array.isArray(json) ? json : [json]) as readonly Record<string, unknown>[];
}

recorded("chat: tool-using runs of one model", "livemcpbench", (path) => {
  const runs = globSync(`${path}/**/*.json`).flatMap(readJson);
  expect(
    checkAll(
      openaiChat,
      runs.map(({ messages }) => messages),
    ),
  ).toBeGreaterThan(1000);
});

recorded("chat: customer dialogues with tools", "tau_bench", (path) => {
  const runs = globSync(`${path}/*.json`).flatMap(readJson);
  expect(
    checkAll(
      openaiChat,
      runs.map(({ traj }) => traj),
    ),
  ).toBeGreaterThan(1000);
});

recorded("chat: request logs with usage", "openhands_sdk", (path) => {
  const logs = globSync(`${path}/**/*-logs/*.json`).flatMap(readJson);
  expect(checkAll(openaiChat, logs)).toBeGreaterThan(10);
  for (const { response } of logs) {
    const usage = isObject(response) && isObject(response.usage) ? response.usage : {};
    const read = openaiChat.readUsage(response);
    expect(read?.inputTokens).toBe(usage.prompt_tokens);
    expect(read?.outputTokens).toBe(usage.completion_tokens);
    expect(read?.cacheReadTokens).toBeLessThanOrEqual(read?.inputTokens ?? 0);
  }
});

recorded("chat: requests that were answered, with usage", "mastra_recordings", (path) => {
  const exchanges: readonly unknown[] = globSync(`${path}/**/*.json`)
    .flatMap(readJson)
    .flatMap(({ recordings }) => recordings);
  const bodies = exchanges.flatMap((exchange) => {
    const request = isObject(exchange) && isObject(exchange.request) ? exchange.request : {};
    return String(request.url).endsWith("/chat/completions") ? [request.body] : [];
  });
  expect(checkAll(openaiChat, bodies)).toBeGreaterThan(10);
});

recorded("responses: the items of one run", "nilenso_ctx", (path) => {
  const lists = globSync(`${path}/**/*.json`)
    .flatMap(readJson)
    .map(({ data }) => data);
  expect(checkAll(openaiResponses, lists)).toBeGreaterThan(0);
});

recorded("responses: items in rollout files, old and new", "agent_sessions_multi", (path) => {
  const lists = globSync(`${path}/**/codex/*.jsonl`).map((file) => {
    const lines: readonly unknown[] = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    return lines.flatMap((line) => (isObject(line) && line.type === "response_item" ? [line.payload] : []));
  });
  // Ids were blanked out in these files, so they no longer pair.
  expect(checkAll(openaiResponses, lists, false)).toBeGreaterThan(20);
});
