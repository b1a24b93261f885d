/**
 * Checks an unknown value against a schema and reports every problem: the full path of the key, the value, the allowed
 * values, and for an unknown key the likely intended one. Reads only, never throws, and every sentence is one line,
 * whatever the value holds.
 */

import { CompactionError } from "../errors.ts";
import { isPlainObject, present } from "../json.ts";
import { once } from "../remember.ts";
import {
  allowedText,
  type ListSchema,
  type NumberSchema,
  type Schema,
  type SchemaFor,
  type VariantsSchema,
} from "./schema.ts";
import type { CheckPoint } from "./settings.ts";

export interface Problem {
  /** Dotted, with list indices in brackets: `compact.triggers[0].ratio`. Empty for the value as a whole. */
  readonly path: string;
  /** A sentence without a full stop. */
  readonly message: string;
}

export interface CheckOptions {
  /** Whether keys of objects may be missing; those of list items and variants may not. */
  readonly partial: boolean;
  /** The name of the whole value in sentences, for a value that is no object. */
  readonly subject?: string;
}

export function checkSchema(value: unknown, schema: Schema, options: CheckOptions): readonly Problem[] {
  const walk: Walk = {
    ...options,
    subject: options.subject ?? "The value",
    knownPaths: once(() => pathsOf(schema, "")),
  };
  return checkAt("", value, schema, walk);
}

/** A value in one short line, without running any of its code. */
export function shownValue(value: unknown): string {
  switch (typeof value) {
    case "string":
      return shortened(JSON.stringify(value));
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "bigint":
      return "a bigint";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? "a list" : "an object";
    default:
      return `a ${typeof value}`;
  }
}

/** Every key of the schema as a dotted path, objects included; keys in lists and variants have no path of their own. */
export function pathsOf(schema: Schema, path: string): readonly string[] {
  if (schema.type !== "object") return [];
  return Object.entries(schema.keys).flatMap(([key, inner]) => {
    const full = joined(path, key);
    return [full, ...pathsOf(inner, full)];
  });
}

interface Walk extends CheckOptions {
  readonly subject: string;
  readonly knownPaths: () => readonly string[];
}

const SHOWN_CHARACTERS_MAX = 60;
/** A bound on the listed keys beside an unknown one, so that the sentence stays readable. */
const SHOWN_KEYS_MAX = 20;

function checkAt(path: string, value: unknown, schema: Schema, walk: Walk): readonly Problem[] {
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? [] : wrong(path, value, schema, walk);
    case "number":
      return isInRange(value, schema) ? [] : wrong(path, value, schema, walk);
    case "text":
      return typeof value === "string" && !(schema.filled && value.trim() === "")
        ? []
        : wrong(path, value, schema, walk);
    case "choice":
      return checkChoice(path, value, schema, walk);
    case "list":
      return checkList(path, value, schema, walk);
    case "record":
      if (!isPlainObject(value)) return wrong(path, value, schema, walk);
      return Object.entries(value).flatMap(([key, inner]) => checkAt(joined(path, key), inner, schema.of, walk));
    case "object":
      if (schema.mayBeOff && walk.partial && value === false) return [];
      if (!isPlainObject(value)) return wrong(path, value, schema, walk);
      return checkKeys(path, value, { keys: schema.keys, mayMiss: walk.partial }, walk);
    case "variants":
      return checkVariant(path, value, schema, walk);
    default:
      return schema satisfies never;
  }
}

function isInRange(value: unknown, { whole, min, above, max, below }: NumberSchema): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  if (whole && !Number.isSafeInteger(value)) return false;
  const isHighEnough = (min === undefined || value >= min) && (above === undefined || value > above);
  return isHighEnough && (max === undefined || value <= max) && (below === undefined || value < below);
}

function checkChoice(path: string, value: unknown, schema: Schema & { type: "choice" }, walk: Walk) {
  if (typeof value === "string" && Object.hasOwn(schema.values, value)) return [];
  const hint = typeof value === "string" ? didYouMean(value, Object.keys(schema.values)) : "";
  return wrong(path, value, schema, walk, hint);
}

function checkList(path: string, value: unknown, schema: ListSchema, walk: Walk): readonly Problem[] {
  const { of, minItems = 0, maxItems, unique } = schema;
  if (!Array.isArray(value)) return wrong(path, value, schema, walk);
  if (value.length < minItems || value.length > maxItems) {
    return [problem(path, `must be ${allowedText(schema)}, but has ${value.length} items`, walk)];
  }
  // Array.from visits holes too, as undefined.
  const items = Array.from<unknown>(value);
  const problems = items.flatMap((item, index) => checkAt(`${path}[${index}]`, item, of, { ...walk, partial: false }));
  const repeated = unique ? items.find((item, index) => items.indexOf(item) !== index) : undefined;
  if (problems.length > 0 || repeated === undefined) return problems;
  return [problem(path, `must not repeat ${shownValue(repeated)}`, walk)];
}

