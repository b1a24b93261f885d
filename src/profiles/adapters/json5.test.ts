import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs } from "../../../test/cpu-time.ts";
import { CompactionError } from "../../core/errors.ts";
import { parseJson5 } from "./openclaw.ts";

/** Each form of the grammar. The values were compared with the reference implementation; see the decision page. */
test.each([
  ["{}", {}],
  ["[]", []],
  ["{a:1,}", { a: 1 }],
  ["[1,2,]", [1, 2]],
  ["{$a_1: 'x', \"b c\": \"y\", 'd': null}", { $a_1: "x", "b c": "y", d: null }],
  ["{\\u0061b: 1, ünïcode: 2, true: 3, Infinity: 4}", { ab: 1, ünïcode: 2, true: 3, Infinity: 4 }],
  ["[true, false, null]", [true, false, null]],
  ["[0x1F, -0xa, +1, .5, 5., 1e3, -1.5E-2, 0]", [31, -10, 1, 0.5, 5, 1000, -0.015, 0]],
  ["[Infinity, -Infinity, NaN]", [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN]],
  ["'it\\'s \"so\"'", 'it\'s "so"'],
  ["'\\b\\f\\n\\r\\t\\v\\0\\x41\\u00e9\\q'", "\b\f\n\r\t\v\0A\u00e9q"],
  ["'one \\\n line \\\r\n only'", "one  line  only"],
  ["// before\n{ /* in * side */ a: 1 } // after", { a: 1 }],
  ["\ufeff\u00a0\u2003\t{\v\f\u2028a\n:\r1}", { a: 1 }],
  ["'\u2028'", "\u2028"],
  ["{a: 1, a: 2}", { a: 2 }],
] as const)("%j", (text, expected) => expect(parseJson5(text)).toEqual(expected));

test.each([
  ["", "The JSON5 text needs a value at line 1, column 1, but the text ends"],
  ["{a 1}", 'The JSON5 text needs a colon at line 1, column 4, but there is "1"'],
  ["{\n  a: 1\n  b: 2\n}", 'The JSON5 text needs a comma or } at line 3, column 3, but there is "b"'],
  ["{a: tru}", 'The JSON5 text needs a value at line 1, column 5, but there is "t"'],
  ["[1 2]", 'The JSON5 text needs a comma or ] at line 1, column 4, but there is "2"'],
  ["[,]", 'The JSON5 text needs a value at line 1, column 2, but there is ","'],
  ["{1a: 2}", 'The JSON5 text needs a key at line 1, column 2, but there is "1"'],
  ["'a\nb'", 'The JSON5 text needs the end of the string, \' at line 1, column 3, but there is "\\n"'],
  ["'\\1'", 'The JSON5 text needs the end of the string, \' at line 1, column 2, but there is "\\\\"'],
  ["'\\01'", 'The JSON5 text needs the end of the string, \' at line 1, column 2, but there is "\\\\"'],
  ["01", 'The JSON5 text needs the end of the number at line 1, column 2, but there is "1"'],
  ["1 x", 'The JSON5 text needs the end of the text at line 1, column 3, but there is "x"'],
  ["{} /* never closed", 'The JSON5 text needs the end of the text at line 1, column 4, but there is "/"'],
  ["[".repeat(101), 'The JSON5 text needs at most 100 levels at line 1, column 101, but there is "["'],
  [" ".repeat(1_000_001), "A configuration text has at most 1000000 characters, this one has 1000001"],
])("%j is refused", (text, message) => {
  expect(() => parseJson5(text)).toThrow(CompactionError);
  expect(() => parseJson5(text)).toThrow(message);
});

test("a key is a key, whatever it is called", () => {
  const value = parseJson5('{__proto__: {polluted: true}, "constructor": 1}');
  expect(Object.keys(Object(value))).toEqual(["__proto__", "constructor"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test("all of JSON is JSON5", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
      expect(parseJson5(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("any text is read or refused, in time", () => {
  const token = fc.constantFrom(
    ..."{}[]:,'\"\\/*+-.eE0x1 \n",
    "a",
    "\\u0061",
    "//",
    "/*",
    "*/",
    "Infinity",
    "null",
    "\u2028",
    "é",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      try {
        parseJson5(tokens.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(CompactionError);
      }
    }),
    { numRuns: 2_000 },
  );
  const long = ["/**/".repeat(200_000), "//\n".repeat(300_000), " ".repeat(900_000), "/* /".repeat(200_000)];
  const start = cpuMs();
  for (const blank of long) expect(() => parseJson5(blank)).toThrow(CompactionError);
  expect(cpuMs() - start).toBeLessThan(5_000);
});
