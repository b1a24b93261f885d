/**
 * Carries out a plan of several requests: parts in parallel, then a merge, level by level, each request within the window.
 * A part that fails is named and left out when that is allowed; nothing that succeeded is ever thrown away.
 */

import type { SummarizeContext } from "../core/checkpoint/summary.ts";
import { failed } from "./answer.ts";
import type { PlannedPart } from "./call-plan.ts";
import { createSource, isUnrelated } from "./entities.ts";
import { aborted, explanationOf, isAborted, reasonOf, summaryFailed, throwIfAborted } from "./failure.ts";
import type { LlmSettings } from "./llm-options.ts";
import { fitRequest, type LlmPlan, partPrompt } from "./llm-plan.ts";
import { mergePrompt, type PromptPack } from "./prompts/packs.ts";
import type { Prompt, PromptContext } from "./prompts/prompt.ts";
import { joinSections, missingHeadings } from "./sections.ts";
import { joinEntries, shrinkToTokens } from "./shrink-text.ts";

/** Asks one question and accepts or refuses the answer. */
export type AskText = (question: {
  readonly prompt: Prompt;
  /** The live request, when asked in band. */
  readonly body?: unknown;
  readonly transcript?: string;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}) => Promise<string>;

export interface StagedRun {
  readonly plan: LlmPlan;
  readonly settings: LlmSettings;
  readonly context: SummarizeContext;
  readonly askText: AskText;
  readonly countText: (text: string) => number;
}

export interface Draft {
  readonly text: string;
  readonly notes: readonly string[];
  /** What is not in the draft, for its reader. */
  readonly omissions: readonly string[];
  /** Requests that failed and were done without: the draft is what the others achieved. */
  readonly failures: readonly string[];
}

export async function writeDraft(run: StagedRun): Promise<Draft> {
  const { plan } = run;
  const [only, ...others] = plan.parts;
  if (only !== undefined && others.length === 0) return singleDraft(only, run);
  const outcomes = await summarizeParts(run);
  const texts = outcomes.map((outcome) => (outcome.type === "text" ? outcome.text : `(${outcome.omission})`));
  const succeeded = outcomes.filter((outcome) => outcome.type === "text").length;
  const omissions = outcomes.flatMap((outcome) => (outcome.omission === undefined ? [] : [outcome.omission]));
  const failures = outcomes.flatMap((outcome) => (outcome.type === "failed" ? [outcome.failure] : []));
  if (succeeded === 1 && plan.previous === undefined) {
    const text = outcomes.find((outcome) => outcome.type === "text")?.text ?? "";
    return { text, notes: omissions, omissions, failures };
  }
  const merged = await mergeAll(texts, run);
  return {
    text: merged.text,
    notes: [...omissions, ...merged.notes],
    omissions,
    failures: [...failures, ...merged.notes],
  };
}

async function singleDraft(part: PlannedPart, run: StagedRun): Promise<Draft> {
  const { plan, settings, context, askText } = run;
  context.progress({ stage: "summarize", done: 0, total: 1 });
  const build = (text: string): Prompt => partPrompt(text, plan.previous, { settings, context: plan.context });
  const request = fitRequest(joinEntries(part.entries), build, plan.limit);
  const question = { prompt: request.prompt, transcript: request.text, maxTokens: plan.context.maxTokens };
  const text = await askText({ ...question, signal: context.signal });
  context.progress({ stage: "summarize", done: 1, total: 1 });
  const cut = request.isCut ? ["The middle of the conversation was left out to fit the summarizer's window."] : [];
  return { text, notes: cut, omissions: cut, failures: [] };
}

type PartOutcome =
  | { readonly type: "text"; readonly text: string; readonly omission?: string }
  /** The omission is for the summary's reader, the failure for the report: only that has the provider's own words. */
  | { readonly type: "failed"; readonly omission: string; readonly failure: string; readonly error: unknown };

async function summarizeParts(run: StagedRun): Promise<readonly PartOutcome[]> {
  const { plan, settings, context } = run;
  const total = plan.parts.length;
  let done = 0;
  context.progress({ stage: "summarize", done, total });
  const outcomes = await forEachBounded(
    plan.parts,
    settings.staged.concurrency,
    context.signal,
    async (part, signal) => {
      const outcome = await partOutcome(part, run, signal);
      if (outcome.type === "failed" && !settings.allowPartial) throw outcome.error;
      context.progress({ stage: "summarize", done: ++done, total });
      return outcome;
    },
  );
  const first = outcomes.find((outcome) => outcome.type === "failed");
  if (first !== undefined && outcomes.every((outcome) => outcome.type === "failed")) throw first.error;
  return outcomes;
}

