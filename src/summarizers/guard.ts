/**
 * The guard over every summary that a model made: looks for problems, asks for one repair at most, then puts right what can
 * be put right without a model. What it returns is within the budget; what it cannot return is an error with a reason.
 */

import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
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
  const { text, findings, notes, isAskedTwice } = await repaired(draft, context, repair);
  refuseOther(findings, context);
  // Asked for twice and still not there: whoever answered does not do what it is asked.
  if (isAskedTwice && findings.missingSections.length > 0) throw failed("missing-sections");
  const finished = finishSummary(text, context, omissions);
  if (finished.text.trim() === "") throw summaryFailed("no-room", "Nothing of the summary fits its budget.");
  const missing = findings.missingSections;
  const sectionNotes =
    missing.length === 0 ? [] : [`Sections that the summary lacked were added: ${missing.join(", ")}.`];
  const allNotes = [...notes, ...sectionNotes, ...finished.notes];
  if (context.sections.length === 0) return { text: finished.text, notes: allNotes };
  return { text: finished.text, checkpoint: checkpointOfText(finished.text), notes: allNotes };
}

/** What no finishing can make a summary of the conversation. A few sections that are missing can be put in, most of them cannot. */
export function refuseOther(findings: Findings, { sections }: GuardContext): void {
  const { isOtherLanguage, missingSections, isUnrelated } = findings;
  if (isOtherLanguage) throw failed("wrong-language");
  if (missingSections.length > sections.length / 2) throw failed("missing-sections");
  if (isUnrelated) throw failed("unrelated");
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
  /** There was a second answer. */
  readonly isAskedTwice: boolean;
}

async function repaired(draft: string, context: GuardContext, repair: Repair | undefined): Promise<Repaired> {
  const findings = findProblems(draft, context);
  const first = { text: draft, findings, isAskedTwice: false };
  if (repair === undefined || !isWorthRepair(findings)) return { ...first, notes: [] };
  const second = await repair(draft, findings);
  if (typeof second !== "string")
    return { ...first, notes: [`A repair of the summary was asked for and failed: ${second.failed}`] };
  const better = findProblems(second, context);
  if (severity(better) > severity(findings)) {
    const notes = ["A repair of the summary made it worse and was not used."];
    return { ...first, isAskedTwice: true, notes };
  }
  return { text: second, findings: better, isAskedTwice: true, notes: ["The summary was repaired once."] };
}
