/** What a summary takes from the calls instead of a model: files read, files modified and failed calls. Pure. */

import type { ToolFailure } from "../core/checkpoint/checkpoint.ts";
import { headingOf, type Section } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { headOf } from "../core/text.ts";
import { earlierOf, fileUnits } from "./extractive/earlier.ts";
import { eventsOf } from "./extractive/events.ts";
import { logOf, readCalls, succeededIn } from "./extractive/log.ts";

const FAILURES_MAX = 8;
const FAILURE_CHARS_MAX = 240;

export interface TrackedSection {
  readonly section: Section;
  readonly items: readonly string[];
}

/** Files and failures for a stored record, failures oldest first. */
export interface TrackedDetails {
  readonly readFiles: readonly string[];
  readonly modifiedFiles: readonly string[];
  readonly toolFailures: readonly ToolFailure[];
}

/** Lists accumulate over summaries: earlier files stay listed, a failure until its call succeeds. */
export function detailsOf(input: SummaryInput): TrackedDetails {
  const messages = [...input.messages, ...input.turnPrefix];
  const events = eventsOf(messages, { userTools: input.userTools, kept: new Set() });
  const calls = readCalls(events.filter((event) => event.type === "call"));
  const { checkpoint, units } = earlierOf(input.previous, {
    succeeded: succeededIn(calls),
    told: [],
    hasPlan: true,
    hasRequest: true,
  });
  const files = fileUnits(calls, checkpoint);
  const paths = (role: string): readonly string[] =>
    files.flatMap((unit) => (unit.role === role ? unit.text : [])).toSorted();
  const failures = [
    ...units
      .filter(({ section }) => section === "failure")
      .map(({ role = "", text }) => ({ toolName: role, summary: text })),
    ...logOf(calls).flatMap(({ type, action, text }) =>
      type === "failure" ? { toolName: action, summary: text } : [],
    ),
  ];
  return {
    readFiles: paths("filesRead"),
    modifiedFiles: paths("filesModified"),
    toolFailures: failures
      .slice(-FAILURES_MAX)
      .map(({ toolName, summary }) => ({ toolName, summary: headOf(summary, FAILURE_CHARS_MAX) })),
  };
}

export function trackDetails(input: SummaryInput): readonly TrackedSection[] {
  const { readFiles, modifiedFiles, toolFailures } = detailsOf(input);
  const failed = toolFailures.toReversed().map(({ toolName, summary }) => `${toolName}: ${summary}`);
  const sections: readonly TrackedSection[] = [
    { section: "filesRead", items: readFiles },
    { section: "filesModified", items: modifiedFiles },
    { section: "toolFailures", items: failed },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

export function renderTracked({ section, items }: TrackedSection): string {
  return [headingOf(section, "en"), ...items.map((item) => `- ${item.split("\n").join("\n  ")}`)].join("\n");
}
