import { describe, expect, test } from "vitest";
import { type Message, type Part, type Role, text } from "../message.ts";
import { contentsOf } from "./pass.ts";

const NOTHING = {
  opaque: false,
  reasoning: false,
  blank: false,
  emptyResult: false,
  misplaced: false,
  systemMessage: false,
};
const CALL: Part = { type: "tool-call", callId: "a", name: "read", input: {} };
const REASONING: Part = { type: "reasoning", text: "" };
const OPAQUE: Part = { type: "opaque", kind: "k", wire: {} };
const result = (...content: readonly Part[]): Part => ({ type: "tool-result", content, isError: false });
const block = (said: string): Part => ({ ...text(said), wire: { type: "text", text: said } });

function check(role: Role, parts: readonly Part[], expected: Partial<typeof NOTHING>): void {
  const fine: Message = { id: "m0", role: "user", parts: [text("Look.")] };
  expect(contentsOf([fine, { id: "m1", role, parts }, fine])).toEqual({ ...NOTHING, ...expected });
}

describe("what a list holds", () => {
  test("nothing to look for", () => check("user", [text("a"), result(text(" "), text(""))], {}));
  test("a call in its place", () => check("assistant", [CALL], {}));
  test("reasoning in its place", () => check("assistant", [REASONING], { reasoning: true }));
  test("a system message", () => check("system", [text("a")], { systemMessage: true }));
  test("a call in another's", () => check("user", [CALL], { misplaced: true }));
  test("reasoning in another's", () => check("user", [REASONING], { reasoning: true, misplaced: true }));
  test("a result among the assistant's parts", () => check("assistant", [result(text("a"))], { misplaced: true }));
  test("an opaque part", () => check("assistant", [OPAQUE], { opaque: true }));
  test("an opaque part in a result", () => check("tool", [result(text("a"), OPAQUE)], { opaque: true }));
  test("no part", () => check("user", [], { blank: true }));
  test("an empty block in a result", () => check("user", [result(block(""))], { blank: true }));
  test("a result without parts", () => check("user", [result()], { emptyResult: true }));
  test.each(["", " ", "\n\t", "\u00a0", "\ufeff", "\u2028"])("a text of %j", (said) =>
    check("user", [CALL, text(said)], { blank: true, misplaced: true }),
  );
  test.each([" a", "\u0000", "\u007f", "é", "\u200b"])("not a text of %j", (said) => check("user", [text(said)], {}));
  test("not a text that is signed", () => check("user", [{ ...text(""), signature: "s" }], {}));
});
