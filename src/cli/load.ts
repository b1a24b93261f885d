/** Reads FILE or standard input as a transcript, and picks the conversation that was asked for. Writes nothing. */

import { constants } from "node:buffer";
import { CompactionError } from "../core/errors.ts";
import { modelIn } from "../core/format-rules.ts";
import type { Conversation } from "../core/message.ts";
import type { ValidateOptions, Violation } from "../core/ports.ts";
import { formatNamed, formatNames, isFormatName } from "../formats.ts";
import {
  type ReadOptions,
  type RecordedConversation,
  readTranscript,
  readTranscriptFile,
  TRANSCRIPT_SOURCES,
  type Transcript,
  type TranscriptSource,
} from "../transcripts/index.ts";
import { didYouMean, type Io, JSON_OPTION, type OptionSpec, type OptionSpecs, usage, type Words } from "./command.ts";
import { oneLine, plural } from "./one-line.ts";

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
  json: JSON_OPTION,
} as const satisfies OptionSpecs;

export const NAMES_NOTE = `Formats: ${formatNames.join(", ")}
Kinds of file: ${TRANSCRIPT_SOURCES.slice(0, 6).join(", ")},
  ${TRANSCRIPT_SOURCES.slice(6).join(", ")}
Both are told from the contents when --format is left out.
`;

export interface Source {
  readonly file: string;
  readonly transcript: Transcript;
  readonly recorded: RecordedConversation;
}

/** The conversation that a command line names: its FILE, `--format` and `--conversation`. */
export async function loadSource(given: Words, stdin: Io["stdin"]): Promise<Source> {
  const { file } = given;
  const transcript = await loadTranscript(file, given.text("format"), stdin);
  return { file, transcript, recorded: chooseConversation(transcript, given.text("conversation")) };
}

export async function loadTranscript(
  file: string,
  format: string | undefined,
  stdin: Io["stdin"],
): Promise<Transcript> {
  const options = format === undefined ? {} : readOptions(format);
  if (file !== STANDARD_INPUT) return readTranscriptFile(file, options);
  const text = textOf(await collect(stdin));
  return naming("standard input", () => readTranscript(text, options));
}

/** The main conversation where none is named. A number counts from 1 and wins over an id that looks like one, because the listing shows numbers. */
export function chooseConversation({ conversations }: Transcript, wanted: string | undefined): RecordedConversation {
  const chosen =
    wanted === undefined
      ? conversations[0]
      : ((/^\d{1,9}$/.test(wanted) ? conversations[Number(wanted) - 1] : undefined) ??
        conversations.find(({ id }) => id === wanted) ??
        conversations.find(({ label }) => label === wanted));
  if (chosen !== undefined) return chosen;
  const holds = conversations.length === 1 ? "one conversation" : `${conversations.length} conversations`;
  throw usage(`there is no conversation "${wanted}"; the file holds ${holds}, numbered from 1`);
}

/** Decodes a recorded body; errors name the file. */
export function decodeFrom({ file, recorded }: Source): Conversation {
  return naming(file, () => formatNamed(recorded.format).decode(recorded.body));
}

/** The model whose rules hold: the one that was asked last. */
export function modelOf({ models, calls }: RecordedConversation): string | undefined {
  return calls.findLast((call) => call.model !== undefined)?.model ?? models.at(-1);
}

export function problemsOf(recorded: RecordedConversation): readonly Violation[] {
  return formatNamed(recorded.format).validate(recorded.body, validateOptions(recorded));
}

/** The recorded model decides where the body names none. */
export function validateOptions(recorded: RecordedConversation): ValidateOptions {
  const model = modelOf(recorded);
  return modelIn(recorded.body) !== undefined || model === undefined ? {} : { model };
}

/** Files that are sent unchanged, where an entry that is no message is a mistake and not just another record. */
const SENT_AS_THEY_ARE: ReadonlySet<TranscriptSource> = new Set([
  "request-body",
  "message-list",
  "batch-jsonl",
  "http-recording",
]);

/** Entries of a message list that the reader left out because they are no messages. */
export function strangersIn({ source, records }: Transcript): readonly Violation[] {
  if (!SENT_AS_THEY_ARE.has(source)) return [];
  return Object.entries(records.unknown)
    .filter(([type]) => type.startsWith("message "))
    .map(([type, count]) => ({
      rule: "invalid-request",
      path: "messages",
      messageIndex: -1,
      message: `${count === 1 ? "an entry of the list is" : `${count} entries of the list are`} no ${type}`,
    }));
}

/** The beginning of a line about a repair; empty for one outside the message list. */
export function repairPlace(messageIndex: number): string {
  return messageIndex < 0 ? "" : `message ${messageIndex}: `;
}

/** What the file holds and no conversation does, although it may have belonged there. */
export function leftOutOf(transcript: Transcript): readonly string[] {
  const { broken } = transcript.records;
  return [
    ...strangersIn(transcript).map(({ message }) => message),
    ...(broken === 0 ? [] : [`${plural(broken, "line")} that ${broken === 1 ? "is" : "are"} not JSON`]),
  ];
}

/** The message on one line, without the path that some providers put before it and that is shown already. */
export function withoutPath({ path, message }: Violation): string {
  return oneLine(message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message);
}

function naming<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof CompactionError)) throw cause;
    throw new CompactionError(cause.code, `${name}: ${cause.message}`, { cause });
  }
}

function readOptions(format: string): ReadOptions {
  if (isFormatName(format)) return { format };
  const source = TRANSCRIPT_SOURCES.find((name) => name === format);
  if (source !== undefined) return { source };
  throw usage(`unknown format "${format}"${didYouMean(format, [...formatNames, ...TRANSCRIPT_SOURCES])}`);
}

export async function collect(stdin: Io["stdin"]): Promise<Buffer> {
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
  return new CompactionError("unreadable-file", `standard input: ${message}`, { cause });
}
