/** Text to transcript: tells the kind of file, picks its reader, or refuses. Unknown records are counted and never fatal. No I/O. */

import { FORMAT_NAMES } from "../core/format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { readClaudeCode } from "./claude-code.ts";
import { readCodex } from "./codex.ts";
import { fitsFormat } from "./detect-format.ts";
import { readGeminiCli } from "./gemini-cli.ts";
import { isJsonLines, parseDocument, parseLines, withoutMark } from "./json-text.ts";
import { readPi } from "./pi.ts";
import { readPlain } from "./plain.ts";
import {
  type Counter,
  createCounter,
  type ReadOptions,
  type RecordedConversation,
  TRANSCRIPT_SOURCES,
  type Transcript,
  type TranscriptSource,
  unreadable,
} from "./transcript.ts";

/** Throws `unreadable-file` where nothing is understood; the message names what was found and what to do. */
export function readTranscript(text: string, options: ReadOptions = {}): Transcript {
  const json = withoutMark(text);
  if (json.trim() === "") throw unreadable("the file is empty; give a session file, request body or message list");
  const counter = createCounter();
  const isLines = isJsonLines(json);
  const isOneLine = options.source !== undefined && LINE_SOURCES.has(options.source) && !json.trim().includes("\n");
  const document = isLines || isOneLine ? undefined : parseDocument(json);
  const sample = document === undefined ? linesOf(json, createCounter(), SAMPLE_RECORDS).value : document;
  const detected = detectAgent(sample);
  const source = options.source ?? detected;
  const agent = source === undefined ? undefined : AGENTS[source];
  if (agent !== undefined && source !== undefined) {
    const values = isArray(document) ? document : document === undefined ? valuesOf(json, counter) : [document];
    const conversations = agent.read(recordsIn(values, counter), counter);
    const records = counter.counts();
    if (conversations.length === 0) {
      const found = `none of its ${records.read} records is a message`;
      if (options.source === undefined || detected === options.source) {
        throw unreadable(`this looks like a ${agent.title} session, but ${found}; choose another session file`);
      }
      const looks = `it looks like ${detected ?? "another kind of file"}, so leave the source out`;
      throw unreadable(`the file cannot be read as ${source}: ${found}; ${looks}`);
    }
    if (options.format !== undefined && options.format !== agent.format) {
      const message = `a ${agent.title} session is read as ${agent.format}, not ${options.format}; leave the format out`;
      throw unreadable(message);
    }
    return { source, conversations, records };
  }
  const input = document === undefined ? linesOf(json, counter) : { value: document };
  const reading = readPlain(input, counter, options.format);
  if (document !== undefined) for (const _ of reading?.conversations ?? []) counter.read();
  if (reading === undefined) throw unreadable(`${describe(sample)} holds no conversation; ${WHAT_IS_READ}`);
  if (options.source !== undefined && reading.source !== options.source) {
    const advice = `it looks like ${detected ?? reading.source}, so leave the source out`;
    throw unreadable(`the file cannot be read as ${options.source}: ${advice}`);
  }
  const { format } = options;
  const wrong = reading.conversations.find(({ body }) => format !== undefined && !fitsFormat(body, format));
  if (wrong !== undefined) {
    throw unreadable(`the messages of "${wrong.id}" are not ${format}; leave the format out to have it told by shape`);
  }
  return { ...reading, records: counter.counts() };
}

/** A single line of these looks like a document. */
const LINE_SOURCES: ReadonlySet<TranscriptSource> = new Set(["chat-jsonl", "batch-jsonl"]);

