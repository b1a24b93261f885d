/**
 * A text without the demonstrations of other tasks in it, which a template marks by a line before and a line behind: their names are
 * not of this work. Reads on only where such a mark is; never changes anything else.
 */

const MARK = /(?:end of (?:the |an? )?(?:example|demonstration))/i;
const START = /^\W*(?:(?:start|begin(?:ning)?) of (?:the |an? )?(?:example|demonstration)|demonstration)\W*$/i;
const END = /^\W*end of (?:the |an? )?(?:example|demonstration)\W*$/i;

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
