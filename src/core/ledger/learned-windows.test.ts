/** A stated maximum is the window; a bare failure is a bound that a later success can take back. */

import { expect, test } from "vitest";
import type { Overflow } from "../ports.ts";
import { createLearnedWindows } from "./learned-windows.ts";

type Lesson = { readonly overflow: Overflow; readonly sent: number } | { readonly accepted: number };

function check(
  lessons: readonly Lesson[],
  expected: readonly [windowTokens: number, isStated: boolean] | undefined,
): void {
  const windows = createLearnedWindows();
  for (const lesson of lessons) {
    if ("accepted" in lesson) windows.accepted("m", lesson.accepted);
    else windows.learn("m", lesson.overflow, lesson.sent);
  }
  const window = windows.of("m");
  expect(window && [window.windowTokens, window.isStated]).toEqual(expected);
  expect(windows.of("another")).toBeUndefined();
}

const bare = (sent: number): Lesson => ({ overflow: {}, sent });
const stated = (maximumTokens: number): Lesson => ({ overflow: { maximumTokens }, sent: 1 });

test("nothing failed, nothing known", () => check([{ accepted: 500_000 }], undefined));
test("a stated maximum is the window", () => check([stated(200_000)], [200_000, true]));
test("the newest statement holds", () => check([stated(200_000), stated(1_000_000)], [1_000_000, true]));
test("a bare failure bounds it", () => check([bare(150_000)], [150_000, false]));
test("the smallest failure is the bound", () => check([bare(150_000), bare(140_000), bare(160_000)], [140_000, false]));
test("a stated size beats our estimate of it", () =>
  check([{ overflow: { actualTokens: 130_512 }, sent: 99_000 }], [130_512, false]));
test("a statement beats a bound, before and after", () =>
  check([bare(150_000), stated(200_000), bare(120_000)], [200_000, true]));
test("a larger success takes a bound back", () => check([bare(150_000), { accepted: 150_000 }], undefined));
test("a smaller one does not", () => check([bare(150_000), { accepted: 149_999 }], [150_000, false]));
test("a success never takes a statement back", () => check([stated(200_000), { accepted: 210_000 }], [200_000, true]));
test("numbers that are none are ignored", () => {
  check([{ overflow: { maximumTokens: 0 }, sent: Number.NaN }], undefined);
  check([{ overflow: { maximumTokens: Number.NaN, actualTokens: -1 }, sent: 7 }], [7, false]);
});
