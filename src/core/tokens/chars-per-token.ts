/**
 * The exact estimates of the profiles' sources: characters divided by four, each with its own rounding and its own choice of what
 * counts. For profiles that promise a source's numbers; wrong by a fifth and more on code, ids and scripts other than Latin, so never
 * the default.
 *
 * | name | counts | rounding |
 * | --- | --- | --- |
 * | `microAgentTokens` | text, call name and JSON input, text inside results; nothing else | down, once, over the grand total |
 * | `nousTokens` | all content as text | down, per message, + 4 |
 * | `openclawTokens` | text, reasoning, call name and JSON input, results; a picture is 1,200 | up, per message; × 1.2 for chunk sizes |
 * | `autoCompactTokens` | content, call name, JSON arguments | down, per field, + 4 |
 */

import { CompactionError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { Message, Part } from "../message.ts";
import { sumOf, type TokenCounter } from "./tokens.ts";

export interface CharsPerTokenOptions {
  readonly name: string;
  /** Where the division is rounded: over the grand total, per message, or per field of a message: its content, a call's name, its input. */
  readonly rounding: "total" | "message" | "field";
  /** `floor` unless the source says otherwise. */
  readonly round?: (tokens: number) => number;
  readonly perMessageOverhead?: number;
  /** By how much a decision on a chunk size allows for underestimates; never part of a total. */
  readonly safetyMargin?: number;
  readonly charsPerToken?: number;
  /** The lengths of a part's fields; a part that does not count has none. */
  readonly fieldChars?: (part: Part) => readonly number[];
}

/** The one factory behind all of them. */
export function charsPerToken(options: CharsPerTokenOptions): TokenCounter {
  const settings = {
    round: Math.floor,
    perMessageOverhead: 0,
    safetyMargin: 1,
    charsPerToken: 4,
    fieldChars: allChars,
    ...options,
  };
  const { rounding, round, perMessageOverhead, fieldChars } = settings;
  if (!(settings.charsPerToken > 0)) throw new CompactionError("invalid-settings", "charsPerToken must be above 0");
  if (rounding === "total" && perMessageOverhead !== 0) {
    throw new CompactionError("invalid-settings", "perMessageOverhead needs rounding per message or field");
  }
  const divide = (chars: number): number => round(chars / settings.charsPerToken);
  const charsOf = (parts: readonly Part[]): number => sumOf(parts, (part) => sumOf(fieldChars(part), (chars) => chars));
  // What is said is one field, however many blocks it stands in; of a call, each field is one.
  const fieldTokens = (parts: readonly Part[]): number =>
    divide(charsOf(parts.filter(({ type }) => type !== "tool-call"))) +
    sumOf(parts, (part) => (part.type === "tool-call" ? sumOf(fieldChars(part), divide) : 0));
  const partsTokens = (parts: readonly Part[]): number =>
    rounding === "field" ? fieldTokens(parts) : divide(charsOf(parts));
  const size = (message: Message): number =>
    rounding === "total" ? charsOf(message.parts) : partsTokens(message.parts) + perMessageOverhead;
  const tokens = (sum: number): number => (rounding === "total" ? divide(sum) : sum);
  const countJson = (value: JsonValue): number => divide(JSON.stringify(value).length);
  return {
    name: settings.name,
    size,
    tokens,
    count: (message) => tokens(size(message)),
    total: (messages) => tokens(sumOf(messages, size)),
    countParts: partsTokens,
    countText: (text) => divide(text.length),
    countJson,
    countTools: (tools) => (tools === undefined || tools === null ? 0 : countJson(tools)),
    safetyMargin: settings.safetyMargin,
  };
}

/** micro-agent's rule: all characters together, divided by four. */
export function microAgentTokens(): TokenCounter {
  return charsPerToken({ name: "micro-agent", rounding: "total", fieldChars: microAgentChars });
}

/** One estimate for the trigger and the cut. */
export function nousTokens(): TokenCounter {
  return charsPerToken({ name: "nous", rounding: "message", perMessageOverhead: 4 });
}

/** OpenClaw's rule: an estimate for each message, with a margin where it decides the size of a chunk. */
export function openclawTokens(): TokenCounter {
  return charsPerToken({
    name: "openclaw",
    rounding: "message",
    round: Math.ceil,
    safetyMargin: 1.2,
    fieldChars: openclawChars,
  });
}

/** The tool's name counts too. */
export function autoCompactTokens(): TokenCounter {
  return charsPerToken({ name: "auto-compact", rounding: "field", perMessageOverhead: 4 });
}

const jsonChars = (value: JsonValue): number => JSON.stringify(value).length;
/** Arguments that are no JSON object were a string on the wire and count as they stood there. */
const inputChars = (input: JsonValue): number => (typeof input === "string" ? input.length : jsonChars(input));

function microAgentChars(part: Part): readonly number[] {
  switch (part.type) {
    case "text":
      return [part.text.length];
    case "tool-call":
      return [part.name.length, inputChars(part.input)];
    case "tool-result":
      return part.content.map((inner) => (inner.type === "text" ? inner.text.length : 0));
    case "media":
    case "reasoning":
    case "opaque":
      return [];
    default:
      return part satisfies never;
  }
}

/** 1,200 tokens at four characters each. */
const OPENCLAW_IMAGE_CHARS = 4_800;

function openclawChars(part: Part): readonly number[] {
  switch (part.type) {
    case "media":
      return [OPENCLAW_IMAGE_CHARS];
    case "reasoning":
      return [part.text.length];
    case "tool-result":
      return part.content.flatMap(openclawChars);
    case "text":
    case "tool-call":
    case "opaque":
      return microAgentChars(part);
    default:
      return part satisfies never;
  }
}

/** Content serialised to text: everything, bytes of media aside, which no source meant to count as characters. */
function allChars(part: Part): readonly number[] {
  switch (part.type) {
    case "text":
    case "reasoning":
      return [part.text.length];
    case "tool-call":
      return [part.name.length, inputChars(part.input)];
    case "tool-result":
      return [sumOf(part.content.flatMap(allChars), (chars) => chars)];
    case "media":
      return [part.source.type === "text" ? part.source.text.length : OPENCLAW_IMAGE_CHARS];
    case "opaque":
      return [jsonChars(part.wire)];
    default:
      return part satisfies never;
  }
}
