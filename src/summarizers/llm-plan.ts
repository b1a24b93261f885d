/**
 * The llm summarizer's whole plan for one input, made before the first call: which way to ask, the parts of the transcript, merge width
 * and the bound on calls. Pure; no call is made.
 */

import { type LiveRequest, liveRequestOf, type SummaryInput } from "../core/checkpoint/summary.ts";
import { textsOf } from "../core/message.ts";
import { headOf } from "../core/text.ts";
import {
  callsFor,
  dividePlan,
  type HistoryShare,
  needsHistoryPruning,
  type PlannedPart,
  partsWithin,
  pruneHistory,
  RETRY_RESERVE,
} from "./call-plan.ts";
import { summaryFailed } from "./failure.ts";
import { createGuardContext, type GuardContext } from "./guard-findings.ts";
import { latestRequests } from "./guard-lines.ts";
import { languageOfUsers } from "./language-check.ts";
import { type LlmSettings, requestLimit } from "./llm-options.ts";
import { boundedText, entriesFor, keptText } from "./llm-shown.ts";
import {
  inBandPrompt,
  mergePrompt,
  type Prompt,
  type PromptContext,
  TOKENS_PER_WORD,
  updatePrompt,
} from "./prompts.ts";
import { withoutIdentifiers } from "./sections.ts";
import { readable } from "./serialize.ts";
import { cutMiddleToTokens, MIDDLE_CUT_MARKER } from "./shrink-text.ts";

export interface PlannedSummary {
  readonly settings: LlmSettings;
  readonly guardContext: GuardContext;
  /** For everything at once, or for the rest when the oldest part is summarised apart. */
  readonly plan: LlmPlan;
  readonly history: HistoryPlan | undefined;
  readonly inBand: InBand | undefined;
  readonly calls: Pick<LlmPlan, "plannedCalls" | "maxCalls">;
}

/** In band where that is asked for and possible; else with the oldest part apart where the history is too large; else as one. */
export function planSummary(input: SummaryInput, settings: LlmSettings): PlannedSummary {
  const { pack, rankFacts, guard } = settings;
  const guardContext = createGuardContext(input, { sections: pack.sections, ...(rankFacts && { rankFacts }) });
  const answerMax = guard ? guardContext.answerTokens : input.budgetTokens;
  const whole = planLlm(input, settings, answerMax);
  const inBand = settings.inBand ? planInBand(input, settings, whole.context) : undefined;
  const planned = { settings, guardContext, plan: whole, history: undefined, inBand };
  if (inBand?.type === "in-band") {
    const plannedCalls = settings.guard && settings.maxCalls > 1 ? 2 : 1;
    const maxCalls = Math.min(settings.maxCalls, plannedCalls * settings.retry.maxAttempts);
    return { ...planned, calls: { plannedCalls, maxCalls } };
  }
  const history = planHistory(input, settings, answerMax);
  if (history === undefined) return { ...planned, calls: whole };
  const { apart, rest } = history;
  const plannedCalls = apart.plannedCalls + rest.plannedCalls;
  return { ...planned, plan: rest, history, calls: { plannedCalls, maxCalls: apart.maxCalls + rest.maxCalls } };
}

type InBand =
  | ({ readonly type: "in-band"; readonly prompt: Prompt; readonly body: unknown } & Pick<LiveRequest, "redact">)
  | { readonly type: "ordinary"; readonly note: string };

