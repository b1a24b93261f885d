/** Gives every call an id of its own and its results the same one, where the provider pairs by id. */

import type { Message, Part } from "../message.ts";
import type { PairedCall } from "../structure/pairing.ts";
import { type Pass, type RepairContext, withParts } from "./pass.ts";

export const repairCallIds: Pass = (messages, context) => {
  const { calls } = context.pairing(messages);
  /** The id a part should have instead; undefined for none. */
  const renamed = new Map<Part, string | undefined>();
  const taken = new Set(calls.flatMap(({ part }) => part.callId ?? []));
  const copies = new Map<string, number>();
  const idsOfMessage = Map.groupBy(calls, ({ at }) => at.message);
  const seen = new Set<string>();
  for (const call of calls) {
    const id = settledId(call, context, { seen, taken, copies });
    const siblings = idsOfMessage.get(call.at.message) ?? [];
    const strays = id === undefined ? misleadingResults(call, siblings) : partsWithOtherId(call, id, context);
    if (id !== undefined) seen.add(scoped(id, call, context));
    for (const part of strays) renamed.set(part, id);
    if (strays.length > 0) report(call, id, messages[call.at.message], context);
  }
  if (renamed.size === 0) return messages;
  return messages.map((message) => {
    const parts = message.parts.map((part) => (renamed.has(part) ? withId(part, renamed.get(part)) : part));
    return withParts(message, parts);
  });
};

interface Ids {
  readonly seen: ReadonlySet<string>;
  readonly taken: Set<string>;
  /** The number that the last copy of an id was given, so that the search never starts over. */
  readonly copies: Map<string, number>;
}

/** The id the call should have; undefined where it may do without. */
function settledId(call: PairedCall, context: RepairContext, { seen, taken, copies }: Ids): string | undefined {
  const { callId } = call.part;
  if (!callId && context.rules.callIds === "optional") return undefined;
  if (callId && !seen.has(scoped(callId, call, context))) return callId;
  const base = callId || `call_${call.at.message}_${call.at.part}`;
  for (let copy = (copies.get(base) ?? (callId ? 1 : 0)) + 1; ; copy++) {
    const id = copy === 1 ? base : `${base}_${copy}`;
    if (taken.has(id)) continue;
    taken.add(id);
    copies.set(base, copy);
    return id;
  }
}

/** Where ids are optional, a result without one is as good as any. */
function partsWithOtherId(call: PairedCall, id: string, { rules }: RepairContext): readonly Part[] {
  const isFine = (callId: string | undefined): boolean =>
    callId === id || (callId === undefined && rules.callIds === "optional");
  return [call, ...call.results].map(({ part }) => part).filter(({ callId }) => !isFine(callId));
}

/** Results of a call without id that bear the id of a parallel call. */
function misleadingResults(call: PairedCall, siblings: readonly PairedCall[]): readonly Part[] {
  const ids = new Set(siblings.flatMap(({ part }) => part.callId ?? []));
  return call.results.map(({ part }) => part).filter(({ callId }) => callId !== undefined && ids.has(callId));
}

function scoped(id: string, call: PairedCall, { rules }: RepairContext): string {
  return rules.callIdScope === "conversation" ? id : `${call.at.message}:${id}`;
}

function report(
  { part }: PairedCall,
  id: string | undefined,
  message: Message | undefined,
  context: RepairContext,
): void {
  if (message === undefined) return;
  if (id === undefined)
    context.report("duplicate-result", message, `took the id of another call from the result of ${part.name}`);
  else if (part.callId === id)
    context.report("missing-id", message, `gave the result of ${part.name} the id of its call`);
  else if (part.callId) context.report("duplicate-call-id", message, `renamed the second call ${part.callId} to ${id}`);
  else context.report("missing-id", message, `gave the call of ${part.name} the id ${id}`);
}

function withId(part: Part, id: string | undefined): Part {
  if (part.type !== "tool-call" && part.type !== "tool-result") return part;
  const { callId: _, ...rest } = part;
  return id === undefined ? rest : { ...rest, callId: id };
}
