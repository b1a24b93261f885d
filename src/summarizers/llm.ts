/**
 * A summarizer that asks any model through one function. The path of a summary: planned in `llm-plan.ts`, which takes what the model is
 * shown from `llm-shown.ts`; carried out in `llm-draft.ts`, each question asked in `ask.ts` and its answer read in `answer.ts`, the text checked in `guard.ts`. Every request
 * fits the model's window, the number of calls is known before the first, and a failure is an error with a reason, never a summary.
 */

import {
  type SettingsSummarizer,
  type SummarizeContext,
  type Summarizer,
  type SummaryInput,
  type SummaryResult,
  settingsSummarizer,
} from "../core/checkpoint/summary.ts";
import { acceptAnswer, failed } from "./answer.ts";
import { ask, type CallBudget, createCallBudget } from "./ask.ts";
import { explanationOf, isAborted, summaryFailed, throwIfAborted } from "./failure.ts";
import { guardSummary, type Repair, refuseOther } from "./guard.ts";
import { type Findings, findProblems, type GuardContext } from "./guard-findings.ts";
import { type AskText, type Draft, type DraftRun, firstDraft } from "./llm-draft.ts";
import { type LlmOptions, optionsUnder, resolveLlmOptions, withModel } from "./llm-options.ts";
import { fitRequest, isEmpty, type LlmPlan, type PlannedSummary, planSummary } from "./llm-plan.ts";
import { IN_BAND_VERSION, repairPrompt } from "./prompts.ts";

/**
 * @example
 * const summarizer = llm({ model: anthropic(new Anthropic(), "claude-haiku-5-5") }); // of `palimpsest/models`
 *
 * @example
 * const summarizer = llm({ complete: async ({ system, prompt, maxOutputTokens, signal }) => {
 *   const text = await askAnything(`${system}\n\n${prompt}`, { maxOutputTokens, signal });
 *   return { text };
 * } });
 */
export function llm(given: LlmOptions): SettingsSummarizer {
  const options = withModel(given);
  return settingsSummarizer(summarizerOf(options, options.name), (settings) =>
    summarizerOf(optionsUnder(options, settings), options.name),
  );
}

function summarizerOf(options: LlmOptions, name = "llm"): Summarizer {
  const settings = resolveLlmOptions(options);
  /** Inputs never change, so the plan for an input holds until it is summarised. */
  const plans = new WeakMap<SummaryInput, PlannedSummary>();
  const planFor = (input: SummaryInput): PlannedSummary => {
    const planned = plans.get(input) ?? planSummary(input, settings);
    plans.set(input, planned);
    return planned;
  };
  return {
    name,
    version: `${settings.pack.name}@${settings.pack.version}${settings.inBand ? `/in-band-${IN_BAND_VERSION}` : ""}`,
    planCalls: (input) => planFor(input).calls.maxCalls,
    summarize: async (input, context) => {
      throwIfAborted(context.signal);
      return summarize(input, context, planFor(input));
    },
  };
}

async function summarize(
  input: SummaryInput,
  context: SummarizeContext,
  planned: PlannedSummary,
): Promise<SummaryResult> {
  const { settings, plan, calls, guardContext } = planned;
  if (isEmpty(plan)) throw summaryFailed("no-input", "The messages hold nothing that can be read.");
  const budget = createCallBudget(calls.plannedCalls, calls.maxCalls, context);
  const { countText } = input.counter;
  const run = { settings, context, countText, askText: questioner({ settings, context, countText }, budget) };
  const draft = await firstDraft(planned, run);
  const summary = settings.guard
    ? await guardSummary(draft.text, guardContext, {
        repair: settings.maxCalls > 1 ? repairer(plan, guardContext, run) : undefined,
        omissions: draft.omissions,
      })
    : unguarded(draft, guardContext);
  throwIfAborted(context.signal);
  const { made, usage, model } = budget;
  return {
    ...summary,
    calls: made,
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
    ...(draft.failures.length > 0 && { partial: draft.failures.join(" ") }),
    notes: [...draft.notes, ...summary.notes],
  };
}

function questioner({ settings, context, countText }: Omit<DraftRun, "askText">, budget: CallBudget): AskText {
  const { maxOutputTokens, temperature } = settings;
  return async ({ prompt, body, transcript, maxTokens, signal }) => {
    // In band only the conversation's own model has the prefix in its cache.
    const model = body === undefined ? (settings.model ?? context.model) : context.model;
    const request = {
      ...(model !== undefined && { model }),
      system: prompt.system,
      prompt: prompt.prompt,
      ...(body !== undefined && { body }),
      maxOutputTokens,
      temperature,
      signal,
    };
    const reply = await ask(request, settings, budget);
    return acceptAnswer(reply, { prompt, maxTokens, countText, ...(transcript !== undefined && { transcript }) });
  };
}

/** Makes at most one call; the plan has room for it. */
function repairer(plan: LlmPlan, guardContext: GuardContext, { settings, context, askText }: DraftRun): Repair {
  return async (draft: string, findings: Findings) => {
    context.progress({ stage: "repair", done: 0, total: 1 });
    const details = {
      task: settings.pack.task,
      problems: describeProblems(findings, guardContext),
      invented: findings.invented.map(({ text }) => text),
    };
    try {
      const build = (text: string) => repairPrompt({ ...details, draft: text }, { ...plan.context, kept: undefined });
      const { prompt } = fitRequest(draft, build, plan.limit);
      return await askText({ prompt, maxTokens: plan.context.maxTokens, signal: context.signal });
    } catch (error) {
      if (isAborted(error)) throw error;
      return { failed: explanationOf(error) };
    } finally {
      context.progress({ stage: "repair", done: 1, total: 1 });
    }
  };
}

/** Refuses what is no summary and a text over its budget; adds nothing. */
function unguarded(draft: Draft, context: GuardContext): { readonly text: string; readonly notes: readonly string[] } {
  const findings = findProblems(draft.text, context);
  refuseOther(findings, context);
  if (context.input.counter.countText(draft.text) > context.input.budgetTokens) throw failed("too-long");
  return { text: draft.text, notes: [] };
}

function describeProblems(findings: Findings, { input, language }: GuardContext): readonly string[] {
  const problems: string[] = [];
  const { missingSections, invented } = findings;
  if (missingSections.length > 0) problems.push(`These headings are missing: ${missingSections.join(", ")}.`);
  if (findings.isUnrelated) problems.push("It says nothing of the conversation. Name what it is about.");
  if (findings.isOtherLanguage) problems.push(`It is not written in ${language?.name ?? "the language of the user"}.`);
  if (findings.isFarOverBudget) problems.push(`It is too long: it must take at most ${input.budgetTokens} tokens.`);
  if (invented.length > 0) problems.push("The values listed as invented are not in the conversation. Take them out.");
  return problems;
}
