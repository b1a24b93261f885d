/**
 * What another tool's summary says was done, decided and laid down: the items of the lists under its headings for them. It leaves
 * the view like any message, so that nobody else would know. Never rewords, never reads further than a bounded beginning.
 */

import { type Checkpoint, type Decision, EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import { oneLine } from "../text/sentences.ts";
import { withoutLayout } from "../text/whole-statement.ts";
import { foreignGoal } from "./foreign-goal.ts";

const READ_CHARS = 40_000;
const ITEMS_MAX = 12;
const ITEM_CHARS_MAX = 240;
const LABEL_CHARS_MAX = 60;

/** Undefined when it has none of these lists. */
export function foreignCheckpoint(summary: string): Checkpoint | undefined {
  const lists = listsIn(summary.slice(0, READ_CHARS).split("\n"));
  if (lists.done.length + lists.constraints.length + lists.decisions.length === 0) return undefined;
  const goal = foreignGoal(summary);
  return {
    ...EMPTY_CHECKPOINT,
    goal: goal === "" ? [] : [goal],
    done: lists.done,
    constraints: lists.constraints,
    decisions: lists.decisions.map(decisionOf),
  };
}

type Kind = "done" | "constraints" | "decisions";

const LABELS: readonly (readonly [Kind, RegExp])[] = [
  [
    "done",
    /^(?:(?:work |tasks? |steps? )?(?:done|completed|finished|accomplished)(?: so far)?|completed? (?:tasks?|work|steps?|items?)|accomplishments|what (?:was|has been|we(?:['’]ve)?) (?:done|completed|accomplished))$/i,
  ],
  [
    "constraints",
    /^(?:(?:user )?(?:constraints?|preferences?|rules|requirements)(?: (?:&|and) (?:preferences?|constraints?|rules|requirements))?|(?:user|important|standing) (?:feedback|instructions|rules|preferences))$/i,
  ],
  ["decisions", /^(?:(?:key|main|design|technical|important|architectural) )*decisions?(?: made| taken)?$/i],
];

function listsIn(lines: readonly string[]): Readonly<Record<Kind, readonly string[]>> {
  const lists: Record<Kind, string[]> = { done: [], constraints: [], decisions: [] };
  let open: string[] | undefined;
  for (const line of lines) {
    const label = labelIn(line);
    if (label !== undefined) {
      const kind = LABELS.find(([, words]) => words.test(label))?.[0];
      open = kind === undefined ? undefined : lists[kind];
      continue;
    }
    const item = /^(\s*)(?:[-*+]|\d{1,2}[.)])\s+(?:\[[xX]\]\s+)?(\S.*)$/.exec(line)?.[2];
    if (open === undefined || item === undefined || open.length >= ITEMS_MAX || NOTHING.test(item)) continue;
    open.push(oneLine(withoutLayout(item), ITEM_CHARS_MAX));
  }
  return lists;
}

const NOTHING = /^[(*_]*(?:none|nothing|n\/a)\b|^\[ \]/i;

/** A heading, a bold line or a short line with nothing behind its colon; undefined for any other line. */
function labelIn(line: string): string | undefined {
  const trimmed = line.trim();
  if (trimmed === "" || trimmed.length > LABEL_CHARS_MAX) return undefined;
  if (!/^#{1,6}\s|^(?:\d{1,2}[.)]\s+)?\*\*[^*]+\*\*:?$|[:：]\**$/.test(trimmed)) return undefined;
  return trimmed.replace(/^(?:#{1,6}\s+|\d{1,2}[.)]\s+|[-*+]\s+)*\**|[\s:：*]+$/g, "");
}

/** "Two gates: one is always open" gives what stands behind the colon as the reason. */
function decisionOf(item: string): Decision {
  const at = item.search(/[:：]\s/);
  return at < DECISION_CHARS_MIN
    ? { decision: item }
    : { decision: item.slice(0, at), reason: item.slice(at + 1).trim() };
}

const DECISION_CHARS_MIN = 8;
