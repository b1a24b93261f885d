/** Which result answers which call, decided from parts alone and one message at a time. Never looks at roles, never changes a message. */

import type { Message, Part, ToolCallPart, ToolResultPart } from "../message.ts";

/** A part's place: index of its message, index of the part in it. */
export interface Place {
  readonly message: number;
  readonly part: number;
}

export interface PairedCall {
  readonly at: Place;
  readonly part: ToolCallPart;
  /** In order of arrival; more than one when results were duplicated. */
  readonly results: readonly PairedResult[];
}

export interface PairedResult {
  readonly at: Place;
  readonly part: ToolResultPart;
}

export interface Pairing {
  readonly calls: readonly PairedCall[];
  /** Results that no earlier call explains. */
  readonly orphans: readonly PairedResult[];
}

interface OpenCall extends PairedCall {
  results: PairedResult[];
}

export interface PairingTracker extends Pairing {
  /** Returns the calls that this message's results answered. */
  append(message: Message, index: number): readonly PairedCall[];
}

export function pairCalls(messages: readonly Message[]): Pairing {
  const tracker = createPairingTracker();
  messages.forEach((message, index) => {
    tracker.append(message, index);
  });
  return tracker;
}

export function createPairingTracker(): PairingTracker {
  const calls: OpenCall[] = [];
  const orphans: PairedResult[] = [];
  /** The first call of the newest message with calls; later the first of them that may lack a result. */
  let next = 0;
  /** The indexes below hold the calls before this one: a list in order never asks them. */
  let indexed = 0;
  /** The newest with an id, answered or not. */
  const byId = new Map<string, OpenCall>();
  /** Calls that share an id, which some clients use again. */
  const openById = new Map<string, WaitingCalls>();
  /** Calls by tool name: how results without an id (Gemini) find theirs. */
  const openByName = new Map<string, WaitingCalls>();
  /** Of those, the ones without an id: a result that names one may only take such a call. */
  const openWithoutId = new Map<string, WaitingCalls>();

  function addToIndexes(call: OpenCall): void {
    const { callId, name } = call.part;
    addTo(openByName, name, call);
    if (callId === undefined) addTo(openWithoutId, name, call);
    else {
      const before = byId.get(callId);
      if (before !== undefined && !openById.has(callId)) addTo(openById, callId, before);
      if (before !== undefined) addTo(openById, callId, call);
      byId.set(callId, call);
    }
  }

  function findCall({ callId, name }: ToolResultPart): OpenCall | undefined {
    while (calls[next] !== undefined && calls[next]?.results.length !== 0) next++;
    const expected = calls[next];
    const isExpected = callId === undefined ? expected?.part.name === name : expected?.part.callId === callId;
    if (expected !== undefined && isExpected) return expected;
    for (const call of calls.slice(indexed)) addToIndexes(call);
    indexed = calls.length;
    const newest = callId === undefined ? undefined : byId.get(callId);
    const same = callId === undefined ? undefined : openById.get(callId);
    const waiting = same === undefined ? newest : firstOfLatestMessage(same);
    if (waiting?.results.length === 0) return waiting;
    // Only when nothing waits for it is a result a duplicate of one that was answered before.
    const named = name === undefined ? undefined : (callId === undefined ? openByName : openWithoutId).get(name);
    return firstOfLatestMessage(named ?? []) ?? newest;
  }

  function append(message: Message, index: number): readonly PairedCall[] {
    let answered: OpenCall[] | undefined;
    for (let position = 0; position < message.parts.length; position++) {
      const part = message.parts[position];
      if (part?.type === "tool-call") {
        if (calls.at(-1)?.at.message !== index) next = calls.length;
        calls.push({ at: { message: index, part: position }, part, results: NO_RESULTS });
      }
      if (part?.type !== "tool-result") continue;
      const result = { at: { message: index, part: position }, part };
      const call = findCall(part);
      if (call === undefined) {
        orphans.push(result);
        continue;
      }
      // A list that begins with one takes a tenth of the memory of one that was empty and grew.
      if (call.results.length === 0) call.results = [result];
      else call.results.push(result);
      if (answered === undefined) answered = [call];
      else answered.push(call);
    }
    return answered ?? NO_CALLS;
  }

  return { calls, orphans, append };
}

const NO_CALLS: readonly PairedCall[] = [];
/** Never added to. */
const NO_RESULTS: PairedResult[] = [];

/** Calls that a result may answer, those of one message together: messages and calls in their order. */
type WaitingCalls = CallsOfMessage[];

interface CallsOfMessage {
  readonly message: number;
  readonly calls: OpenCall[];
  /** All before this one are answered, and stay so. */
  next: number;
}

/** Newest message first, because an interrupted call must not take a later call's result; within it, in order. Each call is passed by once. */
function firstOfLatestMessage(waiting: WaitingCalls): OpenCall | undefined {
  for (let group = waiting.at(-1); group !== undefined; group = waiting.at(-1)) {
    for (; group.next < group.calls.length; group.next++) {
      const call = group.calls[group.next];
      if (call?.results.length === 0) return call;
    }
    waiting.pop();
  }
  return undefined;
}

function addTo(index: Map<string, WaitingCalls>, key: string, call: OpenCall): void {
  const { message } = call.at;
  const waiting = index.get(key) ?? [];
  index.set(key, waiting);
  const group = waiting.at(-1);
  if (group?.message === message) group.calls.push(call);
  else waiting.push({ message, calls: [call], next: 0 });
}

export function resultNames({ calls }: Pick<Pairing, "calls">): ReadonlyMap<Part, string> {
  const names = new Map<Part, string>();
  for (const { part, results } of calls) for (const result of results) names.set(result.part, part.name);
  return names;
}
