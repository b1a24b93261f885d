import { expect, test } from "vitest";
import { withoutLogs } from "./pasted-log.ts";

/** Lines marked by `|` must go. */
function check(...lines: readonly string[]): void {
  const kept = lines.filter((line) => !line.startsWith("|"));
  expect(withoutLogs(lines.map((line) => line.replace(/^\|/, "")))).toEqual(kept);
}

test("the output of a build goes, and the words around it stay", () =>
  check(
    "The build broke again after we had merged the berth table, and it worked on Friday.",
    "|Run npm ci",
    "|added 412 packages in 9s",
    "|> vitest run",
    "| FAIL  src/berth.test.ts > sorts berths by depth",
    "|AssertionError: expected 3 to be 1",
    "|Error: Process completed with exit code 1.",
    "Please find the cause.",
  ));

test("what stands right above or below without a full stop stays", () =>
  check(
    "it fails again on the quay",
    "|src/berth.ts:41:19",
    "|error TS2322: Type 'Quay' is not assignable",
    "|Found one more in the same file",
    "|Test Files  1 failed",
    "make it green",
  ));

test("a list stays, and so does a line alone", () => {
  check("Please bring:", "- four ropes", "- twelve fenders", "- the red lamp", "- an anchor", "- two maps");
  check("It says", "Error: no such berth", "and I do not know why", "can you look into it");
});
