/** What every reader returns: conversations in wire form, with the name of their format, and what the record tells. Decodes nothing. */

import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import type { Usage } from "../core/ports.ts";
import { countsOf } from "../core/usage.ts";

/** Session files of agents first, then files that hold plain messages or request bodies. */
export const TRANSCRIPT_SOURCES = [
  "claude-code",
  "codex",
  "pi",
  "openclaw",
  "gemini-cli",
  "chat-jsonl",
  "batch-jsonl",
  "request-body",
  "message-list",
  "http-recording",
  "run-list",
] as const;

export type TranscriptSource = (typeof TRANSCRIPT_SOURCES)[number];

export interface Transcript {
  readonly source: TranscriptSource;
  /** Never empty: a file that holds no message at all is an error. The first one is the main conversation. */
  readonly conversations: readonly RecordedConversation[];
  readonly records: RecordCounts;
}

export interface RecordCounts {
  /** Records (lines, or entries of a JSON document) that were parsed, whatever became of them. */
  readonly read: number;
  /** Records of a type that the reader does not know, by type. They were left out. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Lines that are not JSON, such as the last line of a file that is still being written. */
  readonly broken: number;
}

export interface RecordedConversation {
  /** The session's own id where it has one; unique within the transcript. */
  readonly id: string;
  /** What it is among its siblings: `main`, `sidechain …`, a task or line number. */
  readonly label?: string;
  readonly format: FormatName;
  /** What the model would be sent next. A recorded request body or bare list is the very object that was parsed. */
  readonly body: JsonObject | JsonArray;
  /** Every model that answered, in order of first appearance. */
  readonly models: readonly string[];
  /** Every recorded model call whose usage is known, oldest first. */
  readonly calls: readonly RecordedCall[];
  /** The whole log, oldest first: one segment per stretch between compactions. The last one has the body's messages. */
  readonly segments: readonly Segment[];
  /** Oldest first; `compactions[i]` stands between segment `afterSegment` and the next one. */
  readonly compactions: readonly RecordedCompaction[];
}

export interface Segment {
  readonly messages: JsonArray;
}

export interface RecordedCall {
  readonly segment: number;
  /** How many of the segment's messages, from its first, were the call's input; its answer follows them. */
  readonly messageCount: number;
  readonly model?: string;
  readonly usage: Usage;
}

export interface RecordedCompaction {
  readonly afterSegment: number;
  /** As the tool called it: `auto`, `manual`, … */
  readonly trigger?: string;
  readonly tokensBefore?: number;
  /** The text that took the place of what was left out. */
  readonly summary?: string;
}

export interface ReadOptions {
  /** Read as this kind of file instead of looking at its contents. */
  readonly source?: TranscriptSource;
  /** Wire format of plain message lists and bodies; session files of agents have one of their own. */
  readonly format?: FormatName;
}

export interface Counter {
  read(): void;
  unknown(type: string): void;
  broken(): void;
  counts(): RecordCounts;
}

/** Distinct unknown types that are listed; any further ones count as `other`, so that a hostile file stays small. */
const UNKNOWN_TYPES_MAX = 50;

export function createCounter(): Counter {
  let read = 0;
  let broken = 0;
  const unknown = new Map<string, number>();
  return {
    read: () => {
      read += 1;
    },
    unknown: (type) => {
      const key = unknown.has(type) || unknown.size < UNKNOWN_TYPES_MAX ? type.slice(0, 80) : "other";
      unknown.set(key, (unknown.get(key) ?? 0) + 1);
    },
    broken: () => {
      broken += 1;
    },
    counts: () => ({ read, unknown: Object.fromEntries(unknown), broken }),
  };
}

/** Values in order of first appearance, without the absent ones. */
export function distinct(values: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** The text of a list of blocks or parts, joined by newlines. */
export function textOf(blocks: readonly JsonValue[]): string {
  return blocks.flatMap((block) => (isObject(block) ? (stringOf(block.text) ?? []) : [])).join("\n");
}

export function plainText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return isArray(content) ? textOf(content) : "";
}

/** A recorded usage object. A call that was aborted, or whose usage was never filled in, is recorded without input: that is no usage. */
export function recordedUsage(usage: unknown): Usage | undefined {
  const counts = isObject(usage) ? countsOf(usage) : undefined;
  return counts === undefined || counts.inputTokens === 0 ? undefined : counts;
}

export function unreadable(message: string): CompactionError {
  return new CompactionError("unreadable-file", message);
}
