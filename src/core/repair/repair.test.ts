import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { gemini } from "../../formats/gemini.ts";
import { parseShorthand } from "../../testing/shorthand.ts";
import { type Conversation, type FormatName, type Message, type Part, textsOf } from "../message.ts";
import { repair } from "./repair.ts";

function conversation(script: string, format: FormatName): Conversation {
  const carrier = format === "openai-chat" || format === "openai-responses" ? "tool" : "user";
  const messages = parseShorthand(script).map((message): Message => {
    const isResults = message.parts.every(({ type }) => type === "tool-result");
    return isResults && message.role === "user" ? { ...message, role: carrier } : message;
  });
  return { format, system: [], tools: undefined, messages };
}

/** `!1` an interrupted result, `q` quoted or placeholder text; otherwise the shorthand. */
function write({ parts }: Message): string {
  return parts
    .map((part: Part) => {
      if (part.type === "tool-call") return `c${part.callId}`;
      if (part.type === "tool-result") return `${part.isError ? "!" : "r"}${part.callId}`;
      if (part.type === "reasoning") return "t";
      return part.type === "text" && part.text.length > 2 ? "q" : textsOf([part]).join("");
    })
    .join("");
}

function check(format: FormatName, script: string, expected: string, rules: readonly string[]): void {
  const before = conversation(script, format);
  const { conversation: after, repairs } = repair(before);
  expect(after.messages.map(write).join(" "), script).toBe(expected);
  expect(repairs.map(({ rule }) => rule)).toEqual(rules);
  if (rules.length === 0) expect(after).toBe(before);
  expect(repair(after).repairs, "a repaired list needs no repair").toEqual([]);
}

test("a valid list comes back as the same object", () => {
  check("anthropic-messages", "u tc1c2 r2r1 a u", "u tc1c2 r2r1 a u", []);
  check("anthropic-messages", "u c1c2 r1 r2 a", "u c1c2 r1 r2 a", []);
  check("openai-chat", "s u c1c2 r2 r1 a a", "s u c1c2 r2 r1 a a", []);
  check("openai-responses", "u t c1 c2 r1 u r2 a", "u t c1 c2 r1 u r2 a", []);
  check("gemini", "u c1c2 r1r2 a", "u c1c2 r1r2 a", []);
});

test("an unanswered call gets an error result", () => {
  check("anthropic-messages", "u c1c2 r1 a", "u c1c2 r1!2 a", ["call-without-result"]);
  check("anthropic-messages", "u c1 u", "u c1 !1 u", ["call-without-result"]);
  check("openai-chat", "u c1c2 r1 u", "u c1c2 r1 !2 u", ["call-without-result"]);
  check("openai-responses", "u t c1 c2 r1 a", "u t c1 c2 !2 r1 a", ["call-without-result"]);
  check("gemini", "u c1", "u c1 !1", ["call-without-result"]);
});

test("a late result comes home", () => {
  check("anthropic-messages", "u c1 u a u r1 a", "u c1 r1 u a u a", ["call-without-result"]);
  check("openai-chat", "u c1 u r1 a", "u c1 r1 u a", ["call-without-result"]);
  check("openai-chat", "u c1 a r1", "u c1 r1 a", ["call-without-result"]);
});

test("an orphaned result becomes quoted text", () => {
  check("anthropic-messages", "u r9 a", "u q a", ["result-without-call"]);
  check("openai-chat", "u a r9", "u a q", ["result-without-call"]);
  check("openai-responses", "u r9 a", "u q a", ["result-without-call"]);
});

test("duplicate results are merged", () => {
  check("anthropic-messages", "u c1 r1r1 a", "u c1 r1 a", ["duplicate-result"]);
  check("openai-chat", "u c1 r1 r1 a", "u c1 r1 a", ["duplicate-result"]);
  check("openai-responses", "u c1 r1 a r1", "u c1 r1 a", ["duplicate-result"]);
});

test("results go before text", () => {
  check("anthropic-messages", "u c1c2 r1ur2 a", "u c1c2 r1r2u a", ["result-after-text"]);
});

test("reused ids are told apart where they must be unique", () => {
  check("anthropic-messages", "u c1 r1 u c1 r1", "u c1 r1 u c1_2 r1_2", ["duplicate-call-id"]);
  check("openai-chat", "u c1 r1 u c1 r1", "u c1 r1 u c1 r1", []);
  check("openai-chat", "u c1c1 r1 r1", "u c1c1_2 r1 r1_2", ["duplicate-call-id"]);
});

test("roles are fixed", () => {
  check("anthropic-messages", "a u", "q a u", ["first-role"]);
  check("gemini", "a u", "q a u", ["first-role"]);
  check("gemini", "u u a a", "uu aa", ["alternation", "alternation"]);
  check("anthropic-messages", "", "q", ["no-messages"]);
});

test("a system message in the wrong place moves to the nearest right one and stays a system message", () => {
  const moves = (script: string, expected: string, count = 1): void => {
    check("anthropic-messages", script, expected, Array(count).fill("system-position"));
    const { conversation: after } = repair(conversation(script, "anthropic-messages"));
    const roles = after.messages.filter(({ parts }) => textsOf(parts).includes("s")).map(({ role }) => role);
    expect(new Set(roles)).toEqual(new Set(["system"]));
  };
  moves("u s s a", "u s s a", 0);
  moves("u a s u", "u a u s");
  moves("s u a u", "u s a u");
  moves("u s u a", "u u s a");
  moves("u s u s a", "u u s s a");
  moves("u a s a a a u", "u s a a a a u");
  check("anthropic-messages", "u c1 s r1 a", "u c1 r1 s a", ["call-without-result"]);
  check("anthropic-messages", "s a", "q s a", ["first-role"]);
  check("anthropic-messages", "a s", "q s a", ["system-position", "first-role"]);
});

