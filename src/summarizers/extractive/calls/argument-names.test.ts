import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import type { Message } from "../../../core/message.ts";
import { argumentNamesOf, callForms, isCallForm } from "./argument-names.ts";

const call = (name: string, input: JsonObject): Message => ({
  id: "m",
  role: "assistant",
  parts: [{ type: "tool-call", callId: "1", name, input }],
});
const fact = (text: string, isTold: boolean) => ({ text, isTold, kind: "snake", likelihood: 0.5 }) as const;

test("names go with the tool that takes them, at any depth that tools use", () => {
  const names = argumentNamesOf(
    [call("edit", { file_path: "a", edits: [{ old_text: "x", new_text: "y" }] }), call("mail", { reply_to: "b" })],
    [fact("file_path", false)],
  );
  expect(["file_path", "new_text", "old_text", "reply_to", "edits", "other_name"].map(names.toolOf)).toEqual([
    "edit",
    "edit",
    "edit",
    "mail",
    undefined,
    undefined,
  ]);
  expect(callForms(["old_text", "reply_to", "new_text"], names)).toEqual(["edit(old_text,new_text)", "mail(reply_to)"]);
});

test("a name that somebody spoke of is a fact", () =>
  expect(
    argumentNamesOf([call("edit", { file_path: "a" })], [fact("file_path", true)]).toolOf("file_path"),
  ).toBeUndefined());

test("a form is known again", () => {
  expect(isCallForm("edit(old_text, new_text)")).toBe(true);
  expect(isCallForm("edit(old_text,new_text)")).toBe(true);
  expect(isCallForm("The parser (old) is gone.")).toBe(false);
});
