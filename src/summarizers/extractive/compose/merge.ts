/**
 * Carries an earlier checkpoint into a new draft: what is finished moves from open to done, what was refreshed goes, files and
 * decisions accumulate, identifiers still in use stay. Decides by shared words only; never rewords an item.
 */

import { type Checkpoint, mergeEntries, OUTCOME_MARK, type ToolFailure } from "../../../core/checkpoint/checkpoint.ts";
import { IDENTIFIER_KINDS, kindOfIdentifier } from "../../../core/checkpoint/identifier-list.ts";
import { descendingOrder, type RankedFact, scanIdentifiers } from "../../../core/facts/facts.ts";
import { isCallForm } from "../calls/argument-names.ts";
import { failureKeyOf } from "../calls/call-keys.ts";
import { claimsPassing, failedCheckAt, hasFailedSince } from "../outdated/failed-checks.ts";
import { stillSo } from "../outdated/superseded.ts";
import { inUse, type Withdrawal } from "../outdated/withdrawn.ts";
import type { Earlier } from "../reading/earlier-summary.ts";
import type { KeptView } from "../reading/kept-view.ts";
import type { Reading } from "../reading/reading.ts";
import type { Statements } from "../statements/statements.ts";
import { distinct, distinctDecisions } from "../text/distinct.ts";
import { isOwnStep } from "../text/labels.ts";
import { matcher } from "../text/shared-words.ts";

export interface MergeSource {
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly withdrawn: readonly Withdrawal[];
}

export function mergeStatements(fresh: Statements, earlier: Checkpoint | undefined, source: MergeSource): Statements {
  if (earlier === undefined) return fresh;
  const { reading, kept, withdrawn } = source;
  const before = inUse({ ...earlier, findings: [] }, -1, withdrawn);
  const hasFailed = failedCheckAt(reading, kept) >= 0;
  const isStill = (item: string): boolean =>
    !(hasFailed && claimsPassing(item)) && !(item.includes(OUTCOME_MARK) && hasFailedSince(item, reading, kept));
  const isDone = matcher(fresh.done);
  const isOpen = (item: string): boolean => !isDone(item);
  const steps = earlier.nextSteps.filter((step) => !isOwnStep(step));
  const finished = [...earlier.inProgress, ...steps, ...earlier.blocked].filter(isDone);
  // A to-do list is the whole truth about what is open; sentences only add to it.
  const open = reading.todos === undefined ? earlier.inProgress.filter(isOpen) : [];
  // A step that only repeated the goal is asked for again, from the goal of now.
  const isAsked = (step: string): boolean =>
    earlier.goal.some((goal) => oneLine(goal).startsWith(step.replace(/…$/, "")));
  const next = reading.todos === undefined ? steps.filter((step) => isOpen(step) && !isAsked(step)) : [];
  return {
    constraints: distinct(mergeEntries("constraints", fresh.constraints, earlier.constraints)),
    done: distinct([...fresh.done, ...finished, ...notSuperseded(before.done.filter(isStill), fresh.done, source)]),
    inProgress: mergeEntries("inProgress", fresh.inProgress, open),
    blocked: distinct([
      ...fresh.blocked,
      ...earlier.blocked.filter((item) => isOpen(item) && !isPassed(item, reading)),
    ]),
    decisions: distinctDecisions(mergeEntries("decisions", fresh.decisions, before.decisions)),
    nextSteps: mergeEntries("nextSteps", fresh.nextSteps, next),
    findings: fresh.findings,
  };
}

