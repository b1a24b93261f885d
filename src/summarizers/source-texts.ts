/** Every string a conversation holds for a reader: texts, results, arguments, names. Never reasoning, never binary data. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Message, Part } from "../core/message.ts";
import { opaqueTexts } from "./opaque-text.ts";

/** What a summary may draw on. */
export function groundOf({ messages, turnPrefix, kept, previous, instructions }: SummaryInput): readonly string[] {
  const others = [previous?.text, instructions].filter((text) => text !== undefined);
  return [...sourceTexts(messages), ...sourceTexts(turnPrefix), ...sourceTexts(kept), ...others];
}

export function sourceTexts(messages: readonly Message[]): readonly string[] {
  const texts: string[] = [];
  for (const message of messages) for (const part of message.parts) addPart(part, texts);
  return texts;
}

const DEPTH_MAX = 32;

function addPart(part: Part, texts: string[]): void {
  switch (part.type) {
    case "text":
      texts.push(part.text);
      return;
    case "tool-call":
      texts.push(part.name);
      addJson(part.input, texts, 0);
      return;
    case "tool-result":
      for (const inner of part.content) addPart(inner, texts);
      return;
    case "media":
      if (part.name !== undefined) texts.push(part.name);
      if (part.source.type === "text") texts.push(part.source.text);
      if (part.source.type === "url" && !part.source.url.startsWith("data:")) texts.push(part.source.url);
      return;
    case "opaque":
      texts.push(...opaqueTexts(part));
      return;
    case "reasoning":
      return;
    default:
      part satisfies never;
  }
}

function addJson(value: JsonValue, texts: string[], depth: number): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "number") texts.push(String(value));
  else if (depth > DEPTH_MAX) return;
  else if (isArray(value)) for (const item of value) addJson(item, texts, depth + 1);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key);
      if (item !== undefined) addJson(item, texts, depth + 1);
    }
  }
}
