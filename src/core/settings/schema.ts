/**
 * A shape, written as data: the kind of a value, its range, and one sentence about it. Checks (`check-schema.ts`),
 * merging and the reference pages all read the same schema. `SchemaFor` ties a schema to its TypeScript type, so that a
 * missing key or allowed value does not compile.
 */

export type Schema =
  | BooleanSchema
  | NumberSchema
  | TextSchema
  | ChoiceSchema
  | ListSchema
  | RecordSchema
  | ObjectSchema
  | VariantsSchema;

interface SchemaBase {
  readonly about: string;
}

export interface BooleanSchema extends SchemaBase {
  readonly type: "boolean";
}

export interface NumberSchema extends SchemaBase {
  readonly type: "number";
  readonly whole?: boolean;
  /** Allowed: at least `min`, more than `above`, at most `max`, less than `below`. */
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly below?: number;
}

export interface TextSchema extends SchemaBase {
  readonly type: "text";
  /** Whether a blank text is refused. */
  readonly filled?: boolean;
}

/** One of a closed set; each value comes with what it means. */
export interface ChoiceSchema<Value extends string = string> extends SchemaBase {
  readonly type: "choice";
  readonly values: Readonly<Record<Value, string>>;
}

export interface ListSchema<Item extends Schema = Schema> extends SchemaBase {
  readonly type: "list";
  readonly of: Item;
  readonly minItems?: number;
  readonly maxItems: number;
  readonly unique?: boolean;
}

/** Any key, values of one kind. */
export interface RecordSchema<Item extends Schema = Schema> extends SchemaBase {
  readonly type: "record";
  readonly of: Item;
}

export interface ObjectSchema<Keys extends object = Readonly<Record<string, Schema>>> extends SchemaBase {
  readonly type: "object";
  readonly keys: Keys;
  /** Whether `false` may be written instead, to switch the whole off. */
  readonly mayBeOff?: boolean;
}

/** One of several objects, chosen by `type`; always written whole. */
export interface VariantsSchema<Variants extends object = Readonly<Record<string, Variant>>> extends SchemaBase {
  readonly type: "variants";
  readonly variants: Variants;
}

export interface Variant<Keys extends object = Readonly<Record<string, Schema>>> extends SchemaBase {
  readonly keys: Keys;
  /** Values of missing keys; every other key is required. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

export type SchemaFor<Value> = [Value] extends [boolean]
  ? BooleanSchema
  : [Value] extends [number]
    ? NumberSchema
    : [Value] extends [string]
      ? string extends Value
        ? TextSchema
        : ChoiceSchema<Value>
      : [Value] extends [readonly (infer Item)[]]
        ? ListSchema<SchemaFor<Item>>
        : SchemaForObject<Value>;

type SchemaForObject<Value> = [undefined] extends [Value]
  ? ObjectSchema<KeysFor<Exclude<Value, undefined>>> & { readonly mayBeOff: true }
  : [Value] extends [{ readonly type: string }]
    ? VariantsSchema<VariantsFor<Value>>
    : string extends keyof Value
      ? RecordSchema<SchemaFor<Value[keyof Value]>>
      : ObjectSchema<KeysFor<Value>>;

type KeysFor<Value> = { readonly [Key in keyof Value]-?: SchemaFor<Value[Key]> };

type VariantsFor<Value extends { readonly type: string }> = {
  readonly [Type in Value["type"]]: VariantFor<Extract<Value, { readonly type: Type }>>;
};

export type VariantFor<One extends { readonly type: string }> = Variant<KeysFor<Omit<One, "type">>>;

/** A boolean, in short form for a table. */
export function flag(about: string): BooleanSchema {
  return { type: "boolean", about };
}

type Bounds = Omit<NumberSchema, "type" | "about">;

export function bounded(about: string, bounds: Bounds): NumberSchema {
  return { type: "number", ...bounds, about };
}

/** A whole number of at least `min`. */
export function amount(about: string, min = 0): NumberSchema {
  return { type: "number", whole: true, min, about };
}

/** A text that is not blank. */
export function filledText(about: string): TextSchema {
  return { type: "text", filled: true, about };
}

/** `NoInfer` makes the compiler take the type from the use of the schema, so that a value or key too many is an error too. */
export function choice<Value extends string>(
  about: string,
  values: Readonly<Record<NoInfer<Value>, string>>,
): ChoiceSchema<Value> {
  return { type: "choice", about, values };
}

export function group<Keys extends object>(about: string, keys: NoInfer<Keys>): ObjectSchema<Keys> {
  return { type: "object", about, keys };
}

/** A group that `false` switches off. */
export function optionalGroup<Keys extends object>(
  about: string,
  keys: NoInfer<Keys>,
): ObjectSchema<Keys> & { readonly mayBeOff: true } {
  return { ...group(about, keys), mayBeOff: true };
}

/** The values that a schema allows, as the end of a sentence that begins with the key. */
export function allowedText(schema: Schema): string {
  switch (schema.type) {
    case "boolean":
      return "true or false";
    case "number":
      return numberText(schema);
    case "text":
      return schema.filled ? "a text that is not blank" : "a text";
    case "choice":
      return `one of ${Object.keys(schema.values).join(", ")}`;
    case "list":
      return listText(schema);
    case "record":
      return `an object whose values are ${allowedText(schema.of)}`;
    case "object":
      return schema.mayBeOff ? "an object, or false to switch it off" : "an object";
    case "variants":
      return `an object with type ${Object.keys(schema.variants).join(", ")}`;
    default:
      return schema satisfies never;
  }
}

/** The range of a number, e.g. `at least 0 and below 1`; empty when every number is allowed. */
export function rangeText({ min, above, max, below }: NumberSchema): string {
  const limits = [
    min === undefined ? [] : [`at least ${format(min)}`],
    above === undefined ? [] : [`above ${format(above)}`],
    max === undefined ? [] : [`at most ${format(max)}`],
    below === undefined ? [] : [`below ${format(below)}`],
  ];
  return limits.flat().join(" and ");
}

function numberText(schema: NumberSchema): string {
  const range = rangeText(schema);
  const kind = schema.whole ? "a whole number" : "a number";
  if (range === "") return kind;
  return `${kind} ${range.startsWith("at ") ? "of " : ""}${range}`;
}

function listText({ of, minItems, maxItems, unique }: ListSchema): string {
  const count = minItems === undefined ? `at most ${maxItems}` : `${minItems} to ${maxItems}`;
  return `a list of ${count} items${unique ? " without repetition" : ""}, each ${allowedText(of)}`;
}

function format(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 6 });
}
