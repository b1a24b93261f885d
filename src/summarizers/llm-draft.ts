/**
 * Which way a model is asked for a summary, decided before the first call, and the first draft made that way: in band, with the
 * oldest part of the history told apart, or as one division of the conversation. What it leaves out it says.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { type LiveRequest, liveRequestOf } from "../core/plan/live-request.ts";
import { type HistoryPlan, planHistory, summarizeApart } from "./llm-history.ts";
import { type LlmSettings, requestLimit } from "./llm-options.ts";
import { type LlmPlan, planLlm } from "./llm-plan.ts";
import { inBandTask } from "./prompts/packs.ts";
import { assemble, type Prompt, type PromptContext } from "./prompts/prompt.ts";
import { type Draft, type StagedRun, writeDraft } from "./staged.ts";

export interface PlannedSummary {
  readonly settings: LlmSettings;
  /** For everything at once, or for what is left when the oldest part is told apart. */
  readonly plan: LlmPlan;
  readonly history: HistoryPlan | undefined;
  readonly inBand: InBand | undefined;
  readonly calls: Pick<LlmPlan, "plannedCalls" | "maxCalls">;
}

export function planSummary(input: SummaryInput, settings: LlmSettings): PlannedSummary {
  const whole = planLlm(input, settings);
  const inBand = planInBand(input, settings, whole.context);
  if (inBand?.type === "in-band") {
    const plannedCalls = settings.guard && settings.maxCalls > 1 ? 2 : 1;
    const maxCalls = Math.min(settings.maxCalls, plannedCalls * settings.retry.maxAttempts);
    return { settings, plan: whole, history: undefined, inBand, calls: { plannedCalls, maxCalls } };
  }
  const history = planHistory(input, settings);
  if (history === undefined) return { settings, plan: whole, history, inBand, calls: whole };
  const { apart, rest } = history;
  const plannedCalls = apart.plannedCalls + rest.plannedCalls;
  const calls = { plannedCalls, maxCalls: apart.maxCalls + rest.maxCalls };
  return { settings, plan: rest, history, inBand, calls };
}

type DraftRun = Omit<StagedRun, "plan">;

export async function firstDraft(planned: PlannedSummary, run: DraftRun): Promise<Draft> {
  const { history, inBand } = planned;
  if (inBand?.type === "in-band") return draftInBand(inBand, planned.plan, run);
  const apart = history === undefined ? undefined : await summarizeApart(history, run);
  const plan = apart?.plan ?? planned.plan;
  const draft = await writeDraft({ ...run, plan });
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
  { prompt, body, redact }: Extract<InBand, { readonly type: "in-band" }>,
  { context: { maxTokens } }: LlmPlan,
  { askText, context }: DraftRun,
): Promise<Draft> {
  context.progress({ stage: "summarize", done: 0, total: 1 });
  const text = redact(await askText({ prompt, body, maxTokens, signal: context.signal }));
  context.progress({ stage: "summarize", done: 1, total: 1 });
  return { text, notes: [], omissions: [], failures: [] };
}

type InBand =
  | ({ readonly type: "in-band"; readonly prompt: Prompt; readonly body: unknown } & Pick<LiveRequest, "redact">)
  | { readonly type: "ordinary"; readonly note: string };

/** Undefined where nobody asked for it. */
function planInBand(input: SummaryInput, settings: LlmSettings, context: PromptContext): InBand | undefined {
  if (!settings.inBand) return undefined;
  const live = liveRequestOf(input);
  if (live === undefined) return ordinary("there is no live request");
  const prompt = assemble(inBandTask(settings.pack.task), [], context);
  const instruction = `${prompt.system}\n\n${prompt.prompt}`;
  const { counter } = input;
  const tokens = live.tokens() + counter.countText(instruction);
  const limitTokens = requestLimit(settings, counter.safetyMargin);
  if (tokens > limitTokens) return ordinary(`the live request counts ${tokens} tokens, and ${limitTokens} fit`);
  const body = live.bodyWith(instruction);
  if (body === undefined) return ordinary("the live request cannot take one more message");
  return { type: "in-band", prompt, body, redact: live.redact };
}

function ordinary(because: string): InBand {
  return { type: "ordinary", note: `The summary was not asked for in band: ${because}.` };
}
