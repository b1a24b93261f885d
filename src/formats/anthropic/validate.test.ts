import { describe, expect, test } from "vitest";
import { listOf } from "../../../test/session-world.ts";
import { createCompactor } from "../../compactor.ts";
import { isObject } from "../../core/json.ts";
import { repair } from "../../core/repair/repair.ts";
import { openSession } from "../../session.ts";
import { anthropicMessages } from "../anthropic-messages.ts";

const go = { role: "user", content: "go" };
const note = { role: "system", content: "note" };
const answer = { role: "assistant", content: "ok" };
const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "done" }] };

function check(model: string, expected: readonly string[]): void {
  const rules = (body: object, options?: { model: string }): readonly string[] =>
    anthropicMessages.validate(body, options).map(({ rule, path }) => `${rule} ${path}`);
  expect(rules({ model, messages: [go, note, answer] }), model).toEqual(expected);
  expect(rules([go, note, answer], { model }), `${model}, named by the caller`).toEqual(expected);
}

test("models that take no system messages refuse one wherever it stands", () => {
  for (const model of [
    "claude-sonnet-5",
    "anthropic/claude-sonnet-4.6",
    "claude-opus-4-7",
    "claude-opus-4-20250514",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "claude-3-7-sonnet-20250219",
  ]) {
    check(model, ["system-position messages.1"]);
  }
});

test("newer ones take it, and so may one that is not known", () => {
  for (const model of [
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-fable-5",
    "claude-mythos-5-1",
    "claude-sonnet-5-5",
    "m",
  ]) {
    check(model, []);
  }
  expect(anthropicMessages.validate([go, note, answer])).toEqual([]);
});

test("what such a model refuses becomes a user message, also out of a round", () => {
  const said = { role: "user", content: "note" };
  const mended = (messages: readonly object[], model = "claude-sonnet-5"): unknown => {
    const { conversation } = repair(anthropicMessages.decode({ model, messages }));
    const after = anthropicMessages.encode(conversation);
    expect(anthropicMessages.validate(after)).toEqual([]);
    expect(repair(conversation)).toEqual({ conversation, repairs: [] });
    return (after as { messages: unknown }).messages;
  };
  expect(mended([go, note, answer])).toEqual([go, said, answer]);
  expect(mended([note, go])).toEqual([said, go]);
  expect(mended([go, call, note, result])).toEqual([go, call, result, said]);
  expect(mended([go, note, answer], "claude-opus-5")).toEqual([go, note, answer]);
  const control = { role: "system", content: [{ type: "tool_removal", tool_name: "bash" }] };
  expect(mended([go, control, answer])).toEqual([
    go,
    { role: "user", content: [{ type: "text", text: '[tool_removal] {"tool_name":"bash"}' }] },
    answer,
  ]);
});

test("the model that a caller names comes before that of the body", () => {
  const decoded = anthropicMessages.decode({ model: "claude-opus-5", messages: [go, note, answer] });
  expect(repair(decoded).repairs).toEqual([]);
  expect(repair(decoded, { model: "claude-sonnet-5" }).repairs).toMatchObject([{ rule: "system-position" }]);
});

describe("a system message that says nothing and carries a field steers what follows", () => {
  const control = (content: object): object => ({ role: "system", ...content, output_config: { effort: "low" } });
  const forms = [{ content: "" }, { content: [] }, {}, { content: " " }];
  const model = "claude-opus-5-5";

  test.each(forms)("%j: it is valid, and comes out as it came", (form) => {
    const messages = [go, control(form), call, result, { ...control(form), clear_at: "turn_end" }, answer];
    const body = { model, messages };
    expect(anthropicMessages.validate(body)).toEqual([]);
    const decoded = anthropicMessages.decode(body);
    expect(repair(decoded)).toEqual({ conversation: decoded, repairs: [] });
    expect(JSON.stringify(anthropicMessages.encode(decoded))).toBe(JSON.stringify(body));
    const elsewhere = repair(anthropicMessages.decode({ model, messages: [go, call, control(form), result] }));
    expect(elsewhere.repairs).toHaveLength(1);
    const moved = anthropicMessages.encode(elsewhere.conversation);
    expect(JSON.stringify(moved)).toBe(JSON.stringify({ model, messages: [go, call, result, control(form)] }));
  });

  test.each(forms)("%j: requests and sessions hand it out as it came, and a compaction keeps it", async (form) => {
    const work = { role: "assistant", content: "I looked at src/build/step.ts and at what it does. ".repeat(20) };
    const turns = Array.from({ length: 10 }, () => [go, control(form), work]).flat();
    const body = { model, messages: [...turns, go, control(form)] };
    const compactor = { format: anthropicMessages, protect: { tailTokens: 100, tailMessages: 3 } };
    expect((await createCompactor(compactor).fit(body)).request).toBe(body);
    const session = await openSession("s", { store: "memory:", compactor, body });
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(body));
    const { request } = await session.compact({ target: { ratio: 0.4 } });
    const kept = listOf(request);
    expect(kept.length).toBeLessThan(body.messages.length);
    expect(JSON.stringify(kept.slice(-2))).toBe(JSON.stringify([go, control(form)]));
    expect(kept.filter((message) => isObject(message) && message.role === "system")).toHaveLength(11);
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
    await session.close();
  });

  test("for a model that takes none it goes, because it says nothing that could become the user's", () => {
    const body = { model: "claude-sonnet-5", messages: [go, control({ content: "" }), answer] };
    const { conversation, repairs } = repair(anthropicMessages.decode(body));
    expect(anthropicMessages.encode(conversation)).toEqual({ ...body, messages: [go, answer] });
    expect(repairs).toMatchObject([{ rule: "system-position", messageIndex: 1 }]);
  });

  test("one without any field is as empty as any other message", () => {
    const body = { model, messages: [go, { role: "system", content: "" }, answer] };
    expect(anthropicMessages.validate(body)).toMatchObject([{ rule: "empty-content" }]);
    expect(anthropicMessages.encode(repair(anthropicMessages.decode(body)).conversation)).toEqual({
      model,
      messages: [go, answer],
    });
  });
});

