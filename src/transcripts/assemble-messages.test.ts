/** Entries to messages where ids repeat. Words: `c1` a call, `=c1 text` its result, any other a text. */

import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import { assembleMessages, blocksOf, type Entry } from "./assemble-messages.ts";

const user = (...words: readonly string[]): Entry => ({ role: "user", blocks: words.map(blockOf) });
const answer = (responseId: string, ...words: readonly string[]): Entry => ({
  role: "assistant",
  responseId,
  blocks: words.map(blockOf),
});

function blockOf(word: string) {
  const [id = "", text = ""] = word.split(" ");
  if (/^=c\d$/.test(id)) return { type: "tool_result", tool_use_id: id.slice(1), content: text };
  return /^c\d$/.test(id) ? { type: "tool_use", id, name: "f", input: {} } : { type: "text", text: word };
}

function check(entries: readonly Entry[], expected: readonly string[]): void {
  const { messages } = assembleMessages(entries);
  const words = messages.map((message) => {
    const { role, content } = message as { role: string; content: Record<string, string>[] }; // what it is made to return
    const blocks = content.map((block) => block.text ?? block.id ?? `=${block.tool_use_id} ${block.content}`);
    return `${role}: ${blocks.join(", ")}`;
  });
  expect(words).toEqual(expected);
}

test("an id that another response uses again is another call, and each result stays with its own", () =>
  check(
    [user("go"), answer("m1", "c1"), user("=c1 one"), answer("m2", "c1"), user("=c1 two"), answer("m3", "done")],
    ["user: go", "assistant: c1", "user: =c1 one", "assistant: c1", "user: =c1 two", "assistant: done"],
  ));

test("a call that was never answered leaves the result to the one after it", () =>
  check(
    [answer("m1", "c1"), user("stop"), answer("m2", "c1"), user("=c1 two")],
    ["assistant: c1", "user: stop", "assistant: c1", "user: =c1 two"],
  ));

test("copied lines count once: the call of one response, and a second result", () =>
  check(
    [answer("m1", "c1"), answer("m1", "c1"), user("=c1 one"), user("=c1 again"), user("on")],
    ["assistant: c1", "user: =c1 one", "user: on"],
  ));

test("a result written before its call finds it; one without a call stays put", () =>
  check(
    [user("=c1 early"), user("=c9 alone"), answer("m1", "c1")],
    ["user: =c9 alone", "assistant: c1", "user: =c1 early"],
  ));

test("what a result holds is brought to blocks, so that one odd line does not keep a session from being read", () => {
  const result = { type: "tool_result", tool_use_id: "c1" };
  const text = (words: string) => ({ type: "text", text: words });
  const check = (content: JsonValue, expected: object) =>
    expect(blocksOf([{ ...result, content }])).toEqual([expected]);
  check("ok", { ...result, content: "ok" });
  check([text("ok")], { ...result, content: [text("ok")] });
  check(null, result);
  check([null, "ok", text("on")], { ...result, content: [text("ok"), text("on")] });
  check({ type: "text", text: "ok" }, { ...result, content: [text("ok")] });
  check(7, { ...result, content: [text("7")] });
});
