/** Decides the one result of each call of a broken round: the first that came, completed by duplicates, or an error. */

import { type Message, type Part, type ToolResultPart, text, textsOf } from "../message.ts";
import type { PairedCall, PairedResult } from "../structure/pairing.ts";
import type { RepairContext } from "./pass.ts";
import type { CallingStep } from "./rounds.ts";

export const INTERRUPTED_TEXT = "This tool call was interrupted before it returned a result.";

export interface Settled {
  /** To be put behind the step, in call order. Where results may stand anywhere, only those that were missing. */
  readonly results: readonly ToolResultPart[];
  /** What takes the place of a result that moved or was merged. */
  readonly replacements: Map<Part, readonly Part[]>;
}

export function settleResults(step: CallingStep, messages: readonly Message[], context: RepairContext): Settled {
  const replacements: Settled["replacements"] = new Map();
  reportStep(step, messages, context);
  const results = step.calls.flatMap((call): readonly ToolResultPart[] => {
    const [first, ...others] = call.results;
    if (first === undefined) return [interrupted(call)];
    for (const other of others) replacements.set(other.part, []);
    const merged = withIdOf(call, mergeResults(first.part, others));
    if (context.rules.resultsAdjacent) {
      replacements.set(first.part, []);
      return [merged];
    }
    if (merged !== first.part) replacements.set(first.part, [merged]);
    return [];
  });
  return { results, replacements };
}

function interrupted({ part }: PairedCall): ToolResultPart {
  const id = part.callId === undefined ? {} : { callId: part.callId };
  return { type: "tool-result", ...id, name: part.name, content: [text(INTERRUPTED_TEXT)], isError: true };
}

/** Results that found their call by name are made explicit, so that nobody can pair them differently. */
function withIdOf({ part: { callId } }: PairedCall, result: ToolResultPart): ToolResultPart {
  if (callId === result.callId) return result;
  const { callId: _, ...rest } = result;
  return callId === undefined ? rest : { ...rest, callId };
}

/** What a duplicate says and the first does not is added to the first. An empty text says nothing, and beside others it is refused. */
function mergeResults(first: ToolResultPart, others: readonly PairedResult[]): ToolResultPart {
  const known = new Set(["", ...textsOf(first.content)]);
  const added: Part[] = [];
  for (const inner of others.flatMap(({ part }) => part.content)) {
    if (inner.type === "text" && known.has(inner.text)) continue;
    if (inner.type === "text") known.add(inner.text);
    added.push(inner);
  }
  if (added.length === 0) return first;
  const said = first.content.filter((inner) => inner.type !== "text" || inner.text !== "");
  return { ...first, content: [...said, ...added] };
}

function reportStep(step: CallingStep, messages: readonly Message[], context: RepairContext): void {
  let isReported = false;
  for (const call of step.calls) {
    const caller = messages[call.at.message];
    const found = defectOf(call, step, context);
    if (caller === undefined || found === undefined) continue;
    context.report(found.rule, caller, found.change);
    isReported = true;
  }
  const last = messages[step.end - 1];
  if (!isReported && last !== undefined) context.report("result-after-text", last, "put results before other content");
}

/** What is wrong with one call's results; undefined when they are only in the wrong order. */
function defectOf({ results, part }: PairedCall, step: CallingStep, { rules }: RepairContext): Defect | undefined {
  const [first] = results;
  if (first === undefined)
    return { rule: "call-without-result", change: `marked the call of ${part.name} as interrupted` };
  if (results.length > 1) {
    return { rule: "duplicate-result", change: `merged ${results.length} results of ${part.name} into one` };
  }
  if (!rules.resultsAdjacent || first.at.message < step.nextEnd) return undefined;
  return { rule: "call-without-result", change: `moved the late result of ${part.name} to its call` };
}

interface Defect {
  readonly rule: string;
  readonly change: string;
}
