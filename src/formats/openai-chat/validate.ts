/** What the Chat Completions API refuses, as far as a client can see it, in its own words where they are known. */

import { formatRules, isMalformed } from "../../core/format-rules.ts";
import { isArray, isObject, type JsonObject } from "../../core/json.ts";
import type { Message, ToolCallPart, ToolResultPart } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";

const EMPTY_ARRAY = "empty array. Expected an array with minimum length 1, but got an empty array instead.";

export function validateMessages(messages: readonly Message[]): readonly Violation[] {
  if (messages.length === 0) {
    return [{ rule: "no-messages", path: "messages", messageIndex: -1, message: `Invalid 'messages': ${EMPTY_ARRAY}` }];
  }
  return [
    ...messages.flatMap(checkContent),
    ...messages.flatMap(checkCallIds),
    ...messages.flatMap(checkCallNames),
    ...checkRounds(messages),
  ];
}

function checkContent({ role, parts, wire }: Message, index: number): readonly Violation[] {
  const json = wireOf(wire?.json);
  const blocks = parts.flatMap((part) => (part.type === "tool-result" ? part.content : [part]));
  const broken = blocks.flatMap((part) => {
    if (part.type !== "opaque" || !isMalformed(part, RULES)) return [];
    const message = `Invalid value: malformed content part of type '${part.kind}'.`;
    return [about("invalid-request", index, "content", message)];
  });
  if (json.role === "function" && typeof json.name !== "string") {
    const message = `Missing required parameter: 'messages.[${index}].name'.`;
    return [...broken, about("invalid-request", index, "name", message)];
  }
  if (isArray(json.tool_calls) && json.tool_calls.length === 0) {
    const path = `messages[${index}].tool_calls`;
    return [...broken, about("invalid-request", index, "tool_calls", `Invalid '${path}': ${EMPTY_ARRAY}`)];
  }
  const message = missingContent({ role, parts }, json);
  return message === undefined ? broken : [...broken, about("invalid-request", index, "content", message)];
}

/**
 * The content of an assistant message may be missing beside a call, a refusal or audio; the deprecated `function` role allows null. An empty
 * list beside calls was accepted by recorded servers and is passed on, though the provider's newest releases refuse it.
 */
function missingContent({ role, parts }: Pick<Message, "role" | "parts">, json: JsonObject): string | undefined {
  const { content } = json;
  const isEmptyList = isArray(content) && content.length === 0;
  if (content !== undefined && content !== null && !isEmptyList) return undefined;
  if (json.role === "function" || (role === "assistant" && parts.some(({ type }) => type !== "reasoning")))
    return undefined;
  if (isEmptyList) return `Invalid 'content': ${EMPTY_ARRAY}`;
  return `Invalid value for 'content': expected a string, got ${content === null ? "null" : "nothing"}.`;
}

const RULES = formatRules("openai-chat");

/** Ids may come again in a later turn, never twice in one message. */
function checkCallIds(message: Message, index: number): readonly Violation[] {
  const seen = new Set<string>();
  return callsOf(message).flatMap(({ callId }, position) => {
    const path = `tool_calls[${position}].id`;
    if (callId === undefined || callId === "") {
      return [about("missing-id", index, path, `Missing required parameter: 'messages.[${index}].${path}'.`)];
    }
    if (seen.has(callId)) {
      return [about("duplicate-call-id", index, path, `Duplicate value for 'id' of '${callId}' in message[${index}]`)];
    }
    seen.add(callId);
    return [];
  });
}

/** Checks the deprecated `function_call` too. */
function checkCallNames({ parts }: Message, index: number): readonly Violation[] {
  if (!parts.some((part) => part.type === "tool-call" && part.name === "")) return [];
  const message = `Missing required parameter: 'messages.[${index}]' calls a tool without a name.`;
  return [about("missing-name", index, "tool_calls", message)];
}

/** The newest assistant message with calls, while nothing but its results has followed. */
interface OpenRound {
  readonly index: number;
  readonly calls: readonly ToolCallPart[];
  readonly answered: Set<string>;
}

function checkRounds(messages: readonly Message[]): readonly Violation[] {
  const violations: Violation[] = [];
  let round: OpenRound | undefined;
  messages.forEach((message, index) => {
    const result = resultOf(message);
    if (result !== undefined) {
      violations.push(...checkResult(result, index, round));
      return;
    }
    violations.push(...unanswered(round));
    const calls = callsOf(message);
    round = calls.length === 0 ? undefined : { index, calls, answered: new Set() };
  });
  return [...violations, ...unanswered(round)];
}

function checkResult({ callId }: ToolResultPart, index: number, round: OpenRound | undefined): readonly Violation[] {
  if (callId === undefined || callId === "") {
    const message = "Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.";
    return [about("missing-id", index, "tool_call_id", message)];
  }
  if (round === undefined) {
    const message =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
    return [about("result-without-call", index, "role", message)];
  }
  if (!round.calls.some((call) => call.callId === callId)) {
    const message = `Invalid parameter: 'tool_call_id' of '${callId}' not found in 'tool_calls' of previous message.`;
    return [about("result-without-call", index, "tool_call_id", message)];
  }
  if (round.answered.has(callId)) {
    const message = `Duplicate value for 'tool_call_id' of '${callId}' in message[${index}]`;
    return [about("duplicate-result", index, "tool_call_id", message)];
  }
  round.answered.add(callId);
  return [];
}

function unanswered(round: OpenRound | undefined): readonly Violation[] {
  if (round === undefined) return [];
  return round.calls.flatMap(({ callId }, position) => {
    if (callId === undefined || callId === "" || round.answered.has(callId)) return [];
    const message = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${callId}`;
    return [about("call-without-result", round.index, `tool_calls[${position}]`, message)];
  });
}

/** The deprecated `function_call` has no id and is not checked by the provider. */
function callsOf({ parts }: Message): readonly ToolCallPart[] {
  return parts.flatMap((part) => (part.type === "tool-call" && part.wire?.function_call === undefined ? [part] : []));
}

function resultOf({ parts }: Message): ToolResultPart | undefined {
  const [first] = parts;
  return first?.type === "tool-result" && first.wire?.role !== "function" ? first : undefined;
}

function wireOf(json: unknown): JsonObject {
  return isObject(json) ? json : {};
}

function about(rule: string, messageIndex: number, field: string, message: string): Violation {
  return { rule, path: `messages.[${messageIndex}].${field}`, messageIndex, message };
}
