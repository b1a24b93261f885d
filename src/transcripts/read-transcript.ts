/**
 * Text to transcript: tells the kind of file, picks its reader, and refuses with one clear line what no reader
 * understands. Unknown records are counted and never fatal. Does no I/O.
 */

import { CompactionError } from "../core/errors.ts";
import { FORMAT_NAMES } from "../core/format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { readClaudeCode } from "./claude-code.ts";
import { readCodex } from "./codex.ts";
import { fitsFormat } from "./detect-format.ts";
import { type AgentSource, detectAgent, sampleLines } from "./detect-source.ts";
import { readGeminiCli } from "./gemini-cli.ts";
import { isJsonLines, parseDocument, parseLines, withoutMark } from "./json-text.ts";
import { readPi } from "./pi.ts";
import { readPlain } from "./plain.ts";
import { type Counter, createCounter } from "./record-counts.ts";
import type { ReadOptions, RecordCounts, RecordedConversation, Transcript, TranscriptSource } from "./transcript.ts";

/** Throws `unreadable-file` where nothing is understood; the message names what was found and what to do. */
export function readTranscript(text: string, options: ReadOptions = {}): Transcript {
  const json = withoutMark(text);
  if (json.trim() === "") throw unreadable("the file is empty; give a session file, request body or message list");
  const counter = createCounter();
  const isLines = isJsonLines(json);
  const isOneLine = options.source !== undefined && LINE_SOURCES.has(options.source) && !json.trim().includes("\n");
  const document = isLines || isOneLine ? undefined : parseDocument(json);
  const sample = document === undefined ? sampleLines(json).value : document;
  const detected = detectAgent(sample);
  const source = options.source ?? detected;
  const agent = source === undefined ? undefined : AGENTS[source];
  if (agent !== undefined && source !== undefined) {
    const records = document === undefined ? recordsOf(json, counter) : countedRecords(document, counter);
    const conversations = agent.read(records, counter);
    checkAgentReading({ source, detected, agent, conversations, options, counts: counter.counts() });
    return { source, conversations, records: counter.counts() };
  }
  const input = document === undefined ? allLines(json, counter) : { value: document };
  const reading = readPlain(input, counter, options.format);
  if (document !== undefined) for (const _ of reading?.conversations ?? []) counter.read();
  if (reading === undefined) throw unreadable(`${describe(sample)} holds no conversation; ${WHAT_IS_READ}`);
  if (options.source !== undefined && reading.source !== options.source) {
    const advice = `it looks like ${detected ?? reading.source}, so leave the source out`;
    throw unreadable(`the file cannot be read as ${options.source}: ${advice}`);
  }
  checkPlainFormat(reading.conversations, options.format);
  return { source: reading.source, conversations: reading.conversations, records: counter.counts() };
}

/** A single line of these looks like a document. */
const LINE_SOURCES: ReadonlySet<TranscriptSource> = new Set(["chat-jsonl", "batch-jsonl"]);

interface Agent {
  readonly title: string;
  readonly format: FormatName;
  read(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[];
}

const PI: Agent = { title: "pi", format: "anthropic-messages", read: readPi };

const AGENTS: Readonly<Partial<Record<TranscriptSource, Agent>> & Record<AgentSource, Agent>> = {
  "claude-code": { title: "Claude Code", format: "anthropic-messages", read: readClaudeCode },
  codex: { title: "Codex", format: "openai-responses", read: readCodex },
  pi: PI,
  openclaw: { ...PI, title: "OpenClaw" },
  "gemini-cli": { title: "Gemini CLI", format: "gemini", read: readGeminiCli },
};

const WHAT_IS_READ =
  "what is read: session files of Claude Code, Codex, pi, OpenClaw and Gemini CLI; chat and batch JSON lines; request " +
  `bodies and message lists of ${FORMAT_NAMES.slice(0, -1).join(", ")} and ${FORMAT_NAMES.at(-1)}`;

function* recordsOf(json: string, counter: Counter): Generator<JsonObject> {
  for (const { value } of parseLines(json, () => counter.broken())) {
    counter.read();
    if (isObject(value)) yield value;
    else counter.unknown("(no object)");
  }
}

function* countedRecords(document: JsonValue, counter: Counter): Generator<JsonObject> {
  for (const record of isArray(document) ? document : [document]) {
    counter.read();
    if (isObject(record)) yield record;
    else counter.unknown("(no object)");
  }
}

function allLines(json: string, counter: Counter) {
  const values: JsonValue[] = [];
  const lineNumbers: number[] = [];
  for (const { value, lineNumber } of parseLines(json, () => counter.broken())) {
    counter.read();
    values.push(value);
    lineNumbers.push(lineNumber);
  }
  return { value: values, lineNumbers };
}

interface AgentReading {
  readonly source: TranscriptSource;
  readonly detected: TranscriptSource | undefined;
  readonly agent: Agent;
  readonly conversations: readonly RecordedConversation[];
  readonly options: ReadOptions;
  readonly counts: RecordCounts;
}

function checkAgentReading({ source, detected, agent, conversations, options, counts }: AgentReading): void {
  if (conversations.length === 0) {
    const found = `none of its ${counts.read} records is a message`;
    const isOther = options.source !== undefined && detected !== options.source;
    throw unreadable(
      isOther
        ? `the file cannot be read as ${source}: ${found}; it looks like ${detected ?? "another kind of file"}, so leave the source out`
        : `this looks like a ${agent.title} session, but ${found}; choose another session file`,
    );
  }
  if (options.format !== undefined && options.format !== agent.format) {
    const message = `a ${agent.title} session is read as ${agent.format}, not ${options.format}; leave the format out`;
    throw unreadable(message);
  }
}

function checkPlainFormat(conversations: readonly RecordedConversation[], format: FormatName | undefined): void {
  if (format === undefined) return;
  const wrong = conversations.find(({ body }) => !fitsFormat(body, format));
  if (wrong !== undefined)
    throw unreadable(`the messages of "${wrong.id}" are not ${format}; leave the format out to have it told by shape`);
}

/** Keys or types that are named in an error. */
const NAMED_MAX = 8;

function describe(value: JsonValue): string {
  if (isArray(value)) {
    const types = new Set(value.filter(isObject).map((item) => stringOf(item.type) ?? `{${keysOf(item)}}`));
    return `a list of ${value.length === 0 ? "nothing" : [...types].slice(0, NAMED_MAX).join(", ") || typeof value[0]}`;
  }
  return isObject(value)
    ? `an object with ${keysOf(value) || "no keys"}`
    : `a single ${value === null ? "null" : typeof value}`;
}

function keysOf(value: JsonObject): string {
  return Object.keys(value)
    .slice(0, NAMED_MAX)
    .map((key) => key.slice(0, 40))
    .join(", ");
}

function unreadable(message: string): CompactionError {
  return new CompactionError("unreadable-file", message);
}
