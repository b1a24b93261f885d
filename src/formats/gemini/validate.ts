/** What generateContent refuses, as far as a client can see it. Never throws, never repairs. */

import { formatRules, isMalformed } from "../../core/format-rules.ts";
import { isObject } from "../../core/json.ts";
import type { Message, Part, ToolCallPart, ToolResultPart } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";
import { unsignedCalls } from "../../core/thinking.ts";
import type { ListOptions } from "../body.ts";

const ALTERNATE = "Please ensure that multiturn requests alternate between user and model.";
const ENDS_WITH_USER = "Please ensure that multiturn requests ends with a user role or a function response.";
const CALL_POSITION =
  "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
const RESPONSE_POSITION = "Please ensure that function response turn comes immediately after a function call turn.";
const NO_DATA = "required oneof field 'data' must have one initialized field";
const RESPONSE_COUNT =
  "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";

const RULES = formatRules("gemini");

export function validateMessages(messages: readonly Message[], options: ListOptions): readonly Violation[] {
  const isUnseen = (index: number): boolean => index === 0 && options.isContinued;
  return [
    ...checkList(messages, options),
    ...messages.flatMap(checkContent),
    ...messages.flatMap(checkParts),
    ...messages.flatMap(checkOrder),
    ...messages
      .flatMap(checkCallTurn)
      .filter(({ rule, messageIndex }) => rule !== "call-turn-position" || !isUnseen(messageIndex)),
    ...messages.flatMap(checkResponseTurn).filter(({ messageIndex }) => !isUnseen(messageIndex)),
    ...checkSignatures(messages, options.model),
  ];
}

function checkList(messages: readonly Message[], options: ListOptions): readonly Violation[] {
  const [first] = messages;
  if (first === undefined)
    return [about("no-messages", -1, "GenerateContentRequest.contents: contents is not specified")];
  const violations: Violation[] = [];
  if (first.role === "assistant" && !options.isContinued) {
    violations.push(about("first-role", 0, "First content should be with role 'user', got model"));
  }
  if (options.sending && messages.at(-1)?.role === "assistant") {
    violations.push(about("ends-with-assistant", messages.length - 1, ENDS_WITH_USER));
  }
  return violations;
}

/** Streams leave empty texts beside other parts, and a signature may stand on an empty text: only all-empty is refused. */
function checkContent({ parts }: Message, index: number): readonly Violation[] {
  if (!parts.every((part) => part.type === "text" && part.text === "" && part.signature === undefined)) return [];
  const message = `GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`;
  return [about("empty-content", index, message)];
}

function checkParts({ role, parts }: Message, index: number): readonly Violation[] {
  return parts.flatMap((part, position) => {
    const field = `GenerateContentRequest.contents[${index}].parts[${position}]`;
    const at = (rule: string, message: string): Violation => atPart(rule, { index, position }, message);
    switch (part.type) {
      case "tool-call":
        return [
          ...(role === "assistant"
            ? []
            : [at("misplaced-part", `${field}: a function call must have the role model.`)]),
          ...(part.name === "" ? [at("missing-name", `${field}.function_call.name: Name cannot be empty.`)] : []),
          ...(isObject(part.input) ? [] : [at("invalid-input", `${field}.function_call.args: must be an object.`)]),
        ];
      case "tool-result":
        return [
          ...(role !== "assistant"
            ? []
            : [at("misplaced-part", `${field}: a function response must have the role user.`)]),
          ...(part.name ? [] : [at("missing-name", `${field}.function_response.name: Name cannot be empty.`)]),
          ...(part.content.some((inner) => isMalformed(inner, RULES))
            ? [at("invalid-request", `${field}.function_response.parts: ${NO_DATA}`)]
            : []),
        ];
      case "opaque":
        return isMalformed(part, RULES) ? [at("invalid-request", `${field}.data: ${NO_DATA}`)] : [];
      case "text":
      case "media":
      case "reasoning":
        return [];
      default:
        return part satisfies never;
    }
  });
}

function checkOrder(message: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  const previous = messages[index - 1];
  if (previous === undefined || previous.role !== message.role) return [];
  return [about("alternation", index, ALTERNATE)];
}

