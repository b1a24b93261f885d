import { expect, test } from "vitest";
import { inForce, laidDownBy } from "./user-statements.ts";

const rules = (reply: string): readonly string[] =>
  laidDownBy({ asked: "", reply, language: "en", askedIn: "en" }).constraints;

test("a value for the thing at hand is no rule", () => {
  expect(rules("what colour has the gate in the table? should be 8abeb7")).toEqual([]);
  expect(rules('the header of the tide table should be "Tides"')).toEqual([]);
});

test("a general word makes it one", () => {
  expect(rules("Never change the public names.")).toEqual(["Never change the public names."]);
  expect(rules("Every harbour code should be 5.")).toEqual(["Every harbour code should be 5."]);
  expect(rules("The page should be under 200 ms.")).toEqual(["The page should be under 200 ms."]);
});

test("of rules about the same thing the newest is in force", () => {
  expect(inForce(["The footer must be dim.", "Never push.", "the footer should be bright"])).toEqual([
    "The footer must be dim.",
    "Never push.",
  ]);
  expect(inForce(["Use spaces for indentation.", "Use tabs for indentation."])).toEqual([
    "Use spaces for indentation.",
  ]);
  const apart = ["It should be dim.", "It should be round.", "Never touch a.ts.", "Never touch b.ts."];
  expect(inForce(apart)).toEqual(apart);
});
