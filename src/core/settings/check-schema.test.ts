import fc from "fast-check";
import { expect, test } from "vitest";
import { isPlainObject } from "../json.ts";
import { checkSchema } from "./check-schema.ts";
import type { Schema } from "./schema.ts";

const SCHEMA: Schema = {
  type: "object",
  about: "",
  keys: {
    name: { type: "text", filled: true, about: "" },
    size: { type: "number", whole: true, min: 1, max: 9, about: "" },
    share: { type: "number", above: 0, below: 1, about: "" },
    isOn: { type: "boolean", about: "" },
    color: { type: "choice", values: { red: "", green: "" }, about: "" },
    colors: {
      type: "list",
      of: { type: "choice", values: { red: "", green: "" }, about: "" },
      minItems: 1,
      maxItems: 2,
      unique: true,
      about: "",
    },
    rules: { type: "record", of: { type: "boolean", about: "" }, about: "" },
    inner: { type: "object", mayBeOff: true, keys: { depth: { type: "number", about: "" } }, about: "" },
    shape: {
      type: "variants",
      about: "",
      variants: {
        circle: { about: "", keys: { radius: { type: "number", min: 0, about: "" } } },
        point: { about: "", keys: { weight: { type: "number", about: "" } }, defaults: { weight: 1 } },
      },
    },
  },
};

function check(value: unknown, ...expected: readonly string[]): void {
  const problems = checkSchema(value, SCHEMA, { partial: true, subject: "It" });
  expect(problems.map(({ message }) => message)).toEqual(expected);
}

test("nothing, and everything right", () => {
  check({});
  check({ name: "a", size: 9, share: 0.5, isOn: false, color: "red", colors: ["red"], rules: { a: true } });
  check({ inner: { depth: 1 }, shape: { type: "circle", radius: 0 } });
  check({ inner: false, shape: { type: "point" } });
  check({ name: undefined, size: undefined });
});

test("each kind says what is there and what is allowed", () => {
  check(5, "It must be an object, but is 5");
  check({ name: 5 }, "name must be a text that is not blank, but is 5");
  check({ name: " " }, 'name must be a text that is not blank, but is " "');
  check({ size: 0 }, "size must be a whole number of at least 1 and at most 9, but is 0");
  check({ size: 1.5 }, "size must be a whole number of at least 1 and at most 9, but is 1.5");
  check({ size: "3" }, 'size must be a whole number of at least 1 and at most 9, but is "3"');
  check({ share: 1 }, "share must be a number above 0 and below 1, but is 1");
  check({ share: Number.NaN }, "share must be a number above 0 and below 1, but is NaN");
  check({ isOn: 1 }, "isOn must be true or false, but is 1");
  check({ color: "grean" }, 'color must be one of red, green, but is "grean"; did you mean green?');
  check({ color: null }, "color must be one of red, green, but is null");
  check({ rules: [] }, "rules must be an object whose values are true or false, but is a list");
  check({ rules: { "a b": 1 } }, 'rules."a b" must be true or false, but is 1');
  check({ inner: null }, "inner must be an object, or false to switch it off, but is null");
  check({ inner: { depth: [] } }, "inner.depth must be a number, but is a list");
});

test("lists", () => {
  const allowed = "a list of 1 to 2 items without repetition, each one of red, green";
  check({ colors: "red" }, `colors must be ${allowed}, but is "red"`);
  check({ colors: [] }, `colors must be ${allowed}, but has 0 items`);
  check({ colors: ["red", "red"] }, 'colors must not repeat "red"');
  check({ colors: ["red", "blue"] }, 'colors[1] must be one of red, green, but is "blue"');
  check({ colors: new Array(1) }, "colors[0] must be one of red, green, but is undefined");
});

test("variants are given whole, but for what has a default", () => {
  check({ shape: { radius: 1 } }, "shape.type is missing; it must be one of circle, point");
  check(
    { shape: { type: "circel" } },
    'shape.type must be one of circle, point, but is "circel"; did you mean circle?',
  );
  check({ shape: { type: "circle" } }, "shape.radius is missing; it must be a number of at least 0");
  check({ shape: { type: "circle", radius: 1, width: 2 } }, "Unknown key shape.width; allowed here: radius");
  check({ shape: "circle" }, 'shape must be an object with type circle, point, but is "circle"');
});

test("an unknown key is explained, across levels too", () => {
  check({ colour: "red" }, "Unknown key colour; did you mean color?");
  check({ depth: 1 }, "Unknown key depth; did you mean inner.depth?");
  check({ deepth: 1 }, "Unknown key deepth; did you mean inner.depth?");
  check({ inner: { size: 1 } }, "Unknown key inner.size; did you mean size?");
  check({ "inner.depth": 1 }, 'Unknown key "inner.depth"; did you mean inner.depth?');
  check({ inner: { zzzzzzzzz: 1 } }, "Unknown key inner.zzzzzzzzz; allowed here: depth");
  check(JSON.parse('{"__proto__": 1, "constructor": 2}'), ...unknownAtTop("__proto__", "constructor"));
});

function unknownAtTop(...keys: readonly string[]): readonly string[] {
  const known = "name, size, share, isOn, color, colors, rules, inner, shape";
  return keys.map((key) => `Unknown key ${key}; allowed here: ${known}`);
}

test("complete values may lack nothing but what may be off", () => {
  const problems = checkSchema({ inner: {} }, SCHEMA, { partial: false });
  expect(problems.map(({ path }) => path).sort()).toEqual(
    ["name", "size", "share", "isOn", "color", "colors", "rules", "shape", "inner.depth"].sort(),
  );
});

test("only plain objects are objects", () => {
  expect([{}, Object.create(null), JSON.parse("{}")].map(isPlainObject)).toEqual([true, true, true]);
  expect([new Map(), new Date(), [], null, () => 1, new (class Own {})()].map(isPlainObject)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ]);
});

test("every sentence is one short line, whatever comes", () => {
  const garbage = fc.dictionary(
    fc.oneof(fc.constantFrom("name", "size", "inner", "shape", "colors", "rules"), fc.string({ unit: "binary" })),
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  );
  fc.assert(
    fc.property(garbage, (value) => {
      for (const { message } of checkSchema(value, SCHEMA, { partial: true })) {
        expect(message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
        expect(message.length).toBeLessThan(600);
        expect(message.isWellFormed()).toBe(true);
      }
    }),
  );
});
