/**
 * Log entries to an Anthropic message list: lines of one response become one message, and all results of its calls
 * become the one user message that follows it, results before text. Nothing is invented: an unanswered call stays so.
 */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, present, stringOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";

/** One line of a log, content as blocks. */
export interface Entry {
  readonly role: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
  /** Entries that share it are one response, however far apart they were written. */
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** Carried over from before a compaction: its call was counted where it was made. */
  readonly carried?: boolean;
}

interface Assembled {
  readonly messages: JsonArray;
  readonly calls: readonly { readonly messageCount: number; readonly model?: string; readonly usage: Usage }[];
}

export function assembleMessages(entries: readonly Entry[]): Assembled {
  const responses = joinResponses(entries);
  const results = collectResults(entries, responses);
  const messages: { role: string; content: JsonObject[]; results?: Set<Entry> }[] = [];
  const calls: Assembled["calls"][number][] = [];
  const emitted = new Set<Response>();

  for (const entry of entries) {
    if (entry.role === "user") {
      const rest = entry.blocks.filter((block) => !results.placed.has(block));
      if (rest.length === 0) continue;
      const last = messages.at(-1);
      if (last?.results?.has(entry)) last.content.push(...rest);
      else messages.push({ role: "user", content: rest });
      continue;
    }
    const response = responses.get(entry);
    if (response === undefined || emitted.has(response)) continue;
    emitted.add(response);
    if (response.usage !== undefined && !response.carried) {
      calls.push({ messageCount: messages.length, ...present({ model: response.model }), usage: response.usage });
    }
    // The provider refuses a message that holds nothing but thinking, and the client never sends one.
    if (response.blocks.every(isThinking)) continue;
    messages.push({ role: "assistant", content: response.blocks });
    const answers = results.byResponse.get(response) ?? [];
    if (answers.length === 0) continue;
    const sources = new Set(answers.map((answer) => answer.entry));
    messages.push({ role: "user", content: answers.map((answer) => answer.block), results: sources });
  }
  return { messages: messages.map(({ role, content }) => ({ role, content })), calls };
}

/** Content as a list of blocks the provider takes: a string is one text block, blank text is left out. */
export function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return content.trim() === "" ? [] : [{ type: "text", text: content }];
  if (!isArray(content)) return [];
  return content
    .filter(isObject)
    .filter((block) => !isBlankText(block))
    .map(withReadableContent);
}

/** A result that a client wrote half, or in a way of its own, would keep the whole session from being decoded. */
function withReadableContent(block: JsonObject): JsonObject {
  const { content, ...rest } = block;
  if (block.type !== "tool_result" || content === undefined || typeof content === "string") return block;
  if (isArray(content) && content.every(isObject)) return block;
  const said = (isArray(content) ? content : [content]).filter((inner) => inner !== null);
  const textIn = (inner: JsonValue): string => (typeof inner === "string" ? inner : JSON.stringify(inner));
  const blocks = said.map((inner) => (isObject(inner) ? inner : { type: "text", text: textIn(inner) }));
  return blocks.length === 0 ? rest : { ...rest, content: blocks };
}

interface Response {
  readonly blocks: JsonObject[];
  /** Those of them that are calls, by id. */
  readonly calls: Map<string, JsonObject>;
  readonly carried: boolean;
  model: string | undefined;
  /** The last line of a response has the final output count. */
  usage: Usage | undefined;
}

interface Answer {
  readonly block: JsonObject;
  readonly entry: Entry;
}

function joinResponses(entries: readonly Entry[]): Map<Entry, Response> {
  const byId = new Map<string, Response>();
  const byEntry = new Map<Entry, Response>();
  for (const entry of entries) {
    if (entry.role !== "assistant") continue;
    const known = entry.responseId === undefined ? undefined : byId.get(entry.responseId);
    const response: Response = known ?? {
      blocks: [],
      calls: new Map(),
      carried: entry.carried === true,
      model: undefined,
      usage: undefined,
    };
    if (entry.responseId !== undefined) byId.set(entry.responseId, response);
    byEntry.set(entry, response);
    response.model = entry.model ?? response.model;
    response.usage = entry.usage ?? response.usage;
    for (const block of entry.blocks) {
      const callId = callIdOf(block);
      // A copied line. Another response may use the id again: some servers count calls from zero each time.
      if (callId !== undefined && response.calls.has(callId)) continue;
      if (callId !== undefined) response.calls.set(callId, block);
      response.blocks.push(block);
    }
  }
  return byEntry;
}

/** Which result answers which response: the newest open call with its id before it. A second result for a call is left out. */
function collectResults(entries: readonly Entry[], responses: ReadonlyMap<Entry, Response>) {
  const open = new Map<string, Response[]>();
  const early: (Answer & { readonly callId: string })[] = [];
  const byResponse = new Map<Response, Answer[]>();
  const answer = (response: Response, { block, entry }: Answer): void => {
    const answers = byResponse.get(response) ?? [];
    answers.push({ block, entry });
    byResponse.set(response, answers);
  };
  for (const entry of entries) {
    const response = responses.get(entry);
    for (const block of entry.blocks) {
      const callId = response === undefined ? resultIdOf(block) : callIdOf(block);
      if (callId === undefined) continue;
      const calls = open.get(callId) ?? [];
      const caller = response === undefined ? calls.pop() : undefined;
      if (response?.calls.get(callId) === block) {
        calls.push(response);
        open.set(callId, calls);
      }
      if (caller !== undefined) answer(caller, { block, entry });
      else if (response === undefined) early.push({ callId, block, entry });
    }
  }
  const placed = new Set([...byResponse.values()].flatMap((answers) => answers.map(({ block }) => block)));
  for (const result of early) {
    const calls = open.get(result.callId);
    const caller = calls?.shift();
    if (caller !== undefined) answer(caller, result);
    if (calls !== undefined) placed.add(result.block);
  }
  return { byResponse, placed };
}

function resultIdOf(block: JsonObject): string | undefined {
  return block.type === "tool_result" ? stringOf(block.tool_use_id) : undefined;
}

function callIdOf(block: JsonObject): string | undefined {
  return block.type === "tool_use" ? stringOf(block.id) : undefined;
}

function isThinking(block: JsonObject): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

function isBlankText(block: JsonObject): boolean {
  return block.type === "text" && (stringOf(block.text) ?? "").trim() === "";
}
