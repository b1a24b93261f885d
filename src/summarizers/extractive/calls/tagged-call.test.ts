import { expect, test } from "vitest";
import { briefOf } from "./call-outcome.ts";
import { taggedCall } from "./tagged-call.ts";

function check(said: string, expected: string | undefined): void {
  const call = taggedCall(said);
  expect(call === undefined ? undefined : `${call.name}: ${briefOf(call)}`).toBe(expected);
}

test("a function with its parameters", () =>
  check(
    "I'll look at the locks.\n\n<function=terminal>\n<parameter=command>ls locks && cat gate.txt</parameter>\n<parameter=risk>LOW</parameter>\n</function>",
    "terminal: ls locks && cat gate.txt",
  ));
test("the last of several", () =>
  check(
    '<invoke name="open_gate">\n<parameter name="gate">north</parameter>\n</invoke>\n<invoke name="close_gate">\n<parameter name="gate">south</parameter>\n</invoke>\n</function_calls>',
    "close_gate: south",
  ));
test("a call in JSON", () =>
  check(
    'First the level.\n<tool_call>\n{"name": "read_level", "arguments": {"basin": "upper", "unit": "cm"}}\n</tool_call>',
    "read_level: upper",
  ));
test("a tag that bears the name of the tool", () =>
  check("<execute_command>\n<command>make locks</command>\n</execute_command>", "execute_command: make locks"));
test("a long text that is written", () =>
  check(
    `<function=write_file>\n<parameter=path>gates.md</parameter>\n<parameter=text>${"All gates. ".repeat(900)}</parameter>\n</function>`,
    "write_file: gates.md",
  ));
test("an answer without tags", () => check("Both gates are closed now.", undefined));
test("a page is no call", () => check("Here it is:\n<div>\n<p>Gates</p>\n</div>", undefined));
test("what was made is handed over", () =>
  check("<attempt_completion>\n<result>Both gates close.</result>\n</attempt_completion>", undefined));
test("a call that was followed by words", () =>
  check("<function=terminal>\n<parameter=command>ls</parameter>\n</function>\nThat listed the locks.", undefined));
test("JSON that cannot be read", () => check('<tool_call>\n{"name": }\n</tool_call>', undefined));
