/**
 * Exact identifiers as a labelled list, and back: paths, names, values and forms of calls. Identifiers of one kind that follow each other
 * share a line. Reads what it wrote in the same order, and a bare list too. Never changes an identifier.
 */

import { parseJson } from "../json.ts";
import type { Language } from "./language.ts";
import { LANGUAGE_TABLE } from "./language-table.ts";

/** Paths and addresses; names of things in code and data; numbers and codes; tools with names of their arguments. */
export type IdentifierKind = "paths" | "names" | "values" | "calls";

/** In the order in which a reader wants them. */
export const IDENTIFIER_KINDS: readonly IdentifierKind[] = ["paths", "names", "values", "calls"];

/** Decides by the characters alone, so that an identifier is always of the same kind. */
export function kindOfIdentifier(identifier: string): IdentifierKind {
  if (identifier.endsWith(")") && identifier.indexOf("(") > 0) return "calls";
  if (identifier.includes("/")) return DATE.test(identifier) ? "values" : "paths";
  if (!DIGIT.test(identifier)) return "names";
  // "#4ade80" is a colour, whatever letters it has.
  return identifier.startsWith("#") || !WORD.test(identifier) ? "values" : "names";
}

/** "12/03", "2026/03/12", "12/03/2026" are days. Longer numbers belong to paths, as in "issues/1204" and "1/2/3/4". */
const DATE = /^\d{1,2}\/\d{1,2}(?:\/(?:\d{2}|\d{4}))?$|^\d{4}\/\d{1,2}\/\d{1,2}$/;
const DIGIT = /[0-9]/;
/** Three small letters in a row make a word, whatever digits stand beside it. */
const WORD = /[a-z\u0080-\uffff]{3}/;

/** By kind, each kind in the order given. */
export function byKind(identifiers: readonly string[]): readonly string[] {
  const groups: Record<IdentifierKind, string[]> = { paths: [], names: [], values: [], calls: [] };
  for (const identifier of identifiers) groups[kindOfIdentifier(identifier)].push(identifier);
  return IDENTIFIER_KINDS.flatMap((kind) => groups[kind]);
}

export function renderIdentifiers(identifiers: readonly string[], language: Language): string {
  const labels = LANGUAGE_TABLE[language].identifiers.split("|");
  const words: string[] = [];
  let last: IdentifierKind | undefined;
  for (const identifier of identifiers) {
    const kind = kindOfIdentifier(identifier);
    if (kind !== last) words.push(`${last === undefined ? "" : "\n"}- ${labels[IDENTIFIER_KINDS.indexOf(kind)]}:`);
    words.push(` ${quoteIdentifier(identifier)}`);
    last = kind;
  }
  return words.join("");
}

/** Blanks separate identifiers, so one that holds a blank is quoted. */
export function quoteIdentifier(identifier: string): string {
  return /[\s"]/.test(identifier) ? JSON.stringify(identifier) : identifier;
}

/** An identifier on a line of its own, with what it was used for. */
export function renderRole(identifier: string, role = ""): string {
  return `- ${quoteIdentifier(identifier)}${role === "" ? "" : ` (${role.replace(/\s+/g, " ")})`}`;
}

const ROLE_LINE = /^- ("(?:[^"\\]|\\.)*"|\S*[^\s:]) \((.*)\)$/;

/** The roles of identifiers that stand on lines of their own. */
export function parseRoles(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = lines.flatMap((line) => {
    const [, word, role = ""] = ROLE_LINE.exec(line) ?? [];
    return word === undefined ? [] : [[unquoted(word), role] as const];
  });
  return new Map(found);
}

const ALL_LABELS = Object.values(LANGUAGE_TABLE)
  .map(({ identifiers }) => identifiers)
  .join("|");
const LABEL = new RegExp(`^- (?:(?:${ALL_LABELS}): )?`);

export function parseIdentifiers(lines: readonly string[]): readonly string[] {
  const text = lines.map((line) => (ROLE_LINE.exec(line)?.[1] ?? line).replace(LABEL, "")).join(" ");
  return (text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []).map(unquoted);
}

function unquoted(word: string): string {
  if (!word.startsWith('"') || !word.endsWith('"') || word.length < 2) return word;
  // A model may have written it: then it is taken as it stands.
  return String(parseJson(word) ?? word);
}
