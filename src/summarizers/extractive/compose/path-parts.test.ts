import { describe, expect, test } from "vitest";
import { addToFilter, createPartFilter, EVERY_PART, visitParts } from "./path-parts.ts";

/** So many that no two parts of these paths share a slot. */
const FILTER_PARTS = 100_000;

function check(path: string, wanted?: readonly string[]): readonly string[] {
  const filter = createPartFilter(FILTER_PARTS);
  for (const part of wanted ?? []) addToFilter(filter, part);
  const found: string[] = [];
  visitParts(path, wanted === undefined ? EVERY_PART : filter, (part) => found.push(part));
  return found;
}

describe("the parts of a path", () => {
  test.each([
    ["a/b", ["a", "b"]],
    ["a/b/c", ["a", "a/b", "b", "b/c", "/b/c", "c"]],
    ["/a/b", ["/a", "a", "a/b", "b"]],
    ["src/", ["src"]],
    ["name", []],
  ])("of %s are %j", (path, parts) => {
    expect(check(path)).toEqual(parts);
  });

  test("only those that are wanted are visited, in the same order", () => {
    const path = "/srv/harbour/tide/src/core/plan.ts";
    const all = check(path);
    for (const part of all) expect(check(path, [part])).toEqual(all.filter((other) => other === part));
    expect(check(path, all)).toEqual(all);
    expect(check(path, ["work/core", "plan", path])).toEqual([]);
  });

  test("of a very deep path only the first segments count, of a very long one all are", () => {
    expect(check(Array.from({ length: 40 }, (_, index) => `d${index}`).join("/"), ["d15", "d16"])).toEqual(["d15"]);
    const long = `${"x".repeat(600)}/y`;
    expect(check(long)).toEqual(["x".repeat(600), "y"]);
    expect(check(long, ["y"])).toEqual(["y"]);
  });
});
