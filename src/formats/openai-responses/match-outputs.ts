/**
 * A result that we made ourselves (a repair, a stub) does not say what kind of tool it answers, but the item's type must
 * match its call: `custom_tool_call_output` for `custom_tool_call`, and so on. Changes nothing that came from the wire.
 */

import { type JsonObject, stringOf } from "../../core/json.ts";
import type { Message, Part } from "../../core/message.ts";

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["tool_search_call", "tool_search_output"],
  ["mcp_approval_request", "mcp_approval_response"],
]);

export function matchOutputs(messages: readonly Message[]): readonly Message[] {
  const types = outputTypes(messages);
  return types.size === 0 ? messages : messages.map((message) => matchMessage(message, types));
}

/** Output types by call id, where they are not the default. */
function outputTypes(messages: readonly Message[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== "tool-call" || part.callId === undefined) continue;
      const type = outputType(part.wire);
      if (type !== undefined) types.set(part.callId, type);
    }
  }
  return types;
}

function outputType(call: JsonObject | undefined): string | undefined {
  const type = stringOf(call?.type);
  if (type === undefined || type === "function_call") return undefined;
  return IRREGULAR.get(type) ?? `${type}_output`;
}

function matchMessage(message: Message, types: ReadonlyMap<string, string>): Message {
  if (!message.parts.some((part) => typeOf(part, types) !== undefined)) return message;
  const parts = message.parts.map((part): Part => {
    const type = typeOf(part, types);
    return type === undefined ? part : { ...part, wire: { type } };
  });
  return { ...message, parts };
}

function typeOf(part: Part, types: ReadonlyMap<string, string>): string | undefined {
  if (part.type !== "tool-result" || part.wire !== undefined) return undefined;
  return types.get(part.callId ?? "");
}
