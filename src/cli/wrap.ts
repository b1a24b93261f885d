/** Text broken into lines of a width, at blanks where there are any. Never loses a word, never exceeds the width. */

import { displayWidth } from "./one-line.ts";

export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((long) => pieces(long, columns))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= columns) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A word that is wider than a line, behind its hyphens where that helps. */
function pieces(word: string, columns: number): readonly string[] {
  if (displayWidth(word) <= columns) return [word];
  const characters = [...word];
  const hyphen = characters.slice(0, columns).lastIndexOf("-");
  const end = hyphen > 0 ? hyphen + 1 : Math.max(1, Math.floor(columns / (displayWidth(word) / characters.length)));
  return [characters.slice(0, end).join(""), ...pieces(characters.slice(end).join(""), columns)];
}
