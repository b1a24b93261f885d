/**
 * Counts who mentioned which identifier, how often and when, as messages go by. Linear in the text, bounded in memory: past
 * the limit the least promising half is forgotten. Never keeps a message, never ranks: see `facts.ts`.
 */

import { isArray, isObject, type JsonValue } from "../json.ts";
import type { Message, Part, ToolCallPart } from "../message.ts";
import { RUN_CHARS_MIN } from "./identifier-runs.ts";
import { type Stretch, scanLineStarts, scanUnits, visitStretches } from "./identifier-scan.ts";
import { createMentionTable, type Fact, type FactSource, type MentionTable, type VisitFact } from "./mention-table.ts";

export interface FactLedger {
  /** Messages seen so far. */
  readonly messages: number;
  readonly size: number;
  add(message: Message): void;
  /**
   * Every fact in the order of its first mention, or just those of which the numbers in that order are given, as they are. The objects are
   * only valid during the call: they are used again.
   */
  visit(visitFact: VisitFact, entries?: Int32Array): void;
}

export interface FactLedgerOptions {
  /** Past this many facts the weaker half goes. */
  readonly factsMax?: number;
}

export const FACTS_MAX = 60_000;
/** Templates that show how it is done stand at the beginning. */
const OPENING_MESSAGES = 4;

export function createFactLedger({ factsMax = FACTS_MAX }: FactLedgerOptions = {}): FactLedger {
  const table = createMentionTable();
  let index = 0;
  const { mention } = table;
  const scanStretch = (stretch: Stretch): void => {
    table.enter(stretch);
    scanUnits(stretch, mention);
  };
  const mentionLine = (stretch: Stretch): void => {
    table.enter(stretch);
    mention(0, stretch.length, "line");
  };
  const scan: Scan = (text, source, isEscaped) => {
    if (text.length < RUN_CHARS_MIN) return;
    table.place(text, source, index);
    visitStretches(text, scanStretch);
    if (!isEscaped) return;
    scanLineStarts(text, (word) => {
      table.place(word, source, index);
      visitStretches(word, mentionLine);
    });
  };
  return {
    get messages(): number {
      return index;
    },
    get size(): number {
      return table.size();
    },
    add(message) {
      const isOpening = message.role === "user" && index < OPENING_MESSAGES;
      for (const part of message.parts) {
        if (isOpening && part.type === "text") scan(withoutDemonstrations(part.text), "user", false);
        else scanPart(part, message.role === "user" ? "user" : "assistant", scan);
      }
      index++;
      if (table.size() > factsMax) forget(table, factsMax >> 1);
    },
    visit: (visitFact, entries) => table.visit(visitFact, entries),
  };
}

/** `isEscaped`: the text stands in the request as a JSON string, so that its line breaks read `\\n`. */
type Scan = (text: string, source: FactSource, isEscaped: boolean) => void;

function scanPart(part: Part, speaker: FactSource, scan: Scan): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      scan(part.text, speaker, false);
      return;
    case "tool-call":
      scanInput(part.input, { scan, isEscaped: hasTextArguments(part) }, 0);
      return;
    case "tool-result":
      for (const inner of part.content) scanPart(inner, "results", scan);
      return;
    case "media":
      if (part.source.type === "text") scan(part.source.text, "results", false);
      else if (part.source.type === "url" && part.source.url.length < 1_000) scan(part.source.url, speaker, false);
      return;
    case "opaque":
      return;
    default:
      part satisfies never;
  }
}

const INPUT_DEPTH_MAX = 12;
/** Paths, commands and queries are shorter; texts to be written are longer. */
const SHORT_ARGUMENT_CHARS = 240;

/** Some formats send arguments as JSON text inside JSON. */
function hasTextArguments({ wire }: ToolCallPart): boolean {
  if (wire === undefined) return false;
  const holder = isObject(wire.function) ? wire.function : wire;
  return typeof holder.arguments === "string";
}

interface InputScan {
  readonly scan: Scan;
  readonly isEscaped: boolean;
}

function scanInput(input: JsonValue, walk: InputScan, depth: number): void {
  const { scan, isEscaped } = walk;
  if (typeof input === "string") {
    const isLong = input.length > SHORT_ARGUMENT_CHARS;
    scan(input, isLong ? "writes" : "calls", isEscaped && isLong);
  } else if (typeof input === "number") scan(String(input), "calls", false);
  else if (depth > INPUT_DEPTH_MAX || input === null || typeof input === "boolean") return;
  else if (isArray(input)) for (const item of input) scanInput(item, walk, depth + 1);
  else {
    for (const key in input) {
      if (!PLAIN_WORD.test(key)) scan(key, "keys", false);
      const value = input[key];
      if (value !== undefined) scanInput(value, walk, depth + 1);
    }
  }
}

/** Most names of arguments are one, which is never an identifier. */
const PLAIN_WORD = /^[a-z]*$/;

/** Keeps about so many, those mentioned most widely and most lately. */
function forget(table: MentionTable, keep: number): void {
  const worths = new Float64Array(table.size());
  let at = 0;
  table.visit((fact) => {
    worths[at++] = worthOf(fact);
  });
  const threshold = worths.slice().sort()[worths.length - keep] ?? 0;
  at = 0;
  table.keep(() => (worths[at++] ?? 0) >= threshold);
}

function worthOf({ user, calls, writes, messages, last, results }: Fact): number {
  const isCalled = calls + writes > 0;
  return (user > 0 ? 4 : 0) + (isCalled ? 3 : 0) + Math.log2(1 + messages) + Math.log2(1 + results) / 4 + last / 1e6;
}

const MARK = /(?:end of (?:the |an? )?(?:example|demonstration))/i;
const START = /^\W*(?:(?:start|begin(?:ning)?) of (?:the |an? )?(?:example|demonstration)|demonstration)\W*$/i;
const END = /^\W*end of (?:the |an? )?(?:example|demonstration)\W*$/i;

/**
 * A text without the demonstrations of other tasks that a template marks by a line before and a line after: their names do not belong
 * to this work.
 */
export function withoutDemonstrations(text: string): string {
  if (!MARK.test(text)) return text;
  const lines = text.split("\n");
  const own: string[] = [];
  // Looked for once more than there are, so that marks without an end cost no more than one search.
  let mayEnd = true;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const isStart = mayEnd && START.test(line);
    const end = isStart ? lines.findIndex((below, index) => index > at && END.test(below)) : -1;
    if (isStart && end < 0) mayEnd = false;
    if (end < 0) own.push(line);
    else at = end;
  }
  return own.join("\n");
}
