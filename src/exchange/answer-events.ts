/**
 * Streamed answers as data: how much of an answer its events show, where a call begins, the whole answer that they make, and the same
 * answer without the calls of some tools. One row for each format. Pure.
 */

import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  numberOf,
  stringOf,
} from "../core/json.ts";
import type { SpokenFormat } from "./endpoints.ts";

export interface AnswerEvents {
  /** The text that an event shows to a reader. */
  shown(event: JsonObject): string;
  beginsCall(event: JsonObject): boolean;
  /** As the provider would have sent it whole. */
  whole(events: readonly JsonObject[]): JsonObject;
  /** A whole answer without the calls of these tools; what ends the answer says what is left. */
  withoutCalls(answer: JsonObject, isLeftOut: IsLeftOut): JsonObject;
  /** The same for its events: one for each, undefined where it belongs to such a call. */
  eventsWithoutCalls(events: readonly JsonObject[], isLeftOut: IsLeftOut): readonly (JsonObject | undefined)[];
}

/** By the name of the tool. */
export type IsLeftOut = (name: string | undefined) => boolean;

export const ANSWER_EVENTS: Readonly<Record<SpokenFormat, AnswerEvents>> = {
  "anthropic-messages": {
    shown: ({ delta }) => textOf(delta, "text"),
    beginsCall: ({ content_block: block }) => field(block, "type") === "tool_use",
    whole: wholeMessage,
    withoutCalls: (answer, isLeftOut) => {
      const content = listOf(answer.content).filter((block) => !isUse(block, isLeftOut));
      return { ...answer, content, stop_reason: reasonAfter(answer.stop_reason, content.some(isAnyUse)) };
    },
    eventsWithoutCalls: messageEventsWithoutCalls,
  },
  "openai-chat": {
    shown: ({ choices }) =>
      listOf(choices)
        .map((choice) => textOf(field(choice, "delta"), "content"))
        .join(""),
    beginsCall: ({ choices }) =>
      listOf(choices).some((choice) => listOf(field(choice, "delta", "tool_calls")).length > 0),
    whole: wholeCompletion,
    withoutCalls: (answer, isLeftOut) => ({
      ...answer,
      choices: listOf(answer.choices).map((choice) => choiceWithoutCalls(choice, isLeftOut)),
    }),
    eventsWithoutCalls: chunksWithoutCalls,
  },
  "openai-responses": {
    shown: (event) => (event.type === "response.output_text.delta" ? (stringOf(event.delta) ?? "") : ""),
    beginsCall: ({ type, item }) => type === "response.output_item.added" && CALL_ITEMS.has(field(item, "type")),
    whole: (events) => {
      const { response } = events.findLast((event) => isObject(event.response)) ?? {};
      return isObject(response) ? response : {};
    },
    withoutCalls: (answer, isLeftOut) => ({
      ...answer,
      output: listOf(answer.output).filter((item) => !isItem(item, isLeftOut)),
    }),
    eventsWithoutCalls: itemEventsWithoutCalls,
  },
  gemini: {
    shown: (chunk) =>
      partsOf(chunk)
        .map((part) => (field(part, "thought") === true ? "" : textOf(part, "text")))
        .join(""),
    beginsCall: (chunk) => partsOf(chunk).some((part) => isObject(field(part, "functionCall"))),
    whole: (chunks) => {
      const [first, last] = [chunks[0] ?? {}, chunks.at(-1) ?? {}];
      const [candidate] = listOf(last.candidates);
      const content = { role: "model", parts: chunks.flatMap(partsOf) };
      return { ...first, ...last, candidates: [{ ...(isObject(candidate) && candidate), content }] };
    },
    withoutCalls: chunkWithoutCalls,
    eventsWithoutCalls: (chunks, isLeftOut) => chunks.map((chunk) => chunkWithoutCalls(chunk, isLeftOut)),
  },
};

const CALL_ITEMS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);

function field(value: unknown, ...path: readonly string[]): JsonValue | undefined {
  let inner = value as JsonValue | undefined;
  for (const key of path) inner = isObject(inner) ? inner[key] : undefined;
  return inner;
}

function textOf(value: unknown, key: string): string {
  return stringOf(field(value, key)) ?? "";
}

function listOf(value: unknown): JsonArray {
  return isArray(value) ? value : [];
}

