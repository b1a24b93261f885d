import { expect, test } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import type { Message, Part } from "../../core/message.ts";
import { openaiResponses } from "../openai-responses.ts";

/** Decoded parts without their wire: what the rest of the library sees. */
function checkDecode(item: JsonValue, role: Message["role"], parts: readonly JsonValue[]): void {
  const [decoded] = openaiResponses.decode([item]).messages;
  expect(decoded?.role).toBe(role);
  expect(decoded?.parts.map(bare)).toEqual(parts);
}

function bare(part: Part): unknown {
  const { wire: _, ...rest } = part;
  return rest.type === "tool-result" ? { ...rest, content: rest.content.map(bare) } : rest;
}

test("messages", () => {
  const said = [{ type: "text", text: "x" }];
  checkDecode("x", "user", said);
  checkDecode({ role: "user", content: "x" }, "user", said);
  checkDecode({ type: "message", role: "developer", content: [{ type: "input_text", text: "x" }] }, "system", said);
  checkDecode({ role: "assistant", content: [{ type: "output_text", text: "x", annotations: [] }] }, "assistant", said);
  checkDecode({ role: "assistant", content: [{ type: "refusal", refusal: "x" }] }, "assistant", said);
  checkDecode(
    {
      role: "user",
      content: [
        { type: "input_image", image_url: "data:image/png;base64,iVBO" },
        { type: "input_image", file_id: "file-1" },
        { type: "input_image", image_url: null },
        { type: "input_file", filename: "a.pdf", file_url: "https://example.test/a.pdf" },
      ],
    },
    "user",
    [
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBO" } },
      { type: "media", kind: "image", source: { type: "file", fileId: "file-1" } },
      { type: "opaque", kind: "input_image" },
      { type: "media", kind: "document", source: { type: "url", url: "https://example.test/a.pdf" }, name: "a.pdf" },
    ],
  );
});

test("reasoning", () => {
  const summary = [
    { type: "summary_text", text: "a" },
    { type: "summary_text", text: "b" },
  ];
  const content = [{ type: "reasoning_text", text: "c" }];
  const reasoning = { type: "reasoning", id: "rs_1", summary, content, encrypted_content: "gAAA" };
  checkDecode(reasoning, "assistant", [{ type: "reasoning", text: "a\n\nb\n\nc", encrypted: "gAAA" }]);
});

test("calls pair by call_id, whoever runs the tool", () => {
  const call = { type: "tool-call", callId: "c1" };
  const pair = { call_id: "c1", id: "x_1", status: "completed" };
  checkDecode({ type: "function_call", ...pair, name: "f", arguments: '{"a":1}' }, "assistant", [
    { ...call, name: "f", input: { a: 1 } },
  ]);
  checkDecode({ type: "custom_tool_call", ...pair, name: "sh", input: "ls" }, "assistant", [
    { ...call, name: "sh", input: "ls" },
  ]);
  checkDecode({ type: "shell_call", ...pair, action: { commands: ["ls"] } }, "assistant", [
    { ...call, name: "shell_call", input: { action: { commands: ["ls"] } } },
  ]);
  checkDecode({ type: "program", ...pair, code: "1" }, "assistant", [
    { ...call, name: "program", input: { code: "1" }, server: true },
  ]);
  checkDecode({ type: "mcp_approval_request", id: "c1", name: "n" }, "assistant", [
    { ...call, name: "mcp_approval_request", input: { name: "n" } },
  ]);
});

test("outputs", () => {
  const checkOutput = (item: JsonValue, ...content: readonly JsonValue[]): void =>
    checkDecode(item, "tool", [{ type: "tool-result", callId: "c1", content, isError: false }]);
  const said = { type: "text", text: "x" };
  const picture = { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBO" } };
  checkOutput({ type: "function_call_output", call_id: "c1", output: "x" }, said);
  checkOutput({ type: "custom_tool_call_output", call_id: "c1", output: [{ type: "input_text", text: "x" }] }, said);
  checkOutput({ type: "function_call_output", call_id: "c1", output: { type: "input_text", text: "x" } }, said);
  checkOutput(
    { type: "shell_call_output", call_id: "c1", output: [{ stdout: "a", stderr: "b" }] },
    { type: "text", text: "a\nb" },
  );
  checkOutput({ type: "local_shell_call_output", id: "c1", output: "x" }, said);
  checkOutput({ type: "mcp_approval_response", approval_request_id: "c1", approve: true });
  checkOutput(
    {
      type: "computer_call_output",
      call_id: "c1",
      output: { type: "computer_screenshot", image_url: "data:image/png;base64,iVBO" },
    },
    picture,
  );
});

test("everything else is opaque, at its place", () => {
  const checkOpaque = (type: string, role: Message["role"]): void =>
    checkDecode({ type, id: "x_1" }, role, [{ type: "opaque", kind: type }]);
  for (const type of ["web_search_call", "mcp_call", "mcp_list_tools", "compaction", "brand_new"])
    checkOpaque(type, "assistant");
  for (const type of ["compaction_trigger", "additional_tools", "configuration_update"]) checkOpaque(type, "system");
  checkDecode({ id: "msg_1" }, "assistant", [{ type: "opaque", kind: "item_reference" }]);
});

test("what cannot be represented is refused with its place", () => {
  const check = (input: readonly JsonValue[], message: RegExp): void =>
    expect(() => openaiResponses.decode({ input })).toThrow(message);
  check(["x", {}], /input\.1 must have a `type` or a `role`/);
  check([{ role: "robot", content: "x" }], /input\.0\.role/);
  check([{ role: "user", content: [1] }], /input\.0\.content\.0/);
});
