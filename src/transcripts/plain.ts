/** Files of messages as providers take them: request bodies, lists, batches, recorded HTTP, lists of runs. Unchanged where complete. */

import { MODEL_KEYS } from "../core/format-rules.ts";
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  parseJson,
  present,
  stringOf,
} from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { usageObject } from "../core/usage.ts";
import { detectFormat, isMessage, isMessageList, listKeyOf, listOf } from "./detect-format.ts";
import {
  type Counter,
  distinct,
  type RecordedCall,
  type RecordedConversation,
  recordedUsage,
  type TranscriptSource,
} from "./transcript.ts";

interface PlainReading {
  readonly source: TranscriptSource;
  readonly conversations: readonly RecordedConversation[];
}

export interface PlainInput {
  /** The document, or the values of all lines. */
  readonly value: JsonValue;
  /** Line numbers of the values where they came line by line. */
  readonly lineNumbers?: readonly number[];
}

export function readPlain(input: PlainInput, counter: Counter, format?: FormatName): PlainReading | undefined {
  const { value, lineNumbers } = input;
  if (lineNumbers === undefined) return readDocument(value, { counter, format });
  return readLines(isArray(value) ? value : [], lineNumbers, { counter, format });
}

interface PlainOptions {
  readonly counter: Counter;
  readonly format: FormatName | undefined;
}

function readDocument(value: JsonValue, options: PlainOptions): PlainReading | undefined {
  const found = findBodies(value);
  // A file of one message per line that has one line so far.
  const isOneLine = isObject(value) && value.role !== undefined && found[0]?.path.length !== 0;
  if (isOneLine && messageOfLine(value) !== undefined) return readLines([value], [1], options);
  const first = found[0];
  if (first === undefined) return undefined;
  const conversations = found.map((body) => conversationOf(body, idOf(body, found.length), options));
  return { source: documentSource(value, first), conversations };
}

function documentSource(document: JsonValue, found: FoundBody): TranscriptSource {
  const recorded = recordingSource(document, found);
  if (recorded !== undefined) return recorded;
  if (found.path.some((key) => /^\d+$/.test(key))) return "run-list";
  return isArray(found.value) ? "message-list" : "request-body";
}

function readLines(
  values: readonly JsonValue[],
  lineNumbers: readonly number[],
  options: PlainOptions,
): PlainReading | undefined {
  const messages: JsonValue[] = [];
  const others: JsonValue[] = [];
  const conversations: RecordedConversation[] = [];
  let source: TranscriptSource = "chat-jsonl";
  for (const [index, value] of values.entries()) {
    const message = messageOfLine(value);
    const found = message === undefined ? findBodies(value) : [];
    if (message !== undefined) messages.push(message);
    else if (found.length === 0) others.push(value);
    for (const [place, body] of found.entries()) {
      if (conversations.length === 0) source = recordingSource(value, body) ?? "chat-jsonl";
      const line = `line-${lineNumbers[index]}`;
      conversations.push(conversationOf(body, found.length === 1 ? line : `${line}.${place + 1}`, options));
    }
  }
  for (const other of others) options.counter.unknown((isObject(other) && stringOf(other.type)) || "(none)");
  // A list of items without any role, such as reasoning alone, is no conversation.
  if (messages.some((message) => isObject(message) && message.role !== undefined)) {
    const model = messages.findLast((message) => isObject(message) && stringOf(message.model) !== undefined);
    const lines: FoundBody = { value: messages, path: [], around: isObject(model) ? [model] : [] };
    conversations.unshift(conversationOf(lines, "lines", options));
  }
  return conversations.length === 0 ? undefined : { source, conversations };
}

function recordingSource(value: JsonValue, { path }: FoundBody): TranscriptSource | undefined {
  if (isObject(value) && value.custom_id !== undefined) return "batch-jsonl";
  return path.some((key) => /^(request|postData)/.test(key)) ? "http-recording" : undefined;
}

/** A line that is a message, or that keeps its content one level below its role. */
function messageOfLine(value: JsonValue): JsonObject | undefined {
  if (isMessage(value)) return value;
  if (!isObject(value) || !isObject(value.message) || value.role === undefined) return undefined;
  const message = { role: value.role, ...value.message };
  return isMessage(message) ? message : undefined;
}

/** Keys under which recorders keep the name of a run. */
const LABEL_KEYS = ["custom_id", "task_id", "instance_id", "name"] as const;
const ID_KEYS = ["sessionId", "session_id", "id"] as const;

function conversationOf(found: FoundBody, id: string, { counter, format: asked }: PlainOptions): RecordedConversation {
  const { around } = found;
  const body = withMessages(found.value, (list) => withoutStrangers(list, counter).map(asTaken));
  const format = asked ?? detectFormat(body);
  const messages = isArray(body) ? body : (listOf(body, format) ?? listOf(body) ?? []);
  const calls = callsOf(around, messages);
  const models = distinct([named(around, MODEL_KEYS), ...calls.map((call) => call.model)]);
  return {
    id,
    ...present({ label: named(around, LABEL_KEYS) }),
    format,
    body,
    models,
    calls,
    segments: [{ messages }],
    compactions: [],
  };
}

