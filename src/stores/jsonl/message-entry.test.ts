/** Messages of every format come back from their entries as the very same JSON, and nothing is written twice that need not be. */

import { expect, test } from "vitest";
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import { generateBody } from "../../testing/wire-bodies.ts";
import { batchIn, messageEntries, messageIn } from "./message-entry.ts";

const AT = "2026-01-01T00:00:00.000Z";

function entriesOf(
  body: JsonValue,
  role: Role = "user",
  format: FormatName = "anthropic-messages",
): readonly JsonObject[] {
  const message = { id: "m1", sequence: 1, order: 1, role, body, isPinned: false };
  const entries = messageEntries(message, { format, model: "x", at: AT, toolName: (id) => `tool of ${id}` });
  // As they come back from a file.
  return entries.map((entry) => JSON.parse(JSON.stringify(entry)));
}

const FORMATS: readonly (readonly [FormatName, string])[] = [
  ["anthropic-messages", "messages"],
  ["openai-chat", "messages"],
  ["openai-responses", "input"],
  ["gemini", "contents"],
];

test.each(FORMATS)("%s", (format, list) => {
  let count = 0;
  for (let seed = 0; seed < 40; seed++) {
    const messages = generateBody(format, { seed, broken: seed % 2 === 0 })[list];
    for (const body of isArray(messages) ? messages : []) {
      const role = isObject(body) && (body.role === "assistant" || body.role === "model") ? "assistant" : "user";
      const [first = {}, ...parts] = entriesOf(body, role, format);
      expect(JSON.stringify(messageIn(first)?.body)).toBe(JSON.stringify(body));
      expect(messageIn(first)?.role).toBe(role);
      for (const part of parts) expect(messageIn(part)).toBeUndefined();
      count++;
    }
  }
  expect(count).toBeGreaterThan(100);
});

function checkWritten(body: JsonValue, expected: "shown" | "beside", role: Role = "user"): void {
  const [first = {}] = entriesOf(body, role);
  const mark = isObject(first.palimpsest) ? first.palimpsest : {};
  expect(mark.body === undefined ? "shown" : "beside").toBe(expected);
  expect(JSON.stringify(messageIn(first)?.body)).toBe(JSON.stringify(body));
}

const text = { type: "text", text: "hello" };
const image = (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/png", data } });

test("what pi's form says is not said again", () => {
  checkWritten({ role: "user", content: "hello" }, "shown");
  checkWritten({ role: "user", content: [text, image("AAAA")] }, "shown");
  checkWritten(
    { role: "assistant", content: [text, { type: "tool_use", id: "c", name: "f", input: {} }] },
    "shown",
    "assistant",
  );
  checkWritten({ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: [text] }] }, "shown");
});

test("what it would lose stands beside it", () => {
  checkWritten({ content: "hello", role: "user" }, "beside");
  checkWritten({ role: "user", content: [{ ...text, cache_control: { type: "ephemeral" } }] }, "beside");
  checkWritten({ role: "user", content: "" }, "shown");
  checkWritten({ role: "user", content: [] }, "shown");
  checkWritten({ role: "assistant", content: "hello" }, "beside", "assistant");
  checkWritten("a bare string", "beside");
  checkWritten({ role: "user", content: [{ type: "text", text: " " }] }, "beside");
});

test("the data of a picture is written once", () => {
  const data = "iVBORw0KGgo".padEnd(5_000, "Ab9+");
  const url = `data:image/png;base64,${data}`;
  const bodies: readonly JsonValue[] = [
    { content: [image(data)], role: "user" },
    { role: "user", content: [{ type: "image_url", image_url: { url } }] },
    {
      role: "user",
      parts: [{ inlineData: { mimeType: "image/png", data } }, { inlineData: { mimeType: "image/png", data } }],
    },
  ];
  for (const body of bodies) {
    const [first = {}] = entriesOf(body);
    const mark = JSON.stringify(first.palimpsest);
    expect(mark).not.toContain(data);
    expect(JSON.stringify(messageIn(first)?.body)).toBe(JSON.stringify(body));
  }
});

test("several results are several entries, and bear their tool's name", () => {
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: id });
  const entries = entriesOf({ role: "user", content: [result("a"), text, result("b")] });
  const shown = entries.map(({ id, message }) => [id, isObject(message) ? (message.toolName ?? message.role) : ""]);
  expect(shown).toEqual([
    ["m1", "tool of a"],
    ["m1.1", "tool of b"],
    ["m1.2", "user"],
  ]);
});

test("what a batch counted comes back", () => {
  const message = { id: "m1", sequence: 1, order: 1, role: "user" as const, body: "x", isPinned: true };
  const batch = { turns: 2, usage: { inputTokens: 3, outputTokens: 4, contextTokens: 5 } };
  const [entry = {}] = messageEntries(message, {
    format: "gemini",
    model: "x",
    at: AT,
    toolName: () => undefined,
    batch,
  });
  expect([batchIn(entry), messageIn(entry)?.isPinned]).toEqual([batch, true]);
  expect(batchIn({})).toEqual({ turns: 0 });
});
