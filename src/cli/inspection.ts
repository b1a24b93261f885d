/**
 * Everything `inspect` knows about one conversation, as data: exactly what `--json` prints and what the text is made
 * from. Pure; key names are a promise (docs/cli.md).
 */

import type { Conversation, FormatName } from "../core/message.ts";
import type { Violation } from "../core/ports.ts";
import { type Round, type Structure, structureOf } from "../core/structure/structure.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { formatNamed } from "../formats.ts";
import type { RecordCounts, RecordedConversation, Transcript, TranscriptSource } from "../transcripts/index.ts";
import { type Breakdown, breakdownOf, type Kind, type ToolShare } from "./breakdown.ts";
import { conversationAt, decodeFrom, modelOf } from "./load.ts";
import { messageShower, type ShownMessage } from "./message-label.ts";
import { problemsOf } from "./problems.ts";
import { compareUsage, type UsageComparison } from "./recorded-usage.ts";

export interface Inspection {
  readonly file: string;
  readonly source: TranscriptSource;
  readonly format: FormatName;
  readonly conversation: ConversationEntry;
  readonly messages: number;
  readonly turns: number;
  readonly rounds: number;
  /** The newest round while calls of it wait for their results. */
  readonly openRound: Round | null;
  readonly models: readonly string[];
  readonly tokens: {
    readonly total: number;
    readonly byKind: Readonly<Record<Kind, number>>;
    readonly byTool: readonly ToolShare[];
    /** How it was counted. */
    readonly counter: string;
  };
  readonly window?: { readonly tokens: number; readonly usedRatio: number };
  readonly largest: readonly ShownMessage[];
  readonly usage?: UsageComparison;
  readonly compactions: readonly { readonly trigger?: string; readonly tokensBefore?: number }[];
  readonly conversations: readonly ConversationEntry[];
  readonly records: RecordCounts;
  readonly problems: readonly Violation[];
}

interface ConversationEntry {
  /** As `--conversation` takes it. */
  readonly number: number;
  readonly id: string;
  readonly label?: string;
  readonly messages: number;
}

interface InspectionOptions {
  readonly file: string;
  /** Index into the transcript's conversations. */
  readonly index: number;
  readonly windowTokens: number | undefined;
}

const LARGEST_SHOWN = 10;

export function inspectTranscript(transcript: Transcript, options: InspectionOptions): Inspection {
  const recorded = conversationAt(transcript, options.index);
  const format = formatNamed(recorded.format);
  const conversation = decodeFrom(options.file, format, recorded);
  const model = modelOf(recorded);
  const counter = estimateTokens(countedIn(recorded.format, recorded.body, model));
  const structure = structureOf(conversation.messages);
  const breakdown = breakdownOf(conversation, counter, structure.pairing);
  const usage = compareUsage({ recorded, conversation, format, counter });
  return {
    file: options.file,
    source: transcript.source,
    format: recorded.format,
    conversation: entryOf(recorded, options.index),
    messages: conversation.messages.length,
    turns: structure.turns().length,
    rounds: structure.rounds().length,
    openRound: structure.openRound() ?? null,
    models: recorded.models,
    tokens: {
      total: breakdown.totalTokens,
      byKind: breakdown.byKind,
      byTool: breakdown.byTool,
      counter: counter.name,
    },
    ...(options.windowTokens === undefined ? {} : { window: windowOf(options.windowTokens, breakdown, usage) }),
    largest: largestOf(conversation, breakdown, structure),
    ...(usage === undefined ? {} : { usage }),
    compactions: recorded.compactions.map(({ trigger, tokensBefore }) => ({
      ...(trigger === undefined ? {} : { trigger }),
      ...(tokensBefore === undefined ? {} : { tokensBefore }),
    })),
    conversations: transcript.conversations.map(entryOf),
    records: transcript.records,
    problems: problemsOf(recorded),
  };
}

/** Against what the next request will really be billed, where recorded usage lets us know that. */
function windowOf(tokens: number, { totalTokens }: Breakdown, usage: UsageComparison | undefined) {
  return { tokens, usedRatio: (usage?.nextRequestTokens ?? totalTokens) / tokens };
}

function entryOf({ id, label, segments }: RecordedConversation, index: number): ConversationEntry {
  const messages = segments.at(-1)?.messages.length ?? 0;
  return { number: index + 1, id, ...(label === undefined ? {} : { label }), messages };
}

function largestOf(conversation: Conversation, { byMessage }: Breakdown, structure: Structure) {
  const show = messageShower({ conversation, structure, tokensOf: () => 0 });
  return byMessage
    .map((tokens, index) => ({ tokens, index }))
    .sort((a, b) => b.tokens - a.tokens || a.index - b.index)
    .slice(0, LARGEST_SHOWN)
    .map(({ index, tokens }) => ({ ...show(index), tokens }));
}
