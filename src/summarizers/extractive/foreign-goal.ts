/**
 * The goal that another tool's summary states: the lines under its heading for the request, or else the sentences it begins
 * with. Never rewords, never reads further than a bounded beginning.
 */

import { cutAtWord, splitSentences } from "./sentences.ts";

const READ_CHARS = 40_000;
/** It stands for work that began before; the rest of the room is for what came after. */
const GOAL_CHARS_MAX = 320;
const LINES_MAX = 12;
const FIRST_SENTENCES = 2;

/** Empty when it says nothing. */
export function foreignGoal(summary: string): string {
  const lines = summary.slice(0, READ_CHARS).split("\n");
  const labels = lines.flatMap((line, at) => (GOAL_LABEL.test(line) ? [at] : []));
  // Some tools think aloud before they summarize, under headings of their own.
  const at = labels.find((label) => /primary|goal/i.test(lines[label] ?? "")) ?? labels[0] ?? -1;
  const stated = at < 0 ? "" : labelled(lines, at);
  return cutAtWord(stated === "" ? firstSentences(lines) : stated, GOAL_CHARS_MAX);
}

const GOAL_LABEL =
  /^\s*(?:#{1,6}\s+|\d{1,2}[.)]\s+|[-*]\s+)?(?:\*\*)?(?:(?:primary|initial|original|main|overall|current|user'?s?)\s+)?(?:requests?|goals?|objectives?|tasks?|user intent)(?: and (?:user )?(?:intent|goals?|context))?(?:\*\*)?\s*(?::|$)/i;
/** What a heading looks like, whether of Markdown, of a numbered list or in bold. */
const HEADING =
  /^(?:#{1,6}\s+\S|\d{1,2}[.)]\s+\S.*:\s*$|\d{1,2}[.)]\s+\*\*|(?:[-*]\s+)?\*\*[^*]+(?:\*\*:|:\*\*)|\*\*[^*]+\*\*\s*$|<\/?\w+>)/;

/** What stands behind the label on its line, and the lines below up to the next heading. */
function labelled(lines: readonly string[], at: number): string {
  const label = lines[at] ?? "";
  const own = label.replace(GOAL_LABEL, "").replace(/^[\s*:]+/, "");
  const found = own === "" ? [] : [own.trim()];
  for (const line of lines.slice(at + 1, at + 1 + LINES_MAX)) {
    if (HEADING.test(line)) break;
    if (line.trim() !== "") found.push(line.trim());
    else if (found.length > 0) break;
  }
  return found.join("\n");
}

/** Of what follows the line that only announces a summary. */
function firstSentences(lines: readonly string[]): string {
  const body = lines.slice(1).filter((line) => !HEADING.test(line) && !/:\s*$/.test(line));
  return splitSentences(body.join("\n"), { sentencesMax: 2 * FIRST_SENTENCES })
    .slice(0, FIRST_SENTENCES)
    .join("\n");
}
