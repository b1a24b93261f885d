/**
 * Repairs calls and results: ids, names and arguments first, then the rounds. Every client call gets exactly one result where its
 * provider wants it: a missing one becomes an error result, duplicates are merged, late ones move to their call, a result without
 * a call becomes quoted text. Rounds that are in order are not touched.
 */

import type { FormatRules } from "../format-rules.ts";
import { isObject } from "../json.ts";
import { type Message, type Part, type ToolCallPart, type ToolResultPart, text, textsOf } from "../message.ts";
import { once } from "../remember.ts";
import { type PairedCall, type PairedResult, type Place, resultNames } from "../structure/pairing.ts";
import { lowerBound } from "../structure/structure.ts";
import { mapMessages, mapParts, messageBeside, type Pass, quoteResult, type RepairContext, withParts } from "./pass.ts";

/** Gives every call an id of its own, and its results the same one, where the provider pairs by id. */
export const repairCallIds: Pass = (messages, context) => {
  const { rules, report } = context;
  const { calls } = context.pairing(messages);
  const ids = callIdsOf(calls);
  const renamed = new Map<Part, string>();
  const seen = new Set<string>();
  calls.forEach((call, index) => {
    if (rules.callIdScope === "message" && call.at.message !== calls[index - 1]?.at.message) seen.clear();
    const { callId, name } = call.part;
    const id = callId && !seen.has(callId) ? callId : newCallId(call, context, ids);
    if (id === undefined) return;
    seen.add(id);
    const renamedBefore = renamed.size;
    if (callId !== id) renamed.set(call.part, id);
    for (const { part } of call.results) {
      // Where ids are optional, a result without one pairs as well.
      const isFine = part.callId === id || (part.callId === undefined && rules.callIds === "optional");
      if (!isFine) renamed.set(part, id);
    }
    const message = messages[call.at.message];
    if (renamed.size === renamedBefore || message === undefined) return;
    if (callId === id) report("missing-id", message, `gave the result of ${name} the id of its call`);
    else if (callId) report("duplicate-call-id", message, `renamed the second call ${callId} to ${id}`);
    else report("missing-id", message, `gave the call of ${name} the id ${id}`);
  });
  if (renamed.size === 0) return messages;
  return mapMessages(messages, (message) =>
    mapParts(message, (part) => {
      const callId = renamed.get(part);
      return callId === undefined ? part : { ...part, callId };
    }),
  );
};

type CallIds = ReturnType<typeof callIdsOf>;

function callIdsOf(calls: readonly PairedCall[]) {
  return {
    taken: once(() => new Set(calls.flatMap(({ part }) => part.callId ?? []))),
    /** The number of the last copy of an id, so that the search for a free one does not start over. */
    copies: new Map<string, number>(),
    siblings: once(() => Map.groupBy(calls, ({ at }) => at.message)),
  };
}

/** The id for a call that has none, or one that is taken; undefined where it may do without. */
function newCallId(call: PairedCall, { rules }: RepairContext, ids: CallIds): string | undefined {
  const { at, part } = call;
  if (!part.callId) {
    const siblings = ids.siblings().get(at.message) ?? [];
    const mayLack = rules.callIds === "optional" ? !isMisled(call, siblings) : isByName(call, siblings);
    if (mayLack) return undefined;
  }
  const base = part.callId || `call_${at.message}_${at.part}`;
  const taken = ids.taken();
  for (let copy = (ids.copies.get(base) ?? (part.callId ? 1 : 0)) + 1; ; copy++) {
    const id = copy === 1 ? base : `${base}_${copy}`;
    if (taken.has(id)) continue;
    taken.add(id);
    ids.copies.set(base, copy);
    return id;
  }
}

/** The deprecated `function_call` and its answer: Chat accepts the pair as it is, while the message makes no other call. */
function isByName({ at, part, results }: PairedCall, siblings: readonly PairedCall[]): boolean {
  if (part.wire?.function_call === undefined || siblings.length !== 1 || results.length !== 1) return false;
  const [first] = results;
  return (
    first?.at.message === at.message + 1 && first.part.callId === undefined && first.part.wire?.role === "function"
  );
}

/** A result of a call without id has the id of a parallel call: only an id of its own tells them apart. */
function isMisled({ results }: PairedCall, siblings: readonly PairedCall[]): boolean {
  const given = new Set(results.flatMap(({ part }) => part.callId ?? []));
  return given.size > 0 && siblings.some(({ part }) => part.callId !== undefined && given.has(part.callId));
}

const UNKNOWN_TOOL = "unknown_tool";

/** Gives calls and results a name and, where the provider insists, calls an object as arguments. */
export const repairCallFields: Pass = (messages, { rules, pairing, report }) => {
  const { calls, orphans } = pairing(messages);
  const isFine = ({ part }: { readonly part: Part }): boolean => completePart(part, undefined, rules) === part;
  const results = rules.namedResults ? [...orphans, ...calls.flatMap((call) => call.results)] : [];
  if (calls.every(isFine) && results.every(isFine)) return messages;
  const names = resultNames({ calls });
  return mapMessages(messages, (message) =>
    mapParts(message, (part) => {
      const completed = completePart(part, names.get(part), rules);
      if (completed !== part) report("invalid-request", message, "completed a tool call or result that lacked a field");
      return completed;
    }),
  );
};

