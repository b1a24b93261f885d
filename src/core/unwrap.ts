/** What a call or a result says, out of its packaging (JSON in a string, an envelope around one text). Linear, bounded, never throws. */

import { isArray, isObject, isTooDeep, type JsonObject, type JsonValue, parseJson } from "./json.ts";

/** How deep packaging is opened. What lies deeper stays as it is. */
const DEPTH_MAX = 12;
/** Text before the JSON that ends a string, such as "Found 3 pages:". */
const LEAD_CHARS_MAX = 400;
/** Members that only tell how the envelope is made. */
const PACKAGING: ReadonlySet<string> = new Set(["type", "annotations", "_meta", "meta", "mimeType"]);
/** Members that hold what an envelope was made for. */
const CONTENT: ReadonlySet<string> = new Set(["text", "content", "result", "output", "data", "structuredContent"]);

/** Plain values: no strings that hold JSON, no envelopes around one value, no members that are null or empty. */
export function unwrap(value: JsonValue): JsonValue {
  return opened(value, DEPTH_MAX);
}

function opened(value: JsonValue, depth: number): JsonValue {
  if (depth === 0) return value;
  if (typeof value === "string") return openedText(value, depth);
  if (isArray(value)) {
    const items = value.map((item) => opened(item, depth - 1)).filter((item) => !isEmpty(item));
    return items.length === 1 && value.length === 1 && isEnvelope(value[0]) ? (items[0] ?? "") : items;
  }
  return isObject(value) ? openedObject(value, depth) : value;
}

function openedObject(value: JsonObject, depth: number): JsonValue {
  const members: [string, JsonValue][] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || isEmpty(inner)) continue;
    const plain = opened(inner, depth - 1);
    if (!isEmpty(plain)) members.push([key, plain]);
  }
  const telling = members.filter(([key, inner]) => !isPackaging(key, inner));
  const only = telling.length === 1 ? telling[0] : undefined;
  if (only !== undefined && CONTENT.has(only[0])) return only[1];
  return Object.fromEntries(members);
}

/** Whether an object is the packaging of one content. */
function isEnvelope(value: JsonValue | undefined): boolean {
  return isObject(value) && Object.keys(value).some((key) => CONTENT.has(key));
}

function isPackaging(key: string, value: JsonValue): boolean {
  return PACKAGING.has(key) || (key.toLowerCase() === "iserror" && value === false);
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === "") return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A string that is JSON, that ends in JSON, or that prints an envelope as Python does. */
function openedText(text: string, depth: number): JsonValue {
  const printed = printedText(text);
  if (printed !== undefined) return opened(printed, depth - 1);
  const end = text.trimEnd().at(-1);
  if (end !== "}" && end !== "]" && end !== '"') return text;
  const whole = parsed(text);
  if (whole !== undefined) return opened(whole, depth - 1);
  const start = leadEnd(text);
  const rest = start < 0 ? undefined : parsed(text.slice(start));
  return rest === undefined ? text : [text.slice(0, start).trim(), opened(rest, depth - 1)];
}

/** Where a line of a text opens JSON; negative where none does near its start. */
function leadEnd(text: string): number {
  const lead = text.slice(0, LEAD_CHARS_MAX);
  const match = /(?:\n\s*|: ?)([{[])/.exec(lead);
  return match === null ? -1 : match.index + match[0].length - 1;
}

function parsed(text: string): JsonValue | undefined {
  const start = text.trimStart().charAt(0);
  if ((start !== "{" && start !== "[" && start !== '"') || isTooDeep(text)) return undefined;
  // Where it only looks like JSON, the text stays as it stands.
  const value = parseJson(text);
  return typeof value === "object" || (typeof value === "string" && /^\s*[{["]/.test(value)) ? value : undefined;
}

const PRINTED = /TextContent\(type='text', text=(['"])/g;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

/** The texts of an envelope that was printed as a Python object, one after the other; undefined where it is none. */
function printedText(text: string): string | undefined {
  if (!text.includes("TextContent(")) return undefined;
  const texts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(PRINTED)) {
    if (match.index < from) continue;
    const start = match.index + match[0].length;
    const end = quoteEnd(text, start, match[1] ?? "'");
    texts.push(text.slice(start, end).replace(/\\(x[0-9a-f]{2}|u[0-9a-f]{4}|.)/gs, unescaped));
    from = end;
  }
  if (texts.length === 0) return undefined;
  return /\bis_?Error=True\b/.test(text.slice(from)) ? `Error: ${texts.join("\n")}` : texts.join("\n");
}

function quoteEnd(text: string, start: number, quote: string): number {
  let at = start;
  while (at < text.length && text[at] !== quote) at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

function unescaped(_match: string, code: string): string {
  const hex = /^[xu](.+)$/.exec(code)?.[1];
  return hex === undefined ? (ESCAPES[code] ?? code) : String.fromCharCode(Number.parseInt(hex, 16));
}
