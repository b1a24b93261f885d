/**
 * Carries out the plan of a summary: in band with one call, or part by part and then merged, each request within the window. A
 * request that fails is named and left out when that is allowed; nothing that succeeded is thrown away.
 */

import type { SummarizeContext } from "../core/checkpoint/summary.ts";
import { failed } from "./answer.ts";
import type { PlannedPart } from "./call-plan.ts";
import { createSource, isUnrelated } from "./entities.ts";
import { explanationOf, isAborted, reasonOf, summaryFailed, throwIfAborted } from "./failure.ts";
import type { LlmSettings } from "./llm-options.ts";
import { fitRequest, type HistoryPlan, type LlmPlan, type PlannedSummary } from "./llm-plan.ts";
import { firstPrompt, mergePrompt, type Prompt, type PromptContext, updatePrompt } from "./prompts.ts";
import { joinSections, missingHeadings } from "./sections.ts";
import { joinEntries, shrinkToTokens } from "./shrink-text.ts";

/** Asks one question and accepts or refuses the answer. */
export type AskText = (question: {
  readonly prompt: Prompt;
  /** The live request, when asked in band. */
  readonly body?: unknown;
  /** The conversation as it was sent. */
  readonly transcript?: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface DraftRun {
  readonly settings: LlmSettings;
  readonly context: SummarizeContext;
  readonly askText: AskText;
  readonly countText: (text: string) => number;
}

type PlanRun = DraftRun & { readonly plan: LlmPlan };

export interface Draft {
  readonly text: string;
  readonly notes: readonly string[];
  /** What the draft does not cover, said in the summary. */
  readonly omissions: readonly string[];
  /** Requests that failed and were done without, said in the report. */
  readonly failures: readonly string[];
}

export async function firstDraft({ plan, history, inBand }: PlannedSummary, run: DraftRun): Promise<Draft> {
  if (inBand?.type === "in-band") return draftInBand(inBand, plan.context, run);
  const apart = history === undefined ? undefined : await summarizeApart(history, run);
  const draft = await writeDraft({ ...run, plan: apart?.plan ?? plan });
  const why = inBand === undefined ? [] : [inBand.note];
  return {
    text: draft.text,
    notes: [...why, ...(apart?.notes ?? []), ...plan.notes, ...draft.notes],
    omissions: [...(apart?.omissions ?? []), ...plan.omissions, ...draft.omissions],
    failures: [...(apart?.failures ?? []), ...draft.failures],
  };
}

/** One call with everything in it, so nothing is left out. */
async function draftInBand(
  { prompt, body, redact }: Extract<PlannedSummary["inBand"], { readonly type: "in-band" }>,
  { maxTokens }: PromptContext,
  { askText, context }: DraftRun,
): Promise<Draft> {
  context.progress({ stage: "summarize", done: 0, total: 1 });
  const text = redact(await askText({ prompt, body, maxTokens, signal: context.signal }));
  context.progress({ stage: "summarize", done: 1, total: 1 });
  return { text, notes: [], omissions: [], failures: [] };
}

interface ApartDraft extends Omit<Draft, "text"> {
  /** For the rest, with the summary of the oldest part as its previous summary. */
  readonly plan: LlmPlan;
}

/** Summarises the oldest part of a history that is over its share of the window. */
async function summarizeApart({ share, apart, rest }: HistoryPlan, run: DraftRun): Promise<ApartDraft> {
  const { droppedChunkCount, droppedMessageCount, droppedTokens, keptTokens, budgetTokens } = share;
  const note = `The history was over its share of the window: ${droppedChunkCount} chunk(s) with ${droppedMessageCount} messages (${droppedTokens} tokens) were summarised apart, ${keptTokens} tokens were kept of a budget of ${budgetTokens}.`;
  const limit = { limitTokens: run.countText(rest.previous ?? ""), count: run.countText };
  const withPrevious = (text: string | undefined): LlmPlan => ({
    ...rest,
    previous: text === undefined ? undefined : shrinkToTokens(text, limit),
  });
  const progress: SummarizeContext["progress"] = ({ stage, ...counts }) =>
    run.context.progress({ stage: `history-${stage}`, ...counts });
  try {
    const draft = await writeDraft({ ...run, plan: apart, context: { ...run.context, progress } });
    return {
      plan: withPrevious(draft.text),
      notes: [note, ...apart.notes, ...draft.notes],
      omissions: [...apart.omissions, ...draft.omissions],
      failures: draft.failures,
    };
  } catch (error) {
    if (isAborted(error) || !run.settings.allowPartial) throw error;
    const lost = `The oldest ${droppedMessageCount} messages could not be summarised (${reasonOf(error)}).`;
    const failures = [`${lost} ${explanationOf(error)}`];
    return { plan: withPrevious(apart.previous), notes: [note, lost], omissions: [lost], failures };
  }
}

async function writeDraft(run: PlanRun): Promise<Draft> {
  const { plan } = run;
  const [only, ...others] = plan.parts;
  if (only !== undefined && others.length === 0) return singleDraft(only, run);
  const outcomes = await summarizeParts(run);
  const written = outcomes.filter((outcome) => outcome.type === "text");
  const omissions = outcomes.flatMap((outcome) => outcome.omission ?? []);
  const failures = outcomes.flatMap((outcome) => (outcome.type === "failed" ? [outcome.failure] : []));
  if (written.length === 1 && plan.previous === undefined)
    return { text: written[0]?.text ?? "", notes: omissions, omissions, failures };
  const texts = outcomes.map((outcome) => (outcome.type === "text" ? outcome.text : `(${outcome.omission})`));
  const merged = await mergeAll(texts, run);
  const notes = [...omissions, ...merged.failures];
  return { text: merged.text, notes, omissions, failures: [...failures, ...merged.failures] };
}

async function singleDraft(part: PlannedPart, run: PlanRun): Promise<Draft> {
  const { context, plan, settings } = run;
  context.progress({ stage: "summarize", done: 0, total: 1 });
  const build = (transcript: string): Prompt =>
    updatePrompt(settings.pack, { previous: plan.previous, transcript }, plan.context);
  const { text, isCut } = await askAbout(
    part,
    { build, maxTokens: plan.context.maxTokens, signal: context.signal },
    run,
  );
  context.progress({ stage: "summarize", done: 1, total: 1 });
  const cut = isCut ? ["The middle of the conversation was left out to fit the summarizer's window."] : [];
  return { text, notes: cut, omissions: cut, failures: [] };
}

interface PartQuestion {
  readonly build: (transcript: string) => Prompt;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

interface PartAnswer {
  readonly text: string;
  /** What was sent of the part. */
  readonly transcript: string;
  readonly isCut: boolean;
}

async function askAbout(
  { entries }: PlannedPart,
  { build, maxTokens, signal }: PartQuestion,
  { plan, askText }: PlanRun,
): Promise<PartAnswer> {
  const { prompt, text: transcript, isCut } = fitRequest(joinEntries(entries), build, plan.limit);
  return { text: await askText({ prompt, transcript, maxTokens, signal }), transcript, isCut };
}

type PartOutcome =
  | { readonly type: "text"; readonly text: string; readonly omission?: string }
  /** The omission goes into the summary, the failure into the report: only that has the provider's own words. */
  | { readonly type: "failed"; readonly omission: string; readonly failure: string; readonly error: unknown };

async function summarizeParts(run: PlanRun): Promise<readonly PartOutcome[]> {
  const { plan, settings } = run;
  const outcomes = await forEachBounded("summarize", plan.parts, run, async (part, signal) => {
    const outcome = await partOutcome(part, run, signal);
    if (outcome.type === "failed" && !settings.allowPartial) throw outcome.error;
    return outcome;
  });
  const first = outcomes.find((outcome) => outcome.type === "failed");
  if (first !== undefined && outcomes.every((outcome) => outcome.type === "failed")) throw first.error;
  return outcomes;
}

async function partOutcome(part: PlannedPart, run: PlanRun, signal: AbortSignal): Promise<PartOutcome> {
  const { plan, settings } = run;
  const where = `Messages ${part.from} to ${part.to} of ${plan.parts.at(-1)?.to ?? part.to}`;
  try {
    const build = (transcript: string): Prompt => firstPrompt(settings.pack, transcript, plan.partContext);
    const question = { build, maxTokens: plan.partContext.maxTokens, signal };
    const { text, transcript, isCut } = await askAbout(part, question, run);
    refuseUnlike(text, [transcript], run);
    if (!isCut) return { type: "text", text };
    return { type: "text", text, omission: `${where}: the middle of this stretch was left out to fit.` };
  } catch (error) {
    if (isAborted(error)) throw error;
    const omission = `${where} could not be summarised (${reasonOf(error)}).`;
    return { type: "failed", omission, failure: `${omission} ${explanationOf(error)}`, error };
  }
}

type MergedDraft = Pick<Draft, "text" | "failures">;

/** Merges groups of at most the merge width, until one text is left. The previous summary joins the last merge, as its oldest part. */
async function mergeAll(parts: readonly string[], run: PlanRun): Promise<MergedDraft> {
  const failures: string[] = [];
  let texts = parts;
  while (texts.length > 1) {
    const groups = evenGroups(texts, run.plan.mergeWidth);
    const isLast = groups.length === 1;
    texts = await forEachBounded("merge", groups, run, async (group, signal) => {
      if (group.length === 1 && !isLast) return group[0] ?? "";
      const { text, failures: failed } = await mergeGroup(group, { isLast, signal }, run);
      failures.push(...failed);
      return text;
    });
  }
  return { text: texts[0] ?? "", failures };
}

interface MergeStep {
  readonly isLast: boolean;
  readonly signal: AbortSignal;
}

async function mergeGroup(group: readonly string[], step: MergeStep, run: PlanRun): Promise<MergedDraft> {
  const { plan, settings, askText } = run;
  const context = step.isLast ? plan.context : plan.partContext;
  const previous = step.isLast && plan.previous !== undefined ? [plan.previous] : [];
  const given = [...previous, ...group];
  try {
    const prompt = fitMerge(previous, group, context, run);
    const text = await askText({ prompt, maxTokens: context.maxTokens, signal: step.signal });
    refuseUnlike(text, given, run);
    return { text, failures: [] };
  } catch (error) {
    if (isAborted(error) || !settings.allowPartial) throw error;
    throwIfAborted(step.signal);
    const failure = `Merging ${group.length} partial summaries failed (${reasonOf(error)}); they were put together as they are. ${explanationOf(error)}`;
    // Without a model: by section where there are sections, else one after the other.
    const text = settings.pack.sections.length > 0 ? joinSections(given) : given.join("\n\n");
    return { text, failures: [failure] };
  }
}

/** Parts are not asked for a second time, so what would fail as a whole summary fails at once. */
function refuseUnlike(text: string, given: readonly string[], { settings, countText }: PlanRun): void {
  const { sections } = settings.pack;
  if (missingHeadings(text, sections).length > sections.length / 2) throw failed("missing-sections");
  const inputTokens = given.reduce((sum, each) => sum + countText(each), 0);
  if (isUnrelated(text, { source: createSource(given), sections, inputTokens, countText })) throw failed("unrelated");
}

const FIT_STEPS_MAX = 40;
const FIT_SHRINK = 0.85;

function fitMerge(
  previous: readonly string[],
  group: readonly string[],
  context: PromptContext,
  { plan, settings, countText }: PlanRun,
): Prompt {
  let limitTokens = plan.partContext.maxTokens;
  for (let step = 0; step < FIT_STEPS_MAX; step++) {
    const limit = { limitTokens, count: countText };
    const parts = group.map((text) => shrinkToTokens(text, limit));
    const prompt = mergePrompt(settings.pack, [...previous, ...parts], context);
    if (plan.limit.countPrompt(prompt) <= plan.limit.limitTokens) return prompt;
    limitTokens = Math.floor(limitTokens * FIT_SHRINK);
  }
  throw summaryFailed("no-room", "The partial summaries do not fit one request of the summarizer.");
}

/** As few groups as the width allows, of nearly equal size. */
function evenGroups<Item>(items: readonly Item[], width: number): readonly (readonly Item[])[] {
  const groups = Math.ceil(items.length / width);
  const start = (index: number): number => Math.floor((index * items.length) / groups);
  return Array.from({ length: groups }, (_unused, index) => items.slice(start(index), start(index + 1)));
}

/** Runs a few tasks at a time and reports progress. The first failure aborts the others and is thrown. */
async function forEachBounded<Item, Result>(
  stage: string,
  items: readonly Item[],
  { context, settings }: DraftRun,
  task: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const controller = new AbortController();
  const signal = AbortSignal.any([context.signal, controller.signal]);
  const results: Result[] = [];
  const total = items.length;
  let done = 0;
  let next = 0;
  let failure: unknown;
  const worker = async (): Promise<void> => {
    while (next < total && !signal.aborted) {
      const index = next++;
      try {
        results[index] = await task(items[index] as Item, signal); // in bounds: the loop has just checked it
        context.progress({ stage, done: ++done, total });
      } catch (error) {
        // Tasks that were aborted because of the first failure are not failures of their own.
        if (failure === undefined || (isAborted(failure) && !isAborted(error))) failure = error;
        controller.abort(error);
      }
    }
  };
  context.progress({ stage, done, total });
  await Promise.all(Array.from({ length: Math.min(settings.staged.concurrency, total) }, worker));
  throwIfAborted(context.signal);
  if (failure !== undefined) throw failure;
  return results;
}