function completePart(part: Part, callName: string | undefined, rules: FormatRules): Part {
  if (part.type === "tool-result" && rules.namedResults && !part.name) {
    return { ...part, name: callName || UNKNOWN_TOOL };
  }
  if (part.type !== "tool-call") return part;
  const input = rules.objectInputs && !isObject(part.input) ? { input: part.input } : part.input;
  return part.name !== "" && input === part.input ? part : { ...part, name: part.name || UNKNOWN_TOOL, input };
}

/** Turns interrupted calls of the provider's own tools into text where the user said more since. A call that may still return stays. */
export const quoteLostServerCalls: Pass = (messages, context) => {
  const { rules, pairing, report } = context;
  if (!rules.serverCallsReturn) return messages;
  const calls = pairing(messages).calls.filter(({ part }) => part.server);
  if (calls.length === 0) return messages;
  // A quoted result counts as more than a result, and so does a system message that becomes the user's.
  const quoted = new Set(unexplainedResults(messages, context).map(({ at }) => at.message));
  const said = messages.flatMap(({ role, parts }, index) => {
    const isSaid = role === "user" && (quoted.has(index) || parts.some(({ type }) => type !== "tool-result"));
    return isSaid || (role === "system" && rules.systemInList === "never") ? [index] : [];
  });
  const lost = new Set<Part>();
  for (const { part, at, results } of calls) {
    // A client's answer in the provider's place is no return; `repairRounds` quotes it.
    const returned = results.find((result) => result.part.server);
    const next = said[lowerBound(said, at.message)] ?? messages.length;
    const isTakenOver = returned === undefined && results.length > 0;
    // A return after that answers nothing any more; without its call, it is quoted too.
    if (isTakenOver || next < (returned?.at.message ?? messages.length)) lost.add(part);
  }
  if (lost.size === 0) return messages;
  return mapMessages(messages, (message) => {
    const repaired = mapParts(message, (part) =>
      part.type === "tool-call" && lost.has(part) ? quoteCall(part) : part,
    );
    const change = "turned a call of the provider's own tools that was interrupted into text";
    if (repaired !== message) report("call-without-result", message, change);
    return repaired;
  });
};

function quoteCall({ name, input }: ToolCallPart): Part {
  return text(`[Interrupted before it returned: ${name} ${JSON.stringify(input)}]`);
}

export const repairRounds: Pass = (messages, context) => {
  const changes: Changes = { answers: new Map(), replacements: new Map() };
  const unexplained = unexplainedResults(messages, context);
  for (const { part, at } of unexplained) {
    changes.replacements.set(part, quoteResult(part));
    const message = messages[at.message];
    if (message !== undefined) {
      context.report("result-without-call", message, `quoted the result ${part.callId ?? ""} as text`);
    }
  }
  for (const step of brokenSteps(messages, unexplained, context)) {
    reportStep(step, messages, context);
    settleResults(step, changes, context);
  }
  if (changes.answers.size === 0 && changes.replacements.size === 0) return messages;
  return rebuild(messages, changes, context);
};

interface Changes {
  /** Results to put behind a message, by its index. */
  readonly answers: Map<number, readonly ToolResultPart[]>;
  /** What takes the place of a result that was quoted, moved or merged. */
  readonly replacements: Map<Part, readonly Part[]>;
}

/** Results without a call in the list, and results that a client gave for the provider's own tools or the other way round. */
function unexplainedResults(messages: readonly Message[], context: RepairContext): readonly PairedResult[] {
  const { rules, hasServerHistory } = context;
  const { calls, orphans } = context.pairing(messages);
  // A call in the provider's history may explain a result, but not one that must name its call and does not.
  const found = orphans.filter(({ part }) => !hasServerHistory || (rules.callIds === "required" && !part.callId));
  if (!rules.serverCallsReturn) return found;
  for (const { part, results } of calls) {
    for (const result of results) if ((result.part.server === true) !== (part.server === true)) found.push(result);
  }
  return found;
}

/** An assistant step with client calls: the index behind it, and behind the step after it, which should hold the results. */
interface CallingStep {
  readonly end: number;
  readonly nextEnd: number;
  readonly calls: readonly PairedCall[];
}

function brokenSteps(
  messages: readonly Message[],
  unexplained: readonly PairedResult[],
  context: RepairContext,
): readonly CallingStep[] {
  const broken: CallingStep[] = [];
  const isUnexplained = new Set(unexplained);
  let calls = context.pairing(messages).calls.filter(({ part }) => !part.server);
  if (unexplained.length > 0) {
    calls = calls.map((call) => ({ ...call, results: call.results.filter((result) => !isUnexplained.has(result)) }));
  }
  for (let first = 0, next = 0; first < calls.length; first = next) {
    const end = endOfStep(messages, calls[first]?.at.message ?? 0, context);
    while ((calls[next]?.at.message ?? end) < end) next++;
    const step = { end, nextEnd: endOfStep(messages, end, context), calls: calls.slice(first, next) };
    if (!isInOrder(step, messages, context)) broken.push(step);
  }
  return broken;
}

