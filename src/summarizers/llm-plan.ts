/**
 * The llm summarizer's whole plan for one input, made before the first call: which way to ask, the transcript and its parts, merge
 * width and the bound on calls. Pure; no call is made.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { type LiveRequest, liveRequestOf } from "../core/checkpoint/summary.ts";
import { headOf } from "../core/text.ts";
import {
  callsFor,
  dividePlan,
  type HistoryShare,
  isOversize,
  needsHistoryPruning,
  type PlannedEntry,
  type PlannedPart,
  pruneHistory,
  RETRY_RESERVE,
} from "./call-plan.ts";
import { summaryFailed } from "./failure.ts";
import { languageOfUsers } from "./language-check.ts";
import { type LlmSettings, requestLimit } from "./llm-options.ts";
import { inBandPrompt, mergePrompt, type Prompt, type PromptContext, updatePrompt } from "./prompts.ts";
import { DEFAULT_SUMMARY_INPUT, previewOf, serializeEntries } from "./serialize.ts";
import { capEntries, cutMiddleToTokens, MIDDLE_CUT_MARKER } from "./shrink-text.ts";

export interface PlannedSummary {
  readonly settings: LlmSettings;
  /** For everything at once, or for the rest when the oldest part is summarised apart. */
  readonly plan: LlmPlan;
  readonly history: HistoryPlan | undefined;
  readonly inBand: InBand | undefined;
  readonly calls: Pick<LlmPlan, "plannedCalls" | "maxCalls">;
}

