/**
 * Every call gets exactly one result, where its provider wants it: missing ones become an error result, duplicates are
 * merged, late ones come home, orphans become quoted text. Rounds that are in order are not touched.
 */

import type { Message, Part, ToolResultPart } from "../message.ts";
import type { PairedCall, PairedResult, Place } from "../structure/pairing.ts";
import { messageBeside, type Pass, quoteResult, type RepairContext, withParts } from "./pass.ts";
import { type Settled, settleResults } from "./settle-results.ts";

export const repairRounds: Pass = (messages, context) => {
  const { calls } = context.pairing(messages);
  const strangers = new Set(misdirected(calls, context));
  const changes: Changes = { answers: new Map(), replacements: new Map() };
  for (const { part, at } of unexplainedResults(messages, context)) {
    changes.replacements.set(part, quoteResult(part));
    const message = messages[at.message];
    if (message !== undefined)
      context.report("result-without-call", message, `quoted the result ${part.callId ?? ""} as text`);
  }
  for (const round of roundsOf(messages, withoutResults(calls, strangers), context)) {
    if (isInOrder(round, messages, context)) continue;
    const settled = settleResults(round, messages, context);
    changes.answers.set(round.end - 1, settled.results);
    for (const [part, replacement] of settled.replacements) changes.replacements.set(part, replacement);
  }
  if (changes.answers.size === 0 && changes.replacements.size === 0) return messages;
  return rebuild(messages, changes, context);
};

/** Results that nobody asked for, as far as the list shows: they become quoted text. */
export function unexplainedResults(messages: readonly Message[], context: RepairContext): readonly PairedResult[] {
  const { calls, orphans } = context.pairing(messages);
  return [...orphans.filter((orphan) => isUnexplained(orphan, context)), ...misdirected(calls, context)];
}

/** What only the server remembers may explain a result, but none that does not say which call it answers. */
function isUnexplained({ part }: PairedResult, { rules, hasServerHistory }: RepairContext): boolean {
  return !hasServerHistory || (rules.callIds === "required" && !part.callId);
}

/** Results of a client's for calls of the provider's own tools, and the other way round, where neither answers for the other. */
function misdirected(calls: readonly PairedCall[], { rules }: RepairContext): readonly PairedResult[] {
  const found: PairedResult[] = [];
  if (!rules.serverCallsReturn) return found;
  for (const { part, results } of calls) {
    for (const result of results) if ((result.part.server === true) !== (part.server === true)) found.push(result);
  }
  return found;
}

function withoutResults(calls: readonly PairedCall[], strangers: ReadonlySet<PairedResult>): readonly PairedCall[] {
  if (strangers.size === 0) return calls;
  return calls.map((call) => ({ ...call, results: call.results.filter((result) => !strangers.has(result)) }));
}

/** An assistant step `[start, end)` with client calls, and where the next step, which should answer them, ends. */
export interface CallingStep {
  readonly end: number;
  readonly nextEnd: number;
  readonly calls: readonly PairedCall[];
}

interface Changes {
  /** Results to put behind a message, by its index. */
  readonly answers: Map<number, readonly ToolResultPart[]>;
  readonly replacements: Settled["replacements"];
}

function roundsOf(
  messages: readonly Message[],
  calls: readonly PairedCall[],
  context: RepairContext,
): readonly CallingStep[] {
  const steps: CallingStep[] = [];
  const callsLeft = calls.values();
  let call = callsLeft.next().value;
  let end = endOfStep(messages, 0, context);
  for (let start = 0; start < messages.length; ) {
    const nextEnd = endOfStep(messages, end, context);
    const own: PairedCall[] = [];
    for (; call !== undefined && call.at.message < end; call = callsLeft.next().value)
      if (!call.part.server) own.push(call);
    if (own.length > 0) steps.push({ end, nextEnd, calls: own });
    start = end;
    end = nextEnd;
  }
  return steps;
}

/** Where the step ends that begins here. */
function endOfStep(messages: readonly Message[], start: number, context: RepairContext): number {
  let end = Math.min(start + 1, messages.length);
  while (end < messages.length && belongToOneStep(messages[end - 1], messages[end], context)) end++;
  return end;
}

