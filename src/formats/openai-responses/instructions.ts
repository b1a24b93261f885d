/** The separate system prompt of a Responses body: a string, or (in responses and templates) a list of message items. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type Part, text, textsOf } from "../../core/message.ts";
import { overlay } from "../overlay.ts";
import { decodeContent } from "./content.ts";

export function decodeInstructions(instructions: JsonValue | undefined): readonly Part[] {
  if (typeof instructions === "string") return [text(instructions)];
  return isArray(instructions) ? instructions.filter(isObject).map(decodeInstruction) : [];
}

/** One part per item: its text when that is all it holds. */
function decodeInstruction(item: JsonObject): Part {
  const parts =
    typeof item.content === "string" || isArray(item.content) ? decodeContent(item.content, "instructions") : [];
  const isText = parts.length > 0 && parts.every((part) => part.type === "text");
  if (!isText) return { type: "opaque", kind: stringOf(item.type) ?? "message", wire: item };
  return { type: "text", text: textsOf(parts).join("\n"), wire: item };
}

export function encodeInstructions(system: readonly Part[], before: JsonValue | undefined): JsonValue {
  if (!isArray(before)) return textsOf(system).join("\n\n");
  return system.flatMap((part): readonly JsonObject[] => {
    if (part.type === "opaque") return [part.wire];
    if (part.type !== "text") return [];
    const isSame = part.wire !== undefined && textOf(part.wire) === part.text;
    return [isSame ? part.wire : overlay(part.wire ?? { role: "developer" }, { content: part.text })];
  });
}

function textOf(item: JsonObject): string | undefined {
  const part = decodeInstruction(item);
  return part.type === "text" ? part.text : undefined;
}