/** Messages alone; the other entries are counted. */
function withoutStrangers(list: JsonArray, counter: Counter): JsonArray {
  return list.filter((entry) => {
    const isOne = isMessage(entry);
    if (!isOne) counter.unknown(`message ${(isObject(entry) && stringOf(entry.role ?? entry.type)) || "(none)"}`);
    return isOne;
  });
}

/** Brings a recorded message to the provider's form: some recorders write call ids, or the role of a Gemini model, differently. */
function asTaken(message: JsonValue): JsonValue {
  if (!isObject(message)) return message;
  const { role, content, parts, tool_call_id: callId, tool_call_ids: callIds } = message;
  // SWE-agent keeps the id in a list of one.
  const id =
    role === "tool" && callId === undefined && isArray(callIds) && callIds.length === 1 ? callIds[0] : undefined;
  if (typeof id === "string") return { ...message, tool_call_id: id };
  // Gemini CLI and its descendants use these role names for the model.
  const isModel = (role === "gemini" || role === "assistant") && isArray(parts) && content === undefined;
  return isModel ? { ...message, role: "model" } : message;
}

/** The same object where its list does not change. */
function withMessages(body: JsonObject | JsonArray, change: (list: JsonArray) => JsonArray): JsonObject | JsonArray {
  const key = isArray(body) ? undefined : listKeyOf(body);
  const list = isArray(body) ? body : key === undefined ? undefined : body[key];
  if (!isArray(list)) return body;
  const messages = change(list);
  if (messages.length === list.length && messages.every((message, index) => message === list[index])) return body;
  return isArray(body) || key === undefined ? messages : { ...body, [key]: messages };
}

function idOf(found: FoundBody, foundCount: number): string {
  const own = foundCount === 1 ? named(found.around, ID_KEYS) : undefined;
  return own ?? (found.path.length === 0 ? "conversation" : found.path.join("."));
}

function named(around: readonly JsonObject[], keys: readonly string[]): string | undefined {
  for (const object of around) {
    for (const key of keys) {
      const value = object[key];
      if ((typeof value === "string" && value !== "") || typeof value === "number") return String(value);
    }
  }
  return undefined;
}

/** A response recorded beside its request tells what the call cost. */
function callsOf(around: readonly JsonObject[], messages: JsonArray): readonly RecordedCall[] {
  const response = around.map((object) => object.response).find(isObject);
  const content = isObject(response?.content) ? response.content : undefined;
  const bodies = [response, unwrapText("body", response?.body), unwrapText("text", content?.text)];
  for (const body of bodies) {
    const usage = recordedUsage(usageObject(body));
    if (usage === undefined || !isObject(body)) continue;
    const model = stringOf(body.model) ?? named(around, MODEL_KEYS);
    return [{ segment: 0, messageCount: messages.length, ...present({ model }), usage }];
  }
  return [];
}

/** A value somewhere in a document. */
interface Place {
  readonly value: JsonValue;
  /** Keys and indexes that lead to it. */
  readonly path: readonly string[];
  /** Objects around it, innermost first. */
  readonly around: readonly JsonObject[];
}

/** A body or list; where it is an object, it is the innermost of those around. */
interface FoundBody extends Place {
  readonly value: JsonObject | JsonArray;
}

/** Deep enough for log, entries, entry, request, body, text; no deeper, so that tool output is not searched for prompts. */
const WRAPPING_MAX = 6;

function findBodies(root: JsonValue): readonly FoundBody[] {
  let level: readonly Place[] = [{ value: root, path: [], around: [] }];
  for (let depth = 0; depth <= WRAPPING_MAX && level.length > 0; depth += 1) {
    const found = level.flatMap(bodyAt);
    if (found.length > 0) return found;
    level = level.flatMap(placesWithin);
  }
  return [];
}

function bodyAt({ value, path, around }: Place): readonly FoundBody[] {
  if (isMessageList(value)) return [{ value, path, around }];
  if (isObject(value) && listOf(value) !== undefined) return [{ value, path, around: [value, ...around] }];
  return [];
}

function placesWithin({ value, path, around }: Place): readonly Place[] {
  if (isArray(value)) return value.flatMap((item, index) => placeOf(item, [...path, String(index)], around));
  if (!isObject(value)) return [];
  const inside = [value, ...around];
  return Object.entries(value).flatMap(([key, item]) => placeOf(unwrapText(key, item), [...path, key], inside));
}

function placeOf(
  value: JsonValue | undefined,
  path: readonly string[],
  around: readonly JsonObject[],
): readonly Place[] {
  return typeof value === "object" && value !== null ? [{ value, path, around }] : [];
}

/** HTTP archives keep bodies as text. */
const TEXT_BODY_KEYS: ReadonlySet<string> = new Set(["body", "text", "requestBody", "request_body"]);

function unwrapText(key: string, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || !TEXT_BODY_KEYS.has(key) || !/^\s*[[{]/.test(value)) return value;
  return parseJson(value) ?? value; // text that merely looks like JSON stays text
}
