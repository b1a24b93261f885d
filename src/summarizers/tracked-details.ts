/**
 * What a summary takes from the calls instead of a model: files read, files modified, and calls that failed and did not succeed later.
 * Tells no more than the calls and their results prove. Pure.
 */

import { OUTCOME_MARK, parseCheckpoint, type ToolFailure } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { headOf } from "../core/text.ts";
import { filesOfCall } from "./call-files.ts";
import { eventsOf, inOrder } from "./extractive/events.ts";
import { type LoggedCall, openFailures, readCalls, succeededIn, tryKey } from "./extractive/log.ts";

const FAILURES_MAX = 8;
const BRIEF_CHARS_MAX = 80;
const CAUSE_CHARS_MAX = 150;

/** Files and failures for a stored record, failures oldest first. */
export interface TrackedDetails {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
}

/** Lists accumulate over summaries: earlier files stay listed, a failure until its call succeeds. A failed call touched no file. */
export function detailsOf(input: SummaryInput): TrackedDetails {
  const { kept, previous, userTools } = input;
  const earlier = previous?.checkpoint ?? parseCheckpoint(previous?.text ?? "");
  const ids = new Set(kept.map(({ id }) => id));
  const events = eventsOf(inOrder(input), { userTools, kept: ids, cut: new Set() });
  const calls = readCalls(events.filter((event) => event.type === "call"));
  const files = calls
    .filter(({ called, cause }) => !called.isKept && cause === undefined)
    .map(({ called: { name, input: given } }) => filesOfCall({ type: "tool-call", name, input: given }));
  const modified = new Set([...(earlier?.filesModified ?? []), ...files.flatMap((found) => found.modified)]);
  const read = new Set([...(earlier?.filesRead ?? []), ...files.flatMap((found) => found.read)]);
  return {
    readFiles: [...read].filter((path) => !modified.has(path)).sort(),
    modifiedFiles: [...modified].sort(),
    toolFailures: failuresIn(calls, earlier?.toolFailures ?? []),
  };
}

/** Of several attempts at the same thing the newest. */
function failuresIn(calls: readonly LoggedCall[], earlier: readonly ToolFailure[]): readonly ToolFailure[] {
  const succeeded = succeededIn(calls);
  const open = new Map<string, ToolFailure>();
  const add = (key: string, failure: ToolFailure): void => {
    open.delete(key);
    open.set(key, failure);
  };
  for (const failure of earlier) {
    const key = tryKey(failure.toolName, failure.summary.split(OUTCOME_MARK)[0] ?? "");
    if (!succeeded.has(key)) add(key, failure);
  }
  for (const { action, object, cause = "" } of openFailures(calls)) {
    const brief = headOf(object, BRIEF_CHARS_MAX).trimEnd();
    const said = JSON.stringify(headOf(cause, CAUSE_CHARS_MAX).trimEnd());
    const summary = brief === "" ? said : `${brief}${OUTCOME_MARK}${said}`;
    add(tryKey(action, object), { toolName: action, summary });
  }
  return [...open.values()].slice(-FAILURES_MAX);
}