async function partOutcome(part: PlannedPart, run: StagedRun, signal: AbortSignal): Promise<PartOutcome> {
  const { plan, settings, askText } = run;
  const where = `Messages ${part.from} to ${part.to} of ${plan.parts.at(-1)?.to ?? part.to}`;
  try {
    const build = (text: string): Prompt => partPrompt(text, undefined, { settings, context: plan.partContext });
    const request = fitRequest(joinEntries(part.entries), build, plan.limit);
    const question = { prompt: request.prompt, transcript: request.text, maxTokens: plan.partContext.maxTokens };
    const text = await askText({ ...question, signal });
    refuseUnlike(text, [request.text], run);
    if (!request.isCut) return { type: "text", text };
    return { type: "text", text, omission: `${where}: the middle of this stretch was left out to fit.` };
  } catch (error) {
    if (isAborted(error)) throw error;
    const omission = `${where} could not be summarised (${reasonOf(error)}).`;
    return { type: "failed", omission, failure: `${omission} ${explanationOf(error)}`, error };
  }
}

interface Merged {
  readonly text: string;
  /** Merges that failed. */
  readonly notes: readonly string[];
}

/** Groups of at most the merge width, until one is left. The previous summary joins the last merge, as its oldest part. */
async function mergeAll(parts: readonly string[], run: StagedRun): Promise<Merged> {
  const { plan, context, settings } = run;
  const notes: string[] = [];
  let texts = parts;
  for (let level = 1; texts.length > 1; level++) {
    const groups = evenGroups(texts, plan.mergeWidth);
    const isLast = groups.length === 1;
    let done = 0;
    context.progress({ stage: "merge", done, total: groups.length });
    texts = await forEachBounded(groups, settings.staged.concurrency, context.signal, async (group, signal) => {
      const [first = "", ...rest] = group;
      const text =
        rest.length === 0 && !isLast ? first : await mergeGroup(group, { isLast, level, notes, signal }, run);
      context.progress({ stage: "merge", done: ++done, total: groups.length });
      return text;
    });
  }
  return { text: texts[0] ?? "", notes };
}

interface MergeStep {
  readonly isLast: boolean;
  readonly level: number;
  readonly notes: string[];
  readonly signal: AbortSignal;
}

async function mergeGroup(group: readonly string[], step: MergeStep, run: StagedRun): Promise<string> {
  const { plan, settings, askText } = run;
  const context = step.isLast ? plan.context : plan.partContext;
  const previous = step.isLast && plan.previous !== undefined ? [plan.previous] : [];
  try {
    const prompt = fitMerge(previous, group, context, run);
    const text = await askText({ prompt, maxTokens: context.maxTokens, signal: step.signal });
    refuseUnlike(text, [...previous, ...group], run);
    return text;
  } catch (error) {
    if (isAborted(error) || !settings.allowPartial) throw error;
    throwIfAborted(step.signal);
    step.notes.push(
      `Merging ${group.length} partial summaries failed (${reasonOf(error)}); they were put together as they are. ${explanationOf(error)}`,
    );
    return putTogether([...previous, ...group], settings.pack);
  }
}

/** A part is not asked for again, so what would fail as a whole summary fails at once. */
function refuseUnlike(text: string, given: readonly string[], { settings, countText }: StagedRun): void {
  const { sections } = settings.pack;
  if (missingHeadings(text, sections).length > sections.length / 2) throw failed("missing-sections");
  const inputTokens = given.reduce((sum, each) => sum + countText(each), 0);
  if (isUnrelated(text, { source: createSource(given), sections, inputTokens, countText })) throw failed("unrelated");
}

/** Without a model: by section where there are sections, else one after the other. */
function putTogether(texts: readonly string[], { sections }: PromptPack): string {
  return sections.length > 0 ? joinSections(texts) : texts.join("\n\n");
}

const FIT_STEPS_MAX = 40;
const FIT_SHRINK = 0.85;

function fitMerge(
  previous: readonly string[],
  group: readonly string[],
  context: PromptContext,
  run: StagedRun,
): Prompt {
  const { plan, settings, countText } = run;
  let limitTokens = plan.partTokens;
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
  return Array.from({ length: groups }, (_unused, index) =>
    items.slice(Math.floor((index * items.length) / groups), Math.floor(((index + 1) * items.length) / groups)),
  );
}

async function forEachBounded<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal,
  task: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<readonly Result[]> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  const results: Result[] = [];
  let next = 0;
  let failure: unknown;
  const worker = async (): Promise<void> => {
    while (next < items.length && !controller.signal.aborted) {
      const index = next++;
      // In bounds: the loop has just checked it.
      const item = items[index] as Item;
      try {
        results[index] = await task(item, controller.signal);
      } catch (error) {
        // Siblings that were aborted because of the first failure are not failures of their own.
        if (failure === undefined || (isAborted(failure) && !isAborted(error))) failure = error;
        controller.abort(error);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  } finally {
    signal.removeEventListener("abort", stop);
  }
  if (signal.aborted) throw aborted(signal);
  if (failure !== undefined) throw failure;
  return results;
}
