/**
 * Text that arrives in pieces, written between words and as wide as the terminal, with nothing in it that could control the terminal.
 * A word is written when it is whole.
 */

import { displayWidth, oneLine, wrap } from "../one-line.ts";

export interface WordWriter {
  write(piece: string): void;
  /** Writes the last word and ends the line; nothing where nothing was written. */
  end(): void;
}

const TAB = "  ";

export function wordWriter(columns: number, write: (text: string) => void): WordWriter {
  let column = 0;
  let blanks = "";
  let word = "";
  const newLine = (): void => {
    write("\n");
    column = 0;
    blanks = "";
  };
  const writeWord = (): void => {
    // Escape sequences and invisible signs go.
    const shown = oneLine(word);
    word = "";
    if (shown === "") return;
    if (column > 0 && column + blanks.length + displayWidth(shown) > columns) newLine();
    const indent = blanks.slice(0, Math.max(0, columns - column - 1));
    const [first = "", ...rest] = wrap(shown, columns - column - indent.length);
    write([`${indent}${first}`, ...rest].join("\n"));
    column = rest.length === 0 ? column + indent.length + displayWidth(first) : displayWidth(rest.at(-1) ?? "");
    blanks = "";
  };
  return {
    write: (piece) => {
      for (const run of piece.split(/([ \t\n])/)) {
        if (run === "\n" || run === " " || run === "\t") writeWord();
        if (run === "\n") newLine();
        else if (run === " " || run === "\t") blanks += run === " " ? run : TAB;
        else word += run;
        // Languages without blanks have words as long as a paragraph.
        if (word.length >= columns) writeWord();
      }
    },
    end: () => {
      writeWord();
      if (column > 0) newLine();
      blanks = "";
    },
  };
}
