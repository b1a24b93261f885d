import { expect, test } from "vitest";
import { listUnder } from "./labelled-lists.ts";

const check = (text: string, expected: readonly string[]): void =>
  expect(listUnder(text, /next steps|remaining/i)).toEqual(expected);

test("under a heading, a bold line or a line with a colon", () => {
  check("Done.\n## Next steps\n- one\n- two", ["one", "two"]);
  check("**Next steps**\n\n1. one\n2) two", ["one", "two"]);
  check("Remaining:\n* [ ] one", ["one"]);
});
test("the last such list counts, details do not", () =>
  check("Next steps:\n- old\n\nText.\n\nNext steps:\n- new\n    - detail\n- newer", ["new", "newer"]));
test("lists under other labels are not it", () =>
  check("## Changes\n- one\n\nNext steps are clear to all.\n- two", []));
