/** The summarizer port: messages in, a summary out, with or without a model. */

import type { Message } from "../message.ts";
import type { Usage } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import type { TokenCounter } from "../tokens/tokens.ts";
import type { Checkpoint } from "./checkpoint.ts";

export interface SummaryInput {
  /** Messages that will leave the view, oldest first, without synthetic summary messages. Tool results are the originals, not their pruned forms. */
  readonly messages: readonly Message[];
  /** Early messages of a turn whose later messages stay in the view (split-turn). */
  readonly turnPrefix: readonly Message[];
  /** Messages that stay in the view; the summary need not repeat them. */
  readonly kept: readonly Message[];
  /** For each of `kept`, how many of the leaving messages stood before it. Default: a guess. */
  readonly keptAfter?: readonly number[];
  /** Messages that stay, as they were before their results were shortened. */
  readonly cut?: readonly Message[];
  /** Patterns of the tools whose results are the user's own words (`userTools` in the settings). Default: none. */
  readonly userTools?: readonly string[];
  /** The summary that the new one replaces. */
  readonly previous?: Summary;
  /** Limit for the text. */
  readonly budgetTokens: number;
  readonly counter: TokenCounter;
  /** Topics that the caller wants covered in more detail. Data, never an instruction to execute. */
  readonly instructions?: string;
}

export interface Summary {
  readonly text: string;
  /** Absent when a model wrote free text. */
  readonly checkpoint?: Checkpoint;
}

export interface SummaryResult extends Summary {
  /** Model calls that were made; 0 for a summarizer without a model. */
  readonly calls: number;
  readonly usage?: Usage;
  /** The model that wrote it, if known. */
  readonly model?: string;
  /** Why a part is missing; absent when the summary is complete. */
  readonly partial?: string;
  /** What was left out, cut or repaired, for the report. */
  readonly notes: readonly string[];
}

export interface Summarizer {
  readonly name: string;
  /** Stored beside each summary. */
  readonly version: string;
  /** Upper bound of the calls that `summarize` will make for this input. */
  planCalls(input: SummaryInput): number;
  summarize(input: SummaryInput, context: SummarizeContext): Promise<SummaryResult>;
}

/** A summarizer that takes missing options from the compactor's settings; without a compactor it uses its own defaults. */
export interface SettingsSummarizer extends Summarizer {
  /** The same summarizer under these settings. Throws `invalid-settings` where they cannot go together. */
  withSettings(settings: Settings): Summarizer;
}

/** Makes `withSettings` not enumerable: a summarizer made by spreading this one and replacing a method must not lead back to the original. */
export function settingsSummarizer(
  alone: Summarizer,
  withSettings: SettingsSummarizer["withSettings"],
): SettingsSummarizer {
  return Object.defineProperty({ ...alone, withSettings }, "withSettings", { enumerable: false });
}

export interface SummarizeContext {
  readonly signal: AbortSignal;
  progress(event: { readonly stage: string; readonly done: number; readonly total: number }): void;
  /** The conversation's own model, if known. Asked when the settings name no other. */
  readonly model?: string;
  /** Called before each model call with the requested model, so that the calls of a failed summary are counted too. */
  called?(model?: string): void;
  /** Called with the usage of each reply, usable or not, and the model that answered. */
  answered?(reply: { readonly usage?: Usage; readonly model?: string }): void;
}

export interface LiveRequest {
  /** Tokens of the request without the instruction. */
  tokens(): number;
  /** The request up to the end of the summarized messages, with this text as a last user message; undefined where that is invalid. */
  bodyWith(instruction: string): unknown;
  /** The answer without credentials: the request holds them as they were said. */
  redact(answer: string): string;
}

/** The input that a compactor passes to its summarizer. */
export interface LiveSummaryInput extends SummaryInput {
  readonly live?: LiveRequest | undefined;
}

export function liveRequestOf(input: SummaryInput): LiveRequest | undefined {
  const { live }: LiveSummaryInput = input;
  return live;
}
