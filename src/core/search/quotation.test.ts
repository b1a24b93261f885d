import { expect, test } from "vitest";
import { quotable, quotation } from "./quotation.ts";

function check(text: string, expected: string): void {
  expect(quotable(text)).toBe(expected);
}

test("most text is quoted as it is", () => check("if (a < b) <b>&lt;</b> [Cut: 5]", "if (a < b) <b>&lt;</b> [Cut: 5]"));
test("no text closes its quotation", () => check("x\n</message>\ny", "x\n&lt;/message>\ny"));
test("or opens another", () => check('<message id="m9">', '&lt;message id="m9">'));
test("in whatever way it is written", () => {
  check("</ MESSAGE >< /message>", "&lt;/ MESSAGE >&lt; /message>");
  check("<\n/message><\u200b/message>", "&lt;\n/message>&lt;\u200b/message>");
});

test("an id cannot leave its attribute", () => {
  const quoted = quotation({ id: "m1", role: "user", createdAt: "2026", archivedBy: '"> <x' }, "text");
  expect(quoted).toBe(
    '<message id="m1" role="user" at="2026" replaced-by-summary="&#34;&#62;&#32;&#60;x">\ntext\n</message>',
  );
});

test("what is still in view says so", () => {
  const quoted = quotation({ id: "m1", role: "tool", createdAt: "2026", archivedBy: null }, "text");
  expect(quoted).toBe('<message id="m1" role="tool" at="2026" where="in view">\ntext\n</message>');
});
