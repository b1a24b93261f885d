/**
 * A number that changes with the length of anything in a message that is counted, and with any member of it that comes or goes. Reads no
 * text, for it is asked of every message each time; and goes no deeper than recursive walks are safe with, so it says whether one may follow.
 */

import { JSON_DEPTH_MAX } from "../core/json.ts";
import type { MediaPart, Part } from "../core/message.ts";
import { partDetail } from "../core/tokens/counted.ts";

/** In place of a weight, for what nests deeper. */
export const TOO_DEEP = -1;

/** Only of what is counted: a field that nobody reads may nest as it likes. */
export function weightOf(parts: readonly Part[], levels: number = JSON_DEPTH_MAX): number {
  let weight = 1;
  for (const part of parts) {
    const own = weightOfPart(part, levels);
    if (own === TOO_DEEP) return TOO_DEEP;
    weight += own;
  }
  return weight;
}

function weightOfPart(part: Part, levels: number): number {
  switch (part.type) {
    case "text":
      return 1 + part.text.length;
    case "reasoning":
      return 1 + part.text.length + lengthOf(part.signature) + lengthOf(part.encrypted);
    case "media":
      return weightOfMedia(part);
    case "tool-call": {
      const input = weightOfJson(part.input, levels);
      return input === TOO_DEEP ? TOO_DEEP : input + part.name.length;
    }
    case "tool-result":
      return levels === 0 ? TOO_DEEP : weightOf(part.content, levels - 1);
    case "opaque":
      return weightOfJson(part.wire, levels);
    default:
      return part satisfies never;
  }
}

/** Of the fields that say what it costs. */
function weightOfMedia(part: MediaPart): number {
  const { source } = part;
  const text = source.type === "base64" ? source.data : source.type === "text" ? source.text : undefined;
  const address = source.type === "url" ? source.url : undefined;
  return 1 + lengthOf(text) + lengthOf(address) + lengthOf(part.mediaType) + lengthOf(partDetail(part));
}

function lengthOf(text: string | undefined): number {
  return text === undefined ? 0 : 1 + text.length;
}

/** Stops at the first place that is too deep, so cycles end too. */
function weightOfJson(value: unknown, levels: number): number {
  if (typeof value === "string") return 1 + value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (levels === 0) return TOO_DEEP;
  let weight = 1;
  // A list is walked by its places: by its keys takes five times as long.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const own = weightOfJson(value[index], levels - 1);
      if (own === TOO_DEEP) return TOO_DEEP;
      weight += own;
    }
    return weight;
  }
  for (const key in value) {
    // Any object may be asked for a key of its own.
    const own = weightOfJson((value as Record<string, unknown>)[key], levels - 1);
    if (own === TOO_DEEP) return TOO_DEEP;
    weight += own;
  }
  return weight;
}