/** Chat answers each assistant message by itself; elsewhere neighbouring assistant messages are one step. */
function endOfStep(messages: readonly Message[], start: number, { rules }: RepairContext): number {
  const role = messages[start]?.role;
  const isOneStep = role === "assistant" ? rules.granularity !== "own-results" : role === rules.resultRole;
  let end = Math.min(start + 1, messages.length);
  while (isOneStep && messages[end]?.role === role) end++;
  return end;
}

/** True when the results stand where they must: all of them, once each, and before anything else where that matters. */
function isInOrder({ calls, end, nextEnd }: CallingStep, messages: readonly Message[], { rules }: RepairContext) {
  for (const { results } of calls) if (results.length !== 1) return false;
  if (!rules.resultsAdjacent) return true;
  if (messages[end]?.role !== rules.resultRole) return false;
  const limit = rules.resultsFirst ? placeAfter(messages, end, calls.length) : undefined;
  for (const { results } of calls) {
    const at = results[0]?.at;
    if (at === undefined || at.message < end || at.message >= nextEnd) return false;
    if (limit !== undefined && !isBefore(at, limit)) return false;
  }
  return true;
}

/** The place behind so many parts, counted from the beginning of a message. */
function placeAfter(messages: readonly Message[], start: number, count: number): Place {
  let message = start;
  let part = count;
  for (let own = messages[message]?.parts.length; own !== undefined && part > own; ) {
    part -= own;
    own = messages[++message]?.parts.length;
  }
  return { message, part };
}

function isBefore(at: Place, limit: Place): boolean {
  return at.message < limit.message || (at.message === limit.message && at.part < limit.part);
}

/** The text of the result that is made for a call without one. */
export const INTERRUPTED_TEXT = "This tool call was interrupted before it returned a result.";

function reportStep({ calls, end, nextEnd }: CallingStep, messages: readonly Message[], context: RepairContext): void {
  const { rules, report } = context;
  let isReported = false;
  const tell = (rule: string, index: number, change: string): void => {
    const message = messages[index];
    if (message !== undefined) report(rule, message, change);
    isReported = true;
  };
  for (const { at, part, results } of calls) {
    const [first] = results;
    if (first === undefined) tell("call-without-result", at.message, `marked the call of ${part.name} as interrupted`);
    else if (results.length > 1) {
      tell("duplicate-result", at.message, `merged ${results.length} results of ${part.name} into one`);
    } else if (rules.resultsAdjacent && first.at.message >= nextEnd) {
      tell("call-without-result", at.message, `moved the late result of ${part.name} to its call`);
    }
  }
  if (!isReported) tell("result-after-text", end - 1, "put results before other content");
}

/** Decides the one result of each call of a broken step: the first that came, completed by duplicates, or an error. */
function settleResults(
  { calls, end }: CallingStep,
  { answers, replacements }: Changes,
  { rules }: RepairContext,
): void {
  const results = calls.flatMap((call): readonly ToolResultPart[] => {
    const { part } = call;
    const [first, ...others] = call.results;
    const id = part.callId === undefined ? {} : { callId: part.callId };
    if (first === undefined) {
      return [{ type: "tool-result", ...id, name: part.name, content: [text(INTERRUPTED_TEXT)], isError: true }];
    }
    for (const other of others) replacements.set(other.part, []);
    const result = mergeResults(first.part, others);
    const { callId, ...rest } = result;
    // A result that found its call by name gets the id of the call, so that nobody can pair it differently.
    const merged = callId === part.callId ? result : { ...rest, ...id };
    replacements.set(first.part, rules.resultsAdjacent ? [] : [merged]);
    return rules.resultsAdjacent ? [merged] : [];
  });
  answers.set(end - 1, results);
}

/** Adds to the first result what only its duplicates say. An empty text says nothing, and beside others it is refused. */
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

function rebuild(
  messages: readonly Message[],
  { answers, replacements }: Changes,
  context: RepairContext,
): readonly Message[] {
  const { granularity, resultRole } = context.rules;
  const output: Message[] = [];
  /** Messages that hold one result and nothing else, by that result: they can move as they are. */
  const alone = new Map<Part, Message>();
  for (const message of messages) {
    const [only] = message.parts;
    if (only !== undefined && message.parts.length === 1 && message.role === resultRole) alone.set(only, message);
  }
  /** Results that still have to be put behind the message before. */
  let pending: readonly ToolResultPart[] = [];
  messages.forEach((message, index) => {
    const parts = message.parts.flatMap((part) => replacements.get(part) ?? [part]);
    const joins = pending.length > 0 && granularity === "many" && carriesResult(message, resultRole);
    if (joins) output.push(withParts(message, [...pending, ...parts]));
    else output.push(...carriersOf(pending, alone, messages[index - 1], context), ...remainder(message, parts));
    pending = answers.get(index) ?? [];
  });
  return [...output, ...carriersOf(pending, alone, messages.at(-1), context)];
}

/** What is left of a message after its results went elsewhere; a tool message without a result becomes a user's. */
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
