/**
 * Help texts are laid out by hand for 80 columns; on a narrower terminal they are broken again to its width. Paragraphs flow, tables
 * keep their second column where there is room for it, examples are continued with a deeper indentation. No word is lost.
 */

import { wrap } from "./wrap.ts";

/** What the texts are written for. */
const COLUMNS_OF_TEXTS = 80;

export function fitHelp(text: string, columns: number): string {
  if (columns >= COLUMNS_OF_TEXTS) return text;
  return joinParagraphs(text.split("\n"))
    .flatMap((line) => (line.length <= columns ? [line] : broken(line, columns)))
    .join("\n");
}

/** Lines that begin at the margin and follow each other are one paragraph, unless the next one begins a list with its name. */
function joinParagraphs(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const isText = /^\S/.test(line);
    const last = joined.at(-1);
    if (isText && isOpen && last !== undefined && !/^[A-Z][a-z ]*:/.test(line)) {
      joined[joined.length - 1] = `${last} ${line}`;
    } else joined.push(line);
    isOpen = isText;
  }
  return joined;
}

function broken(line: string, columns: number): readonly string[] {
  const [, indent = "", left = "", gap = "", right = ""] = /^( *)(\S.*?)(?:( {2,})(\S.*))?$/.exec(line) ?? [];
  if (right === "") return hanging(indent, `${indent}${indent === "" ? "" : "  "}`, left, columns);
  const column = indent.length + left.length + gap.length;
  // A second column that would be narrower than half of the terminal stands below instead.
  if (column > columns / 2) {
    const below = `${indent}    `;
    return [...hanging(indent, below, left, columns), ...hanging(below, below, right, columns)];
  }
  const [first = "", ...rest] = wrap(right, columns - column);
  return [line.slice(0, column) + first, ...rest.map((each) => " ".repeat(column) + each)];
}

function hanging(first: string, further: string, text: string, columns: number): readonly string[] {
  return wrap(text, columns - further.length).map((line, index) => `${index === 0 ? first : further}${line}`);
}
