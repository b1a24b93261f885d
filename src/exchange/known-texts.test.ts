import fc from "fast-check";
import { expect, test } from "vitest";
import { createKnownTexts } from "./known-texts.ts";

const filler = "x".repeat(20_000);

/** Messages may be anything, numbers and words too, and hold what looks like a list of messages. */
const element = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    0,
    1,
    12,
    123,
    true,
    null,
    "",
    [],
    {},
    { messages: [0] },
    `"messages":[`,
    "é\u2028\ud83d\ude00",
  ),
);
const body = (list: readonly unknown[], before: unknown) => ({ system: filler, before, messages: list, stream: true });

test("what is read is what JSON.parse reads, however the list grows, shrinks or changes", () => {
  const lists = fc.array(fc.tuple(fc.array(element, { maxLength: 9 }), fc.nat(12), fc.nat(2)), { maxLength: 9 });
  const property = fc.property(lists, element, fc.nat(2), (steps, before, indent) => {
    const texts = createKnownTexts();
    let list: readonly unknown[] = [];
    for (const [added, kept, spaces] of steps) {
      list = [...list.slice(0, Math.max(0, list.length - kept + 8)), ...added];
      const text = JSON.stringify(body(list, before), undefined, spaces === 0 ? indent : 0);
      expect(texts.parse(text, "messages")).toEqual(JSON.parse(text));
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test("messages that were read before keep their objects, and others are never taken for them", () => {
  const texts = createKnownTexts();
  const list = Array.from({ length: 20 }, (_, index) => ({ role: "user", content: `${index}` }));
  const read = (messages: readonly unknown[]) =>
    texts.parse(JSON.stringify(body(messages, null)), "messages") as { messages: unknown[] };
  const first = read(list);
  const second = read([...list, { role: "user", content: "new" }]);
  expect(second.messages[15]).toBe(first.messages[15]);
  const changed = read(list.with(3, { role: "user", content: "other" }));
  expect(changed.messages[3]).toEqual({ role: "user", content: "other" });
  expect(texts.parse(`${JSON.stringify(body(list, null)).slice(0, -1)},`, "messages")).toBeUndefined();
});
