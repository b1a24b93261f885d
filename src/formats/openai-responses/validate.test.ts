import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { openaiResponses } from "../openai-responses.ts";

/** One word per item: `u` user, `d` developer, `a` assistant, `t` reasoning with an id, `c1` call 1, `o1` output 1, `w` web search. */
function items(script: string): readonly JsonObject[] {
  return script.split(" ").map((word, index): JsonObject => {
    const callId = `call_${word.slice(1)}`;
    switch (word[0]) {
      case "t":
        return { type: "reasoning", id: `rs_${index}`, summary: [], encrypted_content: "gAAA" };
      case "c":
        return { type: "function_call", call_id: callId, name: "f", arguments: "{}" };
      case "o":
        return { type: "function_call_output", call_id: callId, output: "ok" };
      case "w":
        return { type: "web_search_call", id: "ws_1", status: "completed" };
      default:
        return { role: ROLES[word] ?? "user", content: "x" };
    }
  });
}

const ROLES: Readonly<Record<string, string>> = { u: "user", d: "developer", a: "assistant" };

/** Each expected violation as `rule@index`. */
function check(input: string | readonly JsonValue[], expected: readonly string[], body: JsonObject = {}): void {
  const list = typeof input === "string" ? items(input) : input;
  const violations = openaiResponses.validate({ ...body, input: list });
  expect(violations.map(({ rule, messageIndex }) => `${rule}@${messageIndex}`)).toEqual(expected);
}

test("what the provider accepts", () => {
  check("d u t a t c1 c2 o2 u o1 a u", []);
  check("u t t w a", []);
  check("a u", []);
  check([{ type: "reasoning", summary: [] }, ...items("u")], []);
  check(
    [
      { type: "compaction", encrypted_content: "x" },
      ...items("u t"),
      { type: "brand_new" },
      { type: "compaction_trigger" },
    ],
    [],
  );
  check([{ type: "function_call", call_id: "c", name: "f", arguments: "{}", async: true }, ...items("u")], []);
  check([{ type: "mcp_approval_request", id: "r", name: "n", arguments: "{}" }, ...items("u")], []);
  check(
    [
      { type: "program", call_id: "p", code: "1" },
      { type: "function_call_output", name: "f", output: "unasked" },
    ],
    [],
  );
});

test("calls and outputs", () => {
  check("u c1", ["call-without-result@1"]);
  check("u c1 c2 o2 a", ["call-without-result@1"]);
  check("u o1", ["result-without-call@1"]);
  check("u o1 c1", ["result-without-call@1", "call-without-result@2"]);
  check("c1 o1 o1", ["duplicate-result@2"]);
  check("c1 c1 o1", ["duplicate-call-id@1"]);
  check([{ type: "custom_tool_call", call_id: "c", name: "f", input: "" }], ["call-without-result@0"]);
  check([{ type: "shell_call", call_id: "c" }], ["call-without-result@0"]);
  check(
    [
      { type: "function_call", name: "f", arguments: "{}" },
      { type: "function_call_output", output: "" },
    ],
    ["missing-id@0", "missing-id@1"],
  );
});

test("history that only the server has explains an output, not a missing one", () => {
  check("o1 u", [], { previous_response_id: "resp_1" });
  check("o1 u", [], { conversation: "conv_1" });
  check("c1 u", ["call-without-result@0"], { previous_response_id: "resp_1" });
  check([{ type: "item_reference", id: "fc_1" }, ...items("o1 c2")], []);
});

test("reasoning stands before what it produced", () => {
  check("u t u", ["reasoning-without-item@1"]);
  check("u t d a", ["reasoning-without-item@1"]);
  check("u c1 t o1", ["reasoning-without-item@2"]);
  check("u t", ["reasoning-without-item@1"]);
});

test("without storage, ids find nothing", () => {
  const bare = [{ type: "reasoning", id: "rs_1", summary: [] }, ...items("a"), { id: "msg_1" }];
  check(bare, []);
  check(bare, [], { store: true });
  check(bare, ["item-not-found@0", "item-not-found@2"], { store: false });
  check("u t a", [], { store: false });
});

test("the rest", () => {
  check([], ["no-messages@-1"]);
  check([], [], { previous_response_id: "resp_1" });
  check([{ type: "compaction_trigger" }, ...items("u")], ["misplaced-part@0"]);
  check([{ role: "user" }], ["invalid-request@0"]);
  check([{ role: "user", content: [{ type: "input_text" }] }], ["invalid-request@0"]);
  check(["x", { role: "robot", content: "x" }], ["invalid-request@1"]);
  for (const body of [null, 1, {}, { input: [null] }]) {
    expect(openaiResponses.validate(body).map(({ rule }) => rule)).toEqual(["invalid-request"]);
  }
});

test("the provider's own words", () => {
  const says = (script: string, message: string): void =>
    expect(openaiResponses.validate(items(script)).map((violation) => violation.message)).toEqual([message]);
  says("c1", "No tool output found for function call call_1.");
  says("o1", "No tool call found for function call output with call_id call_1.");
  says("t", "Item 'rs_0' of type 'reasoning' was provided without its required following item.");
  const [missing] = openaiResponses.validate({ store: false, input: [{ type: "item_reference", id: "msg_1" }] });
  expect(missing?.message).toBe(
    "Item with id 'msg_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  );
});
