/** The log of what was done: one line for each effect, reads gathered, failures with their cause unless the same succeeded later. */

import type { JsonValue } from "../../core/json.ts";
import { type ArgumentCounts, briefOf, type CallBrief, countArguments, plainInput, rootOf, toolName } from "./calls.ts";
import type { Called } from "./events.ts";
import { failureOf, outcomeOf, plainResult } from "./outcome.ts";
import { oneLine } from "./text.ts";
import { todosOf } from "./todos.ts";
import { fieldsOf } from "./values.ts";

export interface LoggedCall extends CallBrief {
  readonly called: Called;
  /** What came back, out of its packaging. */
  readonly plain: JsonValue;
  /** The arguments, out of their packaging. */
  readonly plainInput: JsonValue;
  /** Why it failed; absent where it did not. */
  readonly cause?: string;
}

/** Every call that does something but keep a list or think aloud. */
export function readCalls(calls: readonly Called[]): readonly LoggedCall[] {
  const inputs = calls.map(({ input }) => plainInput(input));
  const fields = inputs.map((input) => fieldsOf(input));
  const root = rootOf(fields);
  const byName = Map.groupBy(
    calls.map(({ name }, at) => ({ name, fields: fields[at] ?? [] })),
    ({ name }) => name,
  );
  const counts = new Map<string, ArgumentCounts>();
  for (const [name, given] of byName) counts.set(name, countArguments(given.map(({ fields }) => fields)));
  return calls.flatMap((called, at) => {
    const input = inputs[at] ?? null;
    const own = counts.get(called.name);
    if (own === undefined || todosOf(input) !== undefined || /think|todo/i.test(called.name)) return [];
    const plain = plainResult(called.output);
    const brief = briefOf(called.name, input, { counts: own, root });
    const failure = failureOf(called.output, plain, called.isError);
    const cause = brief.kind === "read" && FOUND_NOTHING.test(failure ?? "") ? undefined : failure;
    return [
      {
        ...brief,
        called,
        plain,
        plainInput: input,
        ...(cause !== undefined && { cause }),
      },
    ];
  });
}

/** A search that found nothing ends so too, and says nothing else. */
const FOUND_NOTHING = /^\W*(?:command |process )?exit(?:ed)?(?: with)?(?: code| status)?\W*1\W*$/i;

export interface LogLine {
  readonly type: "effect" | "run" | "read" | "failure" | "choice";
  readonly text: string;
  /** Lines under one head stand on one line. */
  readonly head?: string;
  readonly action: string;
  readonly at: number;
  readonly ids: readonly string[];
  readonly key: string;
}

const TYPES = { change: "effect", run: "run", read: "read" } as const;
const IDS_MAX = 12;
/** Of what was only looked at. */
const READ_CHARS_MAX = 100;
/** Names of tools through which an agent asks its user. */
const ASKING =
  /^(?:ask|request)_?(?:user|human|follow|question|approval|confirmation)|^(?:exit_?plan|confirm_?(?:with_?)?user)/i;
const FAILURES_MAX = 8;
const FAILURE_CHARS_MAX = 240;

export function logOf(calls: readonly LoggedCall[]): readonly LogLine[] {
  const lines = openFailures(calls).map(({ called, action, object, cause = "", key }): LogLine => {
    const text = oneLine(`${object} → ${cause}`, FAILURE_CHARS_MAX);
    return { type: "failure", text, action, at: called.at, ids: called.ids, key };
  });
  const groups = Map.groupBy(
    calls.filter(({ called, cause }) => !called.isKept && cause === undefined),
    ({ key }) => key,
  );
  for (const group of groups.values()) lines.push(...lineOf(group));
  return lines.toSorted((a, b) => a.at - b.at);
}

/** The newest calls that leave and failed, without those that tried what succeeded later. */
export function openFailures(calls: readonly LoggedCall[]): readonly LoggedCall[] {
  const succeeded = new Map<string, number>();
  for (const { called, action, object, cause } of calls) {
    if (cause === undefined && called.isAnswered) succeeded.set(tryKey(action, object), called.at);
  }
  return calls
    .filter(({ called, cause }) => !called.isKept && cause !== undefined)
    .filter(({ called, action, object }) => (succeeded.get(tryKey(action, object)) ?? -1) <= called.at)
    .slice(-FAILURES_MAX);
}

/** Calls that did the same, told with the outcome of the newest. */
function lineOf(group: readonly LoggedCall[]): readonly LogLine[] {
  const newest = group.at(-1);
  if (newest === undefined) return [];
  const { called, action, object, kind, plain, key } = newest;
  const ids = [...new Set(group.flatMap(({ called: { ids: own } }) => own))].slice(-IDS_MAX);
  const times = group.length > 1 ? ` ×${group.length}` : "";
  const outcome = called.isAnswered ? outcomeOf(plain, `${action} ${object}`) : "";
  const base = { type: TYPES[kind], action, at: called.at, ids, key };
  // What the user chose or approved, which repeats what was asked.
  if (ASKING.test(toolName(called.name)) && called.output.trim() !== "")
    return [{ ...base, type: "choice", text: `${action} → ${oneLine(called.output, FAILURE_CHARS_MAX)}` }];
  if (kind === "read" && object !== "" && (outcome === "" || typeof plain === "string"))
    return [{ ...base, head: action, text: oneLine(object, READ_CHARS_MAX) }];
  const said = `${object}${times}${outcome === "" ? "" : ` → ${outcome}`}`;
  return [{ ...base, text: object === "" && outcome === "" ? `${action}${times}` : `${action}: ${said.trim()}` }];
}

/** What succeeded, by `tryKey`. */
export function succeededIn(calls: readonly LoggedCall[]): ReadonlySet<string> {
  return new Set(
    calls.flatMap(({ cause, action, object, called }) =>
      cause === undefined && called.isAnswered ? tryKey(action, object) : [],
    ),
  );
}

/** What two attempts at the same thing share: the tool, and the first words of a command or the first argument. */
export function tryKey(action: string, object: string): string {
  const words = object.split(/[,\s]+/).filter((word) => !word.startsWith("-") && !/["'=]/.test(word));
  return `${action} ${words.slice(0, 3).join(" ")}`;
}