test("fields that nobody here knows stay on messages and blocks whose content is edited", async () => {
  const round = (id: string): readonly object[] => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "f", input: {}, toolset_name: "x" }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: "long ".repeat(2_000), clear_at: "soon" }],
      clear_at: "turn_end",
    },
  ];
  const messages = [go, ...["a", "b", "c", "d", "e", "f"].flatMap(round)];
  const compactor = createCompactor({
    format: anthropicMessages,
    windowTokens: 12_000,
    compact: { auto: false },
    prune: { softTrim: false, clearAfter: 2, highWaterRatio: 0.3, lowWaterRatio: 0.1 },
    protect: { tailTokens: 1, tailMessages: 2 },
  });
  const { request, report } = await compactor.fit({ model: "claude-opus-5", messages });
  expect(report.compacted).toBe(true);
  const edited = request.messages.filter((message, index) => message !== messages[index]);
  expect(edited.length).toBeGreaterThan(1);
  for (const message of edited)
    expect(message).toMatchObject({ clear_at: "turn_end", content: [{ clear_at: "soon" }] });
});

const blank = { type: "text", text: " \n" };
const said = { type: "text", text: "ok" };
const mended = (body: object): unknown => anthropicMessages.encode(repair(anthropicMessages.decode(body)).conversation);
const refused = (body: object): readonly string[] =>
  anthropicMessages.validate(body).map(({ rule, path, message }) => `${rule} ${path}: ${message}`);

test("a block of the system prompt is refused, empty or blank, and taken out", () => {
  const body = { system: [{ type: "text", text: "" }, said, blank], messages: [go] };
  expect(refused(body)).toEqual([
    "empty-content system.0: system: text content blocks must be non-empty",
    "empty-content system.2: system: text content blocks must contain non-whitespace text",
  ]);
  const { conversation, repairs } = repair(anthropicMessages.decode(body));
  expect(anthropicMessages.encode(conversation)).toEqual({ system: [said], messages: [go] });
  const change = "removed an empty text from the system prompt";
  expect(repairs).toEqual([{ rule: "empty-content", messageIndex: -1, change }]);
  expect(repair(conversation)).toEqual({ conversation, repairs: [] });
});
test("a prompt of nothing else goes; one that is the empty string stays", () => {
  for (const system of [[{ type: "text", text: "" }], " \n"]) {
    expect(refused({ system, messages: [go] })).toHaveLength(1);
    expect(mended({ system, messages: [go] })).toEqual({ messages: [go] });
  }
  expect(refused({ system: "", messages: [go] })).toEqual([]);
  expect(mended({ system: "", messages: [go] })).toEqual({ system: "", messages: [go] });
});
test("a message that says nothing else is refused and taken out, as a string too", () => {
  const answer = { role: "assistant", content: [said] };
  for (const content of [[blank], [blank, blank], "\n\n"]) {
    const body = { messages: [go, { role: "assistant", content }, go, answer] };
    expect(refused(body)).toEqual([
      "empty-content messages.1: messages: text content blocks must contain non-whitespace text",
    ]);
    expect(mended(body)).toEqual({ messages: [go, go, answer] });
  }
});
test("beside text, a call or a picture it is accepted", () => {
  const use = { type: "tool_use", id: "a", name: "f", input: {} };
  const back = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [blank] }] };
  for (const content of [
    [blank, said],
    [blank, use],
  ]) {
    const body = { messages: [go, { role: "assistant", content }, ...(content.includes(use) ? [back] : [])] };
    expect(refused(body)).toEqual([]);
    expect(mended(body)).toEqual(body);
  }
});