function checkCallTurn(message: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  const calls = callsOf(message);
  if (calls.length === 0) return [];
  const previous = messages[index - 1];
  const isMisplaced = previous === undefined || previous.role === "assistant";
  const position = isMisplaced ? [about("call-turn-position", index, CALL_POSITION)] : [];
  if (resultsOf(messages[index + 1]).length > 0) return position;
  const unanswered = calls.map(({ at }) => atPart("call-without-result", { index, position: at }, RESPONSE_COUNT));
  return [...position, ...unanswered];
}

function checkResponseTurn(message: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  const results = resultsOf(message);
  if (results.length === 0) return [];
  const calls = callsOf(messages[index - 1]);
  if (calls.length === 0) {
    return results.map(({ at }) => atPart("result-without-call", { index, position: at }, RESPONSE_POSITION));
  }
  const mismatches = findMismatches(calls, results, index);
  return calls.length === results.length ? mismatches : [about("response-count", index, RESPONSE_COUNT), ...mismatches];
}

/** A part of one kind and its position in its content. */
interface PartPlace<P extends Part> {
  readonly part: P;
  readonly at: number;
}

/** Ids pair where both sides state one; otherwise names do, in order. */
function findMismatches(
  calls: readonly PartPlace<ToolCallPart>[],
  results: readonly PartPlace<ToolResultPart>[],
  index: number,
): readonly Violation[] {
  // Newest first, so that the oldest is taken from the end.
  const open = calls.map(({ part }) => part).toReversed();
  const taken = new Set<ToolCallPart>();
  const byId = Map.groupBy(open, ({ callId }) => callId);
  const byName = Map.groupBy(open, ({ name }) => name);
  const withoutId = Map.groupBy(byId.get(undefined) ?? [], ({ name }) => name);
  return results.flatMap(({ part, at }) => {
    const { callId, name } = part;
    const hasId = callId !== undefined && byId.has(callId);
    const named = callId === undefined ? byName : withoutId;
    const candidates = hasId ? byId.get(callId) : name === undefined ? undefined : named.get(name);
    if (takeLast(candidates ?? [], taken)) return [];
    const place = { index, position: at };
    if (hasId) return [atPart("duplicate-result", place, `More than one function response for the id ${callId}.`)];
    const which = callId === undefined ? `name ${name}` : `id ${callId}`;
    return [atPart("result-without-call", place, `No function call of the previous turn has the ${which}.`)];
  });
}

/** A call is in several lists. One that was already taken from another list is skipped here. */
function takeLast(candidates: ToolCallPart[], taken: Set<ToolCallPart>): boolean {
  let call = candidates.pop();
  while (call !== undefined && taken.has(call)) call = candidates.pop();
  if (call !== undefined) taken.add(call);
  return call !== undefined;
}

function callsOf(message: Message | undefined): readonly PartPlace<ToolCallPart>[] {
  if (message?.role !== "assistant") return [];
  return message.parts.flatMap((part, at) => (part.type === "tool-call" ? [{ part, at }] : []));
}

function resultsOf(message: Message | undefined): readonly PartPlace<ToolResultPart>[] {
  if (message === undefined || message.role === "assistant") return [];
  return message.parts.flatMap((part, at) => (part.type === "tool-result" ? [{ part, at }] : []));
}

function about(rule: string, messageIndex: number, message: string): Violation {
  return { rule, path: messageIndex < 0 ? "contents" : `contents.${messageIndex}`, messageIndex, message };
}

function atPart(
  rule: string,
  place: { readonly index: number; readonly position: number },
  message: string,
): Violation {
  const { index, position } = place;
  return { rule, path: `contents.${index}.parts.${position}`, messageIndex: index, message };
}

/** Dummy values count as signatures. */
function checkSignatures(messages: readonly Message[], model: string | undefined): readonly Violation[] {
  return unsignedCalls(messages, model).map(({ index, position, call }) => {
    const text = `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${call.name}\`, position ${index + 1}.`;
    return atPart("thought-signature-missing", { index, position }, text);
  });
}
