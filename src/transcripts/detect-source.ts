/**
 * Which tool wrote a file, told by its first records. Each tool's marks are one entry of a table. Never throws: what
 * cannot be told is undefined.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import { isJsonLines, parseDocument, parseLines, withoutMark } from "./json-text.ts";
import { type PlainInput, readPlain } from "./plain.ts";
import { createCounter } from "./record-counts.ts";
import type { TranscriptSource } from "./transcript.ts";

/** Records looked at: headers and side records may come first. */
const SAMPLE_RECORDS = 50;

/** What kind of file a text is; undefined for none that is known. */
export function detectSource(text: string): TranscriptSource | undefined {
  try {
    const json = withoutMark(text);
    const input = isJsonLines(json) ? sampleLines(json) : { value: parseDocument(json) };
    return detectAgent(input.value) ?? readPlain(input, createCounter())?.source;
  } catch {
    return undefined; // no JSON at all, which is an answer here
  }
}

/** The first lines as a list. */
export function sampleLines(text: string): PlainInput {
  const values: JsonValue[] = [];
  const lineNumbers: number[] = [];
  for (const { value, lineNumber } of parseLines(text, () => {})) {
    values.push(value);
    lineNumbers.push(lineNumber);
    if (values.length >= SAMPLE_RECORDS) break;
  }
  return { value: values, lineNumbers };
}

/** The agent whose marks most records bear; undefined for plain messages and bodies. */
export function detectAgent(value: JsonValue): AgentSource | undefined {
  const records = (isArray(value) ? value.slice(0, SAMPLE_RECORDS) : [value]).filter(isObject);
  let best: { readonly source: AgentSource; readonly hits: number } | undefined;
  for (const source of AGENTS) {
    const hits = records.filter(MARKS[source]).length;
    if (hits > (best?.hits ?? 0)) best = { source, hits };
  }
  return best?.source === "pi" && records.some(isOpenClaw) ? "openclaw" : best?.source;
}

export type AgentSource = "claude-code" | "codex" | "pi" | "openclaw" | "gemini-cli";

const AGENTS = ["claude-code", "codex", "pi", "gemini-cli"] as const;

const MARKS: Readonly<Record<(typeof AGENTS)[number], (record: JsonObject) => boolean>> = {
  "claude-code": (record) => {
    const type = stringOf(record.type) ?? "";
    const isLinked = ["uuid", "sessionId", "session_id", "leafUuid", "messageId"].some(
      (key) => record[key] !== undefined,
    );
    if (type === "user" || type === "assistant") {
      return isObject(record.message) && record.message.content !== undefined && isLinked;
    }
    return CLAUDE_CODE_TYPES.has(type) && isLinked && record.role === undefined;
  },
  codex: (record) => {
    if (isObject(record.payload)) return CODEX_TYPES.has(stringOf(record.type) ?? "");
    const isOldHeader = record.type === undefined && record.id !== undefined && "instructions" in record;
    return record.record_type === "state" || (isOldHeader && record.timestamp !== undefined);
  },
  pi: (record) => {
    const type = stringOf(record.type) ?? "";
    if (type === "session") return record.cwd !== undefined || record.version !== undefined;
    if (type === "session_start") return record.id !== undefined;
    if (type === "message") return isObject(record.message) && stringOf(record.message.role) !== undefined;
    return PI_TYPES.has(type) && record.timestamp !== undefined;
  },
  "gemini-cli": (record) => {
    if (record.$set !== undefined || record.$rewindTo !== undefined) return true;
    if (isArray(record.messages)) return record.sessionId !== undefined && record.messages.some(isGeminiCliMessage);
    return (record.sessionId !== undefined && record.projectHash !== undefined) || isGeminiCliMessage(record);
  },
};

const CLAUDE_CODE_TYPES: ReadonlySet<string> = new Set([
  "attachment",
  "file-history-snapshot",
  "progress",
  "queue-operation",
  "summary",
  "system",
]);

const CODEX_TYPES: ReadonlySet<string> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

const PI_TYPES: ReadonlySet<string> = new Set([
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
]);

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
