/**
 * What a summary takes from the calls instead of a model: files read, files modified, and calls that failed and did not succeed later.
 * Tells no more than the calls and their results prove. Pure.
 */

import { OUTCOME_MARK, parseCheckpoint, type ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { type Message, type ToolCallPart, type ToolResultPart, textsOf } from "../core/message.ts";
import { pairCalls } from "../core/structure/pairing.ts";
import { headOf } from "../core/text.ts";
import { filesOfCall, filesOfMessages } from "./call-files.ts";
import { failureOf, plainResult } from "./extractive/outcome.ts";

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

/** What a result says went wrong; undefined where nothing did. */
function causeOf({ isError, content }: ToolResultPart): string | undefined {
  const text = textsOf(content).join("\n");
  const cause = failureOf(text, plainResult(text), isError);
  return cause === undefined ? undefined : headOf(cause, CAUSE_CHARS_MAX).trimEnd();
}
