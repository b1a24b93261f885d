/** Gemini CLI sessions (`session-*.json`, and `.jsonl` with update lines) as Gemini contents, without thoughts. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, present, stringOf } from "../core/json.ts";
import { type Counter, distinct, type RecordedCall, type RecordedConversation, recordedUsage } from "./transcript.ts";

export function readGeminiCli(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[] {
  const session: Session = { id: undefined, kind: undefined, messages: new Map() };
  for (const record of records) readRecord(session, record, counter);
  const contents: Content[] = [];
  const calls: RecordedCall[] = [];
  const models: (string | undefined)[] = [];
  for (const message of session.messages.values()) {
    const parts = partsOf(message.content ?? message.parts);
    if (message.type === "user") append(contents, "user", parts);
    if (message.type !== "gemini" && message.type !== "model") continue;
    const usage = recordedUsage(message.tokens);
    const model = stringOf(message.model);
    models.push(model);
    if (usage !== undefined) calls.push({ segment: 0, messageCount: contents.length, ...present({ model }), usage });
    const toolCalls = isArray(message.toolCalls) ? message.toolCalls.filter(isObject) : [];
    append(contents, "model", [...parts, ...toolCalls.map(callPart)]);
    append(contents, "user", toolCalls.flatMap(resultParts));
  }
  if (contents.length === 0) return [];
  return [
    {
      id: session.id ?? "session",
      label: session.kind === undefined || session.kind === "chat" ? "main" : session.kind,
      format: "gemini",
      body: { contents },
      models: distinct(models),
      calls,
      segments: [{ messages: contents }],
      compactions: [],
    },
  ];
}

type Content = { readonly role: "user" | "model"; readonly parts: JsonValue[] };

interface Session {
  id: string | undefined;
  kind: string | undefined;
  /** By id: a message written again replaces itself at its place. */
  messages: Map<string, JsonObject>;
}

const MESSAGE_TYPES: ReadonlySet<string> = new Set(["user", "gemini", "model"]);

/** Notices to the user, never sent. */
const NOTICES: ReadonlySet<string> = new Set(["info", "error", "warning"]);

function readRecord(session: Session, record: JsonObject, counter: Counter): void {
  const rewindTo = stringOf(record.$rewindTo);
  if (rewindTo !== undefined) rewind(session, rewindTo);
  else if (isObject(record.$set)) readHeader(session, record.$set, counter);
  else if (record.sessionId !== undefined && record.type === undefined) readHeader(session, record, counter);
  else addMessage(session, record, counter);
}

function readHeader(session: Session, header: JsonObject, counter: Counter): void {
  session.id = stringOf(header.sessionId) ?? session.id;
  session.kind = stringOf(header.kind) ?? session.kind;
  if (!isArray(header.messages)) return;
  session.messages = new Map();
  for (const message of header.messages.filter(isObject)) addMessage(session, message, counter);
}

function addMessage(session: Session, message: JsonObject, counter: Counter): void {
  const type = stringOf(message.type) ?? "(none)";
  const isKnown = MESSAGE_TYPES.has(type) || NOTICES.has(type);
  if (!isKnown) counter.unknown(type);
  else session.messages.set(stringOf(message.id) ?? `message-${session.messages.size}`, message);
}

/** The named message and all after it were taken back. */
function rewind(session: Session, id: string): void {
  if (!session.messages.has(id)) return;
  const ids = [...session.messages.keys()];
  for (const later of ids.slice(ids.indexOf(id))) session.messages.delete(later);
}

/** Roles have to alternate, so what follows in the same role is part of the same content. */
function append(contents: Content[], role: Content["role"], parts: JsonArray): void {
  if (parts.length === 0) return;
  const last = contents.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else contents.push({ role, parts: [...parts] });
}

function partsOf(content: JsonValue | undefined): JsonArray {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return (isArray(content) ? content : isObject(content) ? [content] : [])
    .flatMap((part) => (typeof part === "string" ? { text: part } : part))
    .filter((part) => !isEmptyOrThought(part));
}

function isEmptyOrThought(part: JsonValue): boolean {
  return !isObject(part) || part.thought === true || (part.text === "" && part.thoughtSignature === undefined);
}

function callPart(call: JsonObject): JsonObject {
  const args = isObject(call.args) ? call.args : {};
  return { functionCall: { ...nameOf(call), args } };
}

function resultParts(call: JsonObject): JsonArray {
  const { result } = call;
  if (isArray(result)) return result.filter(isObject);
  if (isObject(result)) return [result];
  if (typeof result !== "string") return [];
  return [{ functionResponse: { ...nameOf(call), response: { output: result } } }];
}

function nameOf(call: JsonObject): JsonObject {
  return { ...present({ id: stringOf(call.id) }), name: stringOf(call.name) ?? "unknown" };
}
