/** The wire form may differ, the content may not. */

import { expect, test } from "vitest";
import { isSameMessage } from "./identity.ts";
import type { JsonValue } from "./json.ts";
import type { Message, Part } from "./message.ts";

const mark = { cache_control: { type: "ephemeral" } };

function message(...parts: readonly Part[]): Message {
  return { id: "m0", role: "user", parts };
}

function check(left: Part, right: Part, isSame: boolean): void {
  expect(isSameMessage(message(left), message(right))).toBe(isSame);
}

function call(input: JsonValue, callId = "c1"): Part {
  return { type: "tool-call", name: "bash", callId, input, wire: { type: "tool_use", ...mark } };
}

function result(said: string, isError = false): Part {
  const content: readonly Part[] = [{ type: "text", text: said, wire: { said } }];
  return { type: "tool-result", callId: "c1", content, isError, wire: { type: "tool_result", said, ...mark } };
}

test("another wire form of the same text", () =>
  check({ type: "text", text: "a", wire: mark }, { type: "text", text: "a" }, true));
test("another text", () => check({ type: "text", text: "a" }, { type: "text", text: "b" }, false));
test("another kind", () => check({ type: "text", text: "a" }, { type: "reasoning", text: "a" }, false));
test("the same call", () => check(call({ cmd: "ls" }), { ...call({ cmd: "ls" }), wire: {} }, true));
test("other arguments", () => check(call({ cmd: "ls" }), call({ cmd: "rm" }), false));
test("another id", () => check(call("ls", "c1"), call("ls", "c2"), false));
test("the same result", () => check(result("done"), { ...result("done"), wire: {} }, true));
test("another result", () => check(result("done"), result("gone"), false));
test("a result that became an error", () => check(result("done"), result("done", true), false));
test("an opaque part is its wire", () => {
  const opaque = (wire: Part["wire"] = {}): Part => ({ type: "opaque", kind: "x", wire });
  check(opaque({ a: 1 }), opaque({ a: 1 }), true);
  check(opaque({ a: 1 }), opaque({ a: 1, b: 1 }), false);
});
test("another role", () => {
  expect(isSameMessage(message(), { ...message(), role: "assistant" })).toBe(false);
});
test("one part more", () => {
  const said: Part = { type: "text", text: "a" };
  expect(isSameMessage(message(said), message(said, said))).toBe(false);
  expect(isSameMessage(message(said, said), message(said))).toBe(false);
});
test("an opaque block whose mark moved", () => {
  const upload = (fields: object): Part => ({
    type: "opaque",
    kind: "container_upload",
    wire: { type: "container_upload", file_id: "file_1", ...fields },
  });
  check(upload(mark), upload({}), true);
  check(upload(mark), upload({ file_id: "file_2" }), false);
});
