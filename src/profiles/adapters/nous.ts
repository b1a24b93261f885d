/** Nous's `NOUS_*` environment variables as settings. Reads a record that it is given, never the environment itself. */

import {
  checkSchema,
  nearestWord,
  type Problem,
  refuseProblems,
  shownValue,
} from "../../core/settings/check-schema.ts";
import { amount, flag, group, type Schema } from "../../core/settings/schema.ts";
import { NOUS_LEGACY_MESSAGES } from "../profiles.ts";
import { type AdaptedSettings, inSubject } from "./adapted.ts";

export type NousEnvironment = Readonly<Record<string, string | undefined>>;

/** Variables of other programs are ignored, except those that look like Nous's own: they are refused. */
export function nousSettings(environment: NousEnvironment): AdaptedSettings {
  const values = readVariables(environment);
  const { NOUS_COMPACTION_ENABLED: isCompacting, NOUS_COMPACTION_THRESHOLD: tokens } = values;
  const clearAfter = values.NOUS_TOOL_HARD_CLEAR_AFTER;
  return {
    profile: "nous",
    user: {
      compact: {
        auto: isCompacting,
        ...(tokens === undefined ? {} : { triggers: [{ type: "budgetSum", tokens, comparison: "gt" }] }),
      },
      protect: { tailTokens: values.NOUS_KEEP_RECENT_TOKENS },
      prune: {
        enabled: values.NOUS_TOOL_PRUNING_ENABLED,
        softTrim: {
          overChars: values.NOUS_TOOL_SOFT_TRIM_CHARS,
          headChars: values.NOUS_TOOL_SOFT_TRIM_HEAD,
          tailChars: values.NOUS_TOOL_SOFT_TRIM_TAIL,
        },
        // Older than 0 is every result that nothing spares; our 0 would be never. The newest, of age 1, has yet to be read.
        clearAfter: clearAfter === undefined ? undefined : Math.max(1, clearAfter),
        keepLast: values.NOUS_KEEP_LAST_TOOL_RESULTS,
      },
      // The cap of 20 messages is what there is without compaction.
      maxMessages: isCompacting ? 0 : NOUS_LEGACY_MESSAGES,
    },
  };
}

const variables = {
  NOUS_TOOL_PRUNING_ENABLED: flag("Default: true."),
  NOUS_TOOL_SOFT_TRIM_CHARS: amount("Default: 4,000.", 1),
  NOUS_TOOL_SOFT_TRIM_HEAD: amount("Default: 1,500."),
  NOUS_TOOL_SOFT_TRIM_TAIL: amount("Default: 1,500."),
  NOUS_TOOL_HARD_CLEAR_AFTER: amount("Default: 6."),
  NOUS_KEEP_LAST_TOOL_RESULTS: amount("Default: 2."),
  NOUS_COMPACTION_ENABLED: flag("Default: false."),
  NOUS_COMPACTION_THRESHOLD: amount("Default: 100,000.", 1),
  NOUS_KEEP_RECENT_TOKENS: amount("Default: 20,000."),
};

type Values = {
  readonly [Name in keyof typeof variables]?: (typeof variables)[Name]["type"] extends "boolean" ? boolean : number;
};

/** Of these families every name must be known. */
const FAMILIES = ["NOUS_TOOL_", "NOUS_COMPACTION", "NOUS_KEEP_"] as const;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function readVariables(environment: NousEnvironment): Values {
  // `process.env` is no plain object everywhere, so only what cannot have variables is refused.
  if (typeof environment !== "object" || environment === null || Array.isArray(environment)) {
    refuseProblems([
      { path: "", message: `The Nous environment must be an object, but is ${shownValue(environment)}` },
    ]);
  }
  const names = Object.keys(environment).filter((name) => FAMILIES.some((family) => name.startsWith(family)));
  const strangers = names.filter((name) => !Object.hasOwn(variables, name)).map(unknownVariable);
  const given = Object.entries<Schema>(variables).filter(([name]) => Object.hasOwn(environment, name));
  const values = Object.fromEntries(given.map(([name, { type }]) => [name, parsed(environment[name], type)]));
  const problems = [
    ...strangers,
    ...checkSchema(values, group("The variables of Nous.", variables), { partial: true }),
  ];
  refuseProblems(problems.map((problem) => inSubject(problem, "Nous environment")));
  // The check has just found each to be of its variable's kind.
  return values as Values;
}

/** The value where the text is of the kind the variable has, else the text, which the schema refuses. */
function parsed(text: unknown, type: Schema["type"]): unknown {
  if (typeof text !== "string") return text;
  if (type === "boolean") return BOOLEANS.get(text.toLowerCase()) ?? text;
  // Digits only: no sign but minus (which the range refuses), no exponent, no blank, no unit.
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

function unknownVariable(name: string): Problem {
  const known = Object.keys(variables);
  const near = nearestWord(name, known);
  const hint = near === undefined ? `there are ${known.join(", ")}` : `did you mean ${near}?`;
  const shown = /^\w+$/.test(name) ? name : shownValue(name);
  return { path: shown, message: `Unknown variable ${shown}; ${hint}` };
}