/** In band where that is asked for and possible; else with the oldest part apart where the history is too large; else as one. */
export function planSummary(input: SummaryInput, settings: LlmSettings): PlannedSummary {
  const whole = planLlm(input, settings);
  const inBand = settings.inBand ? planInBand(input, settings, whole.context) : undefined;
  const planned = { settings, plan: whole, history: undefined, inBand };
  if (inBand?.type === "in-band") {
    const plannedCalls = settings.guard && settings.maxCalls > 1 ? 2 : 1;
    const maxCalls = Math.min(settings.maxCalls, plannedCalls * settings.retry.maxAttempts);
    return { ...planned, calls: { plannedCalls, maxCalls } };
  }
  const history = planHistory(input, settings);
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
function planHistory(input: SummaryInput, settings: LlmSettings): HistoryPlan | undefined {
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
  const apart = planLlm({ ...input, messages: share.droppedMessages, turnPrefix: [] }, { ...half, guard: false });
  const previous = { text: PLACEHOLDER.repeat(apart.context.maxTokens) };
  const rest = planLlm({ ...input, messages: share.keptMessages, previous }, half);
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
/** Around each partial summary in a merge: its heading and its fence. */
const PART_FRAME_TOKENS = 48;
const SEPARATOR_TOKENS = 2;
/** Upper bound of what a provider adds around two texts. */
const FRAME_TOKENS = 32;
/** A shorter partial summary would leave the merge nothing to choose from. */
const PART_TOKENS_MIN = 1_024;
const TURN_PREFIX_NOTE = "[The messages from here on opened the turn in progress; the rest of it is kept]";

function planLlm(input: SummaryInput, settings: LlmSettings): LlmPlan {
  const { counter, messages, turnPrefix, kept, userTools } = input;
  const limit: RequestLimit = {
    limitTokens: requestLimit(settings, counter.safetyMargin),
    countPrompt: ({ system, prompt }) => counter.countText(system) + counter.countText(prompt) + FRAME_TOKENS,
  };
  const answerTokens = Math.min(settings.maxOutputTokens, Math.max(1, input.budgetTokens));
  const previous = boundedText(input.previous?.text, PREVIOUS_SHARE, input, limit);
  const context: PromptContext = {
    maxTokens: answerTokens,
    language: languageOfUsers([...messages, ...turnPrefix, ...kept], userTools)?.name,
    focus: boundedText(headOf(input.instructions ?? "", FOCUS_CHARS_MAX), FOCUS_SHARE, input, limit),
  };
  const widest = updatePrompt(settings.pack, { previous, transcript: "" }, context);
  const capacityTokens = limit.limitTokens - limit.countPrompt(widest);
  const mergeFrame = mergePrompt(settings.pack, [previous ?? ""], context);
  const mergeTokens = limit.limitTokens - limit.countPrompt(mergeFrame) - PART_FRAME_TOKENS;
  const wantedTokens = Math.min(settings.maxOutputTokens, Math.max(PART_TOKENS_MIN, answerTokens));
  const partTokens = Math.min(wantedTokens, Math.floor(mergeTokens / 2) - PART_FRAME_TOKENS);
  if (partTokens < 1) throw summaryFailed("no-room", "The summarizer's window does not hold two partial summaries.");
  const mergeWidth = Math.floor(mergeTokens / (partTokens + PART_FRAME_TOKENS));
  const repairs = settings.guard && settings.maxCalls > 1 ? 1 : 0;
  const callsMax = Math.max(1, Math.floor(settings.maxCalls * (1 - RETRY_RESERVE)) - repairs);
  const { entries, notes, omissions } = entriesFor(input, settings, capacityTokens);
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
  const partContext = { ...context, maxTokens: partTokens };
  const bounds = { mergeWidth, limit, plannedCalls, maxCalls };
  return { ...bounds, parts, previous, context, partContext, notes, omissions };
}

interface Entries {
  readonly entries: readonly PlannedEntry[];
  readonly notes: readonly string[];
  readonly omissions: readonly string[];
}

function entriesFor(input: SummaryInput, settings: LlmSettings, capacityTokens: number): Entries {
  const { counter } = input;
  const planned = (messageId: string, text: string): PlannedEntry => ({
    messageId,
    text,
    tokens: counter.countText(text) + SEPARATOR_TOKENS,
  });
  const all = serializeEntries([...input.messages, ...input.turnPrefix], { ...settings, userTools: input.userTools });
  // The first message of the turn may show nothing, as reasoning does.
  const prefixIds = new Set(input.turnPrefix.map(({ id }) => id));
  const prefixStart = all.find(({ messageId }) => prefixIds.has(messageId))?.messageId;
  const entries = all.map(({ messageId, text }) =>
    planned(messageId, messageId === prefixStart ? `${TURN_PREFIX_NOTE}\n\n${text}` : text),
  );
  const totalTokens = entries.reduce((sum, { tokens }) => sum + tokens, 0);
  const isOneRequest = settings.mode === "single" || (settings.mode === "update" && totalTokens <= capacityTokens);
  const whole = isOneRequest ? { entries, notes: [], omissions: [] } : withoutOversize(entries, settings, planned);
  return capped(whole, settings, planned);
}

type MakeEntry = (messageId: string, text: string) => PlannedEntry;

/** Cuts the middle out of a conversation over `maxChars`. */
function capped(whole: Entries, { input }: LlmSettings, planned: MakeEntry): Entries {
  const entries = capEntries(whole.entries, input.maxChars, planned);
  if (entries === whole.entries) return whole;
  const note = `The conversation was cut from the middle to ${input.maxChars} characters.`;
  return { ...whole, entries, notes: [...whole.notes, note] };
}

/** Keeps only beginning and end of messages that are too large, and reports them. */
function withoutOversize(entries: readonly PlannedEntry[], settings: LlmSettings, planned: MakeEntry): Entries {
  const omissions: string[] = [];
  const lighter = entries.map((entry) => {
    if (!isOversize(entry.tokens, settings.windowTokens)) return entry;
    const size = `about ${entry.tokens} tokens`;
    omissions.push(
      `Message ${entry.messageId} (${size}) was too large to be summarised; only its beginning and end were.`,
    );
    return planned(
      entry.messageId,
      `[A message of ${size}, of which this is the beginning and the end]\n${previewOf(entry.text, DEFAULT_SUMMARY_INPUT)}`,
    );
  });
  return { entries: lighter, notes: omissions, omissions };
}

function boundedText(
  text: string | undefined,
  share: number,
  { counter }: SummaryInput,
  { limitTokens }: RequestLimit,
): string | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const limit = { limitTokens: Math.floor(limitTokens * share), count: counter.countText };
  const fitted = cutMiddleToTokens(text.toWellFormed(), limit, MIDDLE_CUT_MARKER);
  return fitted === "" ? undefined : fitted;
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
