/**
 * Exact strings that cannot be rephrased: addresses, paths, versions, hashes, ports, amounts. Finds them in a summary and looks for
 * them in its source. Linear time.
 */

import { scanIdentifiers } from "../core/facts/facts.ts";
import { isNone, parseSections } from "./sections.ts";

type EntityKind = "url" | "email" | "path" | "ip" | "version" | "hash" | "port" | "amount" | "number";

export interface Entity {
  readonly kind: EntityKind;
  readonly text: string;
}

/** Entities beyond this number are ignored. */
const ENTITIES_MAX = 500;

const UNIT =
  "%|ms|µs|ns|s|sec|secs|seconds?|mins?|minutes?|h|hrs?|hours?|days?|[KMGT]i?B|bytes?|[kmg]b|px|rem|em|pt|°C|°F|km|cm|mm|kg|mg|Hz|[kMG]Hz|USD|EUR|GBP|tokens?";

/** Applied in order; a later pattern does not see what an earlier one matched. Every run is bounded or entered at its start only. */
const PATTERNS: readonly (readonly [EntityKind, RegExp])[] = [
  ["url", /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s<>"'`()[\]{}|\\]+/gi],
  ["email", /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g],
  [
    "path",
    /(?<![\p{L}\p{N}_.@+-])(?:[A-Za-z]:[\\/]|~\/|\.{1,2}\/|\/)?(?:[\p{L}\p{N}_.@+-]+[\\/])+[\p{L}\p{N}_.@+-]+/gu,
  ],
  ["path", /(?<![\p{L}\p{N}_/<])(?:~\/|\/)[\p{L}\p{N}_.@+-]{2,}/gu],
  ["ip", /\b\d{1,3}(?:\.\d{1,3}){3}\b/g],
  ["version", /\bv?\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z.-]+)?|\bv\d+(?:\.\d+)?\b/g],
  ["version", /(?<=\bversions? )\d+(?:\.\d+)+/gi],
  ["hash", /\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b/gi],
  ["port", /(?<=\bports? )\d{2,5}\b|(?<=[A-Za-z]:)\d{2,5}\b/gi],
  [
    "amount",
    new RegExp(
      `[$€£¥]\\s?\\d[\\d,._]{0,20}|(?<![\\p{N}_][.,])\\b\\d[\\d,._]{0,20}\\s?(?:${UNIT})(?![\\p{L}\\p{N}])`,
      "gu",
    ),
  ],
  ["number", /(?<!\d[.,])\b\d[\d,_]{4,24}(?:\.\d+)?\b/g],
];

export function entitiesOf(text: string): readonly Entity[] {
  const found = new Map<string, Entity>();
  let rest = text;
  for (const [kind, pattern] of PATTERNS) {
    rest = rest.replace(pattern, (match) => {
      const entity = kind === "path" && !isPath(match) ? "" : trimmed(match);
      if (entity === "") return match;
      if (found.size < ENTITIES_MAX) found.set(`${kind} ${entity}`, { kind, text: entity });
      return " ".repeat(match.length);
    });
  }
  return [...found.values()];
}

/** The texts in which entities are looked for; built once per conversation. */
export interface Source {
  holds(entity: Entity): boolean;
  /** True for a name that is no piece of a longer word. */
  names(name: string): boolean;
  /** True for text anywhere, also within a word. */
  has(piece: string): boolean;
}

