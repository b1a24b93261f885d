import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { gemini } from "../../formats/gemini.ts";
import { isArray, isObject } from "../json.ts";
import type { Format } from "../ports.ts";
import { FOREIGN_CALL_SIGNATURE } from "./content.ts";
import { repair } from "./repair.ts";

/** What the provider signed stays as it is; what it did not sign becomes text where it may not stand. */

function repaired(format: Format, body: object, model?: string) {
  const { conversation, repairs } = repair(format.decode(body), model === undefined ? {} : { model });
  const encoded = format.encode(conversation);
  expect(format.validate(encoded)).toEqual([]);
  return { text: JSON.stringify(encoded), rules: repairs.map(({ rule }) => rule) };
}

const claude = (...content: readonly object[]) => ({
  messages: [
    { role: "user", content: "Go." },
    { role: "assistant", content },
    { role: "user", content: "On." },
  ],
});
const SAID = { type: "text", text: "Done." };

test("thinking that the provider hid is as good as signed", () => {
  const body = claude({ type: "redacted_thinking", data: "EroB" }, SAID);
  expect(repaired(anthropicMessages, body)).toEqual({ text: JSON.stringify(body), rules: [] });
});

test("a message of nothing but unsigned thinking keeps its place, and its words where there are any", () => {
  const only = (thinking: string) => repaired(anthropicMessages, claude({ type: "thinking", thinking }));
  expect(only("It is slow.")).toMatchObject({ rules: ["thinking-unsigned"] });
  expect(only("It is slow.").text).toContain("[Reasoning]\\nIt is slow.");
  expect(only("").text).toContain("[Thinking that was not kept.]");
});

test("a compaction block stands first in the first message, or is text", () => {
  const block = { type: "compaction", content: "What was done.", signature: "c2ln" };
  const list = (...content: readonly object[]) => ({
    messages: [
      { role: "assistant", content },
      { role: "user", content: "On." },
    ],
  });
  expect(repaired(anthropicMessages, list(block)).rules).toEqual([]);
  const behind = repaired(anthropicMessages, list(SAID, block));
  expect(behind.rules).toContain("compaction-misplaced");
  expect(behind.text).toContain('{"type":"text","text":"What was done."}');
});

test("Gemini: only calls behind the newest words of the user need a signature", () => {
  const call = (name: string, id: string) => ({ role: "model", parts: [{ functionCall: { id, name, args: {} } }] });
  const result = (name: string, id: string, ...more: readonly object[]) => ({
    role: "user",
    parts: [{ functionResponse: { id, name, response: { output: "ok" } } }, ...more],
  });
  const signed = (...contents: readonly object[]) => {
    const { conversation } = repair(gemini.decode({ contents }), { model: "gemini-3-pro" });
    const encoded = gemini.encode(conversation);
    const list = isObject(encoded) && isArray(encoded.contents) ? encoded.contents : [];
    return list.map((content) => JSON.stringify(content).includes(FOREIGN_CALL_SIGNATURE));
  };
  const go = { role: "user", parts: [{ text: "Go." }] };
  expect(signed(go, call("a", "1"), result("a", "1"), call("b", "2"), result("b", "2"))).toEqual([
    ...[false, true, false, true, false],
  ]);
  // Words beside a result begin a turn too.
  const said = { text: "Faster." };
  expect(signed(go, call("a", "1"), result("a", "1", said), call("b", "2"), result("b", "2"))).toEqual([
    ...[false, false, false, true, false],
  ]);
});
