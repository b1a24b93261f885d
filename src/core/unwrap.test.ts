import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { unwrap } from "./unwrap.ts";

function check(given: JsonValue, expected: JsonValue): void {
  const before = JSON.stringify(given);
  expect(unwrap(given)).toEqual(expected);
  expect(JSON.stringify(given)).toBe(before);
}

test("text stays text", () => {
  check("plain", "plain");
  check("12", "12");
  check("[INFO] ready", "[INFO] ready");
  check("{ not: json }", "{ not: json }");
});

test("JSON in a string becomes its value, however often it was put into strings", () => {
  const page = { id: "27", title: "Onboarding" };
  check(JSON.stringify(page), page);
  check(JSON.stringify(JSON.stringify(page)), page);
  check({ args: JSON.stringify({ inner: JSON.stringify([page]) }) }, { args: { inner: [page] } });
});

test("text before JSON stays beside it", () => {
  check('Found 2 pages:\n[{"id":1},{"id":2}]', ["Found 2 pages:", [{ id: 1 }, { id: 2 }]]);
});

test("envelopes around one content are opened", () => {
  check([{ type: "text", text: '{"number":7}' }], { number: 7 });
  check({ content: [{ type: "text", text: "done" }], isError: false }, "done");
  check({ _meta: null, content: [{ type: "text", text: '{"ok":true}', annotations: null }] }, { ok: true });
  check(
    [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
    ["one", "two"],
  );
});

test("an envelope that says that it failed keeps saying so", () => {
  check(
    { content: [{ type: "text", text: "no such page" }], isError: true },
    { content: "no such page", isError: true },
  );
});

test("what says nothing goes", () => {
  check({ a: null, b: "", c: [], d: {}, e: { f: null }, g: 0, h: false }, { g: 0, h: false });
});

test("an envelope that Python printed is opened", () => {
  check(
    `meta=None content=[TextContent(type='text', text='{\\n  "content": [{"type": "text", "text": "it\\'s 5"}]}', annotations=None)] isError=False`,
    "it's 5",
  );
  check(`content=[TextContent(type='text', text="no file")] isError=True`, "Error: no file");
});

test("nesting beyond the bound stays as it is", () => {
  let nested: JsonValue = "end";
  for (let depth = 0; depth < 600; depth++) nested = { nested };
  expect(() => unwrap(nested)).not.toThrow();
  expect(() => unwrap("[".repeat(100_000) + "]".repeat(100_000))).not.toThrow();
});
