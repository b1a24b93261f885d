/** Reads a checkpoint from a text that a model wrote in our layout: marks may be missing, and the goal is prose. Never throws. */

import type { Section } from "../core/checkpoint/checkpoint.ts";
import { type Checkpoint, type Decision, EMPTY_CHECKPOINT } from "../core/checkpoint/checkpoint.ts";
import { parseCheckpoint } from "../core/checkpoint/checkpoint-text.ts";
import { headingKey, isListItem, isNone, parseSections } from "./sections.ts";

export function checkpointOfText(text: string): Checkpoint {
  const sections = new Map(parseSections(text).map(({ heading, lines }) => [headingKey(heading), lines]));
  const items = (section: Section): readonly string[] => itemsOf(sections.get(section) ?? []);
  const strict = parseCheckpoint(text) ?? EMPTY_CHECKPOINT;
  return {
    ...strict,
    goal: goalOf(sections.get("goal") ?? []),
    constraints: items("constraints"),
    done: items("done"),
    inProgress: items("inProgress"),
    blocked: items("blocked"),
    decisions: items("decisions").map(decisionOf),
    nextSteps: items("nextSteps"),
    criticalContext: items("criticalContext"),
  };
}

function goalOf(lines: readonly string[]): readonly string[] {
  const said = lines.map((line) => line.replace(/^\s*(?:>|[-*+])\s?/, "").trim());
  const goal = said.filter((line) => line !== "" && !isNone(line)).join("\n");
  return goal === "" ? [] : [goal];
}

/** One per list item, with the lines that belong to it; lines outside any list are items of their own. */
function itemsOf(lines: readonly string[]): readonly string[] {
  const items: string[] = [];
  for (const line of lines) {
    if (line.trim() === "" || isNone(line)) continue;
    const isContinuation = /^\s/.test(line) && !isListItem(line) && items.length > 0;
    if (isContinuation) items.push(`${items.pop() ?? ""}\n${line.trim()}`);
    else items.push(line.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s*)?/, "").trim());
  }
  return items;
}

function decisionOf(item: string): Decision {
  const [, decision, reason = ""] = /^\*\*(.+?)\*\*\s*[:—–-]?\s*([\s\S]*)$/.exec(item) ?? [];
  if (decision === undefined) return { decision: item };
  const plain = decision.replace(/:$/, "");
  return reason === "" ? { decision: plain } : { decision: plain, reason };
}
