/** Exact names and numbers, how likely each is used again, and where it stands with words around it. */

import { createFactLedger, rankFacts } from "../../core/facts/facts.ts";
import { scanIdentifiers } from "../../core/facts/identifier-scan.ts";
import type { Message } from "../../core/message.ts";
import { oneLine } from "./text.ts";
import type { Field } from "./values.ts";

export interface Identifiers {
  readonly weights: ReadonlyMap<string, number>;
  /** By the place of the message that mentioned them last. */
  readonly byMessage: ReadonlyMap<number, ReadonlySet<string>>;
}

/** `fieldNames` are names of arguments and results, which nobody needs to be told. */
export function rankIdentifiers(
  messages: readonly Message[],
  limit: number,
  fieldNames: ReadonlySet<string>,
): Identifiers {
  const ledger = createFactLedger();
  for (const message of messages) ledger.add(message);
  const weights = new Map<string, number>();
  const byMessage = new Map<number, Set<string>>();
  for (const { text, likelihood, last } of rankFacts(ledger, limit)) {
    if (isBlob(text) || fieldNames.has(text)) continue;
    weights.set(text, likelihood);
    const names = byMessage.get(last) ?? new Set();
    byMessage.set(last, names.add(text));
  }
  return { weights, byMessage };
}

/** Of what only results and answers mention, no names: words that share a slash, measures, ranges, pieces of a date or a fraction. */
const WORDS =
  /^[A-Za-z][A-Za-z.-]*\/[A-Za-z][A-Za-z-]*$|^[A-Z][A-Za-z-]*(?:\/[A-Z][A-Za-z-]*)+$|^0\d+$|^\d+-[a-z]+$|^\d+x\d+$|^[A-Z]?\d{1,3}-[A-Z]?\d{1,3}$|^\/\d+\//;

/** Whether a name tells something where it stands alone; `given` are names in short arguments of calls. */
export function isTelling(name: string, given: ReadonlySet<string>): boolean {
  return !WORDS.test(name) || given.has(name);
}

/** A longer argument is a text that was written. */
const ARGUMENT_CHARS_MAX = 300;

export function givenTo(calls: readonly { readonly fields: readonly Field[] }[]): ReadonlySet<string> {
  const given = new Set<string>();
  for (const { value } of calls.flatMap(({ fields }) => fields))
    if (value.length <= ARGUMENT_CHARS_MAX) scanIdentifiers(value, (start, end) => given.add(value.slice(start, end)));
  return given;
}

/** No name: encoded data, long, without a break, of mixed letters; or a word behind what is left of an escaped line end. */
function isBlob(text: string): boolean {
  if (/^\\[nrt]/.test(text)) return true;
  return /^[A-Za-z0-9+/=]{40,}$/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text);
}

/** The names in a text that were ranked, each once. */
export function namesIn(text: string, weights: ReadonlyMap<string, number>): readonly string[] {
  const names = new Set<string>();
  scanIdentifiers(text, (start, end) => {
    const name = text.slice(start, end);
    if (weights.has(name)) names.add(name);
  });
  return [...names];
}

const BEFORE_CHARS = 70;
const AFTER_CHARS = 90;
const SNIPPETS_MAX = 60;
const LINE_MARK = /^\s*(?:\d{1,6}\s*[→|:\t]\s?|[-+]{3}\s)/;

/** For each of the wanted names the part of a line in which it first stands; neighbours in one line share one. */
export function snippetsOf(text: string, wanted: ReadonlySet<string>): readonly string[] {
  const snippets: string[] = [];
  const seen = new Set<string>();
  let doneTo = -1;
  scanIdentifiers(text, (start, end) => {
    if (snippets.length >= SNIPPETS_MAX || start < doneTo) return;
    const name = text.slice(start, end);
    if (!wanted.has(name) || seen.has(name) || (text[end] === '"' && text[end + 1] === ":")) return;
    seen.add(name);
    const before = wordStart(text, start - BEFORE_CHARS);
    const from = before + text.slice(before, start).lastIndexOf("\n") + 1;
    const line = text.slice(end, end + AFTER_CHARS).indexOf("\n");
    const to = Math.min(line < 0 ? end + AFTER_CHARS : end + line, text.length);
    doneTo = to;
    const said = oneLine(unescaped(text.slice(from, to).replace(LINE_MARK, "")), BEFORE_CHARS + AFTER_CHARS + 240);
    if (said.length > name.length + 6) snippets.push(said);
  });
  return snippets;
}

/** Text that was written into JSON and could not be opened, as it reads. */
function unescaped(text: string): string {
  return text.includes("\\") ? text.replace(/\\+[nrt]/g, " ").replace(/\\+(["'])/g, "$1") : text;
}

/** Not in the middle of a word, where a blank is near. */
function wordStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const blank = text.slice(at, at + 25).indexOf(" ");
  return blank >= 0 ? at + blank + 1 : at;
}
