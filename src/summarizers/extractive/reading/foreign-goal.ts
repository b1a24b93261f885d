/**
 * The goal that another tool's summary states, and what it says is pending: the lines under its headings for them, or else
 * the sentences it begins with. Never rewords, never reads further than a bounded beginning.
 */

import { endsWithColon } from "../text/endings.ts";
import { cutAtWord, oneLine, splitSentences } from "../text/sentences.ts";
import { matcher } from "../text/shared-words.ts";
import { withoutLayout } from "../text/whole-statement.ts";

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

const PENDING_MAX = 6;
const PENDING_CHARS_MAX = 160;

/** Items that it lists as pending or next, without those that were done since. */
export function foreignPending(summary: string, done: readonly string[]): readonly string[] {
  const lines = summary.slice(0, READ_CHARS).split("\n");
  const labels = lines.flatMap((line, at) => (PENDING_LABEL.test(line) ? [at] : []));
  const lists = labels.map((at) => itemsBelow(lines, at)).filter((items) => items.length > 0);
  const [items = []] = lists;
  if (items.length === 0) return items;
  const matchesDone = matcher(done);
  // By most of its words, or by the name that it begins with.
  return items.filter((item) => !matchesDone(item) && !isNamedIn(item, done)).slice(0, PENDING_MAX);
}

/** Those that calls have taken up since, by the name that they begin with. */
export function takenUp(pending: readonly string[], claimed: readonly string[]): readonly string[] {
  return claimed.length === 0 ? [] : pending.filter((item) => isNamedIn(item, claimed));
}

function itemsBelow(lines: readonly string[], at: number): readonly string[] {
  const items: string[] = [];
  for (const line of lines.slice(at + 1, at + 1 + LINES_MAX)) {
    const item = /^\s*(?:[-*+]|\d{1,2}[.)])\s+(?:\[ \]\s+)?(\S.*)$/.exec(line)?.[1];
    if (line.trim() !== "" && (item === undefined || endsWithColon(item))) break;
    if (item !== undefined) items.push(oneLine(withoutLayout(item.replace(STATE_THEN, "")), PENDING_CHARS_MAX));
  }
  return items;
}

/** What waited for what when the summary was written is over by now, or about to be. */
const STATE_THEN = /\s*\((?=[^()]*\b(?:blocked|open|pending|in progress|waiting|depends)\b)[^()]{1,120}\)/i;

const PENDING_LABEL =
  /^\s*(?:#{1,6}\s+|\d{1,2}[.)]\s+)?(?:\*\*)?(?:pending (?:tasks?|work|items?)|(?:optional )?next steps?|remaining (?:tasks?|work)|to-?dos?)(?:\*\*)?\s*(?::|$)/i;

function isNamedIn(item: string, texts: readonly string[]): boolean {
  const [, name = ""] = /^`?([\w#-]*[\d_.#-][\w.#-]*\w)/.exec(item) ?? [];
  return name.length > NAME_CHARS_MIN && texts.some((text) => hasName(text, name));
}

/** Whole: "tide-6" does not stand in "tide-60", nor in "tide-6.2". */
function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/[\w.-]$/.test(text.slice(0, at)) && !/^(?:\w|[.-]\w)/.test(text.slice(at + name.length))) return true;
  }
  return false;
}

const NAME_CHARS_MIN = 3;

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
