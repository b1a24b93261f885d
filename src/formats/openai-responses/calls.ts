/** Call items: functions and free-text tools in full, the provider's own tools (shell, computer, …) by their `call_id`. */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { ToolCallPart } from "../../core/message.ts";
import {
  decodeArguments,
  decodeFreeText,
  decodeName,
  encodeArguments,
  encodeFreeText,
  encodeName,
} from "../openai-call-fields.ts";
import { overlay } from "../overlay.ts";
import { isServerRun } from "./outputs.ts";

/** What says nothing about what is called for. */
const BOOKKEEPING: ReadonlySet<string> = new Set(["type", "id", "call_id", "status", "caller"]);

export function decodeCall(item: JsonObject, type: string): ToolCallPart {
  const id = type === "mcp_approval_request" ? item.id : item.call_id;
  return {
    type: "tool-call",
    ...(typeof id === "string" && { callId: id }),
    ...readCall(item, type),
    ...(isServerRun(item, type) && { server: true }),
    wire: item,
  };
}

function readCall(item: JsonObject, type: string): { readonly name: string; readonly input: JsonValue } {
  if (type === "function_call") return { name: decodeName(item), input: decodeArguments(item.arguments) };
  if (type === "custom_tool_call") return { name: decodeName(item), input: decodeFreeText(item.input) };
  const said = Object.entries(item).filter(([key]) => !BOOKKEEPING.has(key));
  return { name: type, input: Object.fromEntries(said) };
}

export function encodeCall(part: ToolCallPart): JsonObject {
  const { wire } = part;
  const callId = part.callId ?? wire?.call_id;
  switch (wire?.type) {
    case undefined:
    case "function_call": {
      const name = encodeName(part.name, wire);
      return overlay(wire, {
        type: "function_call",
        call_id: callId,
        name,
        arguments: encodeArguments(part.input, wire),
      });
    }
    case "custom_tool_call":
      return overlay(wire, {
        call_id: callId,
        name: encodeName(part.name, wire),
        input: encodeFreeText(part.input, wire),
      });
    case "mcp_approval_request":
      return overlay(wire, { id: part.callId ?? wire.id });
    default:
      return overlay(wire, { call_id: callId });
  }
}
