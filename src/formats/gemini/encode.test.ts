/** Edits are written where they belong, and messages of ours in Gemini's own granularity. */

import { describe, expect, test } from "vitest";
import { call, model, response, user } from "../../../test/gemini-bodies.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { type Message, type Part, text } from "../../core/message.ts";
import { gemini } from "../gemini.ts";

/** Replaces the parts of the last message and returns its wire parts. */
function edited(body: JsonValue, change: (parts: readonly Part[], message: Message) => readonly Part[]): unknown {
  const conversation = gemini.decode(body);
  const messages = conversation.messages.map((message, index) =>
    index === conversation.messages.length - 1 ? { ...message, parts: change(message.parts, message) } : message,
  );
  return gemini.encode({ ...conversation, messages });
}

const say = (value: string) => (parts: readonly Part[]) =>
  parts.map((part) => (part.type === "tool-result" ? { ...part, content: [text(value)] } : part));

describe("an edit", () => {
  const responses: readonly (readonly [string, JsonValue, JsonValue])[] = [
    ["output, other fields kept", { ok: true, output: "long", exitCode: 1 }, { ok: true, output: "cut", exitCode: 1 }],
    ["result", { result: { big: 1 } }, { result: "cut" }],
    ["error", { error: "long" }, { error: "cut" }],
    ["whole object", { stdout: "long" }, { output: "cut" }],
    ["whole object of an error", { error: "x", stdout: "long" }, { error: "cut" }],
    ["no response", {}, { output: "cut" }],
  ];
  test.each(responses)("of a result goes to its own key: %s", (_, before, after) => {
    expect(edited([user(response("f", before))], say("cut"))).toEqual([user(response("f", after))]);
  });

  test("keeps the spelling and what stands beside", () => {
    const wire = {
      function_response: { will_continue: false, name: "f", response: { output: "long" } },
      part_metadata: {},
    };
    expect(JSON.stringify(edited([user(wire)], say("cut")))).toBe(
      '[{"role":"user","parts":[{"function_response":{"will_continue":false,"name":"f","response":{"output":"cut"}},"part_metadata":{}}]}]',
    );
  });

  test("drops the media of a cleared result", () => {
    const wire = { functionResponse: { name: "f", response: { output: "o" }, parts: [{ inlineData: { data: "i" } }] } };
    expect(edited([user(wire)], say("o"))).toEqual([user(response("f", { output: "o" }))]);
  });

  test("that makes a result an error moves the key", () => {
    const change = (parts: readonly Part[]) =>
      parts.map((part) => (part.type === "tool-result" ? { ...part, isError: true } : part));
    expect(edited([user(response("f", { output: "x" }))], change)).toEqual([user(response("f", { error: "x" }))]);
  });

  test("of arguments and of a signature", () => {
    const wire = { thought_signature: "S", function_call: { name: "f", args: { a: 1 } } };
    const change = ([part]: readonly Part[]): readonly Part[] => {
      if (part?.type !== "tool-call") throw new Error("not a call");
      const { signature: _, ...unsigned } = part;
      return [{ ...unsigned, input: { a: 2 } }];
    };
    expect(edited([model(wire)], change)).toEqual([model({ function_call: { name: "f", args: { a: 2 } } })]);
  });

  test("that empties arguments", () => {
    const change = (parts: readonly Part[]) =>
      parts.map((part) => (part.type === "tool-call" ? { ...part, input: {} } : part));
    expect(edited([model(call("f", { a: 1 }))], change)).toEqual([model(call("f", {}))]);
  });

  test("of inline media to a file elsewhere", () => {
    const change = ([part]: readonly Part[]): readonly Part[] =>
      part?.type === "media" ? [{ ...part, source: { type: "url", url: "u" } }] : [];
    expect(edited([user({ inlineData: { mimeType: "image/png", data: "large" } })], change)).toEqual([
      user({ fileData: { mimeType: "image/png", fileUri: "u" } }),
    ]);
  });

  test("of media", () => {
    const change = ([part]: readonly Part[]): readonly Part[] =>
      part?.type === "media" ? [{ ...part, source: { type: "base64", data: "small" } }] : [];
    const wire = { inline_data: { mime_type: "image/png", data: "large" }, media_resolution: "LOW" };
    expect(edited([user(wire)], change)).toEqual([
      user({ inline_data: { mime_type: "image/png", data: "small" }, media_resolution: "LOW" }),
    ]);
  });

  test("gives short forms company", () => {
    const added: Message = { id: "x", role: "assistant", parts: [text("A cat.")] };
    for (const contents of ["Why?", { text: "Why?" }, ["Why?"], user({ text: "Why?" })]) {
      const conversation = gemini.decode({ model: "m", contents });
      const body = gemini.encode({ ...conversation, messages: [...conversation.messages, added] });
      expect(body).toEqual({ model: "m", contents: [user({ text: "Why?" }), model({ text: "A cat." })] });
    }
  });

  test("of a short form", () => {
    expect(edited({ contents: "Why?" }, () => [text("How?")])).toEqual({ contents: [user({ text: "How?" })] });
    expect(edited(["a", "b"], (parts) => [...parts, text("c")])).toEqual(["a", "b", { text: "c" }]);
  });

  const instructions: readonly (readonly [string, JsonObject, JsonObject])[] = [
    [
      "content",
      { systemInstruction: { role: "user", parts: [{ text: "x" }] } },
      { systemInstruction: { role: "user", parts: [{ text: "new" }] } },
    ],
    ["string, snake case", { system_instruction: "x" }, { system_instruction: "new" }],
    ["in config", { config: { systemInstruction: "x", k: 1 } }, { config: { systemInstruction: "new", k: 1 } }],
    ["none, REST", { safetySettings: [] }, { safetySettings: [], systemInstruction: { parts: [{ text: "new" }] } }],
    ["none, SDK", { model: "m" }, { model: "m", config: { systemInstruction: { parts: [{ text: "new" }] } } }],
  ];
  test.each(instructions)("of the system prompt: %s", (_, before, after) => {
    const contents = [user({ text: "a" })];
    const conversation = gemini.decode({ ...before, contents });
    expect(gemini.encode({ ...conversation, system: [text("new")] })).toEqual({ ...after, contents });
    expect(JSON.stringify(gemini.encode({ ...conversation, system: [] }))).not.toContain('nstruction"');
  });
});

