/** The conversation that a command is about, as a compactor sees it. Decides with the compactor's own function. Changes nothing. */

import { type DecideInput, type Decision, decide } from "../compactor/decide.ts";
import { calibratedCounter, createCounting } from "../compactor/engine.ts";
import { windowOfModel } from "../compactor/model-facts.ts";
import type { Conversation } from "../core/message.ts";
import { type ContextSize, sizeTokens } from "../core/plan/trigger.ts";
import type { Format } from "../core/ports.ts";
import { type Repair, repair } from "../core/repair/repair.ts";
import type { Settings, SettingsInput } from "../core/settings/settings.ts";
import { countedIn } from "../core/tokens/counted.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { counterNamed } from "../counters.ts";
import { formatNamed } from "../formats.ts";
import { profileNamed, WINDOW_TOKENS } from "../profiles/profiles.ts";
import { resolveSettings } from "../settings.ts";
import type { OptionSpec } from "./command.ts";
import { decodeFrom, modelOf, type Source, validateOptions } from "./load.ts";

export interface Subject extends Source {
  readonly format: Format;
  /** Where the body names none, the recorded one. */
  readonly model: string | undefined;
  readonly profile: string;
  readonly settings: Settings;
  readonly conversation: Conversation;
  readonly repairs: readonly Repair[];
  readonly counter: TokenCounter;
  readonly size: ContextSize;
  /** What was asked for over the profile, and for this one pass over both. */
  readonly userSettings: SettingsInput;
  readonly callSettings: SettingsInput | undefined;
}

interface SubjectOptions {
  readonly profile: string;
  readonly windowTokens?: number | undefined;
  /** Keep this many of the newest messages, whatever the profile says. */
  readonly keepMessages?: number | undefined;
  readonly settings?: SettingsInput;
  /** The conversation where it was decoded elsewhere, with ids and pins of its own. */
  readonly decoded?: Conversation;
}

export function subjectOf(source: Source, options: SubjectOptions): Subject {
  const { recorded } = source;
  const { profile, keepMessages, decoded = decodeFrom(source) } = options;
  const format = formatNamed(recorded.format);
  const { model } = validateOptions(recorded);
  const ruling = model ?? modelOf(recorded);
  const { conversation, repairs } = repair(decoded, ruling === undefined ? {} : { model: ruling });
  const windowTokens = options.windowTokens ?? usualWindow(profileNamed(profile), ruling);
  const userSettings = { ...options.settings, ...(windowTokens !== undefined && { windowTokens }) };
  const layers = { profile: profileNamed(profile), user: userSettings };
  const usual = resolveSettings(layers);
  const counter = counterNamed(usual.estimator, countedIn(format.name, recorded.body, ruling));
  const callSettings = keepMessages === undefined ? undefined : tailOf(keepMessages, { usual, conversation, counter });
  const settings = callSettings === undefined ? usual : resolveSettings({ ...layers, call: callSettings });
  const size = {
    systemTokens: counter.countParts(conversation.system),
    toolsTokens: counter.countTools(conversation.tools),
    messagesTokens: counter.total(conversation.messages),
    messageCount: conversation.messages.length,
  };
  const read = { ...source, format, model, conversation, repairs, counter, size };
  return { ...read, profile, settings, userSettings, callSettings };
}

/** The window that a compactor takes where none is given. */
function usualWindow(profile: Settings, model: string | undefined): number | undefined {
  return model === undefined || profile.windowTokens !== WINDOW_TOKENS ? undefined : windowOfModel(model);
}

export function decisionAsked(subject: Subject, targetTokens?: number): Decision {
  return decide({ ...decideInputOf(subject), asked: "manual", ...(targetTokens !== undefined && { targetTokens }) });
}

/** A request that comes by itself: no compaction is asked for, and no target is named. */
export function decideInputOf({ conversation, settings, counter, size }: Subject): DecideInput {
  const { systemTokens, toolsTokens } = size;
  const { tokensOf, totalOf } = createCounting(counter, () => 1);
  return { view: conversation, settings, tokensOf, totalOf, systemTokens, toolsTokens };
}

/** A summary is never longer than this share of the messages that it replaces. */
const SUMMARY_SHARE_MAX = 0.25;

/** The newest messages, and a summary in proportion to the rest, never larger than the profile's: that is made for a full window. */
function tailOf(
  keepMessages: number,
  { usual, conversation, counter }: Pick<Subject, "conversation" | "counter"> & { readonly usual: Settings },
): SettingsInput {
  const { protect, summary } = usual;
  const newest = keepMessages === 0 ? [] : conversation.messages.slice(-keepMessages);
  const newestTokens = counter.total(newest);
  const restTokens = Math.max(0, counter.total(conversation.messages) - newestTokens);
  const summaryTokens = Math.max(1, Math.floor(restTokens * SUMMARY_SHARE_MAX));
  const { minTokens, maxTokens } = summary.budget;
  return {
    protect: { tailMessages: keepMessages, tailTokens: Math.min(protect.tailTokens, newestTokens) },
    summary: {
      maxOutputTokens: Math.min(summary.maxOutputTokens, summaryTokens),
      budget: { minTokens: Math.min(minTokens, summaryTokens), maxTokens: Math.min(maxTokens, summaryTokens) },
    },
  };
}

/** The subject in tokens of which it has `tokensBefore`; the subject itself where it has that many by its own counter, as files do. */
export function calibratedTo(subject: Subject, tokensBefore: number): Subject {
  const ownTokens = sizeTokens(subject.size);
  if (ownTokens === tokensBefore || ownTokens === 0) return subject;
  const ratio = tokensBefore / ownTokens;
  const { systemTokens, toolsTokens, messagesTokens } = subject.size;
  return {
    ...subject,
    counter: calibratedCounter(subject.counter, ratio),
    size: {
      ...subject.size,
      systemTokens: Math.round(systemTokens * ratio),
      toolsTokens: Math.round(toolsTokens * ratio),
      messagesTokens: Math.round(messagesTokens * ratio),
    },
  };
}

export const PROFILE_OPTION: OptionSpec = {
  type: "string",
  value: "NAME",
  about: "whose settings to use (default balanced)",
};

export function readProfile(name = "balanced"): string {
  profileNamed(name); // throws for a name that is none, with the nearest one
  return name;
}
