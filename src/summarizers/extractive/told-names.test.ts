import { expect, test } from "vitest";
import { namesToldIn } from "./told-names.ts";

function check(texts: readonly string[], names: readonly string[], expected: readonly string[]): void {
  expect([...namesToldIn(texts, names)].sort()).toEqual([...expected].sort());
}

test("names are found at the ends of texts and inside of words, short ones too", () =>
  check(
    ["file_path is new", "the oldString", "see myFile_pathB, x1"],
    ["file_path", "File_path", "oldString", "x1", "newString", "old_string", "y2"],
    ["file_path", "File_path", "oldString", "x1"],
  ));

test("one name may begin another, and names in other scripts are names", () =>
  check(
    ["uses file_path_list and имя_файла"],
    ["file", "file_path", "file_path_list", "file_paths", "имя_файла"],
    ["file", "file_path", "file_path_list", "имя_файла"],
  ));

test("agrees with a search for each, whatever the characters", () => {
  const letters = "ab_C1é模";
  let state = 7;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const word = (length: number): string => Array.from({ length }, () => letters.charAt(below(letters.length))).join("");
  for (let round = 0; round < 200; round++) {
    const texts = Array.from({ length: 3 }, () => word(below(400)));
    const names = Array.from({ length: 30 }, () => word(1 + below(6)));
    check(texts, names, [...new Set(names.filter((name) => texts.some((text) => text.includes(name))))]);
  }
});
