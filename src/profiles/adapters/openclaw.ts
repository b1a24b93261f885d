/** OpenClaw's nested configuration, parsed or as JSON5, as settings. Reads only `agents.defaults.compaction`. */

import { CompactionError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import { checkSchema, nearestWord, refuseProblems, shownValue } from "../../core/settings/check-schema.ts";
import { amount, choice, filledText, flag, type SchemaFor } from "../../core/settings/schema.ts";
import { OPENCLAW_RESERVE_FLOOR_TOKENS, OPENCLAW_RESERVE_TOKENS } from "../profiles.ts";
import { type AdaptedSettings, inSubject } from "./adapted.ts";

export interface OpenclawCompaction {
  readonly mode?: "default" | "safeguard";
  readonly reserveTokens?: number;
  readonly reserveTokensFloor?: number;
  readonly keepRecentTokens?: number;
  readonly maxHistoryShare?: number;
  readonly memoryFlush?: {
    readonly enabled?: boolean;
    readonly softThresholdTokens?: number;
    readonly prompt?: string;
    readonly systemPrompt?: string;
  };
}

export interface OpenclawOptions {
  /** The minimum for Nexus: every field must be there. */
  readonly requireAll?: boolean;
}

/** The configuration parsed, or its JSON5 text. */
export function openclawSettings(configuration: unknown, options: OpenclawOptions = {}): AdaptedSettings {
  const parsed = typeof configuration === "string" ? parseJson5(configuration) : configuration;
  return translate(readCompaction(parsed, options));
}

const PATH = ["agents", "defaults", "compaction"] as const;
/** The two others are newer than the notes and always optional. */
const REQUIRED = ["mode", "reserveTokensFloor", "maxHistoryShare", "memoryFlush"] as const;
const REQUIRED_FLUSH = ["enabled", "softThresholdTokens", "prompt", "systemPrompt"] as const;
const SUBJECT = "OpenClaw configuration";

function readCompaction(configuration: unknown, { requireAll = false }: OpenclawOptions): OpenclawCompaction {
  const found = descend(configuration);
  const compaction = found === undefined ? {} : found;
  const problems = [
    ...checkSchema({ agents: { defaults: { compaction } } }, configurationSchema, { partial: true }),
    ...(requireAll ? missingOf(compaction) : []),
  ];
  refuseProblems(problems.map((problem) => inSubject(problem, SUBJECT)));
  // The schema has just found it to be of this shape.
  return compaction as OpenclawCompaction;
}

/** Beside the path anything may stand, but where the next key is absent a near miss of it is a mistake. */
function descend(configuration: unknown): unknown {
  let value = configuration;
  for (const [depth, key] of PATH.entries()) {
    const path = PATH.slice(0, depth).join(".");
    if (!isPlainObject(value)) {
      const subject = path === "" ? "The OpenClaw configuration" : path;
      throw new CompactionError("invalid-settings", `${subject} must be an object, but is ${shownValue(value)}`);
    }
    const near = Object.hasOwn(value, key) ? undefined : nearestWord(key, Object.keys(value));
    if (near !== undefined) {
      const [wrong, right] = [near, key].map((name) => [...PATH.slice(0, depth), name].join("."));
      throw new CompactionError(
        "invalid-settings",
        `Unknown key ${wrong}; did you mean ${right}? (OpenClaw configuration)`,
      );
    }
    value = Object.hasOwn(value, key) ? value[key] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function missingOf(compaction: unknown) {
  const path = PATH.join(".");
  const flush = isPlainObject(compaction) ? compaction.memoryFlush : undefined;
  const missing = [
    ...REQUIRED.filter((key) => !has(compaction, key)).map((key) => `${path}.${key}`),
    ...REQUIRED_FLUSH.filter((key) => isPlainObject(flush) && !has(flush, key)).map(
      (key) => `${path}.memoryFlush.${key}`,
    ),
  ];
  return missing.map((key) => ({ path: key, message: `${key} is missing; the minimum configuration has every field` }));
}

function has(value: unknown, key: string): boolean {
  return isPlainObject(value) && value[key] !== undefined;
}

function translate(compaction: OpenclawCompaction): AdaptedSettings {
  const { mode, memoryFlush } = compaction;
  const { reserveTokens = OPENCLAW_RESERVE_TOKENS, reserveTokensFloor: floorTokens = OPENCLAW_RESERVE_FLOOR_TOKENS } =
    compaction;
  const isReserveGiven = compaction.reserveTokens !== undefined || compaction.reserveTokensFloor !== undefined;
  return {
    profile: "openclaw",
    user: {
      compact: isReserveGiven
        ? { triggers: [{ type: "reserve", reserveTokens, floorTokens, comparison: "gt" }] }
        : undefined,
      protect: { tailTokens: compaction.keepRecentTokens },
      summary: {
        // One pass, or chunked and adaptive.
        mode: mode === undefined ? undefined : mode === "safeguard" ? "staged" : "single",
        staged: { maxHistoryShare: compaction.maxHistoryShare },
      },
      memoryFlush,
    },
  };
}

const compactionSchema: SchemaFor<
  Required<Omit<OpenclawCompaction, "memoryFlush">> & {
    readonly memoryFlush: Required<NonNullable<OpenclawCompaction["memoryFlush"]>>;
  }
> = {
  type: "object",
  about: "OpenClaw's compaction object.",
  keys: {
    mode: choice("Default: safeguard.", { default: "one pass", safeguard: "chunked, adaptive, with history pruning" }),
    reserveTokens: amount("Default: 16,384, raised to the floor."),
    reserveTokensFloor: amount("Default: 20,000; 0 for no floor."),
    keepRecentTokens: amount("Default: 20,000."),
    maxHistoryShare: { type: "number", min: 0.1, max: 0.9, about: "Default: 0.5." },
    memoryFlush: {
      type: "object",
      about: "The turn before a compaction in which the agent writes down what to remember.",
      keys: {
        enabled: flag("Default: true."),
        softThresholdTokens: amount("Default: 4,000."),
        prompt: filledText("What the agent is asked in that turn."),
        systemPrompt: filledText("The system prompt of that turn."),
      },
    },
  },
};

const configurationSchema = {
  type: "object",
  about: "",
  keys: {
    agents: {
      type: "object",
      about: "",
      keys: { defaults: { type: "object", about: "", keys: { compaction: compactionSchema } } },
    },
  },
} as const;

const TEXT_CHARACTERS_MAX = 1_000_000;
const DEPTH_MAX = 100;

export function parseJson5(text: string): unknown {
  if (text.length > TEXT_CHARACTERS_MAX) {
    const message = `A configuration text has at most ${TEXT_CHARACTERS_MAX} characters, this one has ${text.length}`;
    throw new CompactionError("invalid-settings", message);
  }
  const reader: Reader = { text, at: 0, depth: 0 };
  const value = readValue(reader);
  skipBlank(reader);
  if (reader.at < text.length) throw unexpected(reader, "the end of the text");
  return value;
}

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

const BLANK = /(?:[\t\v\f\n\r\u2028\u2029\ufeff\p{Zs}]+|\/\/[^\n\r\u2028\u2029]*|\/\*[\s\S]*?\*\/)*/uy;
const WORD =
  /(?:[$_\p{L}\p{Nl}]|\\u[\da-fA-F]{4})(?:[$_\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]|\u200c|\u200d|\\u[\da-fA-F]{4})*/uy;
const WORD_PLAIN = /^[$_\p{L}\p{Nl}](?:[$_\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]|\u200c|\u200d)*$/u;
const NUMBER =
  /([+-]?)(?:(Infinity|NaN)|(0[xX][\da-fA-F]+)|((?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))/uy;
/** What may not stand directly behind a number: `1a`, `01`, `0x1g`. */
const NUMBER_GOES_ON = /[$\\\p{L}\p{Nl}\p{Nd}\p{Pc}]/uy;
const PLAIN_CHARACTERS = { '"': /[^"\\\n\r]*/uy, "'": /[^'\\\n\r]*/uy } as const;
const ESCAPE =
  /\\(?:(\r\n|[\n\r\u2028\u2029])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|(0)(?!\d)|([^1-9xu0\n\r\u2028\u2029]))/uy;
const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

function readValue(reader: Reader): unknown {
  skipBlank(reader);
  const { text, at } = reader;
  switch (text[at]) {
    case "{":
      return nested(reader, readObject);
    case "[":
      return nested(reader, readList);
    case '"':
      return readString(reader, '"');
    case "'":
      return readString(reader, "'");
    default:
      return readNumber(reader) ?? readLiteral(reader);
  }
}

function nested(reader: Reader, read: (reader: Reader) => unknown): unknown {
  reader.depth++;
  if (reader.depth > DEPTH_MAX) throw unexpected(reader, `at most ${DEPTH_MAX} levels`);
  reader.at++;
  const value = read(reader);
  reader.depth--;
  return value;
}

function readObject(reader: Reader): unknown {
  const entries: [string, unknown][] = [];
  while (!isClosed(reader, "}")) {
    const key = readKey(reader);
    skipBlank(reader);
    take(reader, ":");
    entries.push([key, readValue(reader)]);
    separate(reader, "}");
  }
  return Object.fromEntries(entries);
}

function readList(reader: Reader): unknown {
  const items: unknown[] = [];
  while (!isClosed(reader, "]")) {
    items.push(readValue(reader));
    separate(reader, "]");
  }
  return items;
}

function isClosed(reader: Reader, close: string): boolean {
  skipBlank(reader);
  if (reader.text[reader.at] !== close) return false;
  reader.at++;
  return true;
}

/** A comma, or the end, which is left for `isClosed`. */
function separate(reader: Reader, close: string): void {
  skipBlank(reader);
  if (reader.text[reader.at] === ",") reader.at++;
  else if (reader.text[reader.at] !== close) throw unexpected(reader, `a comma or ${close}`);
}

function readKey(reader: Reader): string {
  const quote = reader.text[reader.at];
  if (quote === '"' || quote === "'") return readString(reader, quote);
  const word = match(reader, WORD)?.[0];
  const key = word?.replace(/\\u(.{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  // An escape must stand for something that could have been written without it.
  if (key === undefined || !WORD_PLAIN.test(key)) throw unexpected(reader, "a key");
  return key;
}

function readString(reader: Reader, quote: '"' | "'"): string {
  reader.at++;
  let value = "";
  for (;;) {
    value += match(reader, PLAIN_CHARACTERS[quote])?.[0] ?? "";
    if (reader.text[reader.at] === quote) break;
    const escaped = match(reader, ESCAPE);
    if (escaped === undefined) throw unexpected(reader, `the end of the string, ${quote}`);
    value += unescaped(escaped);
  }
  reader.at++;
  return value;
}

function unescaped([, lineBreak, byte, unit, zero, character]: RegExpExecArray): string {
  if (lineBreak !== undefined) return "";
  if (zero !== undefined) return "\0";
  const hex = byte ?? unit;
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return ESCAPED[character ?? ""] ?? character ?? "";
}

function readNumber(reader: Reader): number | undefined {
  const found = match(reader, NUMBER);
  if (found === undefined) return undefined;
  if (match(reader, NUMBER_GOES_ON) !== undefined) {
    reader.at--;
    throw unexpected(reader, "the end of the number");
  }
  const [, sign, word, hex, decimal] = found;
  const size = word === undefined ? Number(hex ?? decimal) : Number(word);
  return sign === "-" ? -size : size;
}

const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

function readLiteral(reader: Reader): boolean | null {
  const start = reader.at;
  const value = LITERALS.get(match(reader, WORD)?.[0] ?? "");
  if (value !== undefined) return value;
  reader.at = start;
  throw unexpected(reader, "a value");
}

function take(reader: Reader, character: string): void {
  if (reader.text[reader.at] !== character) throw unexpected(reader, `a ${character === ":" ? "colon" : character}`);
  reader.at++;
}

function skipBlank(reader: Reader): void {
  match(reader, BLANK);
}

/** Matches at the reader's place only, and moves it behind. */
function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return undefined;
  reader.at = pattern.lastIndex;
  return found;
}

function unexpected({ text, at }: Reader, expected: string): CompactionError {
  const before = text.slice(0, at).split(/\r\n|[\n\r\u2028\u2029]/);
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const found = at >= text.length ? "the text ends" : `there is ${JSON.stringify(text[at])}`;
  return new CompactionError("invalid-settings", `The JSON5 text needs ${expected} at ${place}, but ${found}`);
}