function partsOf(chunk: JsonObject): JsonArray {
  return listOf(field(listOf(chunk.candidates)[0], "content", "parts"));
}

function isAnyUse(block: JsonValue): boolean {
  return field(block, "type") === "tool_use";
}

function isUse(block: JsonValue | undefined, isLeftOut: IsLeftOut): boolean {
  return field(block, "type") === "tool_use" && isLeftOut(stringOf(field(block, "name")));
}

function isItem(item: JsonValue | undefined, isLeftOut: IsLeftOut): boolean {
  return field(item, "type") === "function_call" && isLeftOut(stringOf(field(item, "name")));
}

function reasonAfter(reason: JsonValue | undefined, hasCalls: boolean): JsonValue {
  return reason === "tool_use" && !hasCalls ? "end_turn" : (reason ?? null);
}

/** Anthropic's message from its events. */
function wholeMessage(events: readonly JsonObject[]): JsonObject {
  let message: JsonObject = {};
  const blocks: JsonObject[] = [];
  const inputs = new Map<number, string>();
  for (const event of events) {
    const { delta, content_block: block } = event;
    const index = numberOf(event.index) ?? 0;
    if (isObject(event.message)) message = { ...event.message, ...message };
    if (event.type === "content_block_start" && isObject(block)) blocks[index] = block;
    if (event.type === "content_block_delta" && isObject(delta)) {
      if (typeof delta.partial_json === "string") inputs.set(index, (inputs.get(index) ?? "") + delta.partial_json);
      else blocks[index] = grownBlock(blocks[index] ?? {}, delta);
    }
    if (event.type === "message_delta" && isObject(delta)) message = { ...message, ...delta };
  }
  const content = blocks.map((block, index) => {
    const json = inputs.get(index);
    return json === undefined || json === "" ? block : { ...block, input: parsed(json) };
  });
  return { ...message, content };
}

function grownBlock(block: JsonObject, { type, citation, ...pieces }: JsonObject): JsonObject {
  if (type === "citations_delta") return { ...block, citations: [...listOf(block.citations), citation ?? null] };
  const grown = Object.entries(pieces).map(([key, piece]) => {
    const before = block[key];
    return [key, typeof piece === "string" && typeof before === "string" ? before + piece : piece];
  });
  return { ...block, ...Object.fromEntries(grown) };
}

function parsed(json: string): JsonValue {
  try {
    // Arguments of a call are JSON.
    return JSON.parse(json) as JsonValue;
  } catch {
    return {};
  }
}

function messageEventsWithoutCalls(
  events: readonly JsonObject[],
  isLeftOut: IsLeftOut,
): readonly (JsonObject | undefined)[] {
  const starts = events.filter(({ type }) => type === "content_block_start");
  const gone = new Set(starts.filter((event) => isUse(event.content_block, isLeftOut)).map(({ index }) => index));
  const hasCalls = starts.some((event) => !gone.has(event.index) && isAnyUse(event.content_block ?? null));
  const before = (index: number): number => [...gone].filter((each) => (numberOf(each) ?? 0) < index).length;
  return events.map((event) => {
    const index = numberOf(event.index);
    if (index !== undefined) return gone.has(index) ? undefined : { ...event, index: index - before(index) };
    if (event.type !== "message_delta" || !isObject(event.delta)) return event;
    const { delta } = event;
    return { ...event, delta: { ...delta, stop_reason: reasonAfter(delta.stop_reason, hasCalls) } };
  });
}

/** OpenAI's completion from its chunks. */
function wholeCompletion(chunks: readonly JsonObject[]): JsonObject {
  const message: Record<string, JsonValue> = { role: "assistant", content: null };
  const calls: JsonObject[] = [];
  let finish: JsonValue = null;
  for (const choice of chunks.flatMap(({ choices }) => listOf(choices))) {
    const delta = field(choice, "delta");
    finish = field(choice, "finish_reason") ?? finish;
    for (const [key, piece] of Object.entries(isObject(delta) ? delta : {})) {
      if (key === "tool_calls") for (const call of listOf(piece)) addCall(calls, call);
      else if (key === "role" || piece === undefined || piece === null) continue;
      else message[key] = typeof piece === "string" ? `${stringOf(message[key]) ?? ""}${piece}` : piece;
    }
  }
  const { usage } = chunks.findLast((chunk) => isObject(chunk.usage)) ?? {};
  const choice = {
    index: 0,
    message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
    finish_reason: finish,
  };
  return { ...chunks[0], object: "chat.completion", choices: [choice], ...(usage !== undefined && { usage }) };
}

