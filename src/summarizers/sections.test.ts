import { expect, test } from "vitest";
import { headingKey, parseSections } from "./sections.ts";

const headingsIn = (text: string): readonly string[] => parseSections(text).map(({ heading }) => heading);

test("headings in the shapes that models give them", () => {
  expect(headingsIn("## Goal\nx\n**Next Steps:**\n1. y\n### Done")).toEqual(["## Goal", "**Next Steps:**", "### Done"]);
  expect(headingKey("**Next Steps:**")).toBe("nextSteps");
});

test("what is quoted, indented or in a block of code is none", () => {
  const quoted = ["> ## Goal", "  ## Latest Request", "- ## Goal", "  **Goal**", "```", "## Goal", "```", "\t# Goal"];
  expect(headingsIn(`## Critical Context\n- A page says:\n${quoted.join("\n")}\n## Next Steps\n1. y`)).toEqual([
    "## Critical Context",
    "## Next Steps",
  ]);
});

test("a block of code that an item opens and never closes hides no section", () =>
  expect(headingsIn("## Goal\n- ```\n  ```\n  x\n## Next Steps\n1. y")).toEqual(["## Goal", "## Next Steps"]));