/** A message of ours, as the contents it becomes. */
function checkNew(role: Message["role"], parts: readonly Part[], expected: readonly JsonValue[]): void {
  const conversation = {
    format: "gemini",
    system: [],
    tools: undefined,
    messages: [{ id: "n", role, parts }],
  } as const;
  expect(gemini.encode(conversation)).toEqual({ contents: expected });
}

describe("a message of ours", () => {
  const result: Part = { type: "tool-result", callId: "1", name: "f", content: [text("ok")], isError: false };
  const image: Part = { type: "media", kind: "image", source: { type: "base64", data: "i" } };

  test("calls are the model's and results the user's", () =>
    checkNew(
      "assistant",
      [text("go"), { type: "tool-call", callId: "1", name: "f", input: {} }, result, text("done")],
      [
        model({ text: "go" }, { functionCall: { id: "1", name: "f", args: {} } }),
        user({ functionResponse: { id: "1", name: "f", response: { output: "ok" } } }),
        model({ text: "done" }),
      ],
    ));
  test("a result without a name, with an error and an image", () =>
    checkNew(
      "tool",
      [{ type: "tool-result", content: [text("bad"), image], isError: true }],
      [
        user({
          functionResponse: {
            name: "unknown",
            response: { error: "bad" },
            parts: [{ inlineData: { mimeType: "image/png", data: "i" } }],
          },
        }),
      ],
    ));
  test("arguments that are no object", () =>
    checkNew("assistant", [{ type: "tool-call", name: "sh", input: "ls" }], [model(call("sh", { input: "ls" }))]));
  test("reasoning, and none that only another provider can read", () =>
    checkNew(
      "assistant",
      [
        { type: "reasoning", text: "", encrypted: "gAAA" },
        { type: "reasoning", text: "hm", signature: "S" },
      ],
      [model({ text: "hm", thought: true, thoughtSignature: "S" })],
    ));
  test("files by address, by id, as text", () =>
    checkNew(
      "user",
      [
        { type: "media", kind: "video", source: { type: "url", url: "u" } },
        { type: "media", kind: "document", source: { type: "file", fileId: "f1" }, mediaType: "text/csv" },
        { type: "media", kind: "document", source: { type: "text", text: "plain" } },
      ],
      [
        user(
          { fileData: { mimeType: "video/mp4", fileUri: "u" } },
          { fileData: { mimeType: "text/csv", fileUri: "f1" } },
          { text: "plain" },
        ),
      ],
    ));
  test("with system prompt and tools", () => {
    const tools = gemini.writeTools([{ name: "f" }]);
    const body = gemini.encode({
      format: "gemini",
      system: [text("Be")],
      tools,
      messages: [{ id: "n", role: "user", parts: [text("x")] }],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "Be" }] },
      tools: [{ functionDeclarations: [{ name: "f" }] }],
      contents: [user({ text: "x" })],
    });
  });
});
