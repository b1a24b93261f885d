import { expect, test } from "vitest";
import { setBounded } from "./remember.ts";

test("what was set longest ago is forgotten, and what is set again is the newest", () => {
  const map = new Map<string, number>();
  for (const [index, key] of ["a", "b", "a", "c"].entries()) setBounded(map, [key, index], 2);
  expect([...map]).toEqual([
    ["a", 2],
    ["c", 3],
  ]);
});