export function createSource(texts: readonly string[]): Source {
  const haystack = texts.flatMap((text) => {
    const lower = text.toLowerCase();
    // A line end within JSON is written with a letter, which would belong to the name behind it.
    return lower.includes("\\") ? [lower, lower.replace(/\\+(?:[nrt]|u[0-9a-f]{4}|(?=["'/]))/g, " ")] : [lower];
  });
  const finds = (needle: string, test: BoundaryTest): boolean =>
    needle !== "" && haystack.some((text) => occurs(text, needle, test));
  return {
    names: (name) => finds(name.toLowerCase(), isWholeName),
    has: (piece) => haystack.some((text) => text.includes(piece.toLowerCase())),
    holds(entity) {
      const text = entity.text.toLowerCase();
      if (entity.kind === "amount" || entity.kind === "number" || entity.kind === "port")
        return holdsNumber(text, finds);
      if (entity.kind === "path") return holdsPath(text, finds);
      if (entity.kind === "version") return finds(text.replace(/^v/, ""), isWholeNumber);
      return finds(text, isWholeName);
    },
  };
}

type BoundaryTest = (text: string, start: number, end: number) => boolean;
type Finds = (needle: string, test: BoundaryTest) => boolean;

function occurs(text: string, needle: string, test: BoundaryTest): boolean {
  return placeOf(text, needle, test) >= 0;
}

/** Where a name stands that is no piece of a longer word; negative where it does not. */
export function placeOf(text: string, name: string, test: BoundaryTest = isWholeName): number {
  let at = text.indexOf(name);
  while (at >= 0 && !test(text, at, at + name.length)) at = text.indexOf(name, at + 1);
  return at;
}

/** No letter, digit or underscore on either side. */
function isWholeName(text: string, start: number, end: number): boolean {
  return !/[\p{L}\p{N}_]/u.test(text[start - 1] ?? "") && !/[\p{L}\p{N}_]/u.test(text[end] ?? "");
}

/** Not a piece of a longer number: `1.2` is not in `1.2.3`, `80` not in `8080`. */
function isWholeNumber(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start);
  const after = text.slice(end, end + 2);
  return !/\d[.,_]?$/.test(before) && !/^(?:\d|[.,_]\d)/.test(after);
}

const NUMBER_AND_UNIT = /^([$€£¥]?)\s?([\d,._]*\d)\s?(.*)$/;
const UNIT_AFTER = new RegExp(`^\\s?(${UNIT})(?![\\p{L}\\p{N}])`, "iu");

/** Ignores how thousands are grouped, but not the unit. */
function holdsNumber(text: string, finds: Finds): boolean {
  const [, , digits = text, unit = ""] = NUMBER_AND_UNIT.exec(text) ?? [];
  const isSameUnit: BoundaryTest = (source, start, end) => {
    if (!isWholeNumber(source, start, end)) return false;
    const other = UNIT_AFTER.exec(source.slice(end, end + 12))?.[1];
    return unit === "" || other === undefined || firstLetters(other) === firstLetters(unit);
  };
  const plain = digits.replace(/[,_]/g, "");
  return [...new Set([digits, plain, grouped(plain)])].some((form) => finds(form, isSameUnit));
}

/** `sec` and `seconds` are one unit, `ms` and `mb` are two. */
function firstLetters(unit: string): string {
  return unit === "s" || /^sec/.test(unit) ? "s" : unit.slice(0, 3).replace(/s$/, "");
}

function grouped(plain: string): string {
  const [whole = "", ...fraction] = plain.split(".");
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ","), ...fraction].join(".");
}

/** The path itself, or one that joins from names that occur: an agent that changes into a folder names what is in it. */
function holdsPath(text: string, finds: Finds): boolean {
  const path = text.replaceAll("\\", "/").replace(/^\.\//, "").replace(/\/+$/, "");
  const forms = [path, path.replaceAll("/", "\\"), path.replaceAll("/", "\\\\")];
  if (forms.some((form) => finds(form, isWholeName))) return true;
  const names = path.split("/").filter((name) => name !== "" && name !== "~");
  // The last name is the rarest: where it was invented, nothing else is looked for.
  return names.length <= NAMES_MAX && names.toReversed().every((name) => finds(name, isWholeName));
}

const NAMES_MAX = 20;

/** Rooted, with an extension at its end, or of four small segments: `and/or` and `Red/Green/Blue/Grey` are none of these. */
function isPath(match: string): boolean {
  const segments = trimmed(match).split(/[\\/]/);
  if (!/\p{L}/u.test(match)) return false;
  if (/^(?:[A-Za-z]:|~|\.{1,2}|)$/.test(segments[0] ?? "x")) return true;
  if (/\.[A-Za-z]\w{0,9}$/.test(segments.at(-1) ?? "")) return true;
  return segments.length > 3 && !segments.some((segment) => /^\p{Lu}/u.test(segment));
}

function trimmed(match: string): string {
  return match.replace(/[.,;:!?*'"]+$/, "");
}

interface UnrelatedCheck {
  /** Texts that the answer may use. */
  readonly source: Source;
  /** Headings that were asked for. */
  readonly sections: readonly string[];
  /** Size of what was to be summarised. */
  readonly inputTokens: number;
  readonly countText: (text: string) => number;
}

/** A summary of less may say everything in other words. */
const INPUT_TOKENS_MIN = 500;
/** A shorter summary of a long conversation must name something from it: errors and questions are as short. */
const SHORT_TOKENS = 24;
const SHORT_SHARE = 0.02;
/** Share of a summary's words that must occur in the conversation. */
const SHARED_WORDS_MIN = 1 / 3;

export function isUnrelated(text: string, { source, sections, inputTokens, countText }: UnrelatedCheck): boolean {
  const said = withoutLayout(text);
  if (said === "" || sections.length > 0 || inputTokens < INPUT_TOKENS_MIN) return said === "";
  if (namesOf(said).some((name) => source.names(name)) || entitiesOf(said).some(source.holds)) return false;
  if (countText(said) < Math.min(SHORT_TOKENS, inputTokens * SHORT_SHARE)) return true;
  const pieces = piecesOf(said);
  return pieces.filter((piece) => source.has(piece)).length < pieces.length * SHARED_WORDS_MIN;
}

/** Headings and `(none)` say nothing. */
function withoutLayout(text: string): string {
  return parseSections(text)
    .flatMap(({ lines }) => lines)
    .filter((line) => !isNone(line))
    .join("\n")
    .trim();
}

const LOOKED_AT_MAX = 60;

function namesOf(text: string): readonly string[] {
  const names = new Set<string>();
  scanIdentifiers(text, (start, end) => {
    if (names.size < LOOKED_AT_MAX) names.add(text.slice(start, end));
  });
  return [...names];
}

/** In scripts without blanks between words, two characters count as one word. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{2}|[\p{L}\p{M}]{4,40}/gu;
/** Words are compared by their beginning, so that endings do not matter. */
const PIECE_CHARS_MAX = 5;

function piecesOf(text: string): readonly string[] {
  const pieces = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (pieces.size >= LOOKED_AT_MAX) break;
    pieces.add(word.slice(0, PIECE_CHARS_MAX));
  }
  return [...pieces];
}
