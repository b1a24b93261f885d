import { expect, test } from "vitest";
import { fileNameOf } from "./directory.ts";

function check(sessionId: string, expected: string): void {
  expect(fileNameOf(sessionId)).toBe(`${expected}.jsonl`);
}

test("plain ids are their own names", () => check("build-7_a.2", "build-7_a.2"));
test("no id is a path", () => check("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"));
test("cases stay apart where the file system ignores them", () => check("Build", "%42uild"));
test("an escape cannot be forged", () => check("%42uild", "%2542uild"));
test("letters of other languages are bytes", () => check("é😀", "%C3%A9%F0%9F%98%80"));
test("names of devices", () => {
  check("con", "%63on");
  check("com1.log", "%63om1.log");
  check("console", "console");
});
test("dots alone", () => {
  check(".", "%2E");
  check("..", "%2E.");
});
test("long ids are hashed", () => {
  expect(fileNameOf("x".repeat(1_024))).toMatch(/^=[0-9a-f]{64}\.jsonl$/);
  expect(fileNameOf("x".repeat(1_024))).not.toBe(fileNameOf("x".repeat(1_023)));
});
