/** Which contents the validator refuses, by the rules they break. */

import { describe, expect, test } from "vitest";
import { agentBody, model, snakeBody, user } from "../../../test/gemini-bodies.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ValidateOptions } from "../../core/ports.ts";
import { gemini } from "../gemini.ts";

/**
 * One word per content; letters joined by `+` are its parts. `u` user text, `m` model text, `x` empty model text, `f` and `g` calls of those
 * tools (`f1` with the id 1, `f!` signed), `F` and `G` their responses. A word of calls is the model's, unless it begins with `>`.
 */
function parse(script: string): readonly JsonObject[] {
  return script.split(" ").map((word) => {
    const isSwapped = word.startsWith(">");
    const parts = word.replace(">", "").split("+").map(parsePart);
    const isModel = /^>?[mfgx]/.test(word);
    return isModel === isSwapped ? user(...parts) : model(...parts);
  });
}

function parsePart(symbol: string): JsonObject {
  const [letter = ""] = symbol;
  const digits = /\d+/.exec(symbol)?.[0];
  const id: JsonObject = digits === undefined ? {} : { id: digits };
  const signature: JsonObject = symbol.endsWith("!") ? { thoughtSignature: "S" } : {};
  if (letter === "f" || letter === "g") return { functionCall: { ...id, name: letter, args: {} }, ...signature };
  if (letter === "F" || letter === "G") {
    return { functionResponse: { ...id, name: letter.toLowerCase(), response: { output: "o" } } };
  }
  if (letter === "x") return { text: "", ...signature };
  return { text: letter, ...signature };
}

function checkBody(body: unknown, expected: readonly string[], options?: ValidateOptions): void {
  expect(gemini.validate(body, options).map(({ rule, path }) => `${rule} ${path}`)).toEqual(expected);
}

function check(script: string, expected: readonly string[] = [], options?: ValidateOptions): void {
  checkBody({ contents: parse(script) }, expected, options);
}

describe("accepts", () => {
  const scripts = [
    "u",
    "u m u",
    "u f F m",
    "u f+g F+G m",
    "u f+g G+F m",
    "u f F f F m",
    "u f1+f2 F2+F1 m",
    "u f1 F m",
    "u f F1 m",
    "u m+f F+u m",
    "u x! u",
    "u x+f F",
    "u f! F f! F m",
    "u f!+g F+G",
  ];
  test.each(scripts)("%s", (script) => check(script));
  test("the sample bodies", () => {
    checkBody(agentBody, []);
    checkBody(snakeBody, []);
  });
  test("short forms", () => {
    for (const contents of ["Why?", ["Why?", { text: "b" }], { text: "a" }]) checkBody({ contents }, []);
  });
});

describe("refuses", () => {
  test("no contents", () => checkBody({ contents: [] }, ["no-messages contents"]));
  test("what cannot be read", () => checkBody({ contents: [user(), model(7)] }, ["invalid-request contents.1"]));
  test("a model that begins", () => check("m u", ["first-role contents.0"]));
  test("two of one role", () => check("u u m m", ["alternation contents.1", "alternation contents.3"]));
  test("a call turn after a model turn", () =>
    check("u m f F", ["alternation contents.2", "call-turn-position contents.2"]));
  test("a call turn at the start", () => check("f F", ["first-role contents.0", "call-turn-position contents.0"]));
  test("a response without a call", () => check("u m F+u m", ["result-without-call contents.2.parts.0"]));
  test("a response after a user turn", () =>
    check("u f u F m", [
      "call-without-result contents.1.parts.0",
      "alternation contents.3",
      "result-without-call contents.3.parts.0",
    ]));
  test("a call that nobody answers", () => check("u f u m", ["call-without-result contents.1.parts.0"]));
  test("calls at the end", () =>
    check("u m+f+g", ["call-without-result contents.1.parts.1", "call-without-result contents.1.parts.2"]));
  test("too few and too many responses", () => {
    check("u f+g F m", ["response-count contents.2"]);
    check("u f F+F m", ["response-count contents.2", "result-without-call contents.2.parts.1"]);
  });
  test("responses in two turns", () =>
    check("u f+g F G m", [
      "response-count contents.2",
      "alternation contents.3",
      "result-without-call contents.3.parts.0",
    ]));
  test("another name or id", () => {
    check("u f G m", ["result-without-call contents.2.parts.0"]);
    check("u f1 F2 m", ["result-without-call contents.2.parts.0"]);
    check("u f1+f2 F1+F1 m", ["duplicate-result contents.2.parts.1"]);
  });
  test("parts in the wrong role", () => {
    check("u >F u", ["misplaced-part contents.1.parts.0"]);
    check("u m >f m", ["misplaced-part contents.2.parts.0"]);
  });
  test("empty contents", () => {
    const empty: JsonValue = [user({ text: "a" }), { role: "model" }, user()];
    checkBody({ contents: empty }, ["empty-content contents.1", "empty-content contents.2"]);
    check("u x u", ["empty-content contents.1"]);
  });
  test("parts without data, calls without a name", () => {
    checkBody([user({ thought: true }, { thoughtSignature: "S" })], ["invalid-request contents.0.parts.0"]);
    const nameless = [user({ text: "a" }), model({ functionCall: {} }), user({ functionResponse: { response: {} } })];
    checkBody(nameless, [
      "missing-name contents.1.parts.0",
      "missing-name contents.2.parts.0",
      "result-without-call contents.2.parts.0",
    ]);
  });
  test("a model at the end, only when sending", () => {
    check("u m", []);
    check("u m", ["ends-with-assistant contents.1"], { sending: true });
    check("u f F", [], { sending: true });
  });
});

describe("thought signatures", () => {
  const missing = (index: number, part = 0): string => `thought-signature-missing contents.${index}.parts.${part}`;
  const gemini3 = { model: "models/gemini-3.1-pro-preview" };

  test("each step of the current turn", () => {
    check("u f F f! F", [missing(1)], gemini3);
    check("u m+f F f F", [missing(1, 1), missing(3)], gemini3);
    check("u f!+g F+G", [], gemini3);
    check("u f+g! F+G", [missing(1)], gemini3);
  });
  test("earlier turns are not checked", () => {
    check("u f F m u f! F", [], gemini3);
    check("u f F+u f! F", [], gemini3);
  });
  test("the model decides, from the body or the options", () => {
    check("u f F f! F", [], { model: "gemini-2.5-pro" });
    check("u f F", [missing(1)], { model: "gemini-10-flash" });
    checkBody({ model: "gemini-4-argon", contents: parse("u f F") }, [missing(1)]);
    checkBody({ model: "gemini-4-argon", contents: parse("u f F") }, [], { model: "gemini-2.5-flash" });
  });
  test("an unknown model, by what it has signed before", () => {
    check("u f F");
    check("u m! u f F", [missing(3)]);
    check("u f F", [], { model: "gemini-flash-latest" });
  });
  test("dummy values count", () => {
    const signed = model({ functionCall: { name: "f" }, thought_signature: "skip_thought_signature_validator" });
    checkBody([user({ text: "a" }), signed, ...parse("F")], [], gemini3);
  });
  test("an empty one does not", () => {
    const unsigned = model({ functionCall: { name: "f" }, thoughtSignature: "" });
    checkBody([user({ text: "a" }), unsigned, ...parse("F")], [missing(1)], gemini3);
  });
  test("says which call, in the provider's words", () => {
    const [violation] = gemini.validate(parse("u f F"), gemini3);
    expect(violation?.message).toContain("missing a thought_signature");
    expect(violation?.message).toContain("`default_api:f`, position 2.");
  });
});
