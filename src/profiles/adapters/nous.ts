/** Nous's `NOUS_*` environment variables as settings. Reads a record that it is given, never the environment itself. */

import { checkSchema, type Problem, shownValue } from "../../core/settings/check-schema.ts";
import { nearestWord } from "../../core/settings/near-word.ts";
import { refuseProblems } from "../../core/settings/refuse-problems.ts";
import type { Schema } from "../../core/settings/schema.ts";
import { NOUS_LEGACY_MESSAGES } from "../nous.ts";
import { type AdaptedSettings, inSubject } from "./adapted.ts";

export type NousEnvironment = Readonly<Record<string, string | undefined>>;

/** Other variables are none of our business, except those that look like ours: they are refused. */
export function nousSettings(environment: NousEnvironment): AdaptedSettings {
  const values = readVariables(environment);
  const softTrim = {
    overChars: values.number("NOUS_TOOL_SOFT_TRIM_CHARS"),
    headChars: values.number("NOUS_TOOL_SOFT_TRIM_HEAD"),
    tailChars: values.number("NOUS_TOOL_SOFT_TRIM_TAIL"),
  };
  const isCompacting = values.boolean("NOUS_COMPACTION_ENABLED");
  const tokens = values.number("NOUS_COMPACTION_THRESHOLD");
  const clearAfter = values.number("NOUS_TOOL_HARD_CLEAR_AFTER");
  return {
    profile: "nous",
    user: {
      compact: {
        auto: isCompacting,
        ...(tokens === undefined ? {} : { triggers: [{ type: "budgetSum", tokens, comparison: "gt" }] }),
      },
      protect: { tailTokens: values.number("NOUS_KEEP_RECENT_TOKENS") },
      prune: {
        enabled: values.boolean("NOUS_TOOL_PRUNING_ENABLED"),
        softTrim,
        // Older than 0 is every result that nothing spares; our 0 would be never. The newest, of age 1, has yet to be read.
        clearAfter: clearAfter === undefined ? undefined : Math.max(1, clearAfter),
        keepLast: values.number("NOUS_KEEP_LAST_TOOL_RESULTS"),
      },
      // The cap of 20 messages is what there is without compaction.
      maxMessages: isCompacting ? 0 : NOUS_LEGACY_MESSAGES,
    },
  };
}

const variables = {
  NOUS_TOOL_PRUNING_ENABLED: { type: "boolean", about: "Default: true." },
  NOUS_TOOL_SOFT_TRIM_CHARS: { type: "number", whole: true, min: 1, about: "Default: 4,000." },
  NOUS_TOOL_SOFT_TRIM_HEAD: { type: "number", whole: true, min: 0, about: "Default: 1,500." },
  NOUS_TOOL_SOFT_TRIM_TAIL: { type: "number", whole: true, min: 0, about: "Default: 1,500." },
  NOUS_TOOL_HARD_CLEAR_AFTER: { type: "number", whole: true, min: 0, about: "Default: 6." },
  NOUS_KEEP_LAST_TOOL_RESULTS: { type: "number", whole: true, min: 0, about: "Default: 2." },
  NOUS_COMPACTION_ENABLED: { type: "boolean", about: "Default: false." },
  NOUS_COMPACTION_THRESHOLD: { type: "number", whole: true, min: 1, about: "Default: 100,000." },
  NOUS_KEEP_RECENT_TOKENS: { type: "number", whole: true, min: 0, about: "Default: 20,000." },
} as const satisfies Readonly<Record<string, Schema>>;

type VariableName = keyof typeof variables;

/** Of these families every name must be known. */
const FAMILIES = ["NOUS_TOOL_", "NOUS_COMPACTION", "NOUS_KEEP_"] as const;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

interface Variables {
  number(name: VariableName): number | undefined;
  boolean(name: VariableName): boolean | undefined;
}

function readVariables(environment: NousEnvironment): Variables {
  // `process.env` is no plain object everywhere, so only what cannot have variables is refused.
  if (typeof environment !== "object" || environment === null || Array.isArray(environment)) {
    refuseProblems([
      { path: "", message: `The Nous environment must be an object, but is ${shownValue(environment)}` },
    ]);
  }
  const names = Object.keys(environment).filter((name) => FAMILIES.some((family) => name.startsWith(family)));
  const strangers = names.filter((name) => !Object.hasOwn(variables, name)).map(unknownVariable);
  const given = names.filter((name) => Object.hasOwn(variables, name) && environment[name] !== undefined);
  const values = Object.fromEntries(given.map((name) => [name, parsed(environment[name])]));
  const schema: Schema = { type: "object", keys: variables, about: "The variables of Nous." };
  const problems = [...strangers, ...checkSchema(asExpected(values), schema, { partial: true })];
  refuseProblems(problems.map((problem) => inSubject(problem, "Nous environment")));
  return {
    number: (name) => values[name]?.number,
    boolean: (name) => values[name]?.boolean,
  };
}

interface Parsed {
  readonly text: unknown;
  readonly number: number | undefined;
  readonly boolean: boolean | undefined;
}

/** Digits only: no sign but minus (which the range refuses), no exponent, no blank, no unit. */
function parsed(text: unknown): Parsed {
  const isDigits = typeof text === "string" && /^-?\d+$/.test(text);
  return {
    text,
    number: isDigits ? Number(text) : undefined,
    boolean: typeof text === "string" ? BOOLEANS.get(text.toLowerCase()) : undefined,
  };
}

/** The parsed value where the text is of the kind the variable has, else the text, which the schema will refuse. */
function asExpected(values: Readonly<Record<string, Parsed>>): Readonly<Record<string, unknown>> {
  const entries = Object.entries(variables).flatMap(([name, schema]): [string, unknown][] => {
    const value = values[name];
    return value === undefined ? [] : [[name, value[schema.type] ?? value.text]];
  });
  return Object.fromEntries(entries);
}

function unknownVariable(name: string): Problem {
  const known = Object.keys(variables);
  const near = nearestWord(name, known);
  const hint = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
  const shown = /^\w+$/.test(name) ? name : shownValue(name);
  return { path: shown, message: `Unknown variable ${shown}; ${hint}` };
}
