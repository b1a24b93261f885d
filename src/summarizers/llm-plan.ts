/** The llm summarizer's whole plan for one input: transcript, parts, merge width and the bound on calls. Pure, no call is made. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { headOf } from "../core/well-formed-text.ts";
import { callsFor, dividePlan, isTooLarge, type PlannedEntry, type PlannedPart, RETRY_RESERVE } from "./call-plan.ts";
import { summaryFailed } from "./failure.ts";
import { languageOfUsers } from "./language-check.ts";
import { type LlmSettings, requestLimit } from "./llm-options.ts";
import { firstPrompt, mergePrompt, updatePrompt } from "./prompts/packs.ts";
import type { Prompt, PromptContext } from "./prompts/prompt.ts";
import { previewOf, serializeEntries } from "./serialize.ts";
import { capEntries, cutMiddleToTokens, MIDDLE_CUT_MARKER } from "./shrink-text.ts";

export interface LlmPlan {
  readonly parts: readonly PlannedPart[];
  readonly mergeWidth: number;
  /** What a partial summary may count in a merge request. */
  readonly partTokens: number;
  readonly previous: string | undefined;
  readonly limit: RequestLimit;
  /** For the final answer. */
  readonly context: PromptContext;
  /** For partial summaries. */
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
/** A partial summary shorter than this could not hold what the merge chooses from. */
const PART_TOKENS_MIN = 1_024;
const TURN_PREFIX_NOTE = "[The messages from here on opened the turn in progress; the rest of it is kept]";

export function planLlm(input: SummaryInput, settings: LlmSettings): LlmPlan {
  const limit: RequestLimit = {
    limitTokens: requestLimit(settings, input.counter.safetyMargin),
    countPrompt: promptCounter(input.counter),
  };
  const answerTokens = Math.min(settings.maxOutputTokens, Math.max(1, input.budgetTokens));
  const previous = boundedText(input.previous?.text, PREVIOUS_SHARE, input, limit);
  const context: PromptContext = {
    maxTokens: answerTokens,
    language: languageOfUsers([...input.messages, ...input.turnPrefix, ...input.kept], input.userTools)?.name,
    focus: boundedText(headOf(input.instructions ?? "", FOCUS_CHARS_MAX), FOCUS_SHARE, input, limit),
  };
  const widest = partPrompt("", previous, { settings, context });
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
  const bounds = { mergeWidth, partTokens, limit, plannedCalls, maxCalls };
  return { ...bounds, parts, previous, context, partContext, notes, omissions };
}

interface PromptMaking {
  readonly settings: LlmSettings;
  readonly context: PromptContext;
}

/** A part on its own; with the previous summary when it is the only part. */
export function partPrompt(
  transcript: string,
  previous: string | undefined,
  { settings, context }: PromptMaking,
): Prompt {
  if (previous === undefined) return firstPrompt(settings.pack, transcript, context);
  return updatePrompt(settings.pack, { previous, transcript }, context);
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
  // The first of them may say nothing that is shown: thinking often opens a turn.
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

/** Cut from the middle. */
function capped(whole: Entries, { input }: LlmSettings, planned: MakeEntry): Entries {
  const entries = capEntries(whole.entries, input.maxChars, planned);
  if (entries === whole.entries) return whole;
  const note = `The conversation was cut from the middle to ${input.maxChars} characters.`;
  return { ...whole, entries, notes: [...whole.notes, note] };
}

/** What is too large is left out but for its beginning and end, and that is said. */
function withoutOversize(entries: readonly PlannedEntry[], settings: LlmSettings, planned: MakeEntry): Entries {
  const omissions: string[] = [];
  const lighter = entries.map((entry) => {
    if (!isTooLarge(entry, settings.windowTokens)) return entry;
    const size = `about ${entry.tokens} tokens`;
    omissions.push(
      `Message ${entry.messageId} (${size}) was too large to be summarised; only its beginning and end were.`,
    );
    return planned(
      entry.messageId,
      `[A message of ${size}, of which this is the beginning and the end]\n${shortened(entry)}`,
    );
  });
  return { entries: lighter, notes: omissions, omissions };
}

const OVERSIZE_PREVIEW = { resultHeadChars: 500, resultTailChars: 200, toolInputChars: 200, maxChars: 0 };

function shortened({ text }: PlannedEntry): string {
  return previewOf(text, OVERSIZE_PREVIEW);
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

/** What a provider adds around two texts, generously. */
const FRAME_TOKENS = 32;

type CountPrompt = (prompt: Prompt) => number;

function promptCounter(counter: TokenCounter): CountPrompt {
  return ({ system, prompt }) => counter.countText(system) + counter.countText(prompt) + FRAME_TOKENS;
}

interface FittedRequest {
  readonly prompt: Prompt;
  readonly text: string;
  readonly isCut: boolean;
}

interface RequestLimit {
  readonly limitTokens: number;
  readonly countPrompt: CountPrompt;
}

/** The whole request counts at most the limit; throws `no-room` when the prompt does not fit even around nothing. */
export function fitRequest(text: string, build: (text: string) => Prompt, limit: RequestLimit): FittedRequest {
  const count = (candidate: string): number => limit.countPrompt(build(candidate));
  const fitted = cutMiddleToTokens(text, { limitTokens: limit.limitTokens, count }, MIDDLE_CUT_MARKER);
  const prompt = build(fitted);
  if (limit.countPrompt(prompt) > limit.limitTokens) {
    throw summaryFailed("no-room", "The instructions alone are over the summarizer's window.");
  }
  return { prompt, text: fitted, isCut: fitted !== text };
}