/** The live request with the instruction as its last message, or why that is not possible. */
function planInBand(input: SummaryInput, settings: LlmSettings, context: PromptContext): InBand {
  const live = liveRequestOf(input);
  if (live === undefined) return ordinary("there is no live request");
  const prompt = inBandPrompt(settings.pack, context);
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

/** A history that is over its share of the window: its oldest part is summarised first, and the rest together with that text. */
export interface HistoryPlan {
  readonly share: HistoryShare;
  /** For the oldest part, with the previous summary. */
  readonly apart: LlmPlan;
  /** For the rest, with room for the summary of the oldest part. */
  readonly rest: LlmPlan;
}

/** Fewer calls than this cannot be shared between two summaries. */
const CALLS_MIN = 4;
/** About a token each, in the place of a text that is still to be written. */
const PLACEHOLDER = "word ";

/** Undefined where the history keeps within its share, or the mode has no such share. */
function planHistory(input: SummaryInput, settings: LlmSettings, answerMax: number): HistoryPlan | undefined {
  const { mode, maxCalls, windowTokens, staged } = settings;
  const { counter, messages, kept } = input;
  if (mode !== "staged" || maxCalls < CALLS_MIN) return undefined;
  const { maxHistoryShare, parts } = staged;
  if (!needsHistoryPruning(counter.total(kept), windowTokens, maxHistoryShare)) return undefined;
  const countTokens = (message: (typeof messages)[number]): number => counter.total([message]);
  const share = pruneHistory(messages, { windowTokens, countTokens, maxHistoryShare, parts });
  if (share.droppedMessages.length === 0) return undefined;
  const half = { ...settings, maxCalls: Math.floor(maxCalls / 2) };
  // The guard checks the main summary only, so no call is kept for it here.
  const oldest = { ...input, messages: share.droppedMessages, turnPrefix: [], cut: [] };
  const whole = planLlm(oldest, { ...half, guard: false }, input.budgetTokens);
  const apart = { ...whole, context: { ...whole.context, kept: undefined } };
  const previous = { text: PLACEHOLDER.repeat(apart.context.maxTokens) };
  const rest = planLlm({ ...input, messages: share.keptMessages, previous }, half, answerMax);
  return isEmpty(apart) || isEmpty(rest) ? undefined : { share, apart, rest };
}

export function isEmpty({ parts }: LlmPlan): boolean {
  return parts.every(({ entries }) => entries.length === 0);
}

export interface LlmPlan {
  readonly parts: readonly PlannedPart[];
  readonly mergeWidth: number;
  readonly previous: string | undefined;
  readonly limit: RequestLimit;
  /** For the final answer. */
  readonly context: PromptContext;
  /** For partial summaries; `maxTokens` is what each may count in a merge request. */
  readonly partContext: PromptContext;
  /** Calls if every one succeeds, the repair included. */
  readonly plannedCalls: number;
  /** Calls at most, retries included. */
  readonly maxCalls: number;
  readonly notes: readonly string[];
  readonly omissions: readonly string[];
}

const FOCUS_CHARS_MAX = 2_000;
const FOCUS_SHARE = 0.1;
const PREVIOUS_SHARE = 0.25;
const KEPT_SHARE = 0.2;
const REQUEST_SHARE = 0.1;
/** Around each partial summary in a merge: its heading and its fence. */
const PART_FRAME_TOKENS = 48;
/** Upper bound of what a provider adds around two texts. */
const FRAME_TOKENS = 32;
/** A shorter partial summary would leave the merge nothing to choose from. */
const PART_TOKENS_MIN = 1_024;
/** `answerMax` is what the budget leaves for the model beside the lines of the guard. */
function planLlm(input: SummaryInput, settings: LlmSettings, answerMax: number): LlmPlan {
  const { counter, messages, turnPrefix, kept, userTools } = input;
  const limit: RequestLimit = {
    limitTokens: requestLimit(settings, counter.safetyMargin),
    countPrompt: ({ system, prompt }) => counter.countText(system) + counter.countText(prompt) + FRAME_TOKENS,
  };
  const answerTokens = Math.min(settings.maxOutputTokens, Math.max(1, answerMax));
  const bounded = (text: string, share: number): string | undefined =>
    boundedText(text, limit.limitTokens * share, input);
  const previous = bounded(withoutIdentifiers(input.previous?.text ?? ""), PREVIOUS_SHARE);
  const alone: PromptContext = {
    maxTokens: answerTokens,
    tokensPerWord: tokensPerWord(input),
    language: languageOfUsers([...messages, ...turnPrefix, ...kept], userTools)?.name,
    focus: bounded(headOf(input.instructions ?? "", FOCUS_CHARS_MAX), FOCUS_SHARE),
    request: bounded(readable(latestRequests(input).join("\n\n")), REQUEST_SHARE),
  };
  const roomIn = (prompt: PromptContext): number =>
    limit.limitTokens - limit.countPrompt(updatePrompt(settings.pack, { previous, transcript: "" }, prompt));
  const context = {
    ...alone,
    kept: keptText(input, settings, Math.min(limit.limitTokens * KEPT_SHARE, roomIn(alone) / 3)),
  };
  const capacityTokens = roomIn(context);
  const mergeFrame = mergePrompt(settings.pack, [previous ?? ""], context);
  const mergeTokens = limit.limitTokens - limit.countPrompt(mergeFrame) - PART_FRAME_TOKENS;
  const wantedTokens = Math.min(settings.maxOutputTokens, Math.max(PART_TOKENS_MIN, answerTokens));
  const partTokens = Math.min(wantedTokens, Math.floor(mergeTokens / 2) - PART_FRAME_TOKENS);
  if (partTokens < 1) throw summaryFailed("no-room", "The summarizer's window does not hold two partial summaries.");
  const mergeWidth = Math.floor(mergeTokens / (partTokens + PART_FRAME_TOKENS));
  const repairs = settings.guard && settings.maxCalls > 1 ? 1 : 0;
  const callsMax = Math.max(1, Math.floor(settings.maxCalls * (1 - RETRY_RESERVE)) - repairs);
  const besideChars = (context.request?.length ?? 0) + (context.kept?.length ?? 0);
  const limits = { capacityTokens, partsMax: partsWithin(callsMax, mergeWidth), besideChars };
  const { entries, notes, omissions } = entriesFor(input, settings, limits);
  const parts =
    settings.mode === "single"
      ? [{ entries, from: 1, to: entries.length }]
      : dividePlan(entries, {
          ...settings,
          isStaged: settings.mode === "staged",
          capacityTokens,
          mergeWidth,
          callsMax,
        });
  const plannedCalls = callsFor(parts.length, mergeWidth) + repairs;
  const maxCalls = Math.min(settings.maxCalls, plannedCalls * settings.retry.maxAttempts);
  const partContext = { ...context, kept: undefined, maxTokens: partTokens };
  const bounds = { mergeWidth, limit, plannedCalls, maxCalls };
  return { ...bounds, parts, previous, context, partContext, notes, omissions };
}

const SAMPLE_CHARS = 20_000;
const SAMPLE_WORDS_MIN = 100;
const TOKENS_PER_WORD_MAX = 6;
/** A summary holds more names than the talk that it is made of. */
const DENSER = 1.2;

/** In scripts without blanks between words, two characters count as one word. */
const SPACELESS_WORD = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{2}/gu;

/** Tokens of a word in the newest words of the conversation, as a summary will use them. */
function tokensPerWord({ messages, turnPrefix, kept, counter }: SummaryInput): number {
  let sample = "";
  for (const { parts, role } of [...messages, ...turnPrefix, ...kept].toReversed()) {
    if (sample.length >= SAMPLE_CHARS) break;
    if (role === "assistant") sample += `${headOf(textsOf(parts).join("\n"), SAMPLE_CHARS)}\n`;
  }
  const words = sample.split(/\s+/).length + (sample.match(SPACELESS_WORD)?.length ?? 0);
  if (words < SAMPLE_WORDS_MIN) return TOKENS_PER_WORD;
  const measured = (counter.countText(sample) / words) * DENSER;
  return Math.min(TOKENS_PER_WORD_MAX, Math.max(TOKENS_PER_WORD, measured));
}

interface FittedRequest {
  readonly prompt: Prompt;
  readonly text: string;
  readonly isCut: boolean;
}

interface RequestLimit {
  readonly limitTokens: number;
  readonly countPrompt: (prompt: Prompt) => number;
}

/** Cuts the text so that the request fits the limit; throws `no-room` when the prompt alone does not. */
export function fitRequest(text: string, build: (text: string) => Prompt, limit: RequestLimit): FittedRequest {
  const count = (candidate: string): number => limit.countPrompt(build(candidate));
  const fitted = cutMiddleToTokens(text, { limitTokens: limit.limitTokens, count }, MIDDLE_CUT_MARKER);
  const prompt = build(fitted);
  if (limit.countPrompt(prompt) > limit.limitTokens) {
    throw summaryFailed("no-room", "The instructions alone are over the summarizer's window.");
  }
  return { prompt, text: fitted, isCut: fitted !== text };
}
