/**
 * Canonical messages to Responses items. Calls, results and reasoning are items of their own, so one message may become
 * several, in the order of its parts. A part that kept its wire form is laid over it; an unchanged part comes out as it was.
 */

import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Message, OpaquePart, Part, ReasoningPart, Role } from "../../core/message.ts";
import { overlay } from "../overlay.ts";
import { encodeCall, encodeOutput } from "./calls.ts";
import { encodeContent } from "./content.ts";

export function encodeItems(message: Message): readonly JsonValue[] {
  const { wire, parts } = message;
  const [first] = parts;
  if (first === undefined) return wire?.parts.length === 0 ? [wire.json] : [];
  if (typeof wire?.json === "string" && parts.length === 1 && first.type === "text" && first.text === wire.json) {
    return [wire.json];
  }
  let speechWire = wire?.role === message.role ? messageItem(wire.json) : undefined;
  return toGroups(parts, speechWire !== undefined).flatMap((group) => {
    if (!isSpeech(group)) return encodeItem(group);
    const item = encodeSpeech(message, group, speechWire);
    speechWire = undefined;
    return [item];
  });
}

function messageItem(json: JsonValue): JsonObject | undefined {
  return isObject(json) && (json.type === "message" || json.type === undefined) && json.role !== undefined
    ? json
    : undefined;
}

type Group = Part | readonly Part[];

function isSpeech(group: Group): group is readonly Part[] {
  return Array.isArray(group);
}

/** Neighbouring texts and media share a message; everything else stands alone. */
function toGroups(parts: readonly Part[], isMessage: boolean): readonly Group[] {
  const groups: Group[] = [];
  let speech: Part[] | undefined;
  for (const part of parts) {
    const isBlock =
      part.type === "text" || part.type === "media" || (part.type === "opaque" && isContentBlock(part, isMessage));
    if (!isBlock) {
      groups.push(part);
      speech = undefined;
    } else if (speech === undefined) {
      speech = [part];
      groups.push(speech);
    } else {
      speech.push(part);
    }
  }
  return groups;
}

/** An opaque part is a whole item unless it came out of a message's content. */
function isContentBlock({ kind }: OpaquePart, isMessage: boolean): boolean {
  return isMessage || kind.startsWith("input_") || kind.startsWith("output_");
}

function encodeSpeech({ role, wire }: Message, parts: readonly Part[], item: JsonObject | undefined): JsonObject {
  const isNewRole = wire !== undefined && wire.role !== role;
  // Block types depend on the role, so a text whose role changed is written from scratch.
  const said = isNewRole ? parts.map(withoutWire) : parts;
  const content = encodeContent(said, item?.content, speaker(role));
  return overlay(item, { role: item === undefined ? speaker(role) : item.role, content });
}

/** Text beside tool results can only have come from the user. */
function speaker(role: Role): Exclude<Role, "tool"> {
  return role === "tool" ? "user" : role;
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