function checkVariant(path: string, value: unknown, schema: VariantsSchema, walk: Walk): readonly Problem[] {
  if (!isPlainObject(value)) return wrong(path, value, schema, walk);
  const types: Schema = {
    type: "choice",
    values: Object.fromEntries(Object.keys(schema.variants).map((type) => [type, ""])),
    about: "",
  };
  const type = Object.hasOwn(value, "type") ? value.type : undefined;
  if (type === undefined) return [missing(joined(path, "type"), types, walk)];
  const typeProblems = checkAt(joined(path, "type"), type, types, walk);
  const variant = typeof type === "string" && typeProblems.length === 0 ? schema.variants[type] : undefined;
  if (variant === undefined) return typeProblems;
  const given = Object.fromEntries(Object.entries(value).filter(([key]) => key !== "type"));
  const { keys, defaults = {} } = variant;
  const complete = { ...defaults, ...present(given) };
  return checkKeys(path, complete, { keys, mayMiss: false }, { ...walk, partial: false });
}

interface Keys {
  readonly keys: Readonly<Record<string, Schema>>;
  readonly mayMiss: boolean;
}

function checkKeys(path: string, value: Readonly<Record<string, unknown>>, { keys, mayMiss }: Keys, walk: Walk) {
  const unknown = Object.keys(value).filter((key) => !Object.hasOwn(keys, key));
  const problems = unknown.map((key) => unknownKey(path, key, keys, walk));
  for (const [key, schema] of Object.entries(keys)) {
    const inner = Object.hasOwn(value, key) ? value[key] : undefined;
    if (inner !== undefined) problems.push(...checkAt(joined(path, key), inner, schema, walk));
    else if (!mayMiss && !(schema.type === "object" && schema.mayBeOff)) {
      problems.push(missing(joined(path, key), schema, walk));
    }
  }
  return problems;
}

/** Suggests a key: a similar name here, the same name elsewhere, a similar name elsewhere, in this order; an exact name first. */
function unknownKey(path: string, key: string, keys: Keys["keys"], walk: Walk): Problem {
  const full = joined(path, key);
  const here = Object.keys(keys);
  const paths = walk.knownPaths();
  const leaves = paths.map((known) => known.slice(known.lastIndexOf(".") + 1));
  const elsewhere = (leaf: string | undefined) => (leaf === undefined ? undefined : paths[leaves.indexOf(leaf)]);
  const nearHere = nearestWord(key, here);
  const exact = paths.find((known) => known === key) ?? elsewhere(leaves.find((leaf) => leaf === key));
  const meant = exact ?? (nearHere === undefined ? elsewhere(nearestWord(key, leaves)) : joined(path, nearHere));
  const message = `Unknown key ${full}`;
  if (meant !== undefined && meant !== full) return { path: full, message: `${message}; did you mean ${meant}?` };
  if (here.length === 0) return { path: full, message: `${message}; no key is allowed here` };
  const more = here.length > SHOWN_KEYS_MAX ? ", …" : "";
  return { path: full, message: `${message}; allowed here: ${here.slice(0, SHOWN_KEYS_MAX).join(", ")}${more}` };
}

function wrong(path: string, value: unknown, schema: Schema, walk: Walk, hint = ""): readonly Problem[] {
  return [problem(path, `must be ${allowedText(schema)}, but is ${shownValue(value)}${hint}`, walk)];
}

function missing(path: string, schema: Schema, walk: Walk): Problem {
  return problem(path, `is missing; it must be ${allowedText(schema)}`, walk);
}

function problem(path: string, message: string, { subject }: Walk): Problem {
  return { path, message: `${path === "" ? subject : path} ${message}` };
}

function joined(path: string, key: string): string {
  const shown = /^[\w$*-]+$/.test(key) && key.length <= SHOWN_CHARACTERS_MAX ? key : shortened(JSON.stringify(key));
  return path === "" ? shown : `${path}.${shown}`;
}

/** JSON keeps some line breaks and control characters; here they would break the line. */
function shortened(json: string): string {
  const line = json.replace(/[\u007f-\u009f\u2028\u2029]/g, "?");
  return line.length <= SHOWN_CHARACTERS_MAX ? line : `${line.slice(0, SHOWN_CHARACTERS_MAX).toWellFormed()}…`;
}

/** Several, so that all can be fixed at once; few, so that garbage stays short. */
const SHOWN_PROBLEMS_MAX = 10;

export function refuseProblems(problems: readonly Problem[]): void {
  const [first, ...others] = problems;
  if (first === undefined) return;
  const paths = [...new Set(others.map(({ path }) => path))].filter((path) => path !== first.path);
  const more = paths.slice(0, SHOWN_PROBLEMS_MAX).join(", ");
  const rest = paths.length > SHOWN_PROBLEMS_MAX ? ", …" : "";
  const also = more === "" ? "" : `; also wrong: ${more}${rest}`;
  throw new CompactionError("invalid-settings", `${first.message}${also}`);
}

export const checkPointSchema: SchemaFor<CheckPoint> = {
  type: "choice",
  about: "When the triggers are looked at.",
  values: {
    afterUser: "after a user message was added",
    afterToolResults: "after tool results were added",
    beforeModelCall: "before every model call",
    afterTurn: "after a turn has ended",
    onOverflow: "when the provider refuses a request as too long",
    manual: "when asked by hand",
  },
};

export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > WORD_CHARACTERS_MAX) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = rank(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Empty where no word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** A longer word is no misspelt key, option or command; the bound keeps garbage cheap. */
const WORD_CHARACTERS_MAX = 60;

/** A beginning counts as similar: `conv` means `conversation`, `anthropic` means `anthropic-messages`. */
function rank(word: string, candidate: string): number {
  return word.length >= 3 && candidate.startsWith(word) ? 0.5 : editDistance(word, candidate);
}

/** The number of letters to insert, remove, replace or swap with their neighbour. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
