/**
 * Responses input items to canonical messages, one for one, and back. An item that is not interpreted is one opaque part. Calls, results
 * and reasoning are items of their own, so one changed message may become several, in the order of its parts.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type Message, type Part, type ReasoningPart, type Role, text } from "../../core/message.ts";
import { invalid, kindOf, overlay } from "../body.ts";
import { decodeContent, decodeRole, isSpeech, speakerOf, toSegments } from "../openai.ts";
import { decodeCall, decodeOutput, encodeCall, encodeOutput } from "./calls.ts";
import { encodeBlocks, readBlock } from "./content.ts";

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

export function encodeItems(message: Message): readonly JsonValue[] {
  const { wire, parts } = message;
  const [first] = parts;
  if (first === undefined) return wire?.parts.length === 0 ? [wire.json] : [];
  if (typeof wire?.json === "string" && parts.length === 1 && first.type === "text" && first.text === wire.json) {
    return [wire.json];
  }
  let speechWire = wire?.role === message.role ? messageItem(wire.json) : undefined;
  const isMessage = speechWire !== undefined;
  return toSegments(parts, (part) => !isContentBlock(part, isMessage)).flatMap((segment) => {
    if (!isSpeech(segment)) return encodeItem(segment);
    const item = encodeSpeech(message, segment, speechWire);
    speechWire = undefined;
    return [item];
  });
}

function messageItem(json: JsonValue): JsonObject | undefined {
  return isObject(json) && (json.type === "message" || json.type === undefined) && json.role !== undefined
    ? json
    : undefined;
}

/** Texts and media share a message. An opaque part is a whole item unless it came out of a message's content. */
function isContentBlock(part: Part, isMessage: boolean): boolean {
  if (part.type !== "opaque") return part.type === "text" || part.type === "media";
  return isMessage || part.kind.startsWith("input_") || part.kind.startsWith("output_");
}

function encodeSpeech({ role, wire }: Message, parts: readonly Part[], item: JsonObject | undefined): JsonObject {
  const isNewRole = wire !== undefined && wire.role !== role;
  // Block types depend on the role, so a text whose role changed is written from scratch.
  const said = isNewRole ? parts.map(withoutWire) : parts;
  const content = encodeBlocks(said, item?.content, speakerOf(role));
  return overlay(item, { role: item === undefined ? speakerOf(role) : item.role, content });
}

function withoutWire(part: Part): Part {
  return part.type === "text" ? { type: "text", text: part.text } : part;
}

function encodeItem(part: Part): readonly JsonObject[] {
  switch (part.type) {
    case "tool-call":
      return [encodeCall(part)];
    case "tool-result":
      return [encodeOutput(part)];
    case "reasoning":
      return part.wire === undefined ? encodeReasoning(part) : [part.wire];
    case "opaque":
      return [part.wire];
    case "text":
    case "media":
      return []; // always in a group
    default:
      return part satisfies never;
  }
}

function encodeReasoning({ text, encrypted }: ReasoningPart): readonly JsonObject[] {
  if (text === "" && encrypted === undefined) return [];
  const summary = text === "" ? [] : [{ type: "summary_text", text }];
  return [{ type: "reasoning", summary, ...(encrypted !== undefined && { encrypted_content: encrypted }) }];
}
