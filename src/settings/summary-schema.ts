/** What `summary` may be: how a summary is asked for. Data only. */

import type { SchemaFor } from "../core/settings/schema.ts";
import type { StagedSettings, SummaryInputSettings, SummarySettings } from "../core/settings/settings.ts";

const inputSchema: SchemaFor<SummaryInputSettings> = {
  type: "object",
  about: "What the summarizer is shown.",
  keys: {
    resultHeadChars: { type: "number", whole: true, min: 0, about: "Head of each tool result; 0 and 0 for all of it." },
    resultTailChars: { type: "number", whole: true, min: 0, about: "Tail of each tool result." },
    toolInputChars: { type: "number", whole: true, min: 0, about: "Of each tool input; 0 for all of it." },
    maxChars: { type: "number", whole: true, min: 0, about: "Of the whole, cut from the middle; 0 for no limit." },
  },
};

const stagedSchema: SchemaFor<StagedSettings> = {
  type: "object",
  about: "How a long input is divided.",
  keys: {
    baseChunkRatio: {
      type: "number",
      above: 0,
      max: 1,
      about: "Size of a chunk as a share of the summarizer's window.",
    },
    minChunkRatio: { type: "number", above: 0, max: 1, about: "The share that large messages may lower it to." },
    parts: { type: "number", whole: true, min: 2, max: 64, about: "Into how many parts an input is divided." },
    minMessagesForSplit: { type: "number", whole: true, min: 2, about: "Fewer messages are not divided." },
    concurrency: { type: "number", whole: true, min: 1, max: 64, about: "How many parts are summarized at a time." },
    maxHistoryShare: {
      type: "number",
      min: 0.1,
      max: 0.9,
      about: "Share of the window beyond which the oldest chunks are summarized apart.",
    },
  },
};

export const summarySchema: SchemaFor<SummarySettings> = {
  type: "object",
  about: "How a summary is made.",
  keys: {
    mode: {
      type: "choice",
      about: "How many passes.",
      values: {
        single: "one pass over what leaves the view",
        update: "the previous summary is carried on; staged when the input exceeds one request",
        staged: "parts are summarized alone and then merged",
      },
    },
    promptPack: {
      type: "choice",
      about: "What the summarizer is asked for.",
      values: {
        narrative: "a concise narrative",
        checkpoint: "fixed sections, from goal to critical context",
        safeguard: "decisions, open tasks, open questions and constraints",
        minimal: "key facts and decisions in short",
      },
    },
    transcript: {
      type: "choice",
      about: "How the conversation is written out for it.",
      values: { labelled: "speakers, calls and results each by name", nous: "two speakers only, as Nous does" },
    },
    model: { type: "text", filled: true, about: "A model id, or `inherit` for the conversation's own." },
    maxOutputTokens: { type: "number", whole: true, min: 1, about: "The longest answer of the summarizer." },
    temperature: { type: "number", min: 0, max: 2, about: "Of the summarizer's model." },
    timeoutMs: { type: "number", whole: true, min: 1, about: "After this a call counts as failed." },
    budget: {
      type: "object",
      about: "How long the summary may be.",
      keys: {
        ratioOfTarget: { type: "number", above: 0, max: 1, about: "Share of the target." },
        minTokens: { type: "number", whole: true, min: 1, about: "Never less than this." },
        maxTokens: { type: "number", whole: true, min: 1, about: "Never more than this." },
      },
    },
    input: inputSchema,
    staged: stagedSchema,
  },
};
