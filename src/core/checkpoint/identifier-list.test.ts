import fc from "fast-check";
import { expect, test } from "vitest";
import { byKind, parseIdentifiers, parseRoles, renderIdentifiers, renderRole } from "./identifier-list.ts";

const LIST = ["tide_table", "src/tide.ts", "HAT136", "120000", "uuid_v7_key", "https://tide.example/a", "#4ade80"];

test("each kind stands on a line with its label", () =>
  expect(renderIdentifiers(byKind(LIST), "en")).toBe(
    "- Paths: src/tide.ts https://tide.example/a\n- Names: tide_table uuid_v7_key\n- Values: HAT136 120000 #4ade80",
  ));

test("days are values, other numbers behind a slash are places", () =>
  expect(
    renderIdentifiers(
      byKind(["12/03", "12/03/2026", "2026/3/12", "12/03/26", "pull/12", "12/1204", "1/2/3/4", "/12/03"]),
      "pt",
    ),
  ).toBe("- Caminhos: pull/12 12/1204 1/2/3/4 /12/03\n- Dados: 12/03 12/03/2026 2026/3/12 12/03/26"));

test("forms of calls stand behind the rest", () =>
  expect(renderIdentifiers(byKind(["edit(old_text,new_text)", "tide_table"]), "en")).toBe(
    "- Names: tide_table\n- Calls: edit(old_text,new_text)",
  ));

test("labels are in the conversation's language", () =>
  expect(renderIdentifiers(["tide_table"], "de")).toBe("- Namen: tide_table"));

test("a bare list is read too, and one that a model wrote line by line", () => {
  expect(parseIdentifiers(["a_b c/d 17"])).toEqual(["a_b", "c/d", "17"]);
  expect(parseIdentifiers(["- a_b", "- c/d"])).toEqual(["a_b", "c/d"]);
});

test("any list comes back in its order", () => {
  const word = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => text.trim() === text && text !== "");
  const named = fc.constantFrom("-", "Names:", "- Paths:", 'a"b', "a b", "src/x", "f(a,b)", "(a)", "17", "\\", '"');
  fc.assert(
    fc.property(fc.array(fc.oneof(word, named)), (list) => {
      expect(parseIdentifiers(renderIdentifiers(list, "en").split("\n"))).toEqual(list);
    }),
    { numRuns: 300 },
  );
});

test("an identifier with its role stands on a line of its own, and is read back without it", () => {
  const lines = [
    renderRole("pg_71b2", "page of open"),
    renderRole("two words", 'user: "two words (here)"'),
    "- Paths: a/b c/d",
  ];
  expect(lines[0]).toBe("- pg_71b2 (page of open)");
  expect(parseIdentifiers(lines)).toEqual(["pg_71b2", "two words", "a/b", "c/d"]);
  expect([...parseRoles(lines)]).toEqual([
    ["pg_71b2", "page of open"],
    ["two words", 'user: "two words (here)"'],
  ]);
});
