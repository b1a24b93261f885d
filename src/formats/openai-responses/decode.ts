/** Responses input items to canonical messages, one for one. An item we do not interpret is one opaque part. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type Message, type Part, type Role, text } from "../../core/message.ts";
import { invalid, kindOf } from "../body.ts";
import { decodeContent, decodeRole } from "../openai.ts";
import { decodeCall, decodeOutput } from "./calls.ts";
import { readBlock } from "./content.ts";

const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ["developer", "system"],
  ["system", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
]);

/** Items that steer the request and say nothing; like a system note, they stay with what stands before them. */
const CONTROL: ReadonlySet<string> = new Set(["additional_tools", "configuration_update", "compaction_trigger"]);

type DecodedItem = Pick<Message, "role" | "parts">;

export function decodeItem(json: JsonValue, index: number): Message {
  const { role, parts } = decode(json, `input.${index}`);
  return { id: `m${index}`, role, parts, wire: { json, role, parts } };
}

function decode(json: JsonValue, path: string): DecodedItem {
  // A bare string is the short form of a list with one user message.
  if (typeof json === "string") return { role: "user", parts: [text(json)] };
  if (!isObject(json)) throw invalid(`${path} must be an object, not ${kindOf(json)}.`);
  const type = itemType(json);
  if (type === undefined) throw invalid(`${path} must have a \`type\` or a \`role\`.`);
  if (type === "message") return decodeMessage(json, path);
  if (type === "reasoning") return { role: "assistant", parts: [decodeReasoning(json)] };
  if (isOutput(type)) {
    const output = decodeOutput(json, type, path);
    return { role: output.server ? "assistant" : "tool", parts: [output] };
  }
  if (isCall(json, type)) return { role: "assistant", parts: [decodeCall(json, type)] };
  return { role: CONTROL.has(type) ? "system" : "assistant", parts: [{ type: "opaque", kind: type, wire: json }] };
}

/** The type may be left out of messages and of references. */
function itemType(item: JsonObject): string | undefined {
  if (typeof item.type === "string" && item.type !== "") return item.type;
  if (item.role !== undefined) return "message";
  return typeof item.id === "string" ? "item_reference" : undefined;
}

function isOutput(type: string): boolean {
  return type.endsWith("_output") || type === "mcp_approval_response";
}

/** Whatever has a `call_id` is answered by it; the provider's self-contained calls have none. */
function isCall(item: JsonObject, type: string): boolean {
  if (type === "function_call" || type === "custom_tool_call" || type === "mcp_approval_request") return true;
  return typeof item.call_id === "string";
}

function decodeMessage(item: JsonObject, path: string): DecodedItem {
  const role = decodeRole(ROLES, item.role, path);
  return { role, parts: decodeContent(item.content, `${path}.content`, readBlock) };
}

function decodeReasoning(item: JsonObject): Part {
  const encrypted = stringOf(item.encrypted_content);
  const texts = [...textsIn(item.summary), ...textsIn(item.content)];
  return {
    type: "reasoning",
    text: texts.join("\n\n"),
    ...(encrypted !== undefined && { encrypted }),
    wire: item,
  };
}

function textsIn(list: JsonValue | undefined): readonly string[] {
  if (!isArray(list)) return [];
  return list.flatMap((block) => (isObject(block) && typeof block.text === "string" ? [block.text] : []));
}
