/** What the Responses API refuses, as far as a client can see it, in its own words where they are known. */

import { formatRules, isMalformed } from "../../core/format-rules.ts";
import { isItemReference, itemId, storedId } from "../../core/items.ts";
import { isObject, type JsonObject, stringOf } from "../../core/json.ts";
import type { Message, Part, ToolCallPart } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";

export function validateItems(messages: readonly Message[], body: JsonObject): readonly Violation[] {
  const unseen: UnseenHistory = {
    hasServerHistory: Boolean(body.previous_response_id) || Boolean(body.conversation) || Boolean(body.prompt),
    hasReferences: messages.some(isItemReference),
  };
  if (messages.length === 0) {
    if (unseen.hasServerHistory) return [];
    const message = "One of 'input' or 'previous_response_id' or 'prompt' or 'conversation' must be provided.";
    return [{ rule: "no-messages", path: "input", messageIndex: -1, message }];
  }
  return [
    ...checkHistory(body),
    ...(typeof body.input === "string" ? [] : messages.flatMap(checkForm)),
    ...messages.flatMap(checkContent),
    ...messages.flatMap(checkCallName),
    ...messages.flatMap(checkReasoning),
    ...messages.flatMap(checkTrigger),
    ...checkItemIds(messages),
    ...(body.store === false ? messages.flatMap(checkPersisted) : []),
    ...checkPairs(messages, unseen),
  ];
}

/** Two ways for the server to own the history exclude each other. */
function checkHistory({ previous_response_id: previous, conversation }: JsonObject): readonly Violation[] {
  if (!previous || !conversation) return [];
  const message = "'previous_response_id' and 'conversation' cannot be used together.";
  return [{ rule: "conflicting-parameters", path: "conversation", messageIndex: -1, message }];
}

/** A bare string is allowed in place of the whole list, not as an item of it. */
function checkForm({ wire }: Message, index: number): readonly Violation[] {
  if (typeof wire?.json !== "string") return [];
  const message = `Invalid type for 'input[${index}]': expected an input item, but got a string instead.`;
  return [about("invalid-request", index, message)];
}

function checkContent({ parts, wire }: Message, index: number): readonly Violation[] {
  const json = isObject(wire?.json) ? wire.json : undefined;
  const isMessage = json !== undefined && json.role !== undefined && (json.type ?? "message") === "message";
  if (isMessage && (json.content === undefined || json.content === null)) {
    return [about("invalid-request", index, `Missing required parameter: 'input[${index}].content'.`)];
  }
  const blocks = isMessage ? parts : parts.flatMap(blocksOfOutput);
  return blocks.flatMap((part) => {
    if (part.type !== "opaque" || !isMalformed(part, RULES)) return [];
    return [about("invalid-request", index, `Invalid value: malformed content part of type '${part.kind}'.`)];
  });
}

/** Results of the provider's own tools have shapes of their own and are not checked. */
function blocksOfOutput(part: Part): readonly Part[] {
  return part.type === "tool-result" && !part.server ? part.content : [];
}

const RULES = formatRules("openai-responses");

function checkCallName({ parts }: Message, index: number): readonly Violation[] {
  if (!parts.some((part) => part.type === "tool-call" && part.name === "")) return [];
  return [about("missing-name", index, `Missing required parameter: 'input[${index}].name'.`)];
}

/** Reasoning is checked by its id; without one it is mere content. */
function checkReasoning({ parts }: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  const [part] = parts;
  const id = part?.type === "reasoning" ? stringOf(part.wire?.id) : undefined;
  if (id === undefined || couldBeProduced(messages[index + 1])) return [];
  const message = `Item '${id}' of type 'reasoning' was provided without its required following item.`;
  return [about("reasoning-without-item", index, message)];
}

/** Anything the model may have said or called; control items and unknown ones get the benefit of the doubt. */
function couldBeProduced(next: Message | undefined): boolean {
  return next?.role === "assistant" || (next?.role === "system" && next.parts[0]?.type === "opaque");
}

function checkTrigger({ parts }: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  if (!isKind(parts[0], "compaction_trigger") || index === messages.length - 1) return [];
  return [about("misplaced-part", index, "The 'compaction_trigger' item must be the final input item.")];
}

