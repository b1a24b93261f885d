/** Marks that tell a provider how far to cache a prompt (Anthropic `cache_control`). The model does not see them; their number is limited. */

import { isArray, isObject, type JsonObject } from "./json.ts";
import type { Conversation, Part } from "./message.ts";

const MARK_KEY = "cache_control";

/** The most that one request may have, tools and system prompt included. */
export const CACHE_MARKS_MAX = 4;

/** A block without its mark; the same object where it has none. */
export function unmarked(wire: JsonObject): JsonObject {
  if (!(MARK_KEY in wire)) return wire;
  const { [MARK_KEY]: _, ...rest } = wire;
  return rest;
}

/** Marks in the system prompt and the tools. */
export function marksOutside({ system, tools }: Pick<Conversation, "system" | "tools">): number {
  const marked = isArray(tools) ? tools.filter((tool) => isObject(tool) && isMarked(tool)) : [];
  return marksIn(system) + marked.length;
}

/** Marks in parts, and in the parts inside results. */
export function marksIn(parts: readonly Part[]): number {
  let marks = 0;
  for (const part of parts) {
    if (isMarked(part.wire)) marks++;
    if (part.type === "tool-result" && !part.server) marks += marksIn(part.content);
  }
  return marks;
}

/** The parts without their first `count` marks; the same objects where there are none. */
export function withoutFirstMarks(parts: readonly Part[], count: number): readonly Part[] {
  let left = Math.min(count, marksIn(parts));
  if (left === 0) return parts;
  const unmark = (part: Part): Part => {
    const inner = part.type === "tool-result" && !part.server ? { ...part, content: part.content.map(unmark) } : part;
    if (left === 0 || !isMarked(part.wire)) return inner;
    left--;
    return { ...inner, wire: unmarked(part.wire) };
  };
  return parts.map((part) => (left === 0 ? part : unmark(part)));
}

/** Clients may write a missing mark as null. */
function isMarked(wire: JsonObject | undefined): wire is JsonObject {
  return (wire?.[MARK_KEY] ?? null) !== null;
}
