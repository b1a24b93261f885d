import { describe, expect, test } from "vitest";
import { JSON_DEPTH_MAX, type JsonValue } from "../core/json.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { refuseDeepMessage } from "../core/too-deep.ts";
import { TOO_DEEP, weightOf } from "./message-weight.ts";

const call = (input: JsonValue): Part => ({ type: "tool-call", callId: "a", name: "read", input });
const result = (...content: readonly Part[]): Part => ({ type: "tool-result", content, isError: false });
const image = (data: string, detail?: string): Part => ({
  type: "media",
  kind: "image",
  source: { type: "base64", data },
  wire: { detail },
});

function nested(levels: number): JsonValue {
  let value: JsonValue = "x";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { value } : [value];
  return value;
}

describe("changes with what is counted", () => {
  const pairs: readonly (readonly [string, Part, Part])[] = [
    ["a text", text("a"), text("ab")],
    ["a name", { type: "tool-call", name: "a", input: {} }, { type: "tool-call", name: "ab", input: {} }],
    ["an argument", call({ path: "a" }), call({ path: "ab" })],
    ["another argument", call({ path: "a" }), call({ path: "a", line: 1 })],
    ["one more in a list", call({ paths: [] }), call({ paths: [1] })],
    ["a text in a result", result(text("a")), result(text("ab"))],
    ["one more part in a result", result(text("a")), result(text("a"), text(""))],
    ["a signature", { type: "reasoning", text: "a" }, { type: "reasoning", text: "a", signature: "" }],
    ["the bytes of a picture", image("a"), image("ab")],
    ["how closely it is looked at", image("a", "low"), image("a", "high")],
    ["an opaque part", { type: "opaque", kind: "k", wire: {} }, { type: "opaque", kind: "k", wire: { a: "" } }],
  ];
  test.each(pairs)("%s", (_, before, after) => {
    expect(weightOf([after])).not.toBe(weightOf([before]));
    expect(weightOf([before, before])).not.toBe(weightOf([before]));
    expect(weightOf([structuredClone(before)])).toBe(weightOf([before]));
  });
});

describe("says what is too deep, exactly where it is refused", () => {
  const isRefused = (parts: readonly Part[]): boolean => {
    const message: Message = { id: "m", role: "user", parts };
    try {
      refuseDeepMessage(message);
      return false;
    } catch {
      return true;
    }
  };
  const wrapped: readonly (readonly [string, (value: JsonValue) => readonly Part[]])[] = [
    ["arguments", (value) => [text("a"), call(value)]],
    ["an opaque part", (value) => [{ type: "opaque", kind: "k", wire: { value } }]],
    ["a result", (value) => [result({ type: "opaque", kind: "k", wire: { value } })]],
  ];
  test.each(wrapped)("%s", (_, partsWith) => {
    for (let levels = JSON_DEPTH_MAX - 3; levels <= JSON_DEPTH_MAX + 3; levels++) {
      const parts = partsWith(nested(levels));
      expect(weightOf(parts) === TOO_DEEP).toBe(isRefused(parts));
    }
  });
  test("a cycle with two ways through it ends", () => {
    const cycle: Record<string, unknown> = {};
    Object.assign(cycle, { a: cycle, b: [cycle] });
    // Nothing that came as JSON holds one, so the type knows of none.
    expect(weightOf([call(cycle as JsonValue)])).toBe(TOO_DEEP);
  });
});
