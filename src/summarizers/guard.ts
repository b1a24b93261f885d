/**
 * The guard over every summary that a model made: looks for problems, asks for one repair at most, then puts right what can
 * be put right without a model. What it returns is within the budget; what it cannot return is an error with a reason.
 */

import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import { headingOf } from "../core/checkpoint/checkpoint-headings.ts";
import { type SettingsSummarizer, type Summarizer, settingsSummarizer } from "../core/checkpoint/summary.ts";
import { failed } from "./answer.ts";
import { summaryFailed } from "./failure.ts";
import {
  createGuardContext,
  type Findings,
  findProblems,
  type GuardContext,
  type GuardOptions,
  isWorthRepair,
  severity,
} from "./guard-findings.ts";
import { finishSummary } from "./guard-finish.ts";
import { checkpointOfText } from "./text-checkpoint.ts";

export interface GuardedSummary {
  readonly text: string;
  readonly checkpoint?: Checkpoint;
  readonly notes: readonly string[];
}

/** Asks once for a better text, or says why there is none. */
export type Repair = (draft: string, findings: Findings) => Promise<string | { readonly failed: string }>;

export interface GuardRun {
  readonly repair?: Repair | undefined;
  /** What could not be summarised, one sentence each; said in the summary, so that its reader knows. */
  readonly omissions?: readonly string[];
}

export async function guardSummary(
  draft: string,
  context: GuardContext,
  { repair, omissions = [] }: GuardRun = {},
): Promise<GuardedSummary> {
  const { text: answer, findings, notes } = await repaired(draft, context, repair);
  if (findings.isOtherLanguage) throw failed("wrong-language");
  // Running text is a summary too: it stands under the one heading that takes anything.
  const text = findings.hasNoSections ? `${headingOf("criticalContext", "en")}\n${answer}` : answer;
  const finished = finishSummary(text, context, omissions);
  if (finished.text.trim() === "") throw summaryFailed("no-room", "Nothing of the summary fits its budget.");
  const missing = findings.missingSections;
  const sectionNotes =
    missing.length === 0 ? [] : [`Sections that the summary lacked were added: ${missing.join(", ")}.`];
  const allNotes = [...notes, ...sectionNotes, ...finished.notes];
  if (context.sections.length === 0) return { text: finished.text, notes: allNotes };
  return { text: finished.text, checkpoint: checkpointOfText(finished.text), notes: allNotes };
}

/** Wraps any summarizer, so that its summaries are guarded too; without a repair call, so its calls stay as planned. */
export function guarded(summarizer: Summarizer | SettingsSummarizer, options: Partial<GuardOptions> = {}): Summarizer {
  const guard = guardOver(summarizer, options);
  if (!("withSettings" in summarizer)) return guard;
  return settingsSummarizer(guard, (settings) => guardOver(summarizer.withSettings(settings), options));
}

function guardOver(summarizer: Summarizer, options: Partial<GuardOptions>): Summarizer {
  return {
    name: summarizer.name,
    version: summarizer.version,
    planCalls: (input) => summarizer.planCalls(input),
    async summarize(input, context) {
      const result = await summarizer.summarize(input, context);
      if (result.text.trim() === "") throw failed("empty");
      const guardContext = createGuardContext(input, { sections: [], ...options });
      const { notes, ...summary } = await guardSummary(result.text, guardContext);
      return { ...result, ...summary, notes: [...result.notes, ...notes] };
    },
  };
}

interface Repaired {
  readonly text: string;
  readonly findings: Findings;
  readonly notes: readonly string[];
}

async function repaired(draft: string, context: GuardContext, repair: Repair | undefined): Promise<Repaired> {
  const findings = findProblems(draft, context);
  if (repair === undefined || !isWorthRepair(findings)) return { text: draft, findings, notes: [] };
  const second = await repair(draft, findings);
  if (typeof second !== "string")
    return { text: draft, findings, notes: [`A repair of the summary was asked for and failed: ${second.failed}`] };
  const better = findProblems(second, context);
  if (severity(better) > severity(findings)) {
    return { text: draft, findings, notes: ["A repair of the summary made it worse and was not used."] };
  }
  return { text: second, findings: better, notes: ["The summary was repaired once."] };
}
