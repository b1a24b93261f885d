import { expect, test } from "vitest";
import { readOverflow } from "./overflow.ts";

/** The shortest forms of wordings, as compatible servers cut them, and what is like them but speaks of other limits. */

test.each([
  "400 The request exceeds the limit of 128000",
  "exceeds the limit of 64000",
  "Range of input length should be respected",
])("%s", (text) => {
  expect(readOverflow(text)).toEqual({});
  expect(readOverflow({ error: { message: text.toUpperCase() } })).toEqual({});
});

test.each([
  "The file you sent exceeds the limit of 20",
  "The body exceeds the limit of 20MB",
  "The request exceeds the limit of 128 tools",
  "Your account exceeds the limit of 50 requests",
])("no overflow: %s", (text) => expect(readOverflow(text)).toBeUndefined());
