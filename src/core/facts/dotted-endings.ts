/** Endings that make a dotted word a file name or a host. Looks at the last few units of a run only; never throws. */

import { bitsAt, CLASS } from "./identifier-classes.ts";

/** What the run `[start, end)` is by what stands behind its last dot; undefined when that says nothing. */
export function endingKind(units: Uint16Array, start: number, end: number): "file" | "url" | undefined {
  let dot = end - 1;
  while (dot > start && end - dot <= EXTENSION_CHARS_MAX + 1 && bitsAt(units, dot) !== CLASS.dot) dot--;
  const length = end - dot - 1;
  if (dot <= start || length === 0 || length > EXTENSION_CHARS_MAX) return undefined;
  if (SHAPES[shapeOf(length, units[dot + 1] as number, units[end - 1] as number)] === 0) return undefined; // inside the run
  let key = 0;
  for (let at = dot + 1; at < end; at++) key = keyWith(key, units[at] as number);
  return KINDS.get(key);
}

/** A number for each ending, whatever its case: letters and digits are digits of it, so that no two endings share one. */
function keyWith(key: number, code: number): number {
  if (code >= 48 && code <= 57) return key * KEY_BASE + code - 47;
  const letter = code | 32;
  return letter >= 97 && letter <= 122 ? key * KEY_BASE + letter - 86 : Number.NaN;
}

/** Of the longest ending the number is still exact. */
const KEY_BASE = 37;

const FILE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "py pyi ts tsx mts cts js jsx mjs cjs json jsonl md mdx ex exs heex erl rs go java kt kts swift c h cc cpp hpp cs rb php pl lua " +
    "toml yml yaml ini cfg conf env lock sh bash zsh ps1 css scss less html htm xml svg vue svelte sql csv tsv txt log pdf " +
    "doc docx xls xlsx ppt pptx png jpg jpeg gif webp mp3 mp4 wav zip gz tar tgz db sqlite ipynb proto graphql tf gradle " +
    "dockerfile diff patch parquet rst tex bib"
  ).split(" "),
);
const EXTENSION_CHARS_MAX = 10;
const DOMAINS: ReadonlySet<string> = new Set("com org net io gov edu dev ai app co uk de fr cn jp".split(" "));

const KINDS: ReadonlyMap<number, "file" | "url"> = new Map([
  ...[...DOMAINS].map((ending) => [keyOf(ending), "url"] as const),
  ...[...FILE_EXTENSIONS].map((ending) => [keyOf(ending), "file"] as const),
]);

function keyOf(ending: string): number {
  let key = 0;
  for (let at = 0; at < ending.length; at++) key = keyWith(key, ending.charCodeAt(at));
  return key;
}

/** By length, first and last letter whether there may be such an ending: most dotted words are told apart without a string. */
const SHAPES = shapes();

function shapes(): Uint8Array {
  const table = new Uint8Array(16 * 1_024);
  for (const ending of [...FILE_EXTENSIONS, ...DOMAINS]) {
    table[shapeOf(ending.length, ending.charCodeAt(0), ending.charCodeAt(ending.length - 1))] = 1;
  }
  return table;
}

/** Capitals and small letters, which differ in a higher bit, share a shape. */
function shapeOf(length: number, first: number, last: number): number {
  return (length << 10) | ((first & 31) << 5) | (last & 31);
}
