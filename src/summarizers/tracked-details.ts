/** What a summary takes from the calls instead of a model: files read, files modified and failed calls. Pure. */

import type { ToolFailure } from "../core/checkpoint/checkpoint.ts";
import { headingOf, type Section } from "../core/checkpoint/checkpoint.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { headOf } from "../core/text.ts";
import { mergeFailures, mergeFiles } from "./extractive/compose/merge.ts";
import { earlierOf } from "./extractive/reading/earlier-summary.ts";
import { readMessages } from "./extractive/reading/reading.ts";

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
  const reading = readMessages([...input.messages, ...input.turnPrefix], { userTools: input.userTools });
  const { checkpoint } = earlierOf(input.previous);
  const { filesRead, filesModified } = mergeFiles(reading, checkpoint);
  const failures = mergeFailures(reading.failures.toReversed(), checkpoint?.toolFailures ?? [], reading);
  const toolFailures = failures
    .slice(0, FAILURES_MAX)
    .map(({ toolName, summary }) => ({ toolName, summary: headOf(summary, FAILURE_CHARS_MAX) }));
  return { readFiles: filesRead, modifiedFiles: filesModified, toolFailures: toolFailures.toReversed() };
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
