import { expect, test } from "vitest";
import type { JsonValue } from "../../core/json.ts";
import type { Attachment } from "../../core/store/attachments.ts";
import { attachBody, detachBody, hashesIn } from "./detached-body.ts";

const PICTURE = "iVBORw0KGgo".padEnd(1_200, "Ab9+");

/** How many contents are taken out; what comes back must be the very same JSON. */
function check(body: JsonValue, attachments: readonly Attachment[], expected: number): void {
  const detached = detachBody(body, attachments);
  expect(detached.blobs.length).toBe(expected);
  expect(detached.body.includes(PICTURE)).toBe(expected === 0 && JSON.stringify(body).includes(PICTURE));
  const bytes = new Map(detached.blobs.map((blob) => [blob.hash, blob.bytes]));
  expect(hashesIn([detached.attachments, null])).toEqual([...bytes.keys()]);
  expect(JSON.stringify(attachBody(detached.body, detached.attachments, bytes))).toBe(JSON.stringify(body));
}

const at = (path: Attachment["path"], prefix = "", data = PICTURE): Attachment => ({ path, prefix, data });

test("no attachment", () => check({ z: 1, a: "text" }, [], 0));
test("one, among other keys", () => check({ b: [1, { data: PICTURE, after: 2 }], a: 0 }, [at(["b", 1, "data"])], 1));
test("the same twice is kept once", () => check([PICTURE, PICTURE], [at([0]), at([1])], 1));
test("a data URL keeps its head", () => {
  check({ url: `data:image/png;base64,${PICTURE}` }, [at(["url"], "data:image/png;base64,")], 1);
});
test("a body that is nothing but data", () => check(PICTURE, [at([])], 1));
test("a path that leads elsewhere is not followed", () => {
  check({ a: PICTURE }, [at(["b"]), at(["a", 0]), at(["a", "length"]), at(["__proto__"])], 0);
});
test("data that bytes alone could not restore stays", () =>
  check({ a: `${PICTURE}A` }, [at(["a"], "", `${PICTURE}A`)], 0));

test("bytes that are gone are told", () => {
  const { body, attachments } = detachBody({ a: PICTURE }, [at(["a"])]);
  expect(() => attachBody(body, attachments, new Map())).toThrow(/missing.*examine/);
});
