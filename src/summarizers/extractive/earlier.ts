/** An earlier checkpoint as units again, which compete with what is new: a plan's items until they are done, failures until they are overcome. */

import { type Checkpoint, failuresIn, OUTCOME_MARK, parseCheckpoint } from "../../core/checkpoint/checkpoint.ts";
import type { Summary } from "../../core/checkpoint/summary.ts";
import { filesOfCall } from "../call-files.ts";
import { kindOfName } from "./calls.ts";
import { type LoggedCall, tryKey } from "./log.ts";
import { contentWords, oneLine, passagesOf } from "./text.ts";
import type { Unit } from "./units.ts";
import { WEIGHTS } from "./weights.ts";

export interface Since {
  /** `tryKey` of the calls that succeeded since. */
  readonly succeeded: ReadonlySet<string>;
  /** Lines of the log since, and what the assistant said at the end of a piece of work. */
  readonly told: readonly string[];
  /** A newer to-do list. */
  readonly hasPlan: boolean;
  /** A newer request. */
  readonly hasRequest: boolean;
}

export interface Earlier {
  readonly checkpoint: Checkpoint | undefined;
  readonly units: readonly Unit[];
}

/** All of it came before the first message. */
const START = -10_000;
const LINE_CHARS_MAX = 1_200;
/** A line is worth something for having been chosen before. */
const BONUS: Partial<Record<Unit["section"], number>> = {
  log: WEIGHTS.change / 2,
  failure: WEIGHTS.failure / 2,
  summary: WEIGHTS.conclusion,
};
/** An action and what it was done to, without an outcome. */
const READ_LINE = /^([\w.:/-]{1,80}): ((?:(?! → ).)+)$/;

export function earlierOf(previous: Summary | undefined, since: Since): Earlier {
  if (previous === undefined) return { checkpoint: undefined, units: [] };
  const checkpoint = previous.checkpoint ?? parseCheckpoint(previous.text);
  if (checkpoint === undefined) return { checkpoint, units: freeUnits(previous.text) };
  const sources = new Map(checkpoint.sources?.map(({ line, ids }) => [line, ids]));
  let order = START;
  const unit = (section: Unit["section"], text: string, role?: string): Unit => ({
    section,
    text: oneLine(text, LINE_CHARS_MAX),
    order: order++,
    ids: sources.get(text) ?? [],
    bonus: BONUS[section] ?? 0,
    factor: section === "request" ? WEIGHTS.first : 1,
    ...(role !== undefined && { role }),
  });
  const logUnits = (line: string): readonly Unit[] => {
    const [, action = "", objects = ""] = READ_LINE.exec(line) ?? [];
    if (action === "" || kindOfName(action) !== "read") return [unit("log", line, "")];
    return objects.split("; ").map((object) => {
      return { ...unit("log", object, action), ids: sources.get(line) ?? [], head: action, bonus: WEIGHTS.read };
    });
  };
  const { goal, latestRequest, constraints, done, decisions, criticalContext } = checkpoint;
  const plan: readonly Unit[] = since.hasPlan
    ? []
    : [
        ...checkpoint.inProgress.map((text) => unit("plan", text, "inProgress")),
        ...checkpoint.nextSteps.map((text) => unit("plan", text, "nextSteps")),
      ].filter(({ text }) => !isMatched(text, since.told));
  const units = [
    ...goal.map((text, index) => unit("request", text, index === 0 || !since.hasRequest ? "goal" : "earlier")),
    ...(latestRequest === undefined ? [] : [unit("request", latestRequest, since.hasRequest ? "earlier" : "goal")]),
    ...constraints.map((text) => unit("rule", text)),
    ...done.flatMap(logUnits),
    ...decisions.map(({ decision, reason }) =>
      unit("summary", reason === undefined ? decision : `${decision} — ${reason}`),
    ),
    ...criticalContext.map((text) => unit("summary", text)),
    ...plan,
    ...failuresIn(checkpoint)
      .filter(({ toolName, summary }) => !since.succeeded.has(tryKey(toolName, summary.split(OUTCOME_MARK)[0] ?? "")))
      .map(({ toolName, summary }) => unit("failure", summary, toolName)),
  ];
  return { checkpoint, units };
}

/** Whether a later line says most of an item's words: it was done since. */
function isMatched(item: string, told: readonly string[]): boolean {
  const words = new Set(contentWords(item));
  if (words.size === 0) return false;
  return told.some((line) => {
    const said = new Set(contentWords(line));
    return [...words].filter((word) => said.has(word)).length >= Math.max(2, 0.7 * words.size);
  });
}

/** Files that calls read or modified, each once; what was modified is not read too. A failed call modified nothing. */
export function fileUnits(calls: readonly LoggedCall[], earlier: Checkpoint | undefined): readonly Unit[] {
  const found = new Map<string, Unit>();
  const add = (path: string, role: "filesRead" | "filesModified", place: Pick<Unit, "order" | "ids">): void => {
    if (role === "filesRead" && found.get(path)?.role === "filesModified") return;
    const bonus = role === "filesModified" ? WEIGHTS.modified : WEIGHTS.modified / 20;
    found.set(path, { section: "file", role, text: path, bonus, factor: 1, ...place });
  };
  for (const path of earlier?.filesRead ?? []) add(path, "filesRead", { order: START, ids: [] });
  for (const path of earlier?.filesModified ?? []) add(path, "filesModified", { order: START, ids: [] });
  for (const { called, cause } of calls) {
    if (called.isKept || cause !== undefined) continue;
    const { read, modified } = filesOfCall({ type: "tool-call", name: called.name, input: called.input });
    const place = { order: called.at, ids: called.ids };
    for (const path of read) add(path, "filesRead", place);
    for (const path of modified) add(path, "filesModified", place);
  }
  return [...found.values()];
}

/** What another tool or a model wrote freely. */
export function freeUnits(text: string, ids: readonly string[] = []): readonly Unit[] {
  return passagesOf(text).map((passage, index) => ({
    section: "summary",
    text: passage.text,
    order: START + index,
    ids,
    bonus: 0,
    factor: 1,
  }));
}
