/**
 * Recorded model calls as sessions: what was sent each time, and what the provider reported to have read. Reads the shared
 * recordings, which are not part of this repository; without them there are no sessions.
 */

import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { CompactionError } from "../src/core/errors.ts";
import { isObject } from "../src/core/json.ts";
import type { Conversation, FormatName, Message } from "../src/core/message.ts";
import type { Format } from "../src/core/ports.ts";
import { formatNamed } from "../src/formats.ts";
import { type RecordedConversation, readTranscriptFile, type Transcript } from "../src/transcripts/index.ts";

export interface CallSession {
  readonly folder: string;
  readonly name: string;
  readonly format: FormatName;
  readonly calls: readonly SentCall[];
}

export interface SentCall {
  readonly model: string;
  /** What stands beside the messages, as far as the recording shows it. */
  readonly base: Pick<Conversation, "system" | "tools">;
  readonly messages: readonly unknown[];
  readonly reportedTokens: number;
}

export const RECORDINGS = fileURLToPath(new URL("../../shared/data", import.meta.url));

/** Where usage was recorded with what was sent. */
export const FOLDERS: readonly string[] = [
  "spotter_cc",
  "episodic_cc",
  "ccviewer_cc",
  "copilot_chat",
  "pi_mono",
  "openhands_sdk",
  "mastra_recordings",
];

/** Those that recorded whole requests; the others are transcripts without system prompt and tools. */
export const WHOLE_FOLDERS: ReadonlySet<string> = new Set(["openhands_sdk", "mastra_recordings"]);

export function hasRecordings(): boolean {
  return existsSync(RECORDINGS);
}

/** Session files are one session per conversation; files that hold one request each are one session per directory. */
export function readSessions(folder: string): readonly CallSession[] {
  const sessions: CallSession[] = [];
  const requests = new Map<string, CallSession[]>();
  for (const path of filesIn(join(RECORDINGS, folder))) {
    for (const conversation of conversationsIn(path)) {
      const name = relative(join(RECORDINGS, folder), path);
      const session = sessionOf(conversation, { folder, name: `${name} ${conversation.label ?? ""}`.trim() });
      if (session.calls.length === 0) continue;
      if (!isRequestFile(conversation)) sessions.push(session);
      else requests.set(dirname(name), [...(requests.get(dirname(name)) ?? []), session]);
    }
  }
  return [...sessions, ...[...requests].flatMap(([name, parts]) => joined(name, parts))];
}

export function formatOf(name: FormatName): Format {
  return formatNamed(name);
}

/** One element of a wire list as a message. */
export function elementDecoder(name: FormatName): (wire: unknown, index: number) => Message {
  const format = formatOf(name);
  return (wire, index) => {
    const [message] = format.decode([wire]).messages;
    if (message === undefined) throw new CompactionError("invalid-request", `element ${index} decoded to nothing`);
    return { ...message, id: `m${index}` };
  };
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Some files of these folders are no transcripts; that is for the readers' own tests to judge. */
function conversationsIn(path: string): Transcript["conversations"] {
  try {
    return readTranscriptFile(path).conversations;
  } catch (error) {
    if (error instanceof CompactionError) return [];
    throw error;
  }
}

function isRequestFile({ segments, calls }: RecordedConversation): boolean {
  return segments.length === 1 && calls.length === 1 && calls[0]?.messageCount === segments[0]?.messages.length;
}

function sessionOf(
  conversation: RecordedConversation,
  { folder, name }: Pick<CallSession, "folder" | "name">,
): CallSession {
  const { format, body, segments } = conversation;
  const { system, tools } = isObject(body) ? formatOf(format).decode(body) : { system: [], tools: undefined };
  const calls = conversation.calls.map(({ segment, messageCount, model = "unknown", usage }) => ({
    model,
    base: { system, tools },
    messages: segments[segment]?.messages.slice(0, messageCount) ?? [],
    reportedTokens: usage.inputTokens,
  }));
  return { folder, name, format, calls: calls.filter(({ reportedTokens }) => reportedTokens > 0) };
}

function joined(name: string, parts: readonly CallSession[]): readonly CallSession[] {
  const [first] = parts;
  return first === undefined ? [] : [{ ...first, name, calls: parts.flatMap(({ calls }) => calls) }];
}
