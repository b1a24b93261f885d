/** Whether a quote says more than a text that stands beside it. Compares words as they are; never what they mean. */

/** Whether each stretch of a quote, as dots and lines part it, stands in another; of one that was cut, nearly all of it. */
export function isKnown(quote: string, known: string): boolean {
  if (known === "") return false;
  const beginningOf = (piece: string): string =>
    piece.length > 2 * LAST_WORD_CHARS ? piece.slice(0, -LAST_WORD_CHARS) : piece;
  return quote.split(/…|\n/).every((piece) => known.includes(beginningOf(piece.trim())));
}

/** What a cut may take of the last word on one side and not on the other. */
const LAST_WORD_CHARS = 24;