/** Of what an earlier summary told, newest last: what still holds by what was said and called since; newest first. */
function notSuperseded(
  earlier: readonly string[],
  fresh: readonly string[],
  { reading, kept }: MergeSource,
): readonly string[] {
  const told = [
    ...fresh.map((text) => ({ text, message: Infinity })),
    ...earlier.toReversed().map((text) => ({ text, message: -1 })),
  ];
  const left = new Set(stillSo(told, reading, kept));
  return earlier.toReversed().filter((text) => left.has(text));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A call that failed blocks only until work goes on without it. */
function isPassed(blocked: string, { log, results, failures }: Reading): boolean {
  return blocked.includes(OUTCOME_MARK) && log.size + results.length + failures.length > 0;
}

export function mergeFailures(
  fresh: readonly ToolFailure[],
  earlier: readonly ToolFailure[],
  { log }: Reading,
): readonly ToolFailure[] {
  if (earlier.length === 0) return fresh;
  const succeeded = new Set([...log.values()].map(({ name, brief }) => failureKeyOf(name, brief)));
  const isOvercome = ({ toolName, summary }: ToolFailure): boolean =>
    succeeded.has(failureKeyOf(toolName, summary.split(OUTCOME_MARK)[0] ?? ""));
  const known = new Set(fresh.map(({ summary }) => summary));
  const left = earlier.filter((failure) => !isOvercome(failure) && !known.has(failure.summary));
  return mergeEntries("toolFailures", fresh, left);
}

export interface MergedFiles {
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
}

export function mergeFiles(reading: Reading, earlier: Checkpoint | undefined): MergedFiles {
  const modified = new Set([...(earlier?.filesModified ?? []), ...reading.filesModified]);
  const read = new Set([...(earlier?.filesRead ?? []), ...reading.filesRead].filter((path) => !modified.has(path)));
  return { filesRead: [...read].sort(), filesModified: [...modified].sort() };
}

/** What stood first in the earlier list and is never mentioned again is still this likely to be needed. */
const EARLIER_LIKELIHOOD = 0.4;
/** Half as likely this far down: behind the first hundred, a list only filled the room there was. */
const EARLIER_RANK_HALF = 40;
/** The same for what the earlier summary mentioned in a sentence. */
const MENTIONED_LIKELIHOOD = 0.2;
const MODIFIED_LIKELIHOOD = 0.8;
const READ_LIKELIHOOD = 0.12;

/**
 * Identifiers of the earlier summary and the files that were touched, with the likelihood they have for that alone. `facts` come the likeliest
 * first, and so does what is returned.
 */
export function mergeFacts(facts: readonly RankedFact[], earlier: Earlier, files: MergedFiles): readonly RankedFact[] {
  const floors = new Map<string, number>();
  // What stands in the form of a call is found there by its names.
  const identifiers = (earlier.checkpoint?.identifiers ?? []).filter((text) => !isCallForm(text));
  scanIdentifiers(earlier.text, (start, end) => floors.set(earlier.text.slice(start, end), MENTIONED_LIKELIHOOD));
  for (const kind of IDENTIFIER_KINDS) {
    const ranked = identifiers.filter((text) => kindOfIdentifier(text) === kind);
    ranked.forEach((text, rank) => {
      floors.set(text, EARLIER_LIKELIHOOD / (1 + rank / EARLIER_RANK_HALF));
    });
  }
  for (const path of files.filesRead) floors.set(path, READ_LIKELIHOOD);
  for (const path of files.filesModified) floors.set(path, MODIFIED_LIKELIHOOD);
  if (floors.size === 0) return facts;
  const raised: Raised[] = [];
  const others: RankedFact[] = [];
  for (const fact of facts) {
    const floor = floors.get(fact.text);
    if (floor === undefined) {
      others.push(fact);
      continue;
    }
    floors.delete(fact.text);
    raised.push({ fact: { ...fact, likelihood: 1 - (1 - fact.likelihood) * (1 - floor) }, behind: others.length });
  }
  for (const [text, likelihood] of floors) {
    const kind = text.includes("/") ? "path" : "code";
    raised.push({ fact: { text, kind, likelihood, isTold: false }, behind: others.length });
  }
  return inserted(raised, others);
}

interface Raised {
  readonly fact: RankedFact;
  /** How many of the others stood before it. */
  readonly behind: number;
}

/** Most facts are not raised and stand in order already, so that only the few that are need to be placed. */
function inserted(raised: readonly Raised[], others: readonly RankedFact[]): readonly RankedFact[] {
  const sorted: RankedFact[] = [];
  let at = 0;
  for (const place of descendingOrder(Float64Array.from(raised, ({ fact }) => fact.likelihood))) {
    const { fact, behind } = raised[place] as Raised; // its places are those of `raised`
    for (let next = others[at]; next !== undefined; next = others[++at]) {
      if (next.likelihood < fact.likelihood || (next.likelihood === fact.likelihood && at >= behind)) break;
      sorted.push(next);
    }
    sorted.push(fact);
  }
  for (let next = others[at]; next !== undefined; next = others[++at]) sorted.push(next);
  return sorted;
}
