import { expect, test } from "vitest";
import { type Holder, holderIn, isAlive, thisProcess } from "./lock.ts";

const self = thisProcess();

/** What this process makes of a holder that differs from itself in so much. */
function check(other: Partial<Holder>, expected: boolean | undefined): void {
  const holder = holderIn(JSON.stringify({ ...self, token: "t", ...other }));
  expect(holder && isAlive(holder, self)).toBe(expected);
}

/** Beyond what any system gives. */
const NOBODY = 2 ** 30;

test("a process of the same place is asked for", () => check({}, true));
test("one that is gone is told", () => check({ pid: NOBODY }, false));
test("a number that somebody else has by now is nobody", () => {
  check({ began: "0" }, self.began === undefined);
});
test("of another place nobody knows anything, whatever numbers are taken here", () => {
  check({ place: "elsewhere" }, undefined);
  check({ place: "elsewhere", pid: NOBODY }, undefined);
});
test("a lock of an older version names no place", () => {
  const { place: _, ...older } = { ...self, token: "t" };
  const holder = holderIn(JSON.stringify({ ...older, pid: NOBODY }));
  expect(holder && isAlive(holder, self)).toBeUndefined();
});
test("what names nobody is no holder", () => {
  for (const text of ["", "{", "{}", '{"pid":1}', '{"pid":"1","host":"h","token":"t"}']) {
    expect(holderIn(text)).toBeUndefined();
  }
});
