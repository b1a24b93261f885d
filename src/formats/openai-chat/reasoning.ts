/** Reasoning that OpenAI-compatible servers put beside `content`, under several names. Carried as it came; never made up. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { ReasoningPart } from "../../core/message.ts";

/** The fields say the same thing in several ways, so one part stands for all of them. */
const FIELDS = ["reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"] as const;

export function decodeReasoning(json: JsonObject): readonly ReasoningPart[] {
  const present = FIELDS.filter((field) => saysSomething(json[field]));
  if (present.length === 0) return [];
  const details = present.flatMap((field) => detailsOf(json[field]));
  const encrypted = details.map((detail) => stringOf(detail.data)).find((data) => data !== undefined);
  const signature = details.map((detail) => stringOf(detail.signature)).find((value) => value !== undefined);
  return [
    {
      type: "reasoning",
      text: textOf(json),
      ...(signature !== undefined && { signature }),
      ...(encrypted !== undefined && { encrypted }),
      wire: Object.fromEntries(present.map((field) => [field, json[field]])),
    },
  ];
}

/** The fields to write; none for reasoning that did not come from Chat, which has nowhere to put it. */
export function reasoningFields({ text, wire }: ReasoningPart): JsonObject {
  const present = FIELDS.filter((field) => wire?.[field] !== undefined);
  if (wire === undefined || present.length === 0) return {};
  const kept = Object.fromEntries(present.map((field) => [field, wire[field]]));
  if (text === textOf(wire)) return kept;
  // Details are signed or mirror the text, so an edit leaves only the plain text.
  const plain = present.filter((field) => typeof wire[field] === "string");
  return Object.fromEntries(plain.map((field) => [field, text]));
}

function saysSomething(value: JsonValue | undefined): boolean {
  if (isArray(value)) return value.length > 0;
  return value !== undefined && value !== null && value !== "";
}

function textOf(json: JsonObject): string {
  for (const field of FIELDS) {
    const value = json[field];
    if (typeof value === "string" && value !== "") return value;
    const texts = detailsOf(value).map(
      ({ text, summary, thinking }) => stringOf(text) ?? stringOf(summary) ?? stringOf(thinking) ?? "",
    );
    const joined = texts.filter((text) => text !== "").join("\n");
    if (joined !== "") return joined;
  }
  return "";
}

function detailsOf(value: JsonValue | undefined): readonly JsonObject[] {
  if (isArray(value)) return value.filter(isObject);
  return isObject(value) ? [value] : [];
}