/** An item id may occur only once, whatever the type of the item. */
function checkItemIds(messages: readonly Message[]): readonly Violation[] {
  const seen = new Set<string>();
  return messages.flatMap((message, index) => {
    const id = itemId(message);
    const isTwice = id !== undefined && seen.has(id);
    if (id !== undefined) seen.add(id);
    if (!isTwice) return [];
    const said = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
    return [about("duplicate-item", index, said)];
  });
}

/** Without storage an id finds nothing: the content itself must be sent. */
function checkPersisted(item: Message, index: number): readonly Violation[] {
  const id = storedId(item);
  if (id === undefined) return [];
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`;
  return [about("item-not-found", index, message)];
}

function isKind(part: Part | undefined, kind: string): boolean {
  return part?.type === "opaque" && part.kind === kind;
}

/** Calls that the client runs. Others may be answered by the provider itself, out of our sight. */
const CLIENT_CALLS: ReadonlySet<string> = new Set([
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

/** The parts of the history that the provider sees and the list does not show. */
interface UnseenHistory {
  readonly hasServerHistory: boolean;
  readonly hasReferences: boolean;
}

function checkPairs(messages: readonly Message[], unseen: UnseenHistory): readonly Violation[] {
  const calls = new Map<string, OpenCall>();
  const violations = messages.flatMap(({ parts }, index): readonly Violation[] => {
    const [part] = parts;
    if (part?.type === "tool-call") return addCall(part, index, calls);
    return part?.type === "tool-result" ? addOutput(part, { index, calls, unseen }) : [];
  });
  if (unseen.hasReferences) return violations;
  return [...violations, ...unanswered(calls)];
}

interface OpenCall {
  readonly part: ToolCallPart;
  readonly index: number;
  isAnswered: boolean;
}

function addCall(part: ToolCallPart, index: number, calls: Map<string, OpenCall>): readonly Violation[] {
  if (!part.callId) return [missingId(index)];
  if (calls.has(part.callId)) {
    return [about("duplicate-call-id", index, `Duplicate ${label(part)} with call_id ${part.callId}.`)];
  }
  calls.set(part.callId, { part, index, isAnswered: false });
  return [];
}

interface Place {
  readonly index: number;
  readonly calls: ReadonlyMap<string, OpenCall>;
  readonly unseen: UnseenHistory;
}

function addOutput(part: Part & { type: "tool-result" }, { index, calls, unseen }: Place): readonly Violation[] {
  // The client's outputs name their call, or at least their tool; the provider's own need not.
  if (!part.callId) return CLIENT_CALLS.has(callType(part)) && part.name === undefined ? [missingId(index)] : [];
  const call = calls.get(part.callId);
  if (call === undefined) {
    if (unseen.hasServerHistory || unseen.hasReferences) return [];
    const message = `No tool call found for ${label(part)} with call_id ${part.callId}.`;
    return [about("result-without-call", index, message)];
  }
  if (call.isAnswered) {
    return [about("duplicate-result", index, `Duplicate ${label(part)} with call_id ${part.callId}.`)];
  }
  call.isAnswered = true;
  return [];
}

/** A call that runs asynchronously may be answered in a later request. */
function unanswered(calls: ReadonlyMap<string, OpenCall>): readonly Violation[] {
  return [...calls.values()].flatMap(({ part, index, isAnswered }) => {
    const isAwaited = CLIENT_CALLS.has(stringOf(part.wire?.type) ?? "") && part.wire?.async !== true;
    if (isAnswered || !isAwaited) return [];
    return [about("call-without-result", index, `No tool output found for ${label(part)} ${part.callId}.`)];
  });
}

function callType(part: Part): string {
  return (stringOf(part.wire?.type) ?? "").replace(/_output$/, "");
}

/** The provider spells item types with blanks: `function call output`. */
function label(part: Part): string {
  return (stringOf(part.wire?.type) ?? "function_call").replaceAll("_", " ");
}

function missingId(index: number): Violation {
  return {
    ...about("missing-id", index, `Missing required parameter: 'input[${index}].call_id'.`),
    path: `input[${index}].call_id`,
  };
}

function about(rule: string, messageIndex: number, message: string): Violation {
  return { rule, path: `input[${messageIndex}]`, messageIndex, message };
}
