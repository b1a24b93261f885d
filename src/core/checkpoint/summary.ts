/** The summarizer port: messages in, a summary out. Whether a model is asked is the implementation's business. */

import type { Message } from "../message.ts";
import type { Usage } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import type { Checkpoint } from "./checkpoint.ts";

export interface SummaryInput {
  /** What will leave the view, oldest first, without synthetic summary messages; tool results as they were returned, whatever pruning made of them since. */
  readonly messages: readonly Message[];
  /** Early messages of a turn whose rest is kept (split-turn); summarised for the sake of that rest. */
  readonly turnPrefix: readonly Message[];
  /** What stays in the view: known to the reader anyway, so it need not be repeated. */
  readonly kept: readonly Message[];
  /** For each of `kept`, how many of the messages that leave stood before it. Guessed when it is not said. */
  readonly keptAfter?: readonly number[];
  /** Messages that stay, as they were before their results were shortened: what was cut out is found nowhere else. */
  readonly cut?: readonly Message[];
  /** Patterns of the tools whose results are the user's own words (`userTools` in the settings). Default: none. */
  readonly userTools?: readonly string[];
  /** The summary that the new one replaces. */
  readonly previous?: Summary;
  /** The text must not count more. */
  readonly budgetTokens: number;
  readonly counter: TokenCounter;
  /** Additional focus from whoever asked; never an instruction to be executed. */
  readonly instructions?: string;
}

export interface Summary {
  readonly text: string;
  /** Absent when a model wrote free text. */
  readonly checkpoint?: Checkpoint;
}

export interface SummaryResult extends Summary {
  /** Model calls that were made; 0 for a summarizer that asks none. */
  readonly calls: number;
  readonly usage?: Usage;
  /** The model that wrote it, as far as that is known. */
  readonly model?: string;
  /** Why it lacks a part of what it was asked for; absent when it is whole. */
  readonly partial?: string;
  /** What was left out, cut or repaired on the way, for the report. */
  readonly notes: readonly string[];
}

export interface Summarizer {
  readonly name: string;
  /** Stored beside each summary, so that it is known what made it. */
  readonly version: string;
  /** An upper bound of the calls `summarize` will make for this input, known before the first. */
  planCalls(input: SummaryInput): number;
  summarize(input: SummaryInput, context: SummarizeContext): Promise<SummaryResult>;
}

/** A summarizer that takes what it was not told from the settings of whoever asks it; alone it goes by its own defaults. */
export interface SettingsSummarizer extends Summarizer {
  /** The same summarizer under these settings. Throws `invalid-settings` where they cannot go together. */
  withSettings(settings: Settings): Summarizer;
}

/** Not enumerable: a summarizer made by spreading this one, with a method of its own, must not be passed over for the original. */
export function settingsSummarizer(
  alone: Summarizer,
  withSettings: SettingsSummarizer["withSettings"],
): SettingsSummarizer {
  return Object.defineProperty({ ...alone, withSettings }, "withSettings", { enumerable: false });
}

export interface SummarizeContext {
  readonly signal: AbortSignal;
  progress(event: { readonly stage: string; readonly done: number; readonly total: number }): void;
  /** The conversation's own model, where it is known: the one to ask when the settings name no other. */
  readonly model?: string;
  /** Told before each model call, with the model that is asked for, so that the calls of a summary that fails are known too. */
  called?(model?: string): void;
  /** Told of each reply, so that what it cost is known although it may be one that cannot be used. The model is the one that says it answered. */
  answered?(reply: { readonly usage?: Usage; readonly model?: string }): void;
}
