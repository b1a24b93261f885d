/** A stated maximum is the window; after a bare failure a smaller one is assumed, which a later success can correct. */

import { expect, test } from "vitest";
import { createLearnedWindows } from "./learned.ts";
import type { Overflow } from "./ports.ts";

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
const stated = (maximumTokens: number): Lesson => ({ overflow: { maximumTokens }, sent: 2_000_000 });

test("nothing failed, nothing known", () => check([{ accepted: 500_000 }], undefined));
test("a stated maximum is the window", () => check([stated(200_000)], [200_000, true]));
test("the newest statement holds", () => check([stated(200_000), stated(1_000_000)], [1_000_000, true]));
test("the room for the answer is no input", () =>
  check(
    [{ overflow: { actualTokens: 207_951, outputTokens: 8_192, maximumTokens: 200_000 }, sent: 1 }],
    [191_808, true],
  ));

test("a bare failure: half of it is assumed", () => check([bare(150_000)], [75_000, false]));
test("the smallest failure counts", () => check([bare(150_000), bare(140_000), bare(160_000)], [70_000, false]));
test("a success near it is the better guess", () => check([{ accepted: 140_000 }, bare(150_000)], [140_000, false]));
test("an estimate of what failed is not trusted to the last token", () =>
  check([{ accepted: 149_999 }, bare(150_000)], [142_500, false]));
test("a stated size beats our estimate of it", () =>
  check([{ overflow: { actualTokens: 130_512 }, sent: 99_000 }], [65_256, false]));
test("a statement beats what was assumed", () => check([bare(300_000), stated(200_000)], [200_000, true]));
test("each further failure below a statement assumes less", () => {
  const limit: Lesson = { overflow: { maximumTokens: 200_000 }, sent: 190_000 };
  check([limit], [171_000, true]);
  check([limit, bare(160_000)], [144_000, true]);
  check([limit, { overflow: { maximumTokens: 200_000, actualTokens: 210_000 }, sent: 1 }], [200_000, true]);
});

test("a larger success takes a bound back", () => check([bare(150_000), { accepted: 150_000 }], undefined));
test("a smaller one raises what is assumed", () => check([bare(150_000), { accepted: 100_000 }], [100_000, false]));
test("a success never takes a statement back", () => check([stated(200_000), { accepted: 210_000 }], [200_000, true]));

test("a request is compacted for what went through, where that is not next to nothing", () => {
  const windows = createLearnedWindows();
  windows.accepted("m", 20_000);
  windows.learn("m", {}, 100_000);
  expect(windows.of("m")).toEqual({ windowTokens: 50_000, isStated: false, safeTokens: 20_000 });
  windows.accepted("other", 2_000);
  windows.learn("other", {}, 100_000);
  expect(windows.of("other")).toEqual({ windowTokens: 50_000, isStated: false, safeTokens: 50_000 });
});

test("a body of too many bytes says nothing about the window", () =>
  check([{ overflow: { isBodySize: true }, sent: 150_000 }], undefined));

test("what was learned can be kept elsewhere, and never overrides what is known", () => {
  const windows = createLearnedWindows();
  windows.accepted("m", 20_000);
  expect(windows.save("m")).toBeUndefined();
  windows.learn("m", {}, 100_000);
  const again = createLearnedWindows();
  again.restore("m", JSON.parse(JSON.stringify(windows.save("m"))));
  expect(again.of("m")).toEqual(windows.of("m"));
  again.restore("m", { stated: 9_000 });
  expect(again.of("m")).toEqual(windows.of("m"));
  for (const nonsense of [undefined, null, 7, [], { stated: "x" }, { refused: -1 }]) again.restore("n", nonsense);
  expect(again.of("n")).toBeUndefined();
});

test("numbers that are none are ignored", () => {
  check([{ overflow: { maximumTokens: 0 }, sent: Number.NaN }], undefined);
  check([{ overflow: { maximumTokens: Number.NaN, actualTokens: -1 }, sent: 8 }], [4, false]);
});
