/**
 * Gives every call exactly one result, where its provider wants it: missing ones become an error result, duplicates are merged,
 * late ones move to their call, orphans become quoted text. Rounds that are in order are not touched.
 */

import { type Message, type Part, type ToolCallPart, type ToolResultPart, text, textsOf } from "../message.ts";
import { lowerBound } from "../structure/cut-points.ts";
import type { PairedCall, PairedResult, Place } from "../structure/pairing.ts";
import { mapMessages, messageBeside, type Pass, quoteResult, type RepairContext, withParts } from "./pass.ts";

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
function unexplainedResults(messages: readonly Message[], context: RepairContext): readonly PairedResult[] {
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
interface CallingStep {
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

/** The text of the result that is made for a call without one. */
export const INTERRUPTED_TEXT = "This tool call was interrupted before it returned a result.";

interface Settled {
  /** To be put behind the step, in call order. Where results may stand anywhere, only those that were missing. */
  readonly results: readonly ToolResultPart[];
  /** What takes the place of a result that moved or was merged. */
  readonly replacements: Map<Part, readonly Part[]>;
}

/** Decides the one result of each call of a broken round: the first that came, completed by duplicates, or an error. */
function settleResults(step: CallingStep, messages: readonly Message[], context: RepairContext): Settled {
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

/**
 * Turns calls of the provider's own tools that were interrupted into text. While one is open the user may only answer calls, so this
 * is done where more was said since. A call that may still return is left alone.
 */
export const quoteLostServerCalls: Pass = (messages, context) => {
  if (!context.rules.serverCallsReturn) return messages;
  const calls = context.pairing(messages).calls.filter(({ part }) => part.server);
  if (calls.length === 0) return messages;
  // A result that is quoted says more than a result, and so does a system message that becomes the user's.
  const quoted = new Set(unexplainedResults(messages, context).map(({ at }) => at.message));
  const isSaid = (message: Message, index: number): boolean => {
    if (message.role === "system") return context.rules.systemInList === "never";
    return saysMore(message) || (message.role === "user" && quoted.has(index));
  };
  const said = messages.flatMap((message, index) => (isSaid(message, index) ? [index] : []));
  const lost = new Set<Part>();
  for (const { part, at, results } of calls) {
    // What a client says in the provider's place is no return; it is quoted when the rounds are put in order.
    const returned = results.find((result) => result.part.server);
    const next = said[lowerBound(said, at.message)] ?? messages.length;
    const isTakenOver = returned === undefined && results.length > 0;
    // One that came back later answers nothing any more; without its call, it is quoted too.
    if (isTakenOver || next < (returned?.at.message ?? messages.length)) lost.add(part);
  }
  if (lost.size === 0) return messages;
  return mapMessages(messages, (message) => {
    if (!message.parts.some((part) => lost.has(part))) return message;
    context.report(
      "call-without-result",
      message,
      "turned a call of the provider's own tools that was interrupted into text",
    );
    const parts = message.parts.map((part) => (part.type === "tool-call" && lost.has(part) ? quote(part) : part));
    return withParts(message, parts);
  });
};

/** Something of the user's beside results. */
function saysMore({ role, parts }: Message): boolean {
  return role === "user" && parts.some(({ type }) => type !== "tool-result");
}

function quote({ name, input }: ToolCallPart): Part {
  return text(`[Interrupted before it returned: ${name} ${JSON.stringify(input)}]`);
}
