import { describe, expect, test } from "vitest";
import { openaiResponses } from "../../formats/openai-responses.ts";
import { openSession } from "../../session.ts";
import type { JsonObject } from "../json.ts";
import { repair } from "./repair.ts";

const asked = { role: "user", content: "Go." };
const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" };
const said = message("msg_1", "Looking.");
const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: "read", arguments: "{}" };
const output = { type: "function_call_output", call_id: "call_1", output: "done" };

function message(id: string | undefined, text: string): JsonObject {
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", ...(id !== undefined && { id }), role: "assistant", content };
}

/** What a list becomes, and how many ids stand in it twice. */
function check(input: readonly JsonObject[], duplicates: number, expected: readonly JsonObject[]): void {
  const found = openaiResponses.validate({ input }).filter(({ rule }) => rule === "duplicate-item");
  expect(found).toHaveLength(duplicates);
  if (found[0] !== undefined) expect(found[0].message).toMatch(/^Duplicate item found with id \w+_1/);
  const { conversation, repairs } = repair(openaiResponses.decode({ input }));
  expect(openaiResponses.encode(conversation)).toEqual({ input: expected });
  expect(openaiResponses.validate({ input: expected })).toEqual([]);
  expect(repairs.filter(({ rule }) => rule === "duplicate-item")).toHaveLength(duplicates);
  expect(repair(conversation)).toEqual({ conversation, repairs: [] });
}

describe("what stands in a list twice stands there once", () => {
  test("an answer", () => check([asked, thought, said, thought, said], 2, [asked, thought, said]));

  test("calls, before they are answered and after", () => {
    check([asked, thought, call, thought, call, output], 2, [asked, thought, call, output]);
    check([asked, thought, call, output, thought, call], 2, [asked, thought, call, output]);
    check([asked, call, output, call, output], 1, [asked, call, output]);
  });

  test("an item that differs in its status alone", () => {
    check([asked, call, { ...call, status: "completed" }, output], 1, [asked, call, output]);
  });

  test("a reference to an item that stands there too", () => {
    const reference = { type: "item_reference", id: "msg_1" };
    check([asked, said, reference], 1, [asked, said]);
    check([asked, reference, reference], 1, [asked, reference]);
  });

  test("of reasoning, the copy that something follows", () => {
    check([asked, thought, asked, thought, said], 1, [asked, asked, thought, said]);
  });
});

describe("what says something else under the same id stays", () => {
  test("without the id, where it may do without", () => {
    check([asked, said, message("msg_1", "Other.")], 1, [asked, said, message(undefined, "Other.")]);
    const other = { ...call, call_id: "call_2", arguments: '{"a":1}' };
    const { id: _, ...rest } = other;
    const answered = { ...output, call_id: "call_2" };
    check([asked, call, output, other, answered], 1, [asked, call, output, rest, answered]);
  });

  test("under a new one, where the provider runs it", () => {
    const search = (id: string, query: string): JsonObject => ({ type: "web_search_call", id, action: { query } });
    check([asked, search("ws_1", "a"), search("ws_1", "b"), said], 1, [
      asked,
      search("ws_1", "a"),
      search("ws_1_2", "b"),
      said,
    ]);
  });

  test("reasoning and what it led to lose theirs together", () => {
    const other = { ...thought, encrypted_content: "gBBBB" };
    const { id: _, ...rest } = other;
    check([asked, thought, said, other, message("msg_2", "Other."), asked, message("msg_3", "Last.")], 1, [
      asked,
      thought,
      said,
      rest,
      message(undefined, "Other."),
      asked,
      message("msg_3", "Last."),
    ]);
  });
});

test("a session that was given one response twice sends it once", async () => {
  const body = { model: "gpt-6-sol", store: false };
  const session = await openSession("s", { store: "memory:", compactor: { format: openaiResponses }, body });
  const response = { object: "response", status: "completed", output: [thought, call] };
  await session.append("Go.");
  await session.append(response);
  await session.append(response);
  await session.append(output);
  const { request, report } = await session.fit();
  expect(request).toMatchObject({ input: [{ role: "user" }, thought, call, output] });
  expect(openaiResponses.validate(request, { sending: true })).toEqual([]);
  expect(report.repairs).toHaveLength(2);
  expect(await session.view()).toHaveLength(6);
  await session.close();
});
