import { expect, test } from "vitest";
import { openaiResponses } from "../formats/openai-responses.ts";
import { type HistoryHolder, historyHolder, withoutServerHistory } from "./server-history.ts";

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