const UNSEEN = { previous_response_id: "resp_1" };

test("what the list lacks may stand in a history that the provider holds", () => {
  const held = (script: string): Conversation => {
    const given = conversation(script, "openai-responses");
    return { ...given, wire: { json: { ...UNSEEN, input: [] }, system: [], messages: given.messages } };
  };
  for (const script of ["r1", "r1 u", ""]) {
    const before = held(script);
    expect(repair(before)).toEqual({ conversation: before, repairs: [] });
  }
  expect(repair(held("c1")).repairs.map(({ rule }) => rule)).toEqual(["call-without-result"]);
});

test("what was pinned stays pinned, whatever it becomes", () => {
  const pinnedAfter = (format: FormatName, script: string, index: number): readonly (boolean | undefined)[] => {
    const given = conversation(script, format);
    const messages = given.messages.map((message, at) => (at === index ? { ...message, pinned: true } : message));
    return repair({ ...given, messages }).conversation.messages.map(({ pinned }) => pinned);
  };
  expect(pinnedAfter("openai-chat", "u a r9", 2)).toEqual([undefined, undefined, true]);
  expect(pinnedAfter("gemini", "u u a", 1)).toEqual([true, undefined]);
  expect(pinnedAfter("openai-responses", "u t u", 1)).toEqual([undefined, true, undefined]);
  expect(pinnedAfter("anthropic-messages", "u c1 a u r1", 4)).toEqual([
    undefined,
    undefined,
    undefined,
    true,
    undefined,
  ]);
});

test("a reasoning item without what it led to becomes text", () => {
  check("openai-responses", "u t u", "u q u", ["reasoning-without-item"]);
});

test("reports lead back to the message that was wrong", () => {
  const { repairs } = repair(conversation("u a u c1 u", "anthropic-messages"));
  expect(repairs).toEqual([
    { rule: "call-without-result", messageIndex: 3, change: "marked the call of tool as interrupted" },
  ]);
});

test("a model whose name says no version is known by the signatures that it made", () => {
  const call = (signature: object): object => ({
    role: "model",
    parts: [{ functionCall: { name: "f" }, ...signature }],
  });
  const response = { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "ok" } } }] };
  const asked = { role: "user", parts: [{ text: "go" }] };
  const signed = { contents: [asked, call({ thoughtSignature: "S" }), response, call({}), response] };
  const unsigned = { contents: [asked, call({}), response] };
  const check = (body: object, model: string, expected: number): void => {
    const { conversation, repairs } = repair(gemini.decode(body), { model });
    expect(repairs, model).toHaveLength(expected);
    expect(gemini.validate(gemini.encode(conversation), { model }), model).toEqual([]);
  };
  for (const model of ["gemini-flash-latest", "gemini-pro", "models/gemini-4-argon", "gemini-10"])
    check(signed, model, 1);
  check(signed, "gemini-2.5-pro", 0);
  check(unsigned, "gemini-flash-latest", 0);
  check(unsigned, "gemini-3-pro-preview", 1);
});

test("cache marks beyond the limit go, the oldest first; those outside of the list stay", () => {
  const mark = { cache_control: { type: "ephemeral" } };
  const said = (text: string, isMarked: boolean): object => ({ type: "text", text, ...(isMarked && mark) });
  const body = (marked: string): object => ({
    system: [said("be brief", true)],
    tools: [{ name: "f", input_schema: { type: "object" }, ...mark }],
    messages: [
      { role: "user", content: [said("a", marked.includes("a")), said("b", marked.includes("b"))] },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "1", name: "f", input: {}, ...(marked.includes("c") && mark) }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "1", content: [said("d", marked.includes("d"))] }],
      },
    ],
  });
  const { conversation, repairs } = repair(anthropicMessages.decode(body("abcd")));
  expect(anthropicMessages.validate(body("abcd"))).toMatchObject([
    { message: "A maximum of 4 blocks with cache_control may be provided. Found 6." },
  ]);
  expect(repairs).toMatchObject([{ rule: "too-many-cache-marks", messageIndex: 0 }]);
  expect(anthropicMessages.encode(conversation)).toEqual(body("cd"));
  expect(anthropicMessages.validate(body("cd"))).toEqual([]);
  expect(repair(anthropicMessages.decode(body("cd"))).repairs).toEqual([]);
});

test("a call of the provider's own tools that never came back is quoted once the user says more", () => {
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const call = { type: "tool_use", id: "toolu_1", name: "f", input: {} };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "ok" };
  const more = { type: "text", text: "never mind" };
  const check = (contents: readonly (readonly object[])[], expected: readonly (readonly object[])[]): void => {
    const bodyOf = (list: readonly (readonly object[])[]): readonly object[] =>
      list.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
    const { conversation } = repair(anthropicMessages.decode(bodyOf(contents)));
    expect(anthropicMessages.encode(conversation)).toEqual(bodyOf(expected));
    expect(anthropicMessages.validate(bodyOf(expected))).toEqual([]);
    if (expected !== contents) expect(anthropicMessages.validate(bodyOf(contents))).not.toEqual([]);
  };
  const kept: readonly (readonly (readonly object[])[])[] = [
    [[more], [search]],
    [[more], [search, call], [result]],
    [[more], [search, call], [result], [found]],
    [[more], [search, found, call], [result, more]],
  ];
  for (const contents of kept) check(contents, contents);
  const quoted = { type: "text", text: '[Interrupted before it returned: web_search {"query":"x"}]' };
  check([[more], [search], [more]], [[more], [quoted], [more]]);
  check([[more], [search, call], [result, more]], [[more], [quoted, call], [result, more]]);
});
