/** Calls and outputs of a Responses input: every call answered, every output asked for, each once. */

import { stringOf } from "../../core/json.ts";
import type { Message, Part, ToolCallPart } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";

/** Calls that the client runs. Others may be answered by the provider itself, out of our sight. */
const CLIENT_CALLS: ReadonlySet<string> = new Set([
  "function_call",
  "custom_tool_call",
  "computer_call",
  "local_shell_call",
  "shell_call",
  "apply_patch_call",
]);

/** What of the history the provider sees and we do not. */
export interface UnseenHistory {
  readonly hasServerHistory: boolean;
  readonly hasReferences: boolean;
}

export function checkPairs(messages: readonly Message[], unseen: UnseenHistory): readonly Violation[] {
  const calls = new Map<string, Called>();
  const violations = messages.flatMap(({ parts }, index): readonly Violation[] => {
    const [part] = parts;
    if (part?.type === "tool-call") return addCall(part, index, calls);
    return part?.type === "tool-result" ? addOutput(part, { index, calls, unseen }) : [];
  });
  if (unseen.hasReferences) return violations;
  return [...violations, ...unanswered(calls)];
}

interface Called {
  readonly part: ToolCallPart;
  readonly index: number;
  isAnswered: boolean;
}

function addCall(part: ToolCallPart, index: number, calls: Map<string, Called>): readonly Violation[] {
  if (!part.callId) return [missingId(index)];
  if (calls.has(part.callId)) {
    return [about("duplicate-call-id", index, `Duplicate ${label(part)} with call_id ${part.callId}.`)];
  }
  calls.set(part.callId, { part, index, isAnswered: false });
  return [];
}

interface Place {
  readonly index: number;
  readonly calls: ReadonlyMap<string, Called>;
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
function unanswered(calls: ReadonlyMap<string, Called>): readonly Violation[] {
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