function addCall(calls: JsonObject[], piece: JsonValue): void {
  if (!isObject(piece)) return;
  const { index, function: run, ...rest } = piece;
  const at = numberOf(index) ?? calls.length;
  const before = calls[at] ?? {};
  const joined = textOf(before.function, "arguments") + textOf(run, "arguments");
  const named = { ...(isObject(before.function) && before.function), ...(isObject(run) && run), arguments: joined };
  calls[at] = { ...before, ...rest, function: named };
}

function choiceWithoutCalls(choice: JsonValue, isLeftOut: IsLeftOut): JsonValue {
  const message = field(choice, "message");
  if (!isObject(choice) || !isObject(message)) return choice;
  const { tool_calls: calls, ...rest } = message;
  const kept = listOf(calls).filter((call) => !isLeftOut(stringOf(field(call, "function", "name"))));
  const isEnd = choice.finish_reason === "tool_calls" && kept.length === 0;
  return {
    ...choice,
    message: kept.length === 0 ? rest : { ...rest, tool_calls: kept },
    ...(isEnd && { finish_reason: "stop" }),
  };
}

function chunksWithoutCalls(chunks: readonly JsonObject[], isLeftOut: IsLeftOut): readonly JsonObject[] {
  const calls = chunks
    .flatMap(({ choices }) => listOf(choices))
    .flatMap((choice) => listOf(field(choice, "delta", "tool_calls")));
  const named = calls.filter((call) => stringOf(field(call, "function", "name")) !== undefined);
  const gone = new Set(
    named.filter((call) => isLeftOut(stringOf(field(call, "function", "name")))).map((call) => field(call, "index")),
  );
  const hasCalls = named.length > gone.size;
  const before = (index: number): number => [...gone].filter((each) => (numberOf(each) ?? 0) < index).length;
  const changed = (choice: JsonValue): JsonValue => {
    const delta = field(choice, "delta");
    if (!isObject(choice) || !isObject(delta)) return choice;
    const isEnd = choice.finish_reason === "tool_calls" && !hasCalls;
    const { tool_calls: pieces, ...rest } = delta;
    const kept = listOf(pieces).flatMap((piece) => {
      const index = numberOf(field(piece, "index")) ?? 0;
      return gone.has(index) || !isObject(piece) ? [] : [{ ...piece, index: index - before(index) }];
    });
    return {
      ...choice,
      delta: kept.length > 0 ? { ...rest, tool_calls: kept } : rest,
      ...(isEnd && { finish_reason: "stop" }),
    };
  };
  return chunks.map((chunk) => ({ ...chunk, choices: listOf(chunk.choices).map(changed) }));
}

function itemEventsWithoutCalls(
  events: readonly JsonObject[],
  isLeftOut: IsLeftOut,
): readonly (JsonObject | undefined)[] {
  const added = events.filter(({ type, item }) => type === "response.output_item.added" && isItem(item, isLeftOut));
  const gone = new Set(added.map(({ output_index: index }) => index));
  const before = (index: number): number => [...gone].filter((each) => (numberOf(each) ?? 0) < index).length;
  return events.map((event) => {
    const index = numberOf(event.output_index);
    if (index !== undefined) return gone.has(index) ? undefined : { ...event, output_index: index - before(index) };
    const { response } = event;
    if (!isObject(response)) return event;
    const output = listOf(response.output).filter((item) => !isItem(item, isLeftOut));
    return { ...event, response: { ...response, output } };
  });
}

function chunkWithoutCalls(chunk: JsonObject, isLeftOut: IsLeftOut): JsonObject {
  const candidates = listOf(chunk.candidates).map((candidate) => {
    const content = field(candidate, "content");
    if (!isObject(candidate) || !isObject(content)) return candidate;
    const isOurs = (part: JsonValue): boolean => {
      const call = field(part, "functionCall");
      return isObject(call) && isLeftOut(stringOf(call.name));
    };
    return { ...candidate, content: { ...content, parts: listOf(content.parts).filter((part) => !isOurs(part)) } };
  });
  return chunk.candidates === undefined ? chunk : { ...chunk, candidates };
}