/** Chat answers each assistant message by itself; elsewhere neighbouring assistant messages are one step. */
function belongToOneStep(a: Message | undefined, b: Message | undefined, { rules }: RepairContext): boolean {
  if (a?.role !== b?.role) return false;
  return a?.role === "assistant" ? rules.granularity !== "own-results" : a?.role === rules.resultRole;
}

/** True when the results stand where they must: all of them, once each, and before anything else where that matters. */
function isInOrder(
  { calls, end, nextEnd }: CallingStep,
  messages: readonly Message[],
  { rules }: RepairContext,
): boolean {
  for (const { results } of calls) if (results.length !== 1) return false;
  if (!rules.resultsAdjacent) return true;
  if (end === nextEnd || messages[end]?.role !== rules.resultRole) return false;
  const limit = rules.resultsFirst ? placeAfter(messages, end, calls.length) : { message: nextEnd, part: 0 };
  for (const { results } of calls) {
    const at = results[0]?.at;
    if (at === undefined || at.message < end || at.message >= nextEnd || !isBefore(at, limit)) return false;
  }
  return true;
}

/** Where so many parts end that stand from the beginning of a message on. */
function placeAfter(messages: readonly Message[], start: number, parts: number): Place {
  let message = start;
  let part = parts;
  for (
    let own = messages[message]?.parts.length;
    own !== undefined && part > own;
    own = messages[++message]?.parts.length
  )
    part -= own;
  return { message, part };
}

function isBefore(at: Place, limit: Place): boolean {
  return at.message < limit.message || (at.message === limit.message && at.part < limit.part);
}

function rebuild(
  messages: readonly Message[],
  { answers, replacements }: Changes,
  context: RepairContext,
): readonly Message[] {
  const { rules } = context;
  const output: Message[] = [];
  /** Messages that hold one result and nothing else, by that result: they can move as they are. */
  const alone = new Map<Part, Message>();
  for (const message of messages) {
    const [only] = message.parts;
    if (only !== undefined && message.parts.length === 1 && message.role === rules.resultRole) alone.set(only, message);
  }
  /** Results that still have to be put behind the message before. */
  let pending: readonly ToolResultPart[] = [];
  messages.forEach((message, index) => {
    const parts = message.parts.flatMap((part) => replacements.get(part) ?? [part]);
    const joins = pending.length > 0 && rules.granularity === "many" && carriesResult(message, rules.resultRole);
    if (joins) output.push(withParts(message, [...pending, ...parts]));
    else output.push(...carriersOf(pending, alone, messages[index - 1], context), ...remainder(message, parts));
    pending = answers.get(index) ?? [];
  });
  return [...output, ...carriersOf(pending, alone, messages.at(-1), context)];
}

/** What is left of a message after its results went elsewhere; a tool message without a result is a user's. */
function remainder(message: Message, parts: readonly Part[]): readonly Message[] {
  if (parts.length === 0 && message.parts.length > 0) return [];
  const rest = withParts(message, parts);
  if (rest === message || message.role !== "tool" || carriesResult(rest, "tool")) return [rest];
  const { wire: _, ...said } = rest;
  return [{ ...said, role: "user" }];
}

/** The messages that carry results: the one that holds just this result where there is one, else new ones. */
function carriersOf(
  results: readonly ToolResultPart[],
  alone: ReadonlyMap<Part, Message>,
  origin: Message | undefined,
  { rules }: RepairContext,
): readonly Message[] {
  if (origin === undefined || results.length === 0) return [];
  const role = rules.resultRole;
  if (rules.granularity === "many") {
    const isPinned = results.some((part) => alone.get(part)?.pinned);
    return [messageBeside(origin, "results", { role, parts: results, ...(isPinned && { pinned: true }) })];
  }
  return results.map(
    (part, position) => alone.get(part) ?? messageBeside(origin, `result-${position}`, { role, parts: [part] }),
  );
}

function carriesResult(message: Message, role: Message["role"]): boolean {
  return message.role === role && message.parts.some((part) => part.type === "tool-result" && !part.server);
}
