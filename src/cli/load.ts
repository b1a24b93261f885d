/**
 * FILE or standard input to a transcript, and the conversation in it that was asked for. All that can be wrong with
 * either becomes one `CompactionError`; nothing is written.
 */

import { constants } from "node:buffer";
import { CompactionError } from "../core/errors.ts";
import type { Conversation } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { formatNames, isFormatName } from "../formats.ts";
import {
  type ReadOptions,
  type RecordedConversation,
  readTranscript,
  readTranscriptFile,
  TRANSCRIPT_SOURCES,
  type Transcript,
  type TranscriptSource,
} from "../transcripts/index.ts";
import { didYouMean, type OptionSpec, type OptionSpecs, usage } from "./arguments.ts";

export const STANDARD_INPUT = "-";

export const FORMAT_OPTION: OptionSpec = {
  type: "string",
  value: "NAME",
  about: "read as this format or kind of file (names below)",
};

export const CONVERSATION_OPTION: OptionSpec = {
  type: "string",
  value: "N|ID",
  about: "which conversation, by number (from 1) or id",
};

/** The options of every command that reports on one FILE. */
export const FILE_OPTIONS = {
  conversation: CONVERSATION_OPTION,
  format: FORMAT_OPTION,
  json: { type: "boolean", about: "one JSON object instead of text" },
} as const satisfies OptionSpecs;

export const NAMES_NOTE = `Formats: ${formatNames.join(", ")}
Kinds of file: ${TRANSCRIPT_SOURCES.slice(0, 6).join(", ")},
  ${TRANSCRIPT_SOURCES.slice(6).join(", ")}
Both are told from the contents when --format is left out.
`;

export async function loadTranscript(
  file: string,
  format: string | undefined,
  stdin: AsyncIterable<Uint8Array>,
): Promise<Transcript> {
  const options = format === undefined ? {} : readOptions(format);
  if (file !== STANDARD_INPUT) return readTranscriptFile(file, options);
  try {
    return readTranscript(textOf(await collect(stdin)), options);
  } catch (cause) {
    if (!(cause instanceof CompactionError)) throw cause;
    throw new CompactionError(cause.code, `standard input: ${cause.message}`, { cause });
  }
}

/** A number counts from 1 and wins over an id that looks like one, because numbers are what the listing shows. */
export function chooseConversation(transcript: Transcript, wanted: string | undefined): number {
  if (wanted === undefined) return 0;
  const { conversations } = transcript;
  const number = /^\d{1,9}$/.test(wanted) ? Number(wanted) : 0;
  if (number >= 1 && number <= conversations.length) return number - 1;
  const byId = conversations.findIndex(({ id }) => id === wanted);
  const index = byId >= 0 ? byId : conversations.findIndex(({ label }) => label === wanted);
  if (index >= 0) return index;
  const holds = conversations.length === 1 ? "one conversation" : `${conversations.length} conversations`;
  throw usage(`there is no conversation "${wanted}"; the file holds ${holds}, numbered from 1`);
}

export function conversationAt(transcript: Transcript, index: number): RecordedConversation {
  const conversation = transcript.conversations[index];
  if (conversation === undefined) throw new Error(`no conversation ${index}`);
  return conversation;
}

/** Decodes a recorded body; errors name the file. */
export function decodeFrom(file: string, format: Format, { body }: RecordedConversation): Conversation {
  try {
    return format.decode(body);
  } catch (cause) {
    if (!(cause instanceof CompactionError)) throw cause;
    throw new CompactionError(cause.code, `${file}: ${cause.message}`, { cause });
  }
}

/** The model whose rules hold: the one that was asked last. */
export function modelOf({ models, calls }: RecordedConversation): string | undefined {
  return calls.findLast((call) => call.model !== undefined)?.model ?? models.at(-1);
}

function readOptions(format: string): ReadOptions {
  if (isFormatName(format)) return { format };
  if (isSource(format)) return { source: format };
  throw usage(`unknown format "${format}"${didYouMean(format, [...formatNames, ...TRANSCRIPT_SOURCES])}`);
}

function isSource(name: string): name is TranscriptSource {
  return TRANSCRIPT_SOURCES.some((source) => source === name);
}

/** All of standard input. */
export async function collect(stdin: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stdin) {
      length += chunk.length;
      if (length > constants.MAX_STRING_LENGTH) throw unreadable("more than can be held in memory; split it");
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof CompactionError) throw cause;
    throw unreadable(`it could not be read (${cause instanceof Error ? cause.message : String(cause)})`, cause);
  }
  return Buffer.concat(chunks, length);
}

function textOf(bytes: Buffer): string {
  if (bytes.includes(0)) throw unreadable("this is binary, not JSON; give a session file");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable("the text is not UTF-8; convert it to UTF-8", cause);
  }
}

function unreadable(message: string, cause?: unknown): CompactionError {
  return new CompactionError("unreadable-file", message, { cause });
}
