/**
 * What went wrong, in the next step itself where the summary has no room for a line about what is stuck: that a call failed does not say what
 * to do about it. Quotes the beginning of the cause. Never says it twice.
 */

import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import { OUTCOME_MARK } from "../../../core/checkpoint/failed-calls.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import { isChange } from "../reading/evidence.ts";
import { overcomeLabel } from "../text/labels.ts";
import { oneLine } from "../text/sentences.ts";
import type { Draft } from "./compose.ts";

const CAUSE_CHARS_MAX = 100;
/** What a call was given says less than why it failed, but of a command without it nothing is known. */
const CALL_CHARS_MAX = 48;

/** The draft itself where what was composed from it tells the cause, or nothing is to be overcome. */
export function withCause(draft: Draft, { nextSteps, blocked }: Checkpoint, language: Language): Draft {
  const label = overcomeLabel(language);
  const at = draft.blocked.length === 0 ? -1 : draft.nextSteps.findIndex((step) => step.startsWith(label));
  const call = (draft.nextSteps[at] ?? "").slice(label.length);
  const [tool = ""] = call.split(":", 1);
  const failure = at < 0 ? undefined : draft.blocked.find((line) => isFailureOf(line, tool));
  if (failure === undefined || blocked.includes(failure) || !nextSteps.some((step) => step.startsWith(label)))
    return draft;
  const end = failure.indexOf(OUTCOME_MARK);
  const called = isChange({ name: tool, brief: "" }) ? tool : oneLine(call, CALL_CHARS_MAX);
  const cause = oneLine(failure.slice(end + OUTCOME_MARK.length).replace(FAILED, ""), CAUSE_CHARS_MAX);
  return {
    ...draft,
    nextSteps: draft.nextSteps.with(at, `${label}${called}${OUTCOME_MARK}${cause}`),
    blocked: draft.blocked.filter((line) => line !== failure),
  };
}

/** The label says that it failed. */
const FAILED = /^(?:error|exception|failed|failure)\s*:\s+/i;

function isFailureOf(line: string, tool: string): boolean {
  return tool !== "" && line.startsWith(`${tool}: `) && line.includes(OUTCOME_MARK);
}
