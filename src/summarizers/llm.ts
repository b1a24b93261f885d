/**
 * A summarizer that asks any model through one function. Every request fits the model's window, the number of calls is
 * known before the first, and whatever goes wrong is an error with a reason: an error text never becomes a summary.
 */

import {
  type SettingsSummarizer,
  type SummarizeContext,
  type Summarizer,
  type SummaryInput,
  type SummaryResult,
  settingsSummarizer,
} from "../core/checkpoint/summary.ts";
import { headOf } from "../core/well-formed-text.ts";
import { acceptAnswer, failed } from "./answer.ts";
import { ask, type CallBudget, createCallBudget } from "./ask.ts";
import { explanationOf, isAborted, summaryFailed, throwIfAborted } from "./failure.ts";
import { guardSummary, type Repair, refuseOther } from "./guard.ts";
import { createGuardContext, type Findings, findProblems, type GuardContext } from "./guard-findings.ts";
import { type AskText, type Draft, firstDraft } from "./llm-draft.ts";
import { type LlmOptions, type LlmSettings, optionsUnder, resolveLlmOptions } from "./llm-options.ts";
import { fitRequest, isEmpty, type LlmPlan, type PlannedSummary, planSummary } from "./llm-plan.ts";
import { IN_BAND_VERSION, repairPrompt } from "./prompts.ts";
import { sourceTexts } from "./source-texts.ts";

/**
 * @example
 * const summarizer = llm({ complete: async ({ model = "claude-haiku-5-5", system, prompt, maxOutputTokens, signal }) => {
 *   const reply = await client.messages.create(
 *     { model, system, max_tokens: maxOutputTokens, temperature: 0, messages: [{ role: "user", content: prompt }] },
 *     { signal },
 *   );
 *   return { text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join("") };
 * } });
 */
export function llm(options: LlmOptions): SettingsSummarizer {
  const named = options.name === undefined ? {} : { name: options.name };
  return settingsSummarizer(summarizerOf(resolveLlmOptions(options), named), (settings) =>
    summarizerOf(resolveLlmOptions(optionsUnder(options, settings)), named),
  );
}

function summarizerOf(settings: LlmSettings, { name = "llm" }: { readonly name?: string }): Summarizer {
  /** Inputs are never changed, so what was planned for one still holds when it is summarised. */
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
  const { settings, plan, calls } = planned;
  if (isEmpty(plan)) {
    throw summaryFailed("no-input", "The messages hold nothing that can be read.");
  }
  const budget = createCallBudget(calls.plannedCalls, calls.maxCalls, context);
  const countText = input.counter.countText;
  const askText = questioner(settings, { ownModel: context.model, budget, countText });
  const draft = await firstDraft(planned, { settings, context, askText, countText });
  const guardContext = createGuardContext(input, {
    sections: settings.pack.sections,
    ...(settings.rankFacts === undefined ? {} : { rankFacts: settings.rankFacts }),
  });
  const summary = settings.guard
    ? await guardSummary(draft.text, guardContext, {
        repair: repairer({ plan, settings, context, askText, guardContext }),
        omissions: draft.omissions,
      })
    : unguarded(draft, guardContext);
  throwIfAborted(context.signal);
  const notes = [...draft.notes, ...summary.notes];
  const { usage, model } = budget;
  return {
    ...summary,
    calls: budget.made,
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
    ...(draft.failures.length > 0 && { partial: draft.failures.join(" ") }),
    notes,
  };
}

interface Questioning {
  /** The conversation's. */
  readonly ownModel: string | undefined;
  readonly budget: CallBudget;
  readonly countText: (text: string) => number;
}

function questioner(settings: LlmSettings, { ownModel, budget, countText }: Questioning): AskText {
  return async ({ prompt, body, transcript, maxTokens, signal }) => {
    const { maxOutputTokens, temperature } = settings;
    const live = body === undefined ? {} : { body };
    // In band only the conversation's own model has the prefix in its cache, and reads what is in it.
    const model = body === undefined ? (settings.model ?? ownModel) : ownModel;
    const asked = model === undefined ? {} : { model };
    const request = {
      ...asked,
      system: prompt.system,
      prompt: prompt.prompt,
      ...live,
      maxOutputTokens,
      temperature,
      signal,
    };
    const reply = await ask(request, settings, budget);
    return acceptAnswer(reply, { prompt, maxTokens, countText, ...(transcript === undefined ? {} : { transcript }) });
  };
}

interface RepairRun {
  readonly plan: LlmPlan;
  readonly settings: LlmSettings;
  readonly context: SummarizeContext;
  readonly askText: AskText;
  readonly guardContext: GuardContext;
}

/** At most one call, which was planned for; without one left in the plan there is none. */
function repairer({ plan, settings, context, askText, guardContext }: RepairRun): Repair | undefined {
  if (settings.maxCalls <= 1) return undefined;
  return async (draft: string, findings: Findings) => {
    context.progress({ stage: "repair", done: 0, total: 1 });
    const details = {
      task: settings.pack.task,
      problems: describeProblems(findings, guardContext),
      missing: excerptsOf(findings.missingFacts, guardContext.input),
      invented: findings.invented.map(({ text }) => text),
    };
    try {
      const build = (text: string) => repairPrompt({ ...details, draft: text }, plan.context);
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

/** What cannot stand even unguarded; nothing is added, and a text over its budget is refused. */
function unguarded(draft: Draft, context: GuardContext): { readonly text: string; readonly notes: readonly string[] } {
  const findings = findProblems(draft.text, context);
  refuseOther(findings, context);
  if (context.input.counter.countText(draft.text) > context.input.budgetTokens) throw failed("too-long");
  return { text: draft.text, notes: [] };
}

function describeProblems(findings: Findings, { input, language }: GuardContext): readonly string[] {
  const problems: string[] = [];
  const { missingSections, missingFacts, invented } = findings;
  if (missingSections.length > 0) problems.push(`These headings are missing: ${missingSections.join(", ")}.`);
  if (findings.isUnrelated) problems.push("It says nothing of the conversation. Name what it is about.");
  if (findings.isOtherLanguage) problems.push(`It is not written in ${language?.name ?? "the language of the user"}.`);
  if (findings.isFarOverBudget) problems.push(`It is too long: it must take at most ${input.budgetTokens} tokens.`);
  if (missingFacts.length > 0)
    problems.push("It lacks the exact values listed as missing, each with its surroundings.");
  if (invented.length > 0) problems.push("The values listed as invented are not in the conversation. Take them out.");
  return problems;
}

const EXCERPT_CHARS = 80;

/** Each with a few words around its newest mention, so that it can be put where it belongs. */
function excerptsOf(facts: readonly string[], { messages, turnPrefix }: SummaryInput): readonly string[] {
  const texts = sourceTexts([...messages, ...turnPrefix]);
  return facts.map((fact) => {
    const text = texts.findLast((candidate) => candidate.includes(fact) && candidate.length > fact.length);
    const at = text?.lastIndexOf(fact) ?? -1;
    if (text === undefined || at < 0) return fact;
    const start = Math.max(0, at - EXCERPT_CHARS);
    const around = headOf(text.slice(start), fact.length + 2 * EXCERPT_CHARS);
    return `${fact} — in: ${around.toWellFormed().replace(/\s+/g, " ").trim()}`;
  });
}
