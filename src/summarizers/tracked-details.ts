/**
 * What a summary takes from the calls instead of a model: files read, files modified, and calls that failed and did not succeed later.
 * Tells no more than the calls and their results prove. Pure.
 */

import { OUTCOME_MARK, parseCheckpoint, type ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Message, type ToolCallPart, type ToolResultPart, textsOf } from "../core/message.ts";
import { pairCalls } from "../core/structure/pairing.ts";
import { headOf, tailOf } from "../core/text.ts";
import { unwrap } from "../core/unwrap.ts";
import { filesOfCall, filesOfMessages } from "./call-files.ts";

const FAILURES_MAX = 8;
const BRIEF_CHARS_MAX = 80;
const CAUSE_CHARS_MAX = 150;

/** Files and failures for a stored record, failures oldest first. */
export interface TrackedDetails {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
}

/** Lists accumulate over summaries: earlier files stay listed, a failure until its call succeeds. */
export function detailsOf({ messages, turnPrefix, kept, previous }: SummaryInput): TrackedDetails {
  const earlier = previous?.checkpoint ?? parseCheckpoint(previous?.text ?? "");
  const { read, modified } = filesOfMessages([...messages, ...turnPrefix]);
  const modifiedFiles = new Set([...(earlier?.filesModified ?? []), ...modified]);
  const readFiles = new Set([...(earlier?.filesRead ?? []), ...read].filter((path) => !modifiedFiles.has(path)));
  const leaving = messages.length + turnPrefix.length;
  return {
    readFiles: [...readFiles].sort(),
    modifiedFiles: [...modifiedFiles].sort(),
    toolFailures: openFailures([...messages, ...turnPrefix, ...kept], leaving, earlier?.toolFailures ?? []),
  };
}

/** Of the calls before `end`, those that failed and that no later call of the same kind made good. */
function openFailures(
  messages: readonly Message[],
  end: number,
  earlier: readonly ToolFailure[],
): readonly ToolFailure[] {
  const open = new Map<string, ToolFailure>();
  for (const failure of earlier) open.set(keyOf(failure), failure);
  for (const { at, part, results } of pairCalls(messages).calls) {
    const result = results.at(-1)?.part;
    if (result === undefined) continue;
    const call = { toolName: part.name, summary: briefOf(part) };
    const key = keyOf(call);
    open.delete(key);
    const cause = causeOf(result);
    if (cause === undefined || at.message >= end) continue;
    open.set(key, { ...call, summary: `${call.summary}${OUTCOME_MARK}${JSON.stringify(cause)}`.replace(/^ → /, "") });
  }
  return [...open.values()].slice(-FAILURES_MAX);
}

/** Calls with one key are attempts at one thing: a commit is one, whatever its message, and an edit of a file, whatever its lines. */
function keyOf({ toolName, summary }: ToolFailure): string {
  const brief = summary.includes(OUTCOME_MARK) ? summary.slice(0, summary.indexOf(OUTCOME_MARK)) : summary;
  const deed = [...brief.matchAll(/\bgit (?:-C \S+ )?(commit|push|pull|rebase|merge|cherry-pick)\b/g)].at(-1)?.[1];
  return `${toolName} ${deed ?? brief.replace(/\s*(?:2>&1)?\s*\|.*$/, "")}`;
}

/** The file that a call changes or reads, the command it runs, or its short arguments. */
function briefOf(call: ToolCallPart): string {
  const { input } = call;
  const command = isObject(input) ? [input.command, input.cmd].find((value) => typeof value === "string") : undefined;
  const { modified, read } = filesOfCall(call);
  const [file] = [...modified, ...read];
  const said = command ?? file ?? (typeof input === "string" ? input : shortArguments(input));
  return headOf(said.replace(/\s+/g, " ").trim(), BRIEF_CHARS_MAX).trimEnd();
}

function shortArguments(input: JsonValue): string {
  if (!isObject(input)) return JSON.stringify(input) ?? "";
  const short = Object.entries(input).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return short.filter((argument) => argument.length <= BRIEF_CHARS_MAX).join(", ");
}

/** As shells and agents report it, at the beginning or the end of what a command printed. */
const EXIT_CODE = /(?:^|\n)\W{0,3}exit(?:ed with)?(?: code| status)?:? ?[1-9]\d{0,2}\b/i;
const ENDS_CHARS = 200;

/** What a result says went wrong, by its flag, an exit code or a nested error; undefined where nothing did. */
function causeOf({ isError, content }: ToolResultPart): string | undefined {
  const text = textsOf(content).join("\n");
  const nested = text.length <= NESTED_CHARS_MAX ? nestedError(unwrap(text)) : undefined;
  const hasExited = EXIT_CODE.test(headOf(text, ENDS_CHARS)) || EXIT_CODE.test(tailOf(text, ENDS_CHARS));
  if (!isError && nested === undefined && !hasExited) return undefined;
  return headOf((nested ?? text).replace(/\s+/g, " ").trim(), CAUSE_CHARS_MAX).trimEnd();
}

/** A longer value is a record that has an error among other things. */
const NESTED_CHARS_MAX = 2_000;

function nestedError(value: JsonValue): string | undefined {
  if (!isObject(value)) return undefined;
  const { error, isError, is_error: hasError } = value;
  if (isObject(error)) return messageIn(error) ?? JSON.stringify(error);
  if (typeof error === "string" && error !== "") return error;
  return error === true || isError === true || hasError === true
    ? (messageIn(value) ?? JSON.stringify(value))
    : undefined;
}

function messageIn({ message, detail, text }: JsonObject): string | undefined {
  return [message, detail, text].find((value) => typeof value === "string");
}
