/** Repairs what calls and results say about themselves: ids, names and arguments. Never changes which result answers which call. */

import { isObject } from "../json.ts";
import type { Message, Part } from "../message.ts";
import { once } from "../once.ts";
import type { PairedCall } from "../structure/pairing.ts";
import { resultNames } from "../structure/result-names.ts";
import { mapMessages, type Pass, type RepairContext, withParts } from "./pass.ts";

/** Gives every call an id of its own, and its results the same one, where the provider pairs by id. */
export const repairCallIds: Pass = (messages, context) => {
  const { calls } = context.pairing(messages);
  const renamed = new Map<Part, string>();
  const ids: Ids = {
    seen: new Set(),
    taken: once(() => new Set(calls.flatMap(({ part }) => part.callId ?? []))),
    copies: new Map(),
    siblings: once(() => Map.groupBy(calls, ({ at }) => at.message)),
  };
  for (const call of calls) {
    const id = settledId(call, context, ids);
    if (id === undefined) continue;
    ids.seen.add(scoped(id, call, context));
    const strays = partsWithOtherId(call, id, context);
    for (const part of strays) renamed.set(part, id);
    if (strays.length > 0) report(call, id, messages[call.at.message], context);
  }
  if (renamed.size === 0) return messages;
  return messages.map((message) => {
    if (!message.parts.some((part) => renamed.has(part))) return message;
    return { ...message, parts: message.parts.map((part) => withId(part, renamed.get(part))) };
  });
};

interface Ids {
  readonly seen: Set<string>;
  readonly taken: () => Set<string>;
  /** The number that the last copy of an id was given, so that the search never starts over. */
  readonly copies: Map<string, number>;
  /** The calls of one message, by its index. */
  readonly siblings: () => ReadonlyMap<number, readonly PairedCall[]>;
}

/** The id the call should have; undefined where it may do without. */
function settledId(call: PairedCall, context: RepairContext, ids: Ids): string | undefined {
  const { callId } = call.part;
  if (callId) return ids.seen.has(scoped(callId, call, context)) ? newId(callId, 1, ids) : callId;
  const mayLack = context.rules.callIds === "optional" ? !isMisled(call, ids) : isByName(call, ids);
  return mayLack ? undefined : newId(`call_${call.at.message}_${call.at.part}`, 0, ids);
}

/** The deprecated `function_call` and its answer: Chat takes the pair as it is, while nothing else is called beside it. */
function isByName({ at, part, results }: PairedCall, { siblings }: Ids): boolean {
  if (part.wire?.function_call === undefined || siblings().get(at.message)?.length !== 1) return false;
  const [first, ...others] = results;
  if (first === undefined || others.length > 0 || first.at.message !== at.message + 1) return false;
  return first.part.callId === undefined && first.part.wire?.role === "function";
}

/** A result of a call without id that bears the id of a parallel call: only an id of its own tells them apart. */
function isMisled(call: PairedCall, { siblings }: Ids): boolean {
  if (!call.results.some(({ part }) => part.callId !== undefined)) return false;
  const others = new Set(
    siblings()
      .get(call.at.message)
      ?.flatMap(({ part }) => part.callId ?? []),
  );
  return call.results.some(({ part }) => part.callId !== undefined && others.has(part.callId));
}

function newId(base: string, copiesBefore: number, { taken, copies }: Ids): string {
  for (let copy = (copies.get(base) ?? copiesBefore) + 1; ; copy++) {
    const id = copy === 1 ? base : `${base}_${copy}`;
    if (taken().has(id)) continue;
    taken().add(id);
    copies.set(base, copy);
    return id;
  }
}

/** Where ids are optional, a result without one is as good as any. */
function partsWithOtherId(call: PairedCall, id: string, { rules }: RepairContext): readonly Part[] {
  const isFine = (callId: string | undefined): boolean =>
    callId === id || (callId === undefined && rules.callIds === "optional");
  const isSettled = call.part.callId === id;
  if (isSettled && call.results.every(({ part }) => isFine(part.callId))) return NO_PARTS;
  const results = call.results.map(({ part }) => part).filter(({ callId }) => !isFine(callId));
  return isSettled ? results : [call.part, ...results];
}

const NO_PARTS: readonly Part[] = [];

function scoped(id: string, call: PairedCall, { rules }: RepairContext): string {
  return rules.callIdScope === "conversation" ? id : `${call.at.message}:${id}`;
}

function report({ part }: PairedCall, id: string, message: Message | undefined, context: RepairContext): void {
  if (message === undefined) return;
  if (part.callId === id) context.report("missing-id", message, `gave the result of ${part.name} the id of its call`);
  else if (part.callId) context.report("duplicate-call-id", message, `renamed the second call ${part.callId} to ${id}`);
  else context.report("missing-id", message, `gave the call of ${part.name} the id ${id}`);
}

function withId(part: Part, id: string | undefined): Part {
  if (id === undefined || (part.type !== "tool-call" && part.type !== "tool-result")) return part;
  return { ...part, callId: id };
}

const UNKNOWN_TOOL = "unknown_tool";

/** Gives calls and results a name and, where the provider insists, calls an object as arguments. */
export const repairCallFields: Pass = (messages, context) => {
  const { calls } = context.pairing(messages);
  if (!context.rules.namedResults && calls.every(({ part }) => repairPart(part, undefined, context) === part)) {
    return messages;
  }
  const names = resultNames({ calls: context.rules.namedResults ? calls : [] });
  return mapMessages(messages, (message) => {
    if (message.parts.every((part) => repairPart(part, names.get(part), context) === part)) return message;
    const parts = message.parts.map((part) => {
      const repaired = repairPart(part, names.get(part), context);
      if (repaired !== part)
        context.report("invalid-request", message, "completed a tool call or result that lacked a field");
      return repaired;
    });
    return withParts(message, parts);
  });
};

function repairPart(part: Part, callName: string | undefined, { rules }: RepairContext): Part {
  if (part.type === "tool-call" && (part.name === "" || (rules.objectInputs && !isObject(part.input)))) {
    const input = rules.objectInputs && !isObject(part.input) ? { input: part.input } : part.input;
    return { ...part, name: part.name || UNKNOWN_TOOL, input };
  }
  if (part.type === "tool-result" && rules.namedResults && !part.name)
    return { ...part, name: callName || UNKNOWN_TOOL };
  return part;
}