/** A client that writes session files of its own. */
interface Agent {
  readonly title: string;
  readonly format: FormatName;
  /** Whether a record bears the marks of this client. */
  isOwn(record: JsonObject): boolean;
  read(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[];
}

const PI: Agent = { title: "pi", format: "anthropic-messages", isOwn: isPi, read: readPi };

const AGENTS: Readonly<Partial<Record<TranscriptSource, Agent>>> = {
  "claude-code": {
    title: "Claude Code",
    format: "anthropic-messages",
    isOwn: isClaudeCode,
    read: readClaudeCode,
  },
  codex: { title: "Codex", format: "openai-responses", isOwn: isCodex, read: readCodex },
  pi: PI,
  openclaw: { ...PI, title: "OpenClaw" },
  "gemini-cli": { title: "Gemini CLI", format: "gemini", isOwn: isGeminiCli, read: readGeminiCli },
};

const WHAT_IS_READ =
  "what is read: session files of Claude Code, Codex, pi, OpenClaw and Gemini CLI; chat and batch JSON lines; request " +
  `bodies and message lists of ${FORMAT_NAMES.slice(0, -1).join(", ")} and ${FORMAT_NAMES.at(-1)}`;

function* valuesOf(json: string, counter: Counter): Generator<JsonValue> {
  for (const { value } of parseLines(json, counter.broken)) yield value;
}

function* recordsIn(values: Iterable<JsonValue>, counter: Counter): Generator<JsonObject> {
  for (const value of values) {
    counter.read();
    if (isObject(value)) yield value;
    else counter.unknown("(no object)");
  }
}

function linesOf(json: string, counter: Counter, linesMax = Number.POSITIVE_INFINITY) {
  const values: JsonValue[] = [];
  const lineNumbers: number[] = [];
  for (const { value, lineNumber } of parseLines(json, counter.broken)) {
    counter.read();
    values.push(value);
    lineNumbers.push(lineNumber);
    if (values.length >= linesMax) break;
  }
  return { value: values, lineNumbers };
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

/** Records looked at: headers and side records may come first. */
const SAMPLE_RECORDS = 50;

/** What kind of file a text is; undefined for none that is known. */
export function detectSource(text: string): TranscriptSource | undefined {
  try {
    const json = withoutMark(text);
    const counter = createCounter();
    const input = isJsonLines(json) ? linesOf(json, counter, SAMPLE_RECORDS) : { value: parseDocument(json) };
    return detectAgent(input.value) ?? readPlain(input, counter)?.source;
  } catch {
    return undefined; // no JSON at all, which is an answer here
  }
}

/** The agent whose marks most records bear; undefined for plain messages and bodies. */
function detectAgent(value: JsonValue): TranscriptSource | undefined {
  const records = (isArray(value) ? value.slice(0, SAMPLE_RECORDS) : [value]).filter(isObject);
  let best: { readonly source: TranscriptSource | undefined; readonly hits: number } = { source: undefined, hits: 0 };
  for (const source of TRANSCRIPT_SOURCES) {
    const hits = records.filter((record) => AGENTS[source]?.isOwn(record)).length;
    if (hits > best.hits) best = { source, hits };
  }
  return best.source === "pi" && records.some(isOpenClaw) ? "openclaw" : best.source;
}

function isClaudeCode(record: JsonObject): boolean {
  const type = stringOf(record.type) ?? "";
  const isLinked = ["uuid", "sessionId", "session_id", "leafUuid", "messageId"].some(
    (key) => record[key] !== undefined,
  );
  if (type === "user" || type === "assistant") {
    return isObject(record.message) && record.message.content !== undefined && isLinked;
  }
  return CLAUDE_CODE_TYPES.has(type) && isLinked && record.role === undefined;
}

const CLAUDE_CODE_TYPES: ReadonlySet<string> = new Set([
  "attachment",
  "file-history-snapshot",
  "progress",
  "queue-operation",
  "summary",
  "system",
]);

function isCodex(record: JsonObject): boolean {
  if (isObject(record.payload)) return CODEX_TYPES.has(stringOf(record.type) ?? "");
  const isOldHeader = record.type === undefined && record.id !== undefined && "instructions" in record;
  return record.record_type === "state" || (isOldHeader && record.timestamp !== undefined);
}

const CODEX_TYPES: ReadonlySet<string> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

function isPi(record: JsonObject): boolean {
  const type = stringOf(record.type) ?? "";
  if (type === "session") return record.cwd !== undefined || record.version !== undefined;
  if (type === "session_start") return record.id !== undefined;
  if (type === "message") return isObject(record.message) && stringOf(record.message.role) !== undefined;
  return PI_TYPES.has(type) && record.timestamp !== undefined;
}

const PI_TYPES: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
]);

function isGeminiCli(record: JsonObject): boolean {
  if (record.$set !== undefined || record.$rewindTo !== undefined) return true;
  if (isArray(record.messages)) return record.sessionId !== undefined && record.messages.some(isGeminiCliMessage);
  return (record.sessionId !== undefined && record.projectHash !== undefined) || isGeminiCliMessage(record);
}

function isGeminiCliMessage(value: JsonValue): boolean {
  if (!isObject(value) || value.role !== undefined || value.id === undefined) return false;
  return (value.type === "gemini" || value.type === "user") && value.content !== undefined;
}

/** OpenClaw writes pi's form; its own name shows in ids, providers, custom types or the working directory. */
function isOpenClaw(record: JsonObject): boolean {
  const message = isObject(record.message) ? record.message : {};
  const places = [record.id, record.cwd, record.provider, record.customType, message.provider];
  return places.some((place) => stringOf(place)?.toLowerCase().includes("openclaw") === true);
}
