/** What Gemini contents are read as. */

import { describe, expect, test } from "vitest";
import { agentBody, model, response, snakeBody, user } from "../../../test/gemini-bodies.ts";
import { CompactionError } from "../../core/errors.ts";
import type { JsonValue } from "../../core/json.ts";
import { type Part, text } from "../../core/message.ts";
import { gemini } from "../gemini.ts";

/** Decoded parts without their wire, all messages in one list. */
function checkParts(contents: JsonValue, expected: readonly unknown[]): void {
  const parts = gemini.decode({ contents }).messages.flatMap((message) => message.parts);
  const strip = (part: Part): unknown => {
    const { wire: _, ...rest } = part;
    return part.type === "tool-result" ? { ...rest, content: part.content.map(strip) } : rest;
  };
  expect(parts.map(strip)).toEqual(expected);
}

describe("decode", () => {
  test("calls, signatures, thoughts, media", () =>
    checkParts(agentBody.contents ?? [], [
      text("Fix the build"),
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBOR" } },
      {
        type: "media",
        kind: "document",
        mediaType: "application/pdf",
        source: { type: "url", url: "https://files/abc" },
      },
      { type: "reasoning", text: "Tests first." },
      { type: "tool-call", callId: "a", name: "bash", input: { cmd: "npm test" }, signature: "CsYB" },
      { type: "tool-call", callId: "b", name: "read", input: { path: "a.ts" } },
      { type: "tool-result", callId: "a", name: "bash", content: [text("3 failed")], isError: false },
      { type: "tool-result", callId: "b", name: "read", content: [text("ENOENT")], isError: true },
      { type: "opaque", kind: "executableCode" },
      { type: "opaque", kind: "codeExecutionResult" },
    ]));

  test("snake case", () =>
    checkParts(snakeBody.contents ?? [], [
      { type: "media", kind: "audio", mediaType: "audio/wav", source: { type: "base64", data: "UklG" } },
      { type: "tool-call", name: "run", input: { n: 1 }, signature: "S" },
      { type: "tool-result", name: "run", content: [text("long")], isError: false },
      { type: "text", text: "", signature: "T" },
    ]));

  const results: readonly (readonly [string, JsonValue, string | undefined, boolean])[] = [
    ["output", { output: "x" }, "x", false],
    ["output beside an exit code", { output: "x", exitCode: 1, error: null }, "x", false],
    ["output as JSON", { output: { a: 1 } }, '{"a":1}', false],
    ["result", { result: "x" }, "x", false],
    ["error", { error: "x" }, "x", true],
    ["error beside more text is read whole", { error: "x", output: "y" }, '{"error":"x","output":"y"}', true],
    ["anything", { a: "x" }, '{"a":"x"}', false],
    ["nothing", {}, undefined, false],
  ];
  test.each(results)("result: %s", (_, value, said, isError) =>
    checkParts(user(response("f", value)), [
      { type: "tool-result", name: "f", content: said === undefined ? [] : [text(said)], isError },
    ]),
  );

  test("roles", () => {
    const roles = gemini.decode(snakeBody).messages.map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("a list of strings and parts is one message", () => {
    expect(gemini.decode({ contents: ["a", { text: "b" }] }).messages).toHaveLength(1);
  });

  test("system and tools, REST and SDK", () => {
    const inConfig = gemini.decode({
      model: "m",
      contents: "x",
      config: { systemInstruction: "Be", tools: [{ a: {} }] },
    });
    expect([inConfig.system, inConfig.tools]).toEqual([[text("Be")], [{ a: {} }]]);
    expect(gemini.decode(agentBody).system).toMatchObject([text("You are a build agent.")]);
  });

  const broken: readonly (readonly [string, unknown, RegExp])[] = [
    ["no body", 5, /object or an array/],
    ["no contents", { model: "m" }, /no `contents`/],
    ["role", [{ role: "assistant", parts: [] }], /contents\.0\.role.*valid role/],
    ["a name every object has as role", [{ role: "constructor", parts: [] }], /contents\.0\.role/],
    ["part", [user({ text: "a" }), model(7)], /contents\.1\.parts\.0 must be a part, not a number/],
  ];
  test.each(broken)("refuses: %s", (_, body, message) => {
    expect(() => gemini.decode(body)).toThrow(CompactionError);
    expect(() => gemini.decode(body)).toThrow(message);
  });
});
